//! Turns directories into what the threads that look into them find, each thread for itself.

use crate::disk::ReadError;
use crate::source::{Listed, Problem};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A directory to be looked into.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) key: String,
    pub(crate) depth: usize,
    /// Where it is, when a link led here.
    pub(crate) real: Option<PathBuf>,
}

/// Where a skill really is: absolute paths without links.
#[derive(Debug, Default)]
pub(crate) struct Linked {
    /// Its directory, when a link led there.
    pub(crate) directory: Option<PathBuf>,
    /// Its own file, when that is a link.
    pub(crate) file: Option<PathBuf>,
}

/// What directories hold.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) skills: Vec<Listed>,
    /// Where links led, by the key of the skill.
    pub(crate) linked: Vec<(String, Linked)>,
    /// The keys of the directories whose skill file does not load.
    pub(crate) broken: Vec<String>,
    pub(crate) problems: Vec<Problem>,
    /// Directories to be looked into.
    pub(crate) below: Vec<Job>,
    /// Links that may lead to directories.
    pub(crate) links: Vec<Job>,
    /// Directories that are too deep.
    pub(crate) deep: Vec<String>,
    /// Why the root could not be looked into.
    pub(crate) unreadable: Option<ReadError>,
}

impl Found {
    /// Takes what another thread found.
    fn take(&mut self, other: Self) {
        self.skills.extend(other.skills);
        self.linked.extend(other.linked);
        self.broken.extend(other.broken);
        self.problems.extend(other.problems);
        self.below.extend(other.below);
        self.links.extend(other.links);
        self.deep.extend(other.deep);
        self.unreadable = self.unreadable.take().or(other.unreadable);
    }
}

/// Looks into all directories, on as many threads. The answer is in no order, but for the skills that
/// one thread found: those are sorted, while there are several threads to do it.
pub(crate) fn look_into(
    jobs: &[Job],
    threads: usize,
    look: impl Fn(&Job, &mut Found) + Sync,
) -> Found {
    // Several at once while there are many, so that threads seldom ask; one by one where few are left
    // for each, so that none waits for the others.
    let at_once = (jobs.len() / (threads * 64)).clamp(1, 16);
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Found::default());
    let work = || {
        let mut found = Found::default();
        loop {
            let start = next.fetch_add(at_once, Ordering::Relaxed);
            let Some(jobs) = jobs.get(start..) else { break };
            jobs.iter().take(at_once).for_each(|job| look(job, &mut found));
        }
        found.skills.sort_by(Listed::order);
        all.lock().unwrap_or_else(PoisonError::into_inner).take(found);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}
