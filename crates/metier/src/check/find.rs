//! Turns the paths someone typed into the skill files they mean.

use crate::check::glob;
use crate::disk::{self, Entry, Kind, ReadError};
use crate::visible;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How far [`find`] looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindOptions {
    /// How deep below a given folder.
    pub depth: usize,
    /// How many directories below a given folder.
    pub directories: usize,
    /// How many threads read directories.
    pub threads: usize,
}

impl Default for FindOptions {
    fn default() -> Self {
        Self { depth: 64, directories: 200_000, threads: 1 }
    }
}

/// What [`find`] found.
#[derive(Debug, Default)]
pub struct Found {
    /// The skill files, sorted by path, each once.
    pub files: Vec<PathBuf>,
    /// What could not be looked at. The rest was looked at all the same.
    pub faults: Vec<FindError>,
    /// The folders of the skills, as they were seen on the way: a check need not list them again.
    pub(crate) seen: Seen,
}

/// Listings of directories by path.
pub(crate) type Seen = HashMap<PathBuf, Vec<Entry>>;

/// How many entries of one directory are worth keeping until the check.
const MAX_SEEN: usize = 2_000;

/// Why a path led to no skill, or to fewer than it might.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The path, or a folder below it, cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// The file has nothing to do with skills.
    #[error("`{}` is not a skill", shown(path))]
    NotASkill {
        /// The path that was given.
        path: PathBuf,
    },
    /// The folder holds no skill.
    #[error("no `SKILL.md` under `{}`", shown(path))]
    NoSkill {
        /// The folder that was given.
        path: PathBuf,
    },
    /// The folder is not that of a skill, whatever stands below it.
    #[error("`{}` is not the folder of a skill, it holds no `SKILL.md`", shown(path))]
    NotASkillFolder {
        /// The folder that was given.
        path: PathBuf,
    },
    /// The pattern matches no skill.
    #[error("no skill matches `{}`", visible(pattern))]
    NoMatch {
        /// The pattern that was given.
        pattern: String,
    },
    /// A link leads out of the folder that was given.
    #[error("`{}` links to `{}`, outside of the folder", shown(path), shown(target))]
    LeavesFolder {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// A skill file is a link that leads nowhere, or to itself.
    #[error("`{}` is a link that leads nowhere", shown(path))]
    BrokenLink {
        /// The link.
        path: PathBuf,
    },
    /// The tree is deeper than the limit.
    #[error("`{}` is more than {limit} folders deep and was not looked into", shown(path))]
    TooDeep {
        /// The first folder that was left out.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// The tree has more directories than the limit.
    #[error("`{}` holds more than {limit} folders, and some were not looked into", shown(path))]
    TooMany {
        /// The folder that was given.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
}

impl FindError {
    /// What the user can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreadable(error) => error.help(),
            Self::NotASkill { .. } => "give a folder, a `SKILL.md` or another Markdown file",
            Self::NoSkill { .. } => "a skill is a folder with a `SKILL.md`; `metier new` makes one",
            Self::NotASkillFolder { .. } => "give the folder of one skill",
            Self::NoMatch { .. } => "check the spelling of the pattern",
            Self::LeavesFolder { .. } => "give the place it links to as a path of its own",
            Self::BrokenLink { .. } => "let it lead to a `SKILL.md`, or remove it",
            Self::TooDeep { .. } | Self::TooMany { .. } => "give the folders below it one by one",
        }
    }
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Finds the skill files that `paths` mean: a file is itself, a folder is every skill in it and
/// below it, and a path that does not exist but has wildcards is everything that matches.
///
/// 1. A folder's skill file is `SKILL.md`, else `skill.md`, else any other case of it.
/// 2. Below a folder everything is looked into, skills and dot-folders too, but not `.git` and
///    `node_modules`.
/// 3. Linked folders and linked skill files count when they stay inside the folder; each place is
///    followed to once.
pub fn find<P: AsRef<Path>>(paths: &[P], options: &FindOptions) -> Found {
    let mut found = Found::default();
    for path in paths {
        let path = path.as_ref();
        match disk::kind(path) {
            Ok(kind) => found.add(path, kind, Asked::ByName, options),
            Err(error) => match path.to_str().filter(|text| glob::is_pattern(text)) {
                Some(pattern) => found.add_matches(pattern, options),
                None => found.faults.push(error.into()),
            },
        }
    }
    found.files.sort();
    found.files.dedup();
    found
}

/// The skill file that `path` means: a folder's own, or the file itself.
pub fn manifest_of(path: &Path) -> Result<PathBuf, FindError> {
    if disk::kind(path)? != Kind::Directory {
        return Ok(path.to_owned());
    }
    let entries = disk::entries(path)?;
    let manifest = manifest(&entries).map(|entry| plain(&entry.path).to_owned());
    manifest.ok_or_else(|| FindError::NotASkillFolder { path: path.to_owned() })
}

/// Whether someone named this very path; only then is it a fault that it is no skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    ByName,
    ByPattern,
}

