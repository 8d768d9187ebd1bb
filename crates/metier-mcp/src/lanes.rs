//! Turns work that takes a processor or waits for a disk into turns, so that it holds up nobody else.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many may read files or wait for other sources at once. What they read is held until it is sent.
const READERS: usize = 16;

/// What a piece of work is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// It keeps a processor busy: a search.
    Search,
    /// It reads a file or two.
    Read,
    /// It looks at the whole catalog, for a person, whom agents need not wait for.
    Look,
}

/// Who may work at once. Those for whom there is no room wait in the order in which they came: sixty-four
/// searches that share two processors would all end last.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    search: Arc<Semaphore>,
    read: Arc<Semaphore>,
    look: Arc<Semaphore>,
}

impl Default for Lanes {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // Twice as many, because a source that searches by itself is waited for.
        let [search, read, look] =
            [processors * 2, READERS, processors].map(|most| Arc::new(Semaphore::new(most)));
        Self { search, read, look }
    }
}

impl Lanes {
    /// Does the work on a thread where waiting holds up no connection. `None` when it panicked. Work whose
    /// turn has not come when nobody waits for it any more is not done.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let lane = match lane {
            Lane::Search => &self.search,
            Lane::Read => &self.read,
            Lane::Look => &self.look,
        };
        let turn = lane.clone().acquire_owned().await.ok()?;
        let worked = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        worked.await.ok()
    }
}
