//! Turns a folder into the skills in it, reading no more than the head of each file.

pub(crate) mod confined;
pub(crate) mod directory;
pub(crate) mod discovery;
pub(crate) mod found;
pub(crate) mod listed_file;
pub(crate) mod look;

use crate::discover::directory::Directory;
use crate::discover::discovery::{Discovery, Links, MissingRoot, OnProblem};
use crate::discover::found::{Found, Job, Linked, look_into};
use crate::disk::{self, Kind, LastLink, ReadError};
use crate::source::{Listing, Problem, SourceError};
use metier_core::Severity;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
/// 5. The root is opened once, and everything below it from there, never through a link: a folder that
///    is swapped for a link meanwhile does not lead out. (Windows has no such handles, and paths are
///    looked up anew there.)
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
    /// The root as it was walked, unless there was none.
    pub(crate) root: Option<OpenRoot>,
}

/// The root of a walk.
#[derive(Debug)]
pub(crate) struct OpenRoot {
    pub(crate) directory: Directory,
    /// Its absolute path without links; `None` when it cannot be told.
    pub(crate) real: Option<PathBuf>,
}

pub(crate) fn survey(
    root: &Path,
    options: &Discovery,
    on_problem: &(dyn Fn(&Problem) + Sync),
) -> Result<Survey, SourceError> {
    let path = if root.as_os_str().is_empty() { Path::new(ROOT) } else { root };
    let unavailable = |message: String| SourceError::Unavailable { location: shown(path), message };
    let missing = match disk::kind(path) {
        Ok(Kind::Directory) => None,
        Ok(_) if options.missing_root == MissingRoot::NoteAbsent => {
            return Err(unavailable("it is not a directory".to_owned()));
        }
        Ok(_) => Some("it is not a directory"),
        Err(ReadError::NotFound { .. }) => Some("it does not exist"),
        Err(error) => return Err(unavailable(error.reason())),
    };
    let mut survey = Survey::default();
    match (missing, options.missing_root) {
        (None, _) => {
            let directory = Directory::open(path, LastLink::Follow)
                .map_err(|error| unavailable(ReadError::new(path, error).reason()))?;
            let root = OpenRoot { directory, real: disk::real_path(path).ok() };
            let walk = Walk { path, root: &root, names: Names::new(path), options, on_problem };
            walk.run(&mut survey)?;
            survey.root = Some(root);
        }
        (Some(reason), MissingRoot::Abort) => return Err(unavailable(reason.to_owned())),
        (Some(reason), MissingRoot::Note | MissingRoot::NoteAbsent) => {
            let help = "make the folder, or leave it out";
            let note = Problem::new(shown(path), Severity::Note, reason, help);
            on_problem(&note);
            survey.listing.problems.push(note);
        }
    }
    survey.listing.sort();
    // A listing is kept for long, and grew by doubling.
    survey.listing.skills.shrink_to_fit();
    Ok(survey)
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
    pub(crate) path: &'a Path,
    pub(crate) root: &'a OpenRoot,
    pub(crate) names: Names,
    pub(crate) options: &'a Discovery,
    on_problem: &'a (dyn Fn(&Problem) + Sync),
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
            let found = look_into(&jobs, threads, |job, found| self.look(job, found));
            progress.keys.extend(jobs.into_iter().filter(|j| j.real.is_none()).map(|j| j.key));
            jobs = Self::take(found, progress, survey)
                .map_err(|error| self.unavailable(error.reason()))?;
            self.stop_at_problem(survey)?;
            if jobs.iter().any(|job| job.real.is_some()) {
                // Which of two ways to one directory counts must not depend on the threads.
                jobs.sort_by(|a, b| a.key.cmp(&b.key));
                jobs.retain(|job| self.is_new(job, &mut progress.visited, survey));
            }
        }
        Ok(())
    }

    /// Adds what a level holds to what there was before; the answer is the next level.
    fn take(
        found: Found,
        progress: &mut Progress,
        survey: &mut Survey,
    ) -> Result<Vec<Job>, ReadError> {
        if let Some(error) = found.unreadable {
            return Err(error);
        }
        survey.linked.extend(found.linked);
        survey.broken.extend(found.broken);
        survey.listing.skills.extend(found.skills);
        survey.listing.problems.extend(found.problems);
        progress.links.extend(found.links);
        progress.deep.0 += found.deep.len();
        let first = progress.deep.1.take();
        progress.deep.1 = first.into_iter().chain(found.deep).min();
        Ok(found.below)
    }

    /// Turns links into the directories they lead to, each once.
    fn follow(&self, progress: &mut Progress, survey: &mut Survey) -> Vec<Job> {
        let mut links = std::mem::take(&mut progress.links);
        let Some(real_root) = &self.root.real else { return Vec::new() };
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

    /// Whether a link may lead to this place.
    pub(crate) fn permits(&self, links: Links, target: &Path) -> Result<(), Refusal> {
        match links {
            Links::Never => Err(Refusal::Never),
            Links::Anywhere => Ok(()),
            Links::Inside if self.inside(target).is_some() => Ok(()),
            Links::Inside => Err(Refusal::Outside),
        }
    }

    /// The path below the root of a place inside.
    pub(crate) fn inside<'t>(&self, target: &'t Path) -> Option<&'t Path> {
        let inside = target.strip_prefix(self.root.real.as_ref()?).ok()?;
        Some(if inside.as_os_str().is_empty() { Path::new(ROOT) } else { inside })
    }

    /// The path of a directory; without the link, if one led to it.
    pub(crate) fn place(&self, job: &Job) -> PathBuf {
        job.real.clone().unwrap_or_else(|| below(self.path, &job.key))
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
        Problem::new(shown(&below(self.path, key)), severity, message, help)
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

    pub(crate) fn meet(&self, found: &mut Found, problem: Problem) {
        (self.on_problem)(&problem);
        found.problems.push(problem);
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
        SourceError::Unavailable { location: shown(self.path), message: message.into() }
    }
}

/// Why a link is not followed.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    Never,
    Outside,
    Dangling,
}

/// What the places of skills are called.
pub(crate) struct Names {
    /// What stands before a key in the path that people are shown.
    before: String,
    /// Whether the path of the root is text, so that the shown path is the path.
    is_text: bool,
}

impl Names {
    fn new(root: &Path) -> Self {
        let mut before = shown(&root.join("x"));
        before.pop();
        Self { before, is_text: root.to_str().is_some() }
    }

    /// The path of a file of the skill `key`, for people: as [`shown`], with one piece of memory.
    pub(crate) fn location(&self, key: &str, file: &str) -> Box<str> {
        let folder = if key == ROOT { "" } else { key };
        let between = if key == ROOT { "" } else { "/" };
        let mut location =
            String::with_capacity(self.before.len() + folder.len() + between.len() + file.len());
        for part in [&self.before, folder, between, file] {
            location.push_str(part);
        }
        location.into_boxed_str()
    }
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
