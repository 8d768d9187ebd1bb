//! Turns a folder into the skills in it, reading no more than the head of each file.

pub(crate) mod confined;
pub(crate) mod directory;
pub(crate) mod discovery;
pub(crate) mod listed_file;

use crate::check::each;
use crate::check::find::spelling;
use crate::discover::directory::Directory;
use crate::discover::discovery::{Discovery, Links, MissingRoot, OnProblem, RootSkill};
use crate::disk::{self, Kind, LastLink, ReadError};
use crate::source::{Listed, Listing, Problem, SourceError};
use metier_core::Severity;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The key of a skill that is the root itself.
pub(crate) const ROOT: &str = ".";

/// Finds the skills in and below a folder, without their bodies. The same tree gives the same
/// answer, whatever the order in which the system names its entries.
///
/// 1. A directory is a skill when it holds a file called as `options.file_name` says.
/// 2. Directories are looked into level by level, in the order of their paths, until there is
///    nothing left or a limit is reached, which is reported.
/// 3. Links to directories come after all real directories, in the order of their paths, and count
///    by their own names. A directory that was looked into already is not looked into again.
/// 4. Whatever cannot be read or loaded is a problem, and the walk goes on.
///
/// `on_problem` hears each problem when it is met, from any thread; the listing has all of them, in
/// order. The key of a skill is its path below the root, with `/`; that of the root is `.`.
///
/// ```no_run
/// use metier::{Discovery, discover};
///
/// let listing = discover("skills".as_ref(), &Discovery::default(), &|_| {})?;
/// for skill in &listing.skills {
///     println!("{}: {}", skill.name, skill.description());
/// }
/// # Ok::<(), metier::SourceError>(())
/// ```
pub fn discover(
    root: &Path,
    options: &Discovery,
    on_problem: &(dyn Fn(&Problem) + Sync),
) -> Result<Listing, SourceError> {
    survey(root, options, on_problem).map(|survey| survey.listing)
}

/// What a walk found, and where links led.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) listing: Listing,
    /// The skills that are not where their keys say, by key.
    pub(crate) linked: BTreeMap<String, Linked>,
    /// The keys of the directories whose skill file does not load.
    pub(crate) broken: Vec<String>,
}

/// Where a skill really is: absolute paths without links.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// Its directory, when a link led there.
    pub(crate) directory: Option<PathBuf>,
    /// Its own file, when that is a link.
    pub(crate) file: Option<PathBuf>,
}

pub(crate) fn survey(
    root: &Path,
    options: &Discovery,
    on_problem: &(dyn Fn(&Problem) + Sync),
) -> Result<Survey, SourceError> {
    let root = if root.as_os_str().is_empty() { Path::new(ROOT) } else { root };
    let walk = Walk { root, options, on_problem, real_root: OnceLock::new() };
    let missing = match disk::kind(root) {
        Ok(Kind::Directory) => None,
        Ok(_) if options.missing_root == MissingRoot::NoteAbsent => {
            return Err(walk.unavailable("it is not a directory"));
        }
        Ok(_) => Some("it is not a directory"),
        Err(ReadError::NotFound { .. }) => Some("it does not exist"),
        Err(error) => return Err(walk.unavailable(error.reason())),
    };
    let mut survey = Survey::default();
    match (missing, options.missing_root) {
        (None, _) => walk.run(&mut survey)?,
        (Some(reason), MissingRoot::Abort) => return Err(walk.unavailable(reason)),
        (Some(reason), MissingRoot::Note | MissingRoot::NoteAbsent) => {
            let help = "make the folder, or leave it out";
            let note = Problem::new(shown(root), Severity::Note, reason, help);
            on_problem(&note);
            survey.listing.problems.push(note);
        }
    }
    survey.listing.sort();
    // A listing is kept for long, and grew by doubling.
    survey.listing.skills.shrink_to_fit();
    Ok(survey)
}

/// A directory to be looked into.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) key: String,
    depth: usize,
    /// Where it is, when a link led here.
    pub(crate) real: Option<PathBuf>,
}

