//! Turns changes of files into reloads of a registry.

use crate::registry::Registry;
use crate::registry::changes::Changes;
use crate::source::Problem;
use metier_core::Severity;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::fmt;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long events are gathered before the registry is reloaded. Saving a file makes several.
const GATHER: Duration = Duration::from_millis(100);

/// Reloads a registry soon after files below some folders change, until it is dropped.
///
/// A skill that an edit breaks stays as it was, as with any [`reload`](Registry::reload). Folders
/// that are reached through links from below a root are not watched.
///
/// ```no_run
/// use metier::{Registry, Watch};
///
/// let registry = Registry::builder().open();
/// let watch = Watch::start(&registry, ["./skills"], |changes| println!("{changes:?}"))?;
/// for problem in watch.problems() {
///     eprintln!("{problem}");
/// }
/// # Ok::<(), metier::WatchError>(())
/// ```
pub struct Watch {
    /// Dropped first: with it goes the sender that the thread waits for.
    watcher: Option<RecommendedWatcher>,
    thread: Option<JoinHandle<()>>,
    problems: Vec<Problem>,
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
#[error("files cannot be watched: {message}")]
#[non_exhaustive]
pub struct WatchError {
    /// What the system said.
    pub message: String,
}

impl Watch {
    /// Watches these folders, and tells `on_reload` about every reload. It is called on a thread of
    /// its own.
    pub fn start<P: AsRef<Path>>(
        registry: &Registry,
        roots: impl IntoIterator<Item = P>,
        on_reload: impl FnMut(&Changes) + Send + 'static,
    ) -> Result<Self, WatchError> {
        // One waiting mark is enough: a reload sees everything that happened before it.
        let (mark, marks) = sync_channel::<()>(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // An error means that events were lost, which is a reason to look as well.
            if event.map_or(true, |event| is_change(&event)) {
                let _ = mark.try_send(());
            }
        });
        let mut watcher = watcher.map_err(|error| WatchError { message: error.to_string() })?;
        let mut problems = Vec::new();
        for root in roots {
            let root = root.as_ref();
            if let Err(error) = watcher.watch(root, RecursiveMode::Recursive) {
                let message = format!("the folder cannot be watched: {error}");
                let help = "reload by hand, or start watching when it is there";
                let place = root.display().to_string();
                problems.push(Problem::new(place, Severity::Warning, message, help));
            }
        }
        let registry = registry.clone();
        let thread = thread::Builder::new()
            .name("metier-watch".to_owned())
            .spawn(move || reload_on(&marks, &registry, on_reload))
            .map_err(|error| WatchError { message: error.to_string() })?;
        Ok(Self { watcher: Some(watcher), thread: Some(thread), problems })
    }

    /// The folders that are not watched, and why.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.watcher = None;
        if let Some(thread) = self.thread.take()
            // Dropped by `on_reload` itself, it must not wait for itself.
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("problems", &self.problems).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "time is the thing: events that come together")]
fn reload_on(marks: &Receiver<()>, registry: &Registry, mut on_reload: impl FnMut(&Changes)) {
    while marks.recv().is_ok() {
        thread::sleep(GATHER);
        // What came in the meantime is seen by this reload.
        let _ = marks.try_recv();
        on_reload(&registry.reload_blocking());
    }
}

/// Whether the event can mean a difference. Reading is none: a reload reads.
fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => event.need_rescan(),
        _ => true,
    }
}
