//! Turns a registry into what is served: addresses, packages and bytes that agree with each other.

use crate::address::{Address, Addresses};
use crate::byte_cache::ByteCache;
use crate::change::Change;
use crate::digest::Digest;
use crate::fault::{Fault, short};
use crate::journal::{Journal, Level};
use crate::listing_entry::listing_entry;
use crate::package::{Package, SKILL_FILE, Unserved};
use crate::ready_index::ReadyIndex;
use crate::uri;
use metier::Registry;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use tokio::sync::broadcast;

/// How many bytes of files are kept in memory.
const CACHE_BYTES: usize = 16 * 1024 * 1024;

/// How many bytes of entries are kept: those of some ten thousand skills, more than are ever listed.
const ENTRY_BYTES: usize = 8 * 1024 * 1024;

/// How many packages are read again after a change, to tell which files are different.
const MOST_COMPARED: usize = 1_000;

/// How many changes a client may be behind before it is told that everything may be different.
const CHANGES_AT_ONCE: usize = 64;

/// What is served, shared by all connections.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) registry: Registry,
    pub(crate) journal: Journal,
    current: RwLock<Arc<Served>>,
    pub(crate) index: Arc<ReadyIndex>,
    bytes: Mutex<ByteCache<Digest>>,
    changes: broadcast::Sender<Change>,
}

/// What is served at one generation of the catalog.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) generation: u64,
    pub(crate) addresses: Addresses,
    /// What was packed already, by the place of its address.
    shelves: Mutex<BTreeMap<usize, Arc<Shelf>>>,
    /// Entries of the skills extension as text, by the place of the address. What goes can be made again.
    entries: Mutex<ByteCache<usize>>,
}

/// A skill as it is served, or why it is not: kept for as long as the catalog is, since its digests
/// were given out.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) package: Result<Package, Unserved>,
    /// Why hosts would refuse it.
    refused: Option<Box<str>>,
}

/// A file that is served.
#[derive(Debug)]
pub(crate) struct ServedFile {
    pub(crate) path: String,
    pub(crate) bytes: Arc<[u8]>,
}

impl Store {
    pub(crate) fn new(registry: Registry, journal: Journal) -> Self {
        let served = Arc::new(Served::of(&registry));
        report(&journal, &Addresses::default(), &served.addresses);
        Self {
            registry,
            journal,
            current: RwLock::new(served),
            index: Arc::default(),
            bytes: Mutex::new(ByteCache::new(CACHE_BYTES)),
            changes: broadcast::Sender::new(CHANGES_AT_ONCE),
        }
    }

