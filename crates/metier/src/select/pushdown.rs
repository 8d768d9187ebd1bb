//! Turns the answers of sources that search by themselves into hits among those of our own index.

use crate::registry::catalog::Held;
use crate::registry::catalog_filter::CatalogFilter;
use crate::registry::join::join_all;
use crate::registry::snapshot::Snapshot;
use crate::source::{BoxFuture, Problem, SourceError};
use metier_core::{Duplicates, Hit, SearchOptions, Severity, SkillIndex};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a skill scores at least that its source found and our index did not: its source has read more
/// of it.
const FOUND_BY_ITS_SOURCE: f64 = 0.05;

type Answer<'a> = (&'a Arc<Held>, Result<Vec<String>, SourceError>);

/// What sources found by themselves.
#[derive(Debug, Default)]
pub(crate) struct Pushed {
    /// The skills that each source found, the best first.
    found: Vec<Vec<Arc<str>>>,
    /// The sources that answered: what our index finds of theirs does not count.
    pub(crate) answered: BTreeSet<usize>,
    pub(crate) problems: Vec<Problem>,
}

impl Held {
    /// Whether the source searches by itself.
    pub(crate) fn searches(&self) -> bool {
        // The future is not asked for anything, only whether it is there.
        self.source.search("", 0).is_some()
    }
}

impl Pushed {
    /// Asks the sources that search by themselves and hold a skill to choose from, all at once.
    pub(crate) async fn ask(
        query: &str,
        catalog: &Snapshot,
        filter: &CatalogFilter,
        limit: usize,
    ) -> Self {
        let admitted = |held: &Held| {
            let number = held.number;
            let own = catalog.iter().filter(move |entry| entry.held.number == number);
            own.filter(|entry| filter.admits(entry))
        };
        let searching = catalog.sources().iter().filter(|held| held.searches());
        let sources: Vec<_> = searching.filter(|held| admitted(held).next().is_some()).collect();
        let asked = sources.iter().filter_map(|held| {
            let answer = held.source.search(query, limit)?;
            Some(Box::pin(async move { (*held, answer.await) }) as BoxFuture<'_, Answer<'_>>)
        });
        let mut pushed = Self::default();
        for (held, answer) in join_all(asked).await {
            match answer {
                Ok(keys) => {
                    let ids: BTreeMap<&str, &Arc<str>> =
                        admitted(held).map(|entry| (&*entry.listed.key, &entry.id)).collect();
                    let known = keys.iter().filter_map(|key| ids.get(key.as_str()));
                    pushed.found.push(known.map(|id| (*id).clone()).collect());
                    pushed.answered.insert(held.number);
                }
                Err(error) => pushed.problems.push(unanswered(held, &error)),
            }
        }
        pushed
    }

    /// The hits of the sources. Each source decides the order of its own skills; what our index thinks
    /// of them decides how they stand among the others.
    pub(crate) fn hits(&self, query: &str, index: &SkillIndex) -> Vec<Hit> {
        self.found.iter().flat_map(|ids| score(query, ids, index)).collect()
    }
}

fn unanswered(held: &Held, error: &SourceError) -> Problem {
    let message = format!("the source did not search: {error}");
    let help = "until it does, its skills are found by their frontmatter";
    Problem::new(&held.label, Severity::Warning, message, help)
}

fn score(query: &str, ids: &[Arc<str>], index: &SkillIndex) -> Vec<Hit> {
    let wanted: BTreeSet<&str> = ids.iter().map(|id| &**id).collect();
    let keep = |id: &str| wanted.contains(id);
    let options = SearchOptions {
        limit: ids.len(),
        keep: Some(&keep),
        duplicates: Duplicates::Keep,
        ..SearchOptions::default()
    };
    let own = index.search_with(query, &options);
    let own: BTreeMap<&str, f64> = own.iter().map(|r| (&*r.hit.id, r.hit.score)).collect();
    let mut hits: Vec<Hit> = Vec::with_capacity(ids.len());
    // From the last to the first, so that none scores less than one behind it.
    let mut least = FOUND_BY_ITS_SOURCE;
    for id in ids.iter().rev() {
        least = own.get(&**id).copied().unwrap_or_default().max(least);
        hits.push(Hit::new(id.clone(), least));
    }
    hits.reverse();
    hits
}
