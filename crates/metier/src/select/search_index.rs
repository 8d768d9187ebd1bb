//! Turns the snapshot of a registry into an index of everything its skills say, once for each snapshot.

use crate::registry::Registry;
use crate::registry::catalog::CatalogEntry;
use crate::registry::snapshot::Snapshot;
use crate::select::bodies::{Body, text_of};
use crate::source::Problem;
use metier_core::{IndexPart, Ranking, SkillIndex, SkillText};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;

/// The index of a registry, while there is one.
#[derive(Debug, Default)]
pub(crate) struct IndexSlot {
    current: RwLock<Option<Arc<Indexed>>>,
    /// Held by whoever makes an index while others wait for the same.
    making: Mutex<()>,
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

    /// The index there is, unless its file turned out to be damaged: then all is read again.
    fn last(&self) -> Option<Arc<Indexed>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        current.filter(|indexed| !indexed.index.is_damaged())
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
    /// The index of a snapshot, made in the task of the caller where there is none. Two who ask at
    /// once may both make it.
    pub(crate) async fn indexed(&self, catalog: &Snapshot) -> Arc<Indexed> {
        let slot = &self.shared.index;
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let mut before = slot.last();
        loop {
            let mut making = Making::new(before.take());
            let mut rest: &[CatalogEntry] = catalog.entries();
            while let Some(part) = making.next_part(&mut rest) {
                let bodies = self.bodies(&to_read(part)).await;
                making.add(part, bodies, 1);
            }
            let made = making.finish(catalog.generation());
            // Only what comes from a damaged file is damaged, and the next round starts without it.
            if !made.index.is_damaged() {
                return slot.put(made);
            }
        }
    }

    /// [`indexed`](Self::indexed), waiting for it; of those who ask at once, one makes it.
    pub(crate) fn indexed_blocking(&self, catalog: &Snapshot) -> Arc<Indexed> {
        let slot = &self.shared.index;
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let _making = slot.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(indexed) = slot.get(catalog.generation()) {
            return indexed;
        }
        let mut before = slot.last();
        loop {
            let mut making = Making::new(before.take());
            let mut rest: &[CatalogEntry] = catalog.entries();
            while let Some(part) = making.next_part(&mut rest) {
                let bodies = self.bodies_blocking(&to_read(part));
                making.add(part, bodies, threads);
            }
            let made = making.finish(catalog.generation());
            // Only what comes from a damaged file is damaged, and the next round starts without it.
            if !made.index.is_damaged() {
                return slot.put(made);
            }
        }
    }

    /// The index of everything the skills say now, to be kept for later. It waits as
    /// [`search`](Self::search) does.
    pub fn index(&self) -> Arc<SkillIndex> {
        self.indexed_blocking(&self.catalog()).index.clone()
    }

    /// Starts from an index that was kept. Each skill is still read once and compared; what is as it
    /// was is not indexed again.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, SkillIndex};
    ///
    /// let open = || {
    ///     let table = Memory::new("t").inline("pdf", "Fills in forms.", "Run it.");
    ///     Registry::builder().source(Blocking(table)).open()
    /// };
    /// let kept = open().index().to_bytes();
    /// let registry = open();
    /// registry.start_from_index(SkillIndex::from_bytes(&kept)?);
    /// assert_eq!(&*registry.search("a form", 5)[0].id, "pdf");
    /// # Ok::<(), metier::SavedIndexError>(())
    /// ```
    pub fn start_from_index(&self, index: SkillIndex) {
        let said = index.stamps().map(|(id, stamp)| (Arc::from(id), stamp)).collect();
        // No snapshot has this number, so the index is compared before it is searched.
        let kept = Indexed { generation: 0, index: Arc::new(index), problems: Vec::new(), said };
        self.shared.index.put(kept);
    }
}