impl Found {
    fn add(&mut self, path: &Path, kind: Kind, asked: Asked, options: &FindOptions) {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        if kind == Kind::Directory {
            let before = self.files.len();
            let faults = self.faults.len();
            self.add_tree(path, options);
            let nothing = before == self.files.len() && faults == self.faults.len();
            if nothing && asked == Asked::ByName {
                self.faults.push(FindError::NoSkill { path: path.to_owned() });
            }
        } else if is_manifest(&name) || is_markdown(&name) && asked == Asked::ByName {
            self.files.push(plain(path).to_owned());
        } else if asked == Asked::ByName {
            self.faults.push(FindError::NotASkill { path: path.to_owned() });
        }
    }

    fn add_matches(&mut self, pattern: &str, options: &FindOptions) {
        let before = self.files.len();
        for path in glob::expand(pattern) {
            match disk::kind(&path) {
                Ok(kind) => self.add(&path, kind, Asked::ByPattern, options),
                Err(error) => self.faults.push(error.into()),
            }
        }
        if before == self.files.len() {
            self.faults.push(FindError::NoMatch { pattern: pattern.to_owned() });
        }
    }

    /// Walks a tree, then the places its links lead to, one after the other in the order of their
    /// paths: the walk is parallel, and still the same links win every time.
    fn add_tree(&mut self, root: &Path, options: &FindOptions) {
        let mut walked = walk(root, 0, options.directories, options);
        let mut followed = BTreeSet::new();
        let mut links = std::mem::take(&mut walked.links);
        let real_root = if links.is_empty() { None } else { disk::real_path(root).ok() };
        while !links.is_empty() {
            links.sort();
            for (link, depth) in std::mem::take(&mut links) {
                let Some(real_root) = &real_root else { continue };
                let names_a_skill =
                    link.file_name().is_some_and(|name| is_manifest(&name.to_string_lossy()));
                let target = match disk::real_path(&link) {
                    Ok(target) => target,
                    Err(_) if names_a_skill => {
                        walked.faults.push(FindError::BrokenLink { path: link });
                        continue;
                    }
                    // Any other link that leads nowhere is no skill, and no reason to stop.
                    Err(_) => continue,
                };
                let is_directory = disk::kind(&link).is_ok_and(|kind| kind == Kind::Directory);
                if !target.starts_with(real_root) {
                    // Build tools link outside all the time; it only matters where skills are.
                    if names_a_skill || is_directory && holds_manifest(&link) {
                        walked.faults.push(FindError::LeavesFolder { path: link, target });
                    }
                } else if names_a_skill && !is_directory {
                    walked.files.push(link);
                } else if is_directory && !is_above(&target, &link) && followed.insert(target) {
                    let left = options.directories.saturating_sub(walked.directories);
                    let below = walk(&link, depth, left, options);
                    links.extend(below.links);
                    walked.directories += below.directories;
                    walked.cut |= below.cut;
                    walked.files.extend(below.files);
                    walked.faults.extend(below.faults);
                    walked.seen.extend(below.seen);
                }
            }
        }
        if walked.cut {
            let limit = options.directories;
            walked.faults.push(FindError::TooMany { path: root.to_owned(), limit });
        }
        walked.faults.sort_by_key(ToString::to_string);
        self.files.extend(walked.files.into_iter().map(plain_path));
        self.faults.extend(walked.faults);
        self.seen
            .extend(walked.seen.into_iter().map(|(path, entries)| (plain_path(path), entries)));
    }
}