    /// What is served now. A catalog that has changed since is served from here on.
    pub(crate) fn served(&self) -> Arc<Served> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        if current.generation == self.registry.catalog().generation() {
            return current;
        }
        self.refresh();
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells of every change from now on.
    pub(crate) fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Serves the catalog as it is now, and tells everybody who listens what is different.
    pub(crate) fn refresh(&self) {
        let next = Arc::new(Served::of(&self.registry));
        let before = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            if current.generation >= next.generation {
                return;
            }
            std::mem::replace(&mut *current, next.clone())
        };
        self.index.renew(&self.registry);
        report(&self.journal, &before.addresses, &next.addresses);
        let change = self.compare(&before, &next);
        if !change.is_empty() {
            self.journal.record(
                Level::Info,
                "changed",
                &[
                    ("generation", next.generation.to_string()),
                    ("skills", next.addresses.all.len().to_string()),
                    ("files", change.updated.len().to_string()),
                ],
            );
            // Nobody may be listening.
            let _ = self.changes.send(change);
        }
    }

    fn compare(&self, before: &Served, after: &Served) -> Change {
        let is_same = |(a, b): (&Address, &Address)| {
            a.path == b.path && a.entry.listed.manifest == b.entry.listed.manifest
        };
        let is_same_list = before.addresses.all.len() == after.addresses.all.len()
            && before.addresses.all.iter().zip(&after.addresses.all).all(is_same);
        let is_empty = |served: &Served| served.addresses.all.is_empty();
        let mut change = Change {
            list: !is_same_list,
            tools: is_empty(before) != is_empty(after),
            ..Change::default()
        };
        let shelves = before.shelves();
        for (at, old) in shelves.iter().take(MOST_COMPARED) {
            let path = &before.addresses.all[*at].path;
            let segments: Vec<_> = path.split('/').map(str::to_owned).collect();
            let now = after.addresses.find(&segments);
            let new = now.map(|(index, _)| self.shelf(after, index));
            let files =
                |shelf: &Shelf| shelf.package.as_ref().map(|p| p.files.clone()).unwrap_or_default();
            let (old, new) = (files(old), new.as_deref().map(files).unwrap_or_default());
            let names = old.keys().chain(new.keys().filter(|name| old.get(name).is_none()));
            for name in names.filter(|name| old.get(name) != new.get(name)) {
                change.updated.insert(uri::of_file(path, name));
            }
        }
        // What was not compared may be different too.
        change.list |= shelves.len() > MOST_COMPARED || !change.updated.is_empty();
        change
    }

    /// The skill at a place of the addresses, packed when it is asked for first.
    pub(crate) fn shelf(&self, served: &Served, at: usize) -> Arc<Shelf> {
        if let Some(shelf) = served.shelves().get(&at) {
            return shelf.clone();
        }
        let (shelf, entry) = self.pack(&served.addresses.all[at]);
        let shelf = Arc::new(shelf);
        // Whoever was first has given out digests already.
        let first = served.shelves().entry(at).or_insert(shelf.clone()).clone();
        if let Some(entry) = entry.filter(|_| Arc::ptr_eq(&shelf, &first)) {
            served.entries().put(at, &entry);
        }
        first
    }

    /// The entry of the skills extension of the skill at a place, or why hosts would refuse it.
    pub(crate) fn entry(&self, served: &Served, at: usize) -> Result<Json, String> {
        let shelf = self.shelf(served, at);
        if let Some(reason) = &shelf.refused {
            return Err(reason.to_string());
        }
        let held = served.entries().get(&at);
        let parsed = held.and_then(|entry| serde_json::from_slice(&entry).ok());
        if let Some(entry) = parsed {
            return Ok(entry);
        }
        let address = &served.addresses.all[at];
        let package = shelf.package.as_ref().map_err(ToString::to_string)?;
        let bytes =
            self.content(package, address, SKILL_FILE).map_err(|fault| fault.to_string())?;
        let entry = listing_entry(&address.path, package, &bytes)?;
        served.entries().put(at, &entry.to_string().into_bytes().into());
        Ok(entry)
    }

    /// Packs a skill; beside it, its entry as text.
    fn pack(&self, address: &Address) -> (Shelf, Option<Arc<[u8]>>) {
        let packed = Package::read(&self.registry, &address.entry);
        let (package, entry) = match packed {
            Ok((package, contents)) => {
                let entry = listing_entry(&address.path, &package, &contents[SKILL_FILE]);
                let mut bytes = self.bytes();
                for (path, content) in &contents {
                    bytes.put(package.files[path].digest, content);
                }
                drop(bytes);
                for folder in &package.nested {
                    let reason =
                        format!("it stands inside the skill `{}`: move it out", address.path);
                    let place = uri::of_file(&address.path, folder);
                    let fields = [("skill", place), ("reason", reason)];
                    self.journal.record(Level::Warn, "not served", &fields);
                }
                (Ok(package), entry)
            }
            Err(unserved) => {
                let reason = unserved.to_string();
                (Err(unserved), Err(reason))
            }
        };
        if let Err(reason) = &entry {
            self.journal.record(
                Level::Warn,
                "not listed for hosts that verify",
                &[("skill", uri::of(&address.path)), ("reason", reason.clone())],
            );
        }
        let refused = entry.as_ref().err().map(|reason| reason.as_str().into());
        (Shelf { package, refused }, entry.ok().map(|entry| entry.to_string().into_bytes().into()))
    }

    /// The file at an address.
    pub(crate) fn file(&self, address: &str) -> Result<ServedFile, Fault> {
        let served = self.served();
        let missing =
            || Fault::not_found(format!("nothing is served at `{}`", short(address)), address);
        let segments = uri::segments(address).ok_or_else(missing)?;
        let (at, path) = served.addresses.find(&segments).ok_or_else(missing)?;
        let shelf = self.shelf(&served, at);
        let package = shelf.package.as_ref().map_err(|unserved| {
            let message = format!("the skill at `{}` is not served: {unserved}", short(address));
            Fault::not_found(message, address)
        })?;
        if package.files.get(&path).is_none() {
            return Err(missing());
        }
        let bytes = self.content(package, &served.addresses.all[at], &path)?;
        Ok(ServedFile { path, bytes })
    }

    /// The bytes of a file of a package, which are those that it was listed with.
    fn content(
        &self,
        package: &Package,
        address: &Address,
        path: &str,
    ) -> Result<Arc<[u8]>, Fault> {
        let digest = package.files[path].digest;
        if let Some(bytes) = self.bytes().get(&digest) {
            return Ok(bytes);
        }
        let bytes = package.read_again(&self.registry, &address.entry, path).ok_or_else(|| {
            let message = "the file has changed since it was listed: list the skill again";
            Fault::Unavailable(message.to_owned())
        })?;
        self.bytes().put(digest, &bytes);
        Ok(bytes)
    }

    fn bytes(&self) -> std::sync::MutexGuard<'_, ByteCache<Digest>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Served {
    fn of(registry: &Registry) -> Self {
        let catalog = registry.catalog();
        Self {
            generation: catalog.generation(),
            addresses: Addresses::of(&catalog),
            shelves: Mutex::default(),
            entries: Mutex::new(ByteCache::new(ENTRY_BYTES)),
        }
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, ByteCache<usize>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shelves(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Arc<Shelf>>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells which skills have no address, and had one or were not there before.
fn report(journal: &Journal, before: &Addresses, after: &Addresses) {
    for id in after.nameless.difference(&before.nameless) {
        let reason = "its name cannot stand in an address: it has a slash, or is no name";
        let fields = [("skill", id.clone()), ("reason", reason.to_owned())];
        journal.record(Level::Warn, "not served as files", &fields);
    }
}
