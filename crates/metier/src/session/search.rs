//! Turns a model's query into the skills that fit it, of those that the session lets it use.

use crate::registry::catalog::CatalogEntry;
use crate::registry::catalog_filter::{Audience, CatalogFilter};
use crate::select::SelectOptions;
use crate::session::Session;
use crate::session::active::Invoker;
use crate::session::state::Usage;
use metier_core::{Hit, Matcher as _};

impl Session {
    /// The skills that fit a query and may be loaded, the best first, with their scores. The host's
    /// matcher orders them, or else the registry's own.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, Session, SessionOptions, block_on};
    ///
    /// let table = Memory::new("m")
    ///     .inline("pdf", "Fills in PDF forms.", "Open it.")
    ///     .inline("csv", "Reads tables.", "Read it.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let session = Session::new(registry, SessionOptions::default());
    /// let found = block_on(session.search("fill in this form", 5));
    /// assert_eq!(found[0].0.name(), "pdf");
    /// ```
    pub async fn search(&self, query: &str, limit: usize) -> Vec<(CatalogEntry, f64)> {
        let snapshot = self.registry().catalog();
        let filters = self.filters();
        // Some hits may be hidden from the model: ask for more until enough are left.
        let mut asked = limit.saturating_mul(2).max(16);
        loop {
            let hits = self.hits(query, asked).await;
            let is_all = hits.len() < asked;
            let found = hits.into_iter().filter_map(|hit| {
                let entry = snapshot.get(&hit.id)?;
                self.check(entry, Invoker::Model, &filters).ok()?;
                Some((entry.clone(), hit.score))
            });
            let found: Vec<_> = found.take(limit).collect();
            if found.len() >= limit || is_all {
                return found;
            }
            asked = asked.saturating_mul(4);
        }
    }

    async fn hits(&self, query: &str, limit: usize) -> Vec<Hit> {
        if let Some(matcher) = &self.options().matcher {
            return matcher.search(query, limit);
        }
        let filter = CatalogFilter { audience: Audience::Model, ..CatalogFilter::default() };
        let options = SelectOptions { top_k: limit, filter, ..SelectOptions::default() };
        self.registry().select(query, &options).await.hits
    }

    /// Counts a use of a skill, and marks it as used if it is active.
    pub(crate) fn count(&self, id: &str, add: impl FnOnce(&mut Usage)) {
        let mut live = self.live();
        add(live.usage.entry(id.to_owned()).or_default());
        live.table.touch(id);
    }
}
