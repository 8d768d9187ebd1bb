//! Turns the file of a skill into its entry in a listing, or into what is wrong with it.

use crate::check::directory_name;
use crate::discover::directory::Directory;
use crate::discover::discovery::FileName;
use crate::discover::found::{Found, Job, Linked};
use crate::discover::{ROOT, Refusal, Walk, join, tidy};
use crate::disk::{self, Kind, LastLink, ReadError};
use crate::source::{Listed, Problem, skill_file};
use metier_core::{Head, Limits, Mode, ParseOptions, Report, Rule, Severity};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// How much of a skill file is read at once: the frontmatter of nearly every one.
const HEAD_BYTES: usize = 4096;

impl Walk<'_> {
    /// Reads the head of a skill file, and says whether it is one that loads. `others` are its other
    /// spellings in the same directory.
    pub(crate) fn load(
        &self,
        job: &Job,
        directory: &Directory,
        name: &str,
        kind: Kind,
        others: &[&str],
        found: &mut Found,
    ) -> bool {
        let problem = match self.read(job, directory, name, kind) {
            Ok((head, linked)) => return self.list(job, name, &head, linked, others, found),
            Err(problem) => problem,
        };
        self.meet(found, *problem);
        false
    }

    fn read(
        &self,
        job: &Job,
        directory: &Directory,
        name: &str,
        kind: Kind,
    ) -> Result<(Head, Linked), Box<Problem>> {
        let path = || self.place(job).join(name);
        let mut linked = Linked { directory: job.real.clone(), file: None };
        if kind == Kind::Link {
            let target = disk::real_path(&path()).map_err(|_| Refusal::Dangling);
            let target = target.and_then(|target| {
                self.permits(self.options.linked_files, &target).map(|()| target)
            });
            let refused = |refusal| self.refused(&join(&job.key, name), refusal);
            linked.file = Some(target.map_err(refused)?);
        }
        let mounts = self.options.mounts;
        let opened = match &linked.file {
            Some(target) => match self.inside(target) {
                Some(inside) => self.root.directory.open_file(inside, mounts, path),
                None => disk::open_file(target, LastLink::Refuse),
            },
            None => directory.open_file(Path::new(name), mounts, path),
        };
        let limits = &self.options.parse.limits;
        let head = opened.and_then(|(file, size)| read_head(file, size, limits, path));
        match head {
            Ok(head) => Ok((head, linked)),
            Err(error) => {
                Err(self.unread(&join(&job.key, name), &error, self.options.parse.mode).into())
            }
        }
    }

    fn list(
        &self,
        job: &Job,
        name: &str,
        head: &Head,
        linked: Linked,
        others: &[&str],
        found: &mut Found,
    ) -> bool {
        let options = self.parse_options(job);
        let parsed = head.parse(&options);
        let mut report = parsed.report;
        if self.options.file_name == FileName::Standard {
            report_spelling(name, &mut report);
        }
        report_twins(name, others, &mut report);
        let loads = options.mode == Mode::Lenient || !report.has_errors();
        let skill = parsed.manifest.zip(parsed.name).filter(|_| loads);
        let is_lost = skill.is_none();
        let location = self.names.location(&job.key, name);
        if let Some(mut problem) = Problem::of_skill(&*location, report) {
            if is_lost {
                problem.severity = Severity::Error;
            }
            self.meet(found, problem);
        }
        let Some((manifest, skill_name)) = skill else { return false };
        let Ok(file) = (if name == "SKILL.md" { Ok(skill_file()) } else { name.parse() }) else {
            let help = "call the file `SKILL.md`";
            let message = "the name of the file is not one that can be read everywhere";
            let key = join(&job.key, name);
            self.meet(found, self.problem(&key, Severity::Error, message, help));
            return false;
        };
        let mut listed = Listed::in_its_directory(&job.key, skill_name, manifest, location);
        listed.file = file;
        listed.body_offset = parsed.body_offset.unwrap_or_default();
        if linked.directory.is_some() || !self.names.is_text {
            listed.set_directory(Some(tidy(&self.place(job)).to_owned()));
        }
        found.skills.push(listed);
        if linked.directory.is_some() || linked.file.is_some() {
            found.linked.push((job.key.clone(), linked));
        }
        true
    }

    /// The options with the name of the directory, where a link counts by its own name (spec N6).
    fn parse_options(&self, job: &Job) -> ParseOptions {
        let directory = match job.key.as_str() {
            ROOT => directory_name(&self.path.join("SKILL.md"), Path::new("")),
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
