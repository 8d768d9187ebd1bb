//! Turns changes of files into news for connected clients.

use crate::server::Server;
use metier::{Watch, WatchError};
use std::path::Path;

impl Server {
    /// Reloads the registry when files below these folders change, and tells the clients, until what
    /// is returned is dropped.
    ///
    /// ```no_run
    /// use metier::Registry;
    /// use metier_mcp::{ServeOptions, Server};
    ///
    /// let server = Server::new(Registry::open(["./skills"]), ServeOptions::default());
    /// let watch = server.watch(["./skills"])?;
    /// # drop(watch);
    /// # Ok::<(), metier::WatchError>(())
    /// ```
    pub fn watch<P: AsRef<Path>>(
        &self,
        roots: impl IntoIterator<Item = P>,
    ) -> Result<Watch, WatchError> {
        let server = self.clone();
        Watch::start(&self.store().registry, roots, move |_| server.refresh())
    }
}
