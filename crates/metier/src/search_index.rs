//! Turns the snapshot of a registry into an index of everything its skills say, once for each snapshot.

use crate::bodies::{Body, text_of};
use crate::catalog::CatalogEntry;
use crate::registry::Registry;
use crate::snapshot::Snapshot;
use crate::source::Problem;
use metier_core::{SkillIndex, SkillText};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The index of a registry, while there is one.
#[derive(Debug, Default)]
pub(crate) struct IndexSlot {
    current: RwLock<Option<Arc<Indexed>>>,
    /// Held by whoever builds an index while others wait for the same.
    building: Mutex<()>,
}

/// The index of one snapshot.
#[derive(Debug)]
pub(crate) struct Indexed {
    generation: u64,
    pub(crate) index: Arc<SkillIndex>,
    /// What kept bodies from being indexed.
    pub(crate) problems: Vec<Problem>,
    /// What each skill said when it was indexed, as a number.
    said: BTreeMap<Arc<str>, u64>,
}

impl IndexSlot {
    /// The index of this snapshot, or of a later one.
    fn get(&self, generation: u64) -> Option<Arc<Indexed>> {
        self.last().filter(|indexed| indexed.generation >= generation)
    }

    fn last(&self) -> Option<Arc<Indexed>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts an index in place, unless there is one of a later snapshot.
    fn put(&self, indexed: Indexed) -> Arc<Indexed> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Some(later) if later.generation > indexed.generation => later.clone(),
            _ => current.insert(Arc::new(indexed)).clone(),
        }
    }
}

impl Registry {
    /// The index of a snapshot, built in the task of the caller where there is none. Two who ask at
    /// once may both build it.
    pub(crate) async fn indexed(&self, catalog: &Snapshot) -> Arc<Indexed> {
        let slot = &self.shared.index;
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let entries = to_read(catalog);
        let bodies = self.bodies(&entries).await;
        slot.put(Indexed::build(catalog, &entries, bodies, slot.last().as_deref()))
    }

    /// [`indexed`](Self::indexed), waiting for it; of those who ask at once, one builds it.
    pub(crate) fn indexed_blocking(&self, catalog: &Snapshot) -> Arc<Indexed> {
        let slot = &self.shared.index;
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let _building = slot.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let entries = to_read(catalog);
        let bodies = self.bodies_blocking(&entries);
        slot.put(Indexed::build(catalog, &entries, bodies, slot.last().as_deref()))
    }
}

/// The skills whose bodies are indexed. A source that searches by itself knows its bodies; reading
/// them all, perhaps a million from a database, is what it spares us.
fn to_read(catalog: &Snapshot) -> Vec<&CatalogEntry> {
    catalog.iter().filter(|entry| !entry.held.searches()).collect()
}

impl Indexed {
    fn build(
        catalog: &Snapshot,
        read: &[&CatalogEntry],
        bodies: Vec<Body>,
        before: Option<&Self>,
    ) -> Self {
        let mut skills = BTreeMap::new();
        let mut problems = Vec::new();
        for (entry, body) in read.iter().zip(bodies) {
            match body {
                Ok(skill) => {
                    skills.insert(entry.id.clone(), skill);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let texts = || catalog.iter().map(|entry| text_of(entry, skills.get(&entry.id)));
        let said: BTreeMap<Arc<str>, u64> = catalog
            .iter()
            .zip(texts())
            .map(|(entry, text)| (entry.id.clone(), digest(&text)))
            .collect();
        let index = match before {
            Some(before) if before.said == said => before.index.clone(),
            _ => Arc::new(SkillIndex::build(texts())),
        };
        Self { generation: catalog.generation(), index, problems, said }
    }
}

/// What a skill says, as a number that another text has only by a rare accident.
fn digest(text: &SkillText<'_>) -> u64 {
    let SkillText { id, name, description, tags, when_to_use, when_not_to_use, body } = text;
    let mut hasher = DefaultHasher::new();
    (id, name, description, tags, when_to_use, when_not_to_use, body).hash(&mut hasher);
    hasher.finish()
}
