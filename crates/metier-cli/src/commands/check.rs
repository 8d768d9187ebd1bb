//! Turns paths into findings, and findings into a report or into mended files.

use crate::authoring_args::{Check, Names, OutputFormat};
use crate::diff;
use crate::exit::{Exit, Failure};
use crate::input;
use crate::ui::{ERROR, STRONG, Ui, WARNING, count};
use metier::{
    CheckOptions, CheckedFile, FindOptions, Fixed, Format, Mode, NameRules, ParseOptions,
    ReadError, RenderOptions, Severity, check_all, check_bytes, check_path, find, fix_path,
    fix_text, render, write_atomically,
};
use std::path::{Path, PathBuf};

/// From how many files on it is worth saying how far we are.
const MANY: usize = 2_000;

pub(crate) fn run(args: Check, ui: &mut Ui) -> Result<Exit, Failure> {
    let from_stdin = input::is_stdin(&args.paths)?;
    if args.stdin_name.is_some() && !from_stdin {
        return Err(Failure::usage(
            "`--stdin-name` names the text on stdin, but a path was given",
            "give `-` as the path, or leave `--stdin-name` out",
        ));
    }
    let check = Run::new(args, ui)?;
    if from_stdin { check.stdin(ui) } else { check.files(ui) }
}

/// One run of the command: what was asked, as the library wants it.
struct Run {
    args: Check,
    options: CheckOptions,
    rendering: RenderOptions,
}

/// What came of a run, beside the report.
#[derive(Default)]
struct Tally {
    failures: Vec<Failure>,
    fixed_findings: usize,
    fixed_files: usize,
    /// Files too large to look into.
    skipped: usize,
}

impl Run {
    fn new(args: Check, ui: &Ui) -> Result<Self, Failure> {
        let base = input::working_directory()?;
        let options = CheckOptions {
            parse: ParseOptions {
                mode: if args.lenient { Mode::Lenient } else { Mode::Strict },
                names: match args.names {
                    Names::Reference => NameRules::Reference,
                    Names::Ascii => NameRules::Ascii,
                    Names::Anthropic => NameRules::Anthropic,
                },
                allow_fields: args.allow_field.clone(),
                ..ParseOptions::default()
            },
            select: args.select.clone(),
            ignore: args.ignore.clone(),
            base: base.clone(),
        };
        let format = match args.output_format {
            _ if args.json => Format::Json,
            OutputFormat::Full => Format::Full,
            OutputFormat::Concise => Format::Concise,
            OutputFormat::Json => Format::Json,
            OutputFormat::Sarif => Format::Sarif,
            OutputFormat::Github => Format::Github,
        };
        let color = ui.colors_data();
        let rendering = RenderOptions { format, color, width: Ui::width(), base };
        Ok(Self { args, options, rendering })
    }