/// What one directory holds.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) skill: Option<Listed>,
    pub(crate) linked: Option<Linked>,
    /// Whether there is a skill file, and it does not load.
    is_broken: bool,
    problems: Vec<Problem>,
    /// Directories to be looked into, sorted.
    below: Vec<Job>,
    /// Links that may lead to directories.
    links: Vec<Job>,
    /// Directories that are too deep.
    deep: Vec<String>,
    unreadable: Option<ReadError>,
}

/// What all directories so far amount to.
#[derive(Default)]
struct Progress {
    taken: usize,
    cut: bool,
    links: Vec<Job>,
    /// How many directories were too deep, and the first of them.
    deep: (usize, Option<String>),
    /// The keys of the directories that no link led to.
    keys: Vec<String>,
    /// The real paths of all directories, once there is a link.
    visited: BTreeSet<PathBuf>,
}

pub(crate) struct Walk<'a> {
    pub(crate) root: &'a Path,
    pub(crate) options: &'a Discovery,
    on_problem: &'a (dyn Fn(&Problem) + Sync),
    real_root: OnceLock<Option<PathBuf>>,
}

impl Walk<'_> {
    fn run(&self, survey: &mut Survey) -> Result<(), SourceError> {
        let mut progress = Progress::default();
        let start = Job { key: ROOT.to_owned(), depth: 0, real: None };
        self.levels(vec![start], &mut progress, survey)?;
        while !progress.links.is_empty() {
            let followed = self.follow(&mut progress, survey);
            self.levels(followed, &mut progress, survey)?;
        }
        let (count, first) = progress.deep;
        if let Some(first) = first {
            let limit = self.options.depth;
            let message = format!("{count} folders more than {limit} deep were not looked into");
            let help = "raise `depth`, or give the folder as a root of its own";
            self.report(survey, self.problem(&first, Severity::Warning, message, help));
        }
        if progress.cut {
            let limit = self.options.directories;
            let message = format!("it holds more than {limit} folders, some were not looked into");
            let help = "raise `directories`, or give the folders below it as roots";
            self.report(survey, self.problem(ROOT, Severity::Error, message, help));
        }
        self.stop_at_problem(survey)
    }

    /// Looks into directories, then into those below them, one level after the other. A level that
    /// is cut is cut in the order of paths, so that the same directories are left out every time.
    fn levels(
        &self,
        mut jobs: Vec<Job>,
        progress: &mut Progress,
        survey: &mut Survey,
    ) -> Result<(), SourceError> {
        let threads = self.options.thread_count();
        while !jobs.is_empty() {
            let left = self.options.directories - progress.taken;
            if jobs.len() > left {
                jobs.sort_by(|a, b| a.key.cmp(&b.key));
                jobs.truncate(left);
                progress.cut = true;
            }
            progress.taken += jobs.len();
            let mut below = Vec::new();
            let all_seen = each(&jobs, threads, &|_| {}, |job| self.look(job));
            for (job, seen) in jobs.iter().zip(all_seen) {
                if let Some(error) = seen.unreadable {
                    return Err(self.unavailable(error.reason()));
                }
                let key = seen.skill.as_ref().map(|skill| skill.key.clone());
                survey.linked.extend(key.zip(seen.linked));
                survey.broken.extend(seen.is_broken.then(|| job.key.clone()));
                survey.listing.skills.extend(seen.skill);
                survey.listing.problems.extend(seen.problems);
                below.extend(seen.below);
                progress.links.extend(seen.links);
                progress.deep.0 += seen.deep.len();
                let first = progress.deep.1.take();
                progress.deep.1 = first.into_iter().chain(seen.deep).min();
            }
            self.stop_at_problem(survey)?;
            progress.keys.extend(jobs.into_iter().filter(|j| j.real.is_none()).map(|j| j.key));
            jobs = below;
            jobs.retain(|job| self.is_new(job, &mut progress.visited, survey));
        }
        Ok(())
    }

    /// Turns links into the directories they lead to, each once.
    fn follow(&self, progress: &mut Progress, survey: &mut Survey) -> Vec<Job> {
        let mut links = std::mem::take(&mut progress.links);
        let Some(real_root) = self.real_root() else { return Vec::new() };
        let keys = std::mem::take(&mut progress.keys);
        progress.visited.extend(keys.iter().map(|key| below(real_root, key)));
        links.sort_by(|a, b| a.key.cmp(&b.key));
        links.retain_mut(|link| {
            // A link that leads nowhere is no skill, and no reason to stop (spec assertion 83).
            let Ok(target) = disk::real_path(&self.place(link)) else { return false };
            if disk::kind(&target).ok() != Some(Kind::Directory) {
                return false;
            }
            // Build tools link outside all the time; it only matters where skills are.
            if let Err(refusal) = self.permits(self.options.linked_directories, &target) {
                if self.holds_skill(&target) {
                    self.report(survey, self.refused(&link.key, refusal));
                }
                return false;
            }
            link.real = Some(target);
            self.is_new(link, &mut progress.visited, survey)
        });
        links
    }

    /// Whether a directory that a link led to was not looked into yet.
    fn is_new(&self, job: &Job, visited: &mut BTreeSet<PathBuf>, survey: &mut Survey) -> bool {
        let Some(real) = &job.real else { return true };
        let new = visited.insert(real.clone());
        if !new && self.holds_skill(real) {
            let message = "it is the same folder as another one, and counted once";
            let help = "remove the link, if it was not meant";
            self.report(survey, self.problem(&job.key, Severity::Note, message, help));
        }
        new
    }

    /// Sorts the entries of one directory into the skill file, links, and directories below.
    fn look(&self, job: &Job) -> Seen {
        let mut seen = Seen::default();
        let (mut manifests, mut folders) = (Vec::new(), Vec::new());
        let link = if job.key == ROOT { LastLink::Follow } else { LastLink::Refuse };
        let opened = Directory::open(self.place(job), link).and_then(|directory| {
            directory.scan(|name, kind| match name.to_str() {
                Some(name) if self.options.file_name.matches(name) => {
                    manifests.push((name.to_owned(), kind));
                }
                Some(name) if matches!(kind, Kind::Directory | Kind::Link) => {
                    folders.push((Ok(name.to_owned()), kind));
                }
                None if kind == Kind::Directory => folders.push((Err(name.to_owned()), kind)),
                _ => {}
            })?;
            Ok(directory)
        });
        let directory = match opened {
            Ok(directory) => directory,
            Err(error) if job.key == ROOT => {
                seen.unreadable = Some(error);
                return seen;
            }
            Err(error) => {
                let help = error.help();
                let problem = self.problem(&job.key, Severity::Error, error.reason(), help);
                self.meet(&mut seen, problem);
                return seen;
            }
        };
        if job.key == ROOT && self.options.root_skill == RootSkill::Ignored {
            manifests.clear();
        }
        // A real file before anything odd; then the order of spellings, and of names.
        manifests.sort_by(|(a, a_kind), (b, b_kind)| {
            let rank = |name: &str, kind| (kind == Kind::Directory, spelling(name));
            (rank(a, *a_kind), a).cmp(&(rank(b, *b_kind), b))
        });
        for (name, _) in manifests.extract_if(.., |(_, kind)| *kind == Kind::Directory) {
            let key = join(&job.key, &name);
            let help = "a skill is a folder with a file of this name";
            let message = "it is a directory, not a file";
            let problem = self.problem(&key, Severity::Error, message, help);
            self.meet(&mut seen, problem);
            folders.push((Ok(name), Kind::Directory));
        }
        if let [(name, kind), others @ ..] = manifests.as_slice() {
            let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
            self.load(job, &directory, name, *kind, &others, &mut seen);
            seen.is_broken = seen.skill.is_none();
            if self.options.below_skills.ends_at(seen.skill.is_some()) {
                return seen;
            }
        }
        self.descend(job, folders, &mut seen);
        seen
    }

    fn descend(
        &self,
        job: &Job,
        mut folders: Vec<(Result<String, OsString>, Kind)>,
        seen: &mut Seen,
    ) {
        folders.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in folders {
            let name = match name {
                Ok(name) => name,
                Err(name) => {
                    let key = join(&job.key, &name.to_string_lossy());
                    let message = "its name is not UTF-8, so it was not looked into";
                    let problem = self.problem(&key, Severity::Error, message, "rename the folder");
                    self.meet(seen, problem);
                    continue;
                }
            };
            if self.options.skips(&name) {
                continue;
            }
            let key = join(&job.key, &name);
            if kind == Kind::Directory && job.depth >= self.options.depth {
                seen.deep.push(key);
                continue;
            }
            let real = job.real.as_ref().map(|real| real.join(&name));
            let next = Job { key, depth: job.depth + 1, real };
            match kind {
                Kind::Directory => seen.below.push(next),
                // Where it leads is asked when all real directories are known.
                _ if next.depth <= self.options.depth => seen.links.push(next),
                _ => {}
            }
        }
    }

    /// Whether a link may lead to this place.
    pub(crate) fn permits(&self, links: Links, target: &Path) -> Result<(), Refusal> {
        match links {
            Links::Never => Err(Refusal::Never),
            Links::Anywhere => Ok(()),
            Links::Inside if self.real_root().is_some_and(|root| target.starts_with(root)) => {
                Ok(())
            }
            Links::Inside => Err(Refusal::Outside),
        }
    }

    fn real_root(&self) -> Option<&Path> {
        self.real_root.get_or_init(|| disk::real_path(self.root).ok()).as_deref()
    }

    /// The path of a directory; without the link, if one led to it.
    fn place(&self, job: &Job) -> PathBuf {
        job.real.clone().unwrap_or_else(|| below(self.root, &job.key))
    }

    fn holds_skill(&self, directory: &Path) -> bool {
        let mut holds = false;
        let scanned = disk::scan(directory, |name, kind| {
            let named = name.to_str().is_some_and(|name| self.options.file_name.matches(name));
            holds |= named && kind != Kind::Directory;
        });
        scanned.is_ok() && holds
    }

    pub(crate) fn problem(
        &self,
        key: &str,
        severity: Severity,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem::new(shown(&below(self.root, key)), severity, message, help)
    }

    /// A link that is not followed. Where it leads is nobody's business (security R25).
    pub(crate) fn refused(&self, key: &str, refusal: Refusal) -> Problem {
        let (severity, message, help) = match refusal {
            Refusal::Never => (
                Severity::Note,
                "it is a link, and links are not followed",
                "replace it by what it links to",
            ),
            Refusal::Outside => (
                Severity::Error,
                "it is a link that leaves the root",
                "give the place it links to as a root, or let links lead anywhere",
            ),
            Refusal::Dangling => (Severity::Error, "it is a link that leads nowhere", "remove it"),
        };
        self.problem(key, severity, message, help)
    }

    pub(crate) fn meet(&self, seen: &mut Seen, problem: Problem) {
        (self.on_problem)(&problem);
        seen.problems.push(problem);
    }

    fn report(&self, survey: &mut Survey, problem: Problem) {
        (self.on_problem)(&problem);
        survey.listing.problems.push(problem);
    }

    fn stop_at_problem(&self, survey: &mut Survey) -> Result<(), SourceError> {
        if self.options.on_problem == OnProblem::Report {
            return Ok(());
        }
        survey.listing.sort();
        let problems = std::mem::take(&mut survey.listing.problems);
        let (errors, rest) =
            problems.into_iter().partition::<Vec<_>, _>(|p| p.severity == Severity::Error);
        survey.listing.problems = rest;
        match errors.into_iter().next() {
            Some(problem) => Err(SourceError::Aborted { problem: Box::new(problem) }),
            None => Ok(()),
        }
    }

    fn unavailable(&self, message: impl Into<String>) -> SourceError {
        SourceError::Unavailable { location: shown(self.root), message: message.into() }
    }
}

/// Why a link is not followed.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    Never,
    Outside,
    Dangling,
}

pub(crate) fn join(key: &str, name: &str) -> String {
    if key == ROOT { name.to_owned() } else { format!("{key}/{name}") }
}

pub(crate) fn below(root: &Path, key: &str) -> PathBuf {
    if key == ROOT { root.to_owned() } else { root.join(key) }
}

/// A path for people.
pub(crate) fn shown(path: &Path) -> String {
    tidy(path).to_string_lossy().into_owned()
}

/// Leaves out a leading `./`, unless there is nothing else.
pub(crate) fn tidy(path: &Path) -> &Path {
    match path.strip_prefix(ROOT) {
        Ok(rest) if !rest.as_os_str().is_empty() => rest,
        _ => path,
    }
}
