//! Turns a registry into a server that any number of clients can be connected to.

use crate::adapter;
use crate::lanes::{Lane, Lanes};
use crate::options::ServeOptions;
use crate::store::Store;
use crate::tools;
use crate::web_index::{Made, WebIndex};
use metier::{Budget, Locations, Preamble, Registry, Render};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// A registry that is served. Cheap to clone; clones are one server.
///
/// ```
/// use metier::{Blocking, Memory, Registry};
/// use metier_mcp::{ServeOptions, Server};
///
/// let memory = Memory::new("m").inline("haiku", "Writes haiku. Use for poems.", "Five, seven, five.");
/// let registry = Registry::builder().source(Blocking(memory)).open();
/// let server = Server::new(registry, ServeOptions::default());
/// assert!(server.instructions().contains("haiku"));
/// ```
#[derive(Debug, Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

/// How the conversation with a client over streams ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The streams closed before there was a request.
    Unused,
    /// The client hung up.
    HungUp,
    /// The server was stopped.
    Stopped,
}

#[derive(Debug)]
struct Shared {
    store: Store,
    options: ServeOptions,
    told: Mutex<Option<Told>>,
    index: Mutex<Option<Arc<Made>>>,
    lanes: Lanes,
}

/// What clients are told, and the generation of the catalog that it is about.
type Told = (u64, String);

impl Server {
    /// A server of a registry. Only skills that the registry trusts are served.
    pub fn new(registry: Registry, options: ServeOptions) -> Self {
        let store = Store::new(registry, options.journal.clone());
        Self {
            shared: Arc::new(Shared {
                store,
                options,
                told: Mutex::default(),
                index: Mutex::default(),
                lanes: Lanes::default(),
            }),
        }
    }

    /// Looks at the registry again, and tells every client that listens what is different. Call it
    /// after a reload; without it, clients see the change with their next request.
    pub fn refresh(&self) {
        self.shared.store.refresh();
    }

    /// What clients are told when they connect: what to do, and which skills there are, as far as the
    /// budget allows. Empty when there is no skill.
    pub fn instructions(&self) -> String {
        let generation = self.store().registry.catalog().generation();
        let told = |held: &Told| (held.0 == generation).then(|| held.1.clone());
        let held = || self.shared.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = held().as_ref().and_then(told) {
            return text;
        }
        let render = Self::render(Budget::Tokens(self.options().catalog_tokens));
        let text = tools::session(&self.store().registry).prompt(&render).text;
        *held() = Some((generation, text.clone()));
        text
    }

    /// How the list of skills is written for clients.
    pub(crate) fn render(budget: Budget) -> Render {
        Render {
            budget,
            locations: Locations::Hide,
            preamble: Preamble::CallTool(tools::LOAD.to_owned()),
            search_tool: Some(tools::SEARCH.to_owned()),
            ..Render::default()
        }
    }

    /// What tools on the web find: made once for each state of the catalog, when it is first asked for.
    pub fn web_index(&self) -> WebIndex {
        let generation = self.store().served().generation;
        let held = || self.shared.index.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = |made: &&Arc<Made>| made.generation == generation;
        let current = held().as_ref().filter(is_current).cloned();
        let made = current.unwrap_or_else(|| {
            let made = Arc::new(Made::of(self));
            *held() = Some(made.clone());
            made
        });
        WebIndex::new(self, made)
    }

    /// Serves one client over two streams, such as standard input and output, until it hangs up or
    /// `stop` is cancelled.
    pub async fn serve(
        &self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        stop: CancellationToken,
    ) -> io::Result<Ended> {
        adapter::serve_streams(self.clone(), read, write, stop).await
    }

    /// Does what keeps a processor busy or waits for a disk, when its turn has come. `None` when it
    /// panicked.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Option<T> {
        let server = self.clone();
        self.shared.lanes.run(lane, move || work(&server)).await
    }

    pub(crate) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(crate) fn options(&self) -> &ServeOptions {
        &self.shared.options
    }
}
