//! Turns a model's query into the skills that fit it, of those that the session lets it use.

use crate::active::Invoker;
use crate::catalog::CatalogEntry;
use crate::session::Session;
use crate::session_state::Usage;
use metier_core::{Hit, Lexical, Matcher as _, SkillText};

impl Session {
    /// The skills that fit a query and may be loaded, the best first, with their scores.
    pub fn search(&self, query: &str, limit: usize) -> Vec<(CatalogEntry, f64)> {
        let Some(matcher) = &self.options().matcher else {
            return self.search_words(query, limit);
        };
        let snapshot = self.registry().catalog();
        let filters = self.filters();
        // Some hits may be hidden from the model: ask for more until enough are left.
        let mut asked = limit.saturating_mul(2).max(16);
        loop {
            let hits = matcher.search(query, asked);
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

    /// The skills that share words with a query, where the host brings no way of ranking.
    fn search_words(&self, query: &str, limit: usize) -> Vec<(CatalogEntry, f64)> {
        let catalog = self.catalog();
        let texts = catalog.iter().map(|e| SkillText::of_manifest(&e.id, e.manifest()));
        let hits = Lexical::new(texts).search(query, limit);
        let find = |hit: Hit| Some((catalog.iter().find(|e| e.id == hit.id)?.clone(), hit.score));
        hits.into_iter().filter_map(find).collect()
    }

    /// Counts a use of a skill, and marks it as used if it is active.
    pub(crate) fn count(&self, id: &str, add: impl FnOnce(&mut Usage)) {
        let mut live = self.live();
        add(live.usage.entry(id.to_owned()).or_default());
        live.table.touch(id);
    }
}
