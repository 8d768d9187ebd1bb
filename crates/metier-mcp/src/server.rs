//! Turns a registry into a server that any number of clients can be connected to.

use crate::adapter;
use crate::options::ServeOptions;
use crate::store::Store;
use metier::Registry;
use std::io;
use std::sync::Arc;
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
}

impl Server {
    /// A server of a registry. Only skills that the registry trusts are served.
    pub fn new(registry: Registry, options: ServeOptions) -> Self {
        let store = Store::new(registry, options.journal.clone());
        Self { shared: Arc::new(Shared { store, options }) }
    }

    /// Looks at the registry again, and tells every client that listens what is different. Call it
    /// after a reload; without it, clients see the change with their next request.
    pub fn refresh(&self) {
        self.shared.store.refresh();
    }

    /// What clients are told when they connect: what this is, and which skills there are.
    pub fn instructions(&self) -> String {
        let served = self.store().served();
        let skills = served.addresses.all.len();
        let first: Vec<_> = served.addresses.all.iter().take(20).map(|a| a.path.as_str()).collect();
        format!("{skills} skills: {}", first.join(", "))
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

    pub(crate) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(crate) fn options(&self) -> &ServeOptions {
        &self.shared.options
    }
}