/// Leaves out a leading `./`, which says nothing.
pub(crate) fn plain(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

/// The same, of a path that is ours to keep.
fn plain_path(path: PathBuf) -> PathBuf {
    if path.starts_with(".") { plain(&path).to_owned() } else { path }
}

/// Whether a file of this name holds a skill, in whatever case.
pub(crate) fn is_manifest(name: &str) -> bool {
    name.eq_ignore_ascii_case("skill.md")
}

/// Whether a link leads back to a folder it stands in, where everything was seen already.
fn is_above(target: &Path, link: &Path) -> bool {
    disk::real_path(disk::folder_of(link)).is_ok_and(|folder| folder.starts_with(target))
}

fn holds_manifest(directory: &Path) -> bool {
    disk::entries(directory).is_ok_and(|entries| entries.iter().any(|e| is_manifest(&e.name)))
}

fn is_markdown(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"))
}

/// What one walk brought home.
#[derive(Default)]
struct Walked {
    files: Vec<PathBuf>,
    /// Links that may lead to skills, with their depth.
    links: Vec<(PathBuf, usize)>,
    faults: Vec<FindError>,
    /// The listings of skills and of what is below them.
    seen: Vec<(PathBuf, Vec<Entry>)>,
    directories: usize,
    /// Whether directories were left out because there were too many.
    cut: bool,
}

/// A directory to be read.
struct Job {
    path: PathBuf,
    depth: usize,
    /// Whether it belongs to a skill further up.
    in_skill: bool,
}

/// Directories still to be read, shared by the threads of a walk.
struct Queue {
    state: Mutex<Pending>,
    changed: Condvar,
}

struct Pending {
    todo: Vec<Job>,
    /// Threads that may still find more to do.
    busy: usize,
    /// Threads that wait for something to do.
    waiting: usize,
    taken: usize,
    cut: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // A thread that panicked leaves the list as it was, which is all there is to protect.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next directory; waits while another thread may still add one.
    fn take(&self, limit: usize) -> Option<Job> {
        let mut pending = self.lock();
        loop {
            if let Some(next) = pending.todo.pop() {
                if pending.taken == limit {
                    pending.cut = true;
                    pending.todo.clear();
                    continue;
                }
                pending.taken += 1;
                pending.busy += 1;
                return Some(next);
            }
            if pending.busy == 0 {
                return None;
            }
            pending.waiting += 1;
            pending = self.changed.wait(pending).unwrap_or_else(PoisonError::into_inner);
            pending.waiting -= 1;
        }
    }

    /// Says that a directory taken before was read, and what is below it.
    fn done(&self, below: Vec<Job>) {
        let mut pending = self.lock();
        pending.todo.extend(below);
        pending.busy -= 1;
        // Waking is a system call, and most of the time nobody sleeps.
        let news = !pending.todo.is_empty() || pending.busy == 0;
        if pending.waiting > 0 && news {
            self.changed.notify_all();
        }
    }
}

/// Reads a tree of directories on several threads.
fn walk(root: &Path, depth: usize, limit: usize, options: &FindOptions) -> Walked {
    let todo = vec![Job { path: root.to_owned(), depth, in_skill: false }];
    let pending = Pending { todo, busy: 0, waiting: 0, taken: 0, cut: false };
    let queue = Queue { state: Mutex::new(pending), changed: Condvar::new() };
    let mut all = Walked::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..options.threads.max(1))
            .map(|_| scope.spawn(|| work(&queue, limit, options)))
            .collect();
        let mut parts = vec![work(&queue, limit, options)];
        parts.extend(threads.into_iter().filter_map(|thread| thread.join().ok()));
        for part in parts {
            all.files.extend(part.files);
            all.links.extend(part.links);
            all.faults.extend(part.faults);
            all.seen.extend(part.seen);
        }
    });
    let pending = queue.lock();
    all.directories = pending.taken;
    all.cut = pending.cut;
    drop(pending);
    all
}

fn work(queue: &Queue, limit: usize, options: &FindOptions) -> Walked {
    let mut walked = Walked::default();
    while let Some(job) = queue.take(limit) {
        let below = match disk::entries(&job.path) {
            Ok(entries) => walked.look(job, entries, options),
            Err(error) => {
                walked.faults.push(error.into());
                Vec::new()
            }
        };
        queue.done(below);
    }
    walked
}

impl Walked {
    /// Sorts the entries of one directory into the skill file, links, and the folders below, which
    /// are still to be read.
    fn look(&mut self, job: Job, entries: Vec<Entry>, options: &FindOptions) -> Vec<Job> {
        let manifest = manifest(&entries).map(|entry| entry.path.clone());
        let in_skill = job.in_skill || manifest.is_some();
        let mut below = Vec::new();
        for entry in &entries {
            if manifest.as_ref() == Some(&entry.path) {
                if entry.kind == Kind::Link {
                    self.links.push((entry.path.clone(), job.depth));
                } else {
                    self.files.push(entry.path.clone());
                }
                continue;
            }
            let path = entry.path.clone();
            match entry.kind {
                Kind::Directory if [".git", "node_modules"].contains(&&*entry.name) => {}
                Kind::Directory if job.depth == options.depth => {
                    self.faults.push(FindError::TooDeep { path, limit: options.depth });
                }
                Kind::Directory => below.push(Job { path, depth: job.depth + 1, in_skill }),
                Kind::Link => self.links.push((path, job.depth + 1)),
                Kind::File | Kind::Special => {}
            }
        }
        if in_skill && entries.len() <= MAX_SEEN {
            self.seen.push((job.path, entries));
        }
        below
    }
}

/// The skill file of a folder, if it has one.
fn manifest(entries: &[Entry]) -> Option<&Entry> {
    entries
        .iter()
        .filter(|entry| is_manifest(&entry.name))
        // A real file before anything odd; then `SKILL.md`, `skill.md`, and the rest by name.
        .min_by_key(|entry| (entry.kind == Kind::Directory, spelling(&entry.name)))
}

/// The rank of a spelling of `SKILL.md`; the first in the order of names wins among equals.
pub(crate) fn spelling(name: &str) -> usize {
    match name {
        "SKILL.md" => 0,
        "skill.md" => 1,
        _ => 2,
    }
}
