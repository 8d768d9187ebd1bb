//! Turns what sources say now into the next snapshot of a registry, beside everyone who reads the last one.

use crate::registry::catalog::{CatalogEntry, Held};
use crate::registry::changes::Changes;
use crate::registry::join::join_all;
use crate::registry::loaded::{Place, place_of};
use crate::registry::shelf::{self, Shelf};
use crate::registry::snapshot::{Snapshot, order};
use crate::registry::{Registry, RegistryError};
use crate::source::blocking::{Blocking, block_on};
use crate::source::{BoxFuture, Problem, Source, SourceError};
use metier_core::{ParseOptions, Severity, Skill};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

/// How many files are asked for at once.
const AT_ONCE: usize = 64;

/// What to do about a broken edit.
pub(crate) const LAST_GOOD: &str = "mend it: the last good version is used until then";

/// What the makers of snapshots share.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    sources: Vec<Arc<Held>>,
    /// What each source met when it was listed last.
    problems: BTreeMap<usize, Vec<Problem>>,
    /// Skills that were unregistered; their sources may go on listing them.
    gone: BTreeSet<Place>,
    /// The skills that a program registered, once it did.
    shelf: Option<(Arc<Held>, Arc<Shelf>)>,
    /// Reloads that were started, and the latest of them that was put in place.
    started: u64,
    placed: u64,
}

impl Ledger {
    /// Gives a source its place and a label of its own.
    pub(crate) fn hold(&mut self, source: Arc<dyn Source>) -> Arc<Held> {
        let mut label = source.label().to_owned();
        let mut number = 1;
        while self.sources.iter().any(|held| held.label == label) {
            number += 1;
            label = format!("{}-{number}", source.label());
        }
        let held = Arc::new(Held { number: self.sources.len(), label, source });
        self.sources.push(held.clone());
        held
    }

    /// The source of registered skills, which is there from the first one on.
    fn shelf(&mut self, parse: &ParseOptions) -> (Arc<Held>, Arc<Shelf>) {
        if let Some(both) = &self.shelf {
            return both.clone();
        }
        let shelf = Arc::new(Shelf::new(parse));
        let held = self.hold(Arc::new(Blocking(shelf.clone())));
        self.shelf = Some((held.clone(), shelf.clone()));
        (held, shelf)
    }
}

/// What one source says now.
struct Relisted {
    held: Arc<Held>,
    entries: Vec<CatalogEntry>,
    problems: Vec<Problem>,
    failure: Option<SourceError>,
}

/// A reload that is under way, also when nobody waits for its end.
struct UnderWay<'r>(&'r AtomicUsize);

impl<'r> UnderWay<'r> {
    fn new(count: &'r AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The earlier versions of skills that are no longer listed, but complained about.
fn keep_broken<'e>(
    before: impl Iterator<Item = &'e CatalogEntry>,
    now: &[CatalogEntry],
    problems: &mut [Problem],
) -> Vec<CatalogEntry> {
    let errors = problems.iter_mut().filter(|problem| problem.severity == Severity::Error);
    let mut broken: BTreeMap<String, &mut Problem> =
        errors.map(|problem| (problem.location.clone(), problem)).collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let keys: BTreeSet<&str> = now.iter().map(|entry| &*entry.listed.key).collect();
    let mut kept = Vec::new();
    for entry in before.filter(|entry| !keys.contains(&*entry.listed.key)) {
        if let Some(problem) = broken.get_mut(entry.location()) {
            problem.help = Some(LAST_GOOD.to_owned());
            kept.push(stale(entry));
        }
    }
    kept
}

fn stale(entry: &CatalogEntry) -> CatalogEntry {
    CatalogEntry { stale: true, ..entry.clone() }
}

impl Registry {
    /// Lists all sources again, puts the new snapshot in place, and says what is different.
    ///
    /// A skill whose file does not load any more, and all skills of a source that fails, stay as
    /// they were, are marked [`stale`](CatalogEntry::stale) and reported. Of several reloads at once, what
    /// the one that started last has seen stays.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, block_on};
    ///
    /// let registry = Registry::builder().source(Blocking(Memory::new("none"))).open();
    /// assert!(block_on(registry.reload()).is_empty());
    /// assert_eq!(registry.catalog().generation(), 2);
    /// ```
    pub async fn reload(&self) -> Changes {
        let _under_way = UnderWay::new(&self.shared.reloading);
        let (ticket, relisted) = self.relist_all().await;
        self.finish_reload(ticket, relisted).await
    }

    /// [`reload`](Self::reload), waiting for it.
    pub fn reload_blocking(&self) -> Changes {
        block_on(self.reload())
    }