/// The skills whose bodies are indexed. A source that searches by itself knows its bodies; reading
/// them all, perhaps a million from a database, is what it spares us. One that is lazy is not asked for
/// what nobody has asked for.
fn to_read(part: &[CatalogEntry]) -> Vec<&CatalogEntry> {
    let is_read = |entry: &&CatalogEntry| {
        let held = &entry.held;
        !held.searches() && !held.source.is_lazy()
    };
    part.iter().filter(is_read).collect()
}

/// An index on its way from one snapshot to the next.
#[derive(Default)]
struct Making {
    before: Option<Arc<Indexed>>,
    /// What is made of the index of before; `None` as long as all is as it was, or there was none.
    index: Option<SkillIndex>,
    /// What is read for the first index.
    parts: Vec<IndexPart>,
    problems: Vec<Problem>,
    said: BTreeMap<Arc<str>, u64>,
}

impl Making {
    fn new(before: Option<Arc<Indexed>>) -> Self {
        Self { before, ..Self::default() }
    }

    /// The skills that are read next. Bodies are large, so a part of them is held at a time; parts
    /// grow with the index, so that it is not put in order for each of many. Parts of 4096 throughout took less
    /// at most and 60 MB more in the end, with 100 000 skills: what is freed in between is not given back.
    fn next_part<'c>(&self, rest: &mut &'c [CatalogEntry]) -> Option<&'c [CatalogEntry]> {
        let size = (self.said.len() / 4).max(4096).min(rest.len());
        let (part, others) = rest.split_at(size);
        *rest = others;
        (!part.is_empty()).then_some(part)
    }

    fn add(&mut self, part: &[CatalogEntry], bodies: Vec<Body>, threads: usize) {
        let mut skills = BTreeMap::new();
        for (entry, body) in to_read(part).into_iter().zip(bodies) {
            match body {
                Ok(skill) => {
                    skills.insert(entry.id.clone(), skill);
                }
                Err(problem) => self.problems.push(problem),
            }
        }
        let mut changed = Vec::new();
        for entry in part {
            let text = text_of(entry, skills.get(&entry.id));
            let stamp = text.stamp();
            let known = self.before.as_ref().and_then(|before| before.said.get(&entry.id));
            if known != Some(&stamp) {
                changed.push(text);
            }
            self.said.insert(entry.id.clone(), stamp);
        }
        match &self.before {
            None => self.parts.extend(read_words(&changed, threads)),
            Some(before) if !changed.is_empty() => {
                let index = self.index.get_or_insert_with(|| (*before.index).clone());
                index.update(&[], changed);
            }
            Some(_) => {}
        }
    }

    fn finish(mut self, generation: u64) -> Indexed {
        let index = match &self.before {
            None => Arc::new(SkillIndex::join(Ranking::default(), self.parts)),
            Some(before) => {
                let gone = before.said.keys().filter(|id| !self.said.contains_key(*id));
                let gone: Vec<&str> = gone.map(|id| &**id).collect();
                if !gone.is_empty() {
                    let index = self.index.get_or_insert_with(|| (*before.index).clone());
                    index.update(&gone, []);
                }
                self.index.map_or_else(|| before.index.clone(), Arc::new)
            }
        };
        Indexed { generation, index, problems: self.problems, said: self.said }
    }
}

/// The words of skills, read on so many threads.
fn read_words(texts: &[SkillText<'_>], threads: usize) -> Vec<IndexPart> {
    let share = texts.len().div_ceil(threads.max(1)).max(1);
    let read = |texts: &[SkillText<'_>]| IndexPart::read(texts.iter().cloned());
    if threads <= 1 {
        return texts.chunks(share).map(read).collect();
    }
    thread::scope(|scope| {
        let reading: Vec<_> = texts.chunks(share).map(|t| scope.spawn(move || read(t))).collect();
        // A thread that panicked has hit a bug; it goes on here instead of hiding.
        let parts = reading
            .into_iter()
            .map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        parts.collect()
    })
}
