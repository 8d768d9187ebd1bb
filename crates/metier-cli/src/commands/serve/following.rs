//! Turns what other servers list from time to time into news for the clients of this one.

use metier::{BlockingSource as _, Registry};
use metier_mcp::{Journal, Level, McpSource, Server};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// A server, and the others whose skills it passes on.
pub(crate) struct Following {
    pub(crate) server: Server,
    pub(crate) registry: Registry,
    pub(crate) others: Vec<Arc<McpSource>>,
    pub(crate) journal: Journal,
}

impl Following {
    /// Asks the others every so often what they have, and serves what is different.
    pub(crate) async fn follow(self, every: Duration) {
        let this = Arc::new(self);
        let mut away = BTreeSet::new();
        loop {
            tokio::time::sleep(every).await;
            let (asking, was_away) = (this.clone(), away.clone());
            // Waiting for another server must hold up nobody.
            let asked = tokio::task::spawn_blocking(move || asking.look(&was_away));
            let Ok(now_away) = asked.await else { return };
            away = now_away;
        }
    }

    /// Looks once; gives the servers that did not answer.
    fn look(&self, was_away: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut away = BTreeSet::new();
        let mut is_different = false;
        for (number, other) in self.others.iter().enumerate() {
            match other.has_changed() {
                // What is known of one that comes back is that it was away.
                Ok(has_changed) => is_different |= has_changed || was_away.contains(&number),
                Err(error) => {
                    if !was_away.contains(&number) {
                        let fields =
                            [("server", other.label().to_owned()), ("reason", error.to_string())];
                        self.journal.record(Level::Warn, "another server is away", &fields);
                    }
                    away.insert(number);
                }
            }
        }
        if is_different {
            self.registry.reload_blocking();
            self.server.refresh();
        }
        away
    }
}