    /// Checks what the paths mean.
    fn files(&self, ui: &mut Ui) -> Result<Exit, Failure> {
        let threads = input::threads();
        let options = FindOptions { threads, ..FindOptions::default() };
        let mut found = find(&self.args.paths, &options);
        let mut tally = Tally::default();
        tally.failures.extend(found.faults.drain(..).map(Failure::from));

        let watched = found.files.len() > MANY && Ui::is_watched();
        let total = found.files.len();
        let results = check_all(&found, &self.options, threads, &|done| {
            if watched && done.is_multiple_of(256) {
                Ui::progress(&format!("checking {done} of {total} skills"));
            }
        });
        if watched {
            Ui::progress("");
        }

        let mut files = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(file) => files.push(file),
                Err(error) => tally.failures.push(error.into()),
            }
        }
        if self.args.diff {
            self.show_fixes(&files, &mut tally, ui)?;
        } else {
            if self.args.fix {
                self.write_fixes(&mut files, &mut tally);
            }
            ui.data(&render(&files, &self.rendering))?;
        }
        for file in &mut files {
            for error in std::mem::take(&mut file.unread) {
                match error {
                    ReadError::TooLarge { .. } => tally.skipped += 1,
                    error => tally.failures.push(error.into()),
                }
            }
        }
        Ok(self.finish(&files, &tally, ui))
    }

    /// Checks the text on stdin.
    fn stdin(&self, ui: &mut Ui) -> Result<Exit, Failure> {
        let bytes = input::stdin(self.options.parse.limits.file_bytes)?;
        let path = self.args.stdin_name.clone().unwrap_or_else(|| PathBuf::from("-"));
        let mut file = check_bytes(&path, &bytes, &self.options);
        let mut tally = Tally::default();
        if !self.args.fix {
            ui.data(&render(std::slice::from_ref(&file), &self.rendering))?;
            return Ok(self.finish(&[file], &tally, ui));
        }

        let text = input::text(bytes, self.options.parse.limits.file_bytes)?;
        let fixed = fix_text(&path, &text, &self.options);
        if let Some(fixed) = &fixed {
            tally.add(fixed);
        }
        if self.args.diff {
            let changes = fixed.map(|fixed| diff::unified(&path, &fixed.before, &fixed.after));
            ui.data(&changes.unwrap_or_default())?;
        } else {
            let after = fixed.map_or(text, |fixed| fixed.after);
            ui.data_raw(&after)?;
            file = check_bytes(&path, after.as_bytes(), &self.options);
            // The text has taken stdout, so what is left to mend goes to stderr.
            let plain = RenderOptions { color: false, ..self.rendering.clone() };
            ui.say(render(std::slice::from_ref(&file), &plain).trim_end());
        }
        Ok(self.finish(&[file], &tally, ui))
    }

    /// Shows what `--fix` would change.
    fn show_fixes(
        &self,
        files: &[CheckedFile],
        tally: &mut Tally,
        ui: &mut Ui,
    ) -> Result<(), Failure> {
        for file in files.iter().filter(|file| file.fixable() > 0) {
            match fix_path(&file.path, &self.options) {
                Ok(Some(fixed)) => {
                    tally.add(&fixed);
                    ui.data(&diff::unified(&file.path, &fixed.before, &fixed.after))?;
                }
                Ok(None) => {}
                Err(error) => tally.failures.push(error.into()),
            }
        }
        Ok(())
    }

    /// Mends the files, and checks again what it has mended.
    fn write_fixes(&self, files: &mut [CheckedFile], tally: &mut Tally) {
        for file in files.iter_mut().filter(|file| file.fixable() > 0) {
            match self.write_fix(&file.path) {
                Ok(Some((fixed, checked))) => {
                    tally.add(&fixed);
                    *file = checked;
                }
                Ok(None) => {}
                Err(failure) => tally.failures.push(failure),
            }
        }
    }

    fn write_fix(&self, path: &Path) -> Result<Option<(Fixed, CheckedFile)>, Failure> {
        let Some(fixed) = fix_path(path, &self.options)? else { return Ok(None) };
        write_atomically(path, fixed.after.as_bytes())?;
        Ok(Some((fixed, check_path(path, &self.options)?)))
    }

    /// Says what came of it, and decides the exit code.
    fn finish(&self, files: &[CheckedFile], tally: &Tally, ui: &mut Ui) -> Exit {
        let sum = |count: &dyn Fn(&CheckedFile) -> usize| files.iter().map(count).sum::<usize>();
        let errors = sum(&|file| file.report.count(Severity::Error));
        let warnings = sum(&|file| file.report.count(Severity::Warning));

        for failure in &tally.failures {
            ui.fail(failure);
        }
        if tally.skipped > 0 {
            let files = count(tally.skipped, "file");
            ui.note(&format!("{files} over the size limit not looked into"));
        }
        if self.args.fix {
            let verb = if self.args.diff { "would fix" } else { "fixed" };
            let findings = count(tally.fixed_findings, "finding");
            ui.say(&format!("{verb} {findings} in {}", count(tally.fixed_files, "file")));
        }
        if matches!(self.rendering.format, Format::Full | Format::Concise) {
            let fixable = if self.args.fix { 0 } else { sum(&CheckedFile::fixable) };
            ui.say(&summary(files.len(), errors, warnings, fixable));
        }

        let would_change = self.args.diff && tally.fixed_files > 0;
        if !tally.failures.is_empty() {
            Exit::Fault
        } else if errors > 0 || self.args.deny_warnings && warnings > 0 || would_change {
            Exit::Findings
        } else {
            Exit::Ok
        }
    }
}

impl Tally {
    fn add(&mut self, fixed: &Fixed) {
        self.fixed_findings += fixed.count;
        self.fixed_files += 1;
    }
}

/// `checked 12 skills: 3 errors, 5 warnings (4 fixable with --fix)`
fn summary(files: usize, errors: usize, warnings: usize, fixable: usize) -> String {
    let checked = format!("checked {}", count(files, "skill"));
    if files == 0 {
        return checked;
    }
    if errors + warnings == 0 {
        return format!("{checked}: {STRONG}nothing found{STRONG:#}");
    }
    let part = |number, noun, style: anstyle::Style| {
        let style = if number > 0 { style } else { anstyle::Style::new() };
        format!("{style}{}{style:#}", count(number, noun))
    };
    let errors = part(errors, "error", ERROR);
    let warnings = part(warnings, "warning", WARNING);
    let fixable =
        if fixable > 0 { format!(" ({fixable} fixable with --fix)") } else { String::new() };
    format!("{checked}: {errors}, {warnings}{fixable}")
}