    /// [`reload`](Self::reload), unless a source fails: then nothing changes.
    pub async fn try_reload(&self) -> Result<Changes, SourceError> {
        let _under_way = UnderWay::new(&self.shared.reloading);
        let (ticket, mut relisted) = self.relist_all().await;
        match relisted.iter_mut().find_map(|source| source.failure.take()) {
            Some(failure) => Err(failure),
            None => Ok(self.finish_reload(ticket, relisted).await),
        }
    }

    /// Adds a source behind the others.
    pub async fn register(&self, source: impl Source + 'static) -> Changes {
        let held = self.ledger().hold(Arc::new(source));
        let relisted = vec![self.relist(&held).await];
        let digests = self.compare(&relisted).await;
        let (before, after) = self.place(&mut self.ledger(), relisted, &digests);
        Changes::between(&before, &after, |_| false)
    }

    /// [`register`](Self::register), waiting for it.
    pub fn register_blocking(&self, source: impl Source + 'static) -> Changes {
        block_on(self.register(source))
    }

    /// Adds a single skill, in a source `registered` behind the others. Its name must be free.
    ///
    /// ```
    /// use metier::{Registry, parse};
    ///
    /// let registry = Registry::builder().open();
    /// let skill = parse("---\nname: pdf\ndescription: Use for PDFs.\n---\n").skill.unwrap();
    /// registry.register_skill(&skill)?;
    /// assert!(registry.register_skill(&skill).is_err());
    /// assert_eq!(registry.unregister("pdf")?.name(), "pdf");
    /// # Ok::<(), metier::RegistryError>(())
    /// ```
    pub fn register_skill(&self, skill: &Skill) -> Result<CatalogEntry, RegistryError> {
        let mut ledger = self.ledger();
        if let Some(other) = self.catalog().counting(skill.name()) {
            let (name, location) = (skill.name().to_owned(), other.location().to_owned());
            return Err(RegistryError::AlreadyRegistered { name, location });
        }
        let (held, shelf) = ledger.shelf(&self.shared.options.parse);
        shelf.put(skill);
        ledger.gone.remove(&(held.number, skill.name().to_owned()));
        // The shelf is in memory: listing it waits for nothing, so the lock may be kept.
        let relisted = block_on(self.relist(&held));
        self.place(&mut ledger, vec![relisted], &BTreeMap::new());
        drop(ledger);
        let problem = || {
            let location = format!("{}:{}", shelf::LABEL, skill.name());
            let message = "the skill cannot be listed again";
            Problem::new(location, Severity::Error, message, "check the text of the skill")
        };
        self.get(skill.name()).ok_or_else(|| RegistryError::Broken { problem: Box::new(problem()) })
    }

