//! Turns two snapshots into what became different.

use crate::registry::catalog::CatalogEntry;
use crate::registry::snapshot::Snapshot;
use serde::Serialize;

/// What became different between two snapshots: ids, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Skills that are new.
    pub added: Vec<String>,
    /// Skills whose frontmatter, place or source changed, and skills that were loaded before and
    /// whose text did.
    pub changed: Vec<String>,
    /// Skills that are gone.
    pub removed: Vec<String>,
}

impl Changes {
    /// Whether everything is as it was.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// Compares the skills that count; `is_edited` knows of texts that changed below the frontmatter.
    pub(crate) fn between(
        before: &Snapshot,
        after: &Snapshot,
        is_edited: impl Fn(&CatalogEntry) -> bool,
    ) -> Self {
        let mut changes = Self::default();
        for entry in after {
            match before.counting(&entry.id) {
                None => changes.added.push(entry.id.to_string()),
                Some(old) if is_edited(entry) || !old.is_same(entry) => {
                    changes.changed.push(entry.id.to_string());
                }
                Some(_) => {}
            }
        }
        let gone = before.iter().filter(|entry| after.counting(&entry.id).is_none());
        changes.removed.extend(gone.map(|entry| entry.id.to_string()));
        changes
    }
}
