//! Turns the file of a skill into its entry in a listing, or into what is wrong with it.

use crate::check::directory_name;
use crate::discover::directory::Directory;
use crate::discover::discovery::FileName;
use crate::discover::{Job, Linked, ROOT, Refusal, Seen, Walk, below, join, shown, tidy};
use crate::disk::{self, Kind, LastLink, ReadError};
use crate::source::{Listed, Problem, skill_file};
use metier_core::{Head, Limits, Mode, ParseOptions, Report, Rule, Severity};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// How much of a skill file is read at once: the frontmatter of nearly every one.
const HEAD_BYTES: usize = 4096;

impl Walk<'_> {
    /// Reads the head of a skill file. `others` are its other spellings in the same directory.
    pub(crate) fn load(
        &self,
        job: &Job,
        place: &Directory,
        name: &str,
        kind: Kind,
        others: &[&str],
        seen: &mut Seen,
    ) {
        let key = join(&job.key, name);
        let mut linked = Linked { directory: job.real.clone(), file: None };
        if kind == Kind::Link {
            let target = disk::real_path(&place.path().join(name));
            let target = target.map_err(|_| Refusal::Dangling);
            match target.and_then(|target| {
                self.permits(self.options.linked_files, &target).map(|()| target)
            }) {
                Ok(target) => linked.file = Some(target),
                Err(refusal) => {
                    let problem = self.refused(&key, refusal);
                    return self.meet(seen, problem);
                }
            }
        }
        let options = self.parse_options(job);
        let opened = match &linked.file {
            Some(target) => disk::open_file(target, LastLink::Refuse),
            None => place.open_file(name),
        };
        let head = opened.and_then(|(file, size)| {
            read_head(file, size, &options.limits, || place.path().join(name))
        });
        let parsed = match head {
            Ok(head) => head.parse(&options),
            Err(error) => {
                let problem = self.unread(&key, &error, options.mode);
                return self.meet(seen, problem);
            }
        };
        let mut report = parsed.report;
        if self.options.file_name == FileName::Standard {
            report_spelling(name, &mut report);
        }
        report_twins(name, others, &mut report);
        let loads = options.mode == Mode::Lenient || !report.has_errors();
        let found = parsed.manifest.zip(parsed.name).filter(|_| loads);
        let is_lost = found.is_none();
        let location = shown(&below(self.root, &key));
        if let Some(mut problem) = Problem::of_skill(location.as_str(), report) {
            if is_lost {
                problem.severity = Severity::Error;
            }
            self.meet(seen, problem);
        }
        let Some((manifest, skill_name)) = found else { return };
        let Ok(resource) = (if name == "SKILL.md" { Ok(skill_file()) } else { name.parse() })
        else {
            let help = "call the file `SKILL.md`";
            let message = "the name of the file is not one that can be read everywhere";
            let problem = self.problem(&key, Severity::Error, message, help);
            return self.meet(seen, problem);
        };
        let directory = linked.directory.clone().unwrap_or_else(|| tidy(place.path()).to_owned());
        let mut listed = Listed::new(job.key.as_str(), skill_name, manifest);
        listed.file = resource;
        listed.body_offset = parsed.body_offset.unwrap_or_default();
        listed.set_location(location);
        listed.set_directory(Some(directory));
        seen.skill = Some(listed);
        if linked.directory.is_some() || linked.file.is_some() {
            seen.linked = Some(linked);
        }
    }

    /// The options with the name of the directory, where a link counts by its own name (spec N6).
    fn parse_options(&self, job: &Job) -> ParseOptions {
        let directory = match job.key.as_str() {
            ROOT => directory_name(&self.root.join("SKILL.md"), Path::new("")),
            key => key.rsplit('/').next().map(str::to_owned),
        };
        ParseOptions { directory, ..self.options.parse.clone() }
    }

    /// A skill file that was not read.
    fn unread(&self, key: &str, error: &ReadError, mode: Mode) -> Problem {
        let mut problem = self.problem(key, Severity::Error, error.reason(), error.help());
        if let ReadError::TooLarge { .. } = error {
            let mut report = Report::new(mode);
            report.push(Rule::FileTooLarge, None, error.reason(), |f| f.with_help(error.help()));
            problem.report = Some(report);
        }
        problem
    }
}

/// Reads a skill file as far as its frontmatter goes.
fn read_head(
    mut file: File,
    size: u64,
    limits: &Limits,
    path: impl FnOnce() -> PathBuf,
) -> Result<Head, ReadError> {
    if size > limits.file_bytes as u64 {
        return Err(ReadError::TooLarge { path: path(), limit: limits.file_bytes, size });
    }
    let mut start = [0; HEAD_BYTES];
    let read = loop {
        match file.read(&mut start) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    let head = read.and_then(|length| {
        let mut rest = &start[..length];
        let head = Head::read(&mut rest, limits)?;
        if !rest.is_empty() || length == 0 {
            return Ok(head);
        }
        // It ended where the frontmatter had not: there may be more.
        Head::read(&mut start[..length].chain(BufReader::new(file)), limits)
    });
    head.map_err(|error| ReadError::new(&path(), error))
}

/// Reports a file that is not called `SKILL.md`, as a check does.
fn report_spelling(name: &str, report: &mut Report) {
    match name {
        "SKILL.md" => {}
        "skill.md" => {
            let message = "the file is called `skill.md`, the specification says `SKILL.md`";
            report.push(Rule::LowercaseFileName, None, message, |f| {
                f.with_help("rename it: many clients look for `SKILL.md` only")
            });
        }
        _ => {
            let message = format!("the file is called `{name}`, it must be called `SKILL.md`");
            report.push(Rule::FileName, None, message, |f| f.with_help("rename it to `SKILL.md`"));
        }
    }
}

/// Reports other spellings of the file in the same folder (security D10).
fn report_twins(name: &str, others: &[&str], report: &mut Report) {
    for other in others {
        let message = format!("`{other}` stands beside `{name}`, only one of them is read");
        report.push(Rule::TwoManifests, None, message, |f| {
            f.with_help("keep one, called `SKILL.md`")
        });
    }
}