    /// Takes a skill out, for good: a reload does not bring it back. What it shadowed takes its
    /// place. Whoever is reading it goes on undisturbed.
    pub fn unregister(&self, id: &str) -> Result<CatalogEntry, RegistryError> {
        let mut ledger = self.ledger();
        let Some(entry) = self.get(id) else {
            return Err(RegistryError::UnknownSkill { id: id.to_owned() });
        };
        ledger.gone.insert(place_of(&entry));
        if let Some((held, shelf)) = &ledger.shelf
            && held.number == entry.held.number
        {
            shelf.take(&entry.listed.key);
        }
        self.place(&mut ledger, Vec::new(), &BTreeMap::new());
        Ok(entry)
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.shared.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists all sources but the shelf, which changes only under the lock.
    async fn relist_all(&self) -> (u64, Vec<Relisted>) {
        let (ticket, sources) = {
            let mut ledger = self.ledger();
            ledger.started += 1;
            let shelf = ledger.shelf.as_ref().map(|(held, _)| held.number);
            let sources = ledger.sources.iter().filter(|held| Some(held.number) != shelf);
            (ledger.started, sources.cloned().collect::<Vec<_>>())
        };
        let relisting = sources.iter().map(|held| Box::pin(self.relist(held)) as BoxFuture<'_, _>);
        (ticket, join_all(relisting).await)
    }

    async fn relist(&self, held: &Arc<Held>) -> Relisted {
        let answer = held.source.list().await;
        let catalog = self.catalog();
        let before = catalog.all().filter(|entry| entry.held.number == held.number);
        match answer {
            Ok(listing) => {
                let mut problems = listing.problems;
                let mut entries: Vec<_> = listing
                    .skills
                    .into_iter()
                    .map(|listed| CatalogEntry::new(held, listed))
                    .collect();
                entries.extend(keep_broken(before, &entries, &mut problems));
                Relisted { held: held.clone(), entries, problems, failure: None }
            }
            Err(failure) => {
                let (message, help) = (failure.to_string(), failure.help());
                let problem = Problem::new(&held.label, Severity::Error, message, help);
                let entries = before.map(stale).collect();
                let problems = vec![problem];
                Relisted { held: held.clone(), entries, problems, failure: Some(failure) }
            }
        }
    }

    async fn finish_reload(&self, ticket: u64, relisted: Vec<Relisted>) -> Changes {
        let digests = self.compare(&relisted).await;
        self.load_again(&relisted).await;
        let mut ledger = self.ledger();
        if ticket < ledger.placed {
            return Changes::default();
        }
        ledger.placed = ticket;
        let (before, after) = self.place(&mut ledger, relisted, &digests);
        let edited: BTreeSet<Arc<str>> = {
            let mut loaded = self.loaded();
            let edited = after.iter().filter(|entry| loaded.tell_edited(entry));
            edited.map(|entry| entry.id.clone()).collect()
        };
        Changes::between(&before, &after, |entry| edited.contains(&entry.id))
    }

    /// The digests of skills that share a name with others, which tell copies from other skills.
    async fn compare(&self, relisted: &[Relisted]) -> BTreeMap<Place, Arc<str>> {
        let numbers: BTreeSet<_> = relisted.iter().map(|source| source.held.number).collect();
        let catalog = self.catalog();
        let others = catalog.all().filter(|entry| !numbers.contains(&entry.held.number));
        let mut entries: Vec<&CatalogEntry> =
            relisted.iter().flat_map(|source| &source.entries).chain(others).collect();
        entries.sort_by(|a, b| order(a, b, self.shared.options.precedence));
        let shared: Vec<&CatalogEntry> = entries
            .chunk_by(|a, b| a.normal() == b.normal())
            .filter(|group| group.len() > 1)
            .flatten()
            .filter(|entry| entry.digest.is_none() && !entry.held.source.is_lazy())
            .copied()
            .collect();
        let mut digests = BTreeMap::new();
        for part in shared.chunks(AT_ONCE) {
            let reading = part.iter().map(|entry| {
                Box::pin(async move {
                    let skill = self.read_skill(entry).await.ok()?.ok()?;
                    Some((place_of(entry), skill.digest().into()))
                }) as BoxFuture<'_, Option<(Place, Arc<str>)>>
            });
            digests.extend(join_all(reading).await.into_iter().flatten());
        }
        digests
    }

    /// Reads the skills that someone has loaded again: their bodies may have changed.
    async fn load_again(&self, relisted: &[Relisted]) {
        let entries: Vec<&CatalogEntry> = {
            let loaded = self.loaded();
            let entries = relisted.iter().flat_map(|source| &source.entries);
            entries.filter(|entry| loaded.digest(entry).is_some()).collect()
        };
        for part in entries.chunks(AT_ONCE) {
            // What goes wrong is kept by `load_entry`, or met again by whoever loads the skill.
            let loading =
                part.iter().map(|entry| Box::pin(self.load_entry(entry)) as BoxFuture<'_, _>);
            join_all(loading).await;
        }
    }

    /// Makes the next snapshot of what `relisted` sources say and what is known of the others; gives
    /// the last one and the next one.
    fn place(
        &self,
        ledger: &mut Ledger,
        relisted: Vec<Relisted>,
        digests: &BTreeMap<Place, Arc<str>>,
    ) -> (Arc<Snapshot>, Arc<Snapshot>) {
        let before = self.catalog();
        let numbers: BTreeSet<_> = relisted.iter().map(|source| source.held.number).collect();
        let others = before.all().filter(|entry| !numbers.contains(&entry.held.number));
        let mut entries: Vec<CatalogEntry> = others.cloned().collect();
        for source in relisted {
            ledger.problems.insert(source.held.number, source.problems);
            entries.extend(source.entries);
        }
        if !ledger.gone.is_empty() {
            entries.retain(|entry| !ledger.gone.contains(&place_of(entry)));
        }
        if !digests.is_empty() {
            for entry in entries.iter_mut().filter(|entry| entry.digest.is_none()) {
                entry.digest = digests.get(&place_of(entry)).cloned();
            }
        }
        let after = Arc::new(Snapshot::assemble(
            before.generation() + 1,
            ledger.sources.clone(),
            entries,
            ledger.problems.values().flatten().cloned().collect(),
            self.shared.options.precedence,
        ));
        self.loaded().retain(&after);
        *self.shared.current.write().unwrap_or_else(PoisonError::into_inner) = after.clone();
        (before, after)
    }
}
