//! Turns skill files on disk into reports, many at a time.

pub(crate) mod find;
pub(crate) mod fix;
pub(crate) mod folder;
pub(crate) mod glob;
pub(crate) mod resource_check;

use crate::check::find::{Found, Seen, is_manifest};
use crate::check::folder::{Kinds, Look, list_seen};
use crate::check::resource_check::ResourceCheck;
use crate::disk::{self, ReadError};
use metier_core::{Folder, ParseOptions, Report, ResourcePath, Rule};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How skills are checked.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Mode, name rules, limits and extra fields. The directory is filled in for each file.
    pub parse: ParseOptions,
    /// Report these rules only; all when empty.
    pub select: Vec<Rule>,
    /// Do not report these rules.
    pub ignore: Vec<Rule>,
    /// The folder that relative paths start from, so that `.` has a name (spec assertion 10).
    pub base: PathBuf,
}

impl CheckOptions {
    /// Whether findings of this rule are reported.
    pub(crate) fn reports(&self, rule: Rule) -> bool {
        (self.select.is_empty() || self.select.contains(&rule)) && !self.ignore.contains(&rule)
    }
}

/// A checked skill file: what was found, and the text it was found in.
#[derive(Debug, Default)]
pub struct CheckedFile {
    /// The path as it was given.
    pub path: PathBuf,
    /// The name of the skill, if it has one.
    pub name: Option<String>,
    /// What was found, in the order of the text.
    pub report: Report,
    /// The text of the skill file, if anything was found in it; bytes that are not UTF-8 are
    /// replaced.
    pub text: String,
    /// The texts of the skill's other files, where something was found.
    pub resources: BTreeMap<ResourcePath, String>,
    /// Files of the skill that were not looked into, and why.
    pub unread: Vec<ReadError>,
}

/// Checks one skill file, and the folder it stands in if it is a `SKILL.md`.
///
/// Another Markdown file is checked alone: it has no folder to compare with.
pub fn check_path(path: &Path, options: &CheckOptions) -> Result<CheckedFile, ReadError> {
    check_seen(path, options, &Seen::new())
}

fn check_seen(path: &Path, options: &CheckOptions, seen: &Seen) -> Result<CheckedFile, ReadError> {
    match disk::read_capped(path, options.parse.limits.file_bytes) {
        Ok(bytes) => Ok(check_all_of(path, &bytes, options, seen)),
        // Something is wrong with the skill, not with the disk: a finding. It is not read at all.
        Err(ReadError::TooLarge { limit, size, .. }) => {
            let mut report = Report::new(options.parse.mode);
            let message = format!("the file has {size} bytes, the limit is {limit}");
            report.push(Rule::FileTooLarge, None, message, |finding| {
                finding.with_help("move parts of it into files under `references/`")
            });
            report.retain(|finding| options.reports(finding.rule));
            Ok(CheckedFile { path: path.to_owned(), report, ..CheckedFile::default() })
        }
        Err(error) => Err(error),
    }
}

/// Checks bytes as if they stood at `path`, which need not exist.
///
/// If `path` names a `SKILL.md`, the folder around it counts as the skill's.
pub fn check_bytes(path: &Path, bytes: &[u8], options: &CheckOptions) -> CheckedFile {
    check_all_of(path, bytes, options, &Seen::new())
}

/// Applies every rule to a skill file and to the files beside it.
fn check_all_of(path: &Path, bytes: &[u8], options: &CheckOptions, seen: &Seen) -> CheckedFile {
    let mut resources = ResourceCheck::new(options);
    let place = Place::looking(path, options, seen, &mut resources);
    let mut checked = place.check(bytes, options);
    if let Some(folder) = &place.folder {
        resources.finish(&mut checked, disk::folder_of(path), folder);
    }
    checked.report.sort();
    checked
}

/// What surrounds a skill file.
pub(crate) struct Place {
    path: PathBuf,
    folder: Option<Folder>,
    parse: ParseOptions,
}

impl Place {
    pub(crate) fn of(path: &Path, options: &CheckOptions) -> Self {
        Self::looking(path, options, &Seen::new(), &mut Kinds)
    }

    fn looking(path: &Path, options: &CheckOptions, seen: &Seen, look: &mut dyn Look) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let mut place = Self { path: path.to_owned(), folder: None, parse: options.parse.clone() };
        if is_manifest(&name) {
            place.folder = list_seen(disk::folder_of(path), &name, seen, look).ok();
            place.parse.directory = directory_name(path, &options.base);
        }
        place
    }

    /// Applies the rules about the skill file itself and its folder.
    pub(crate) fn check(&self, bytes: &[u8], options: &CheckOptions) -> CheckedFile {
        let found = metier_core::check(bytes, self.folder.as_ref(), &self.parse);
        let mut report = found.report;
        report.retain(|finding| options.reports(finding.rule));
        let text = if report.is_empty() { String::new() } else { found.text.into_owned() };
        let name = found.skill.map(|skill| skill.name().to_owned());
        CheckedFile { path: self.path.clone(), name, report, text, ..CheckedFile::default() }
    }
}

/// The name of the folder a file stands in, where `base` is what relative paths start from.
///
/// A link counts by its own name (spec N6), and only
/// where the path names no folder, as in `SKILL.md` or `../SKILL.md`, is the disk asked.
pub fn directory_name(path: &Path, base: &Path) -> Option<String> {
    let directory = path.parent()?;
    let name = match directory.file_name() {
        Some(name) => name.to_owned(),
        None if directory.as_os_str().is_empty() && base.file_name().is_some() => {
            base.file_name()?.to_owned()
        }
        None => disk::real_path(&base.join(directory)).ok()?.file_name()?.to_owned(),
    };
    Some(name.to_string_lossy().into_owned())
}

/// Checks everything that was found on `threads` threads; the results are in the order of the files.
///
/// `on_done` hears after each file how many are done, from any thread.
pub fn check_all(
    found: &Found,
    options: &CheckOptions,
    threads: usize,
    on_done: &(dyn Fn(usize) + Sync),
) -> Vec<Result<CheckedFile, ReadError>> {
    each(&found.files, threads, on_done, |path| check_seen(path, options, &found.seen))
}

/// Applies `job` to every item on several threads, and keeps the order.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    on_done: &(dyn Fn(usize) + Sync),
    job: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        let mut own = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            own.push((at, job(item)));
            on_done(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
        results.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
