//! Turns a folder into a source that gives out only what was installed there, or what someone trusted.

use super::agent::agent_folder;
use super::file_record::FileRecord;
use super::install_error::InstallError;
use super::local::read_folder;
use super::location::Location;
use super::lock::{Lock, LockedSkill};
use super::package_limits::PackageLimits;
use super::sha256::Sha256;
use super::trust::TrustRecord;
use crate::disk::Kind;
use crate::disk::staging::standing;
use crate::source::ReadOptions;
use crate::{
    BlockingSource, Files, Folder, Listed, Listing, Problem, Resource, SourceError, Trust, disk,
};
use metier_core::{ResourcePath, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use unicode_normalization::UnicodeNormalization as _;

/// A folder whose skills are held to what a lock or a person has said of them.
///
/// 1. A skill that someone trusted, and that is still the same to the byte, may reach a model. So is
///    trust in contents judged anew with every listing, and so with every reload (security D13).
/// 2. A skill that the lock has is read only as it was installed: a file with other bytes is
///    [`SourceError::Changed`], one that came later [`SourceError::NotInManifest`] (security R15, R24).
///    When its `SKILL.md` differs, the skill is listed, but not for models. Only what is read is
///    hashed; before a script runs, all of it is.
/// 3. Every other skill is as its folder has it: one that its author is working on is in no lock.
///
/// Who trusts a skill that was changed since it was installed keeps the change, which is then what it
/// is held to.
///
/// ```no_run
/// use metier::install::{Location, SealedFolder};
/// use metier::{Blocking, Folder, Registry, Trust};
///
/// let folder = Folder::new("/srv/app/.agents/skills").trust(Trust::Untrusted);
/// let sealed = SealedFolder::new(folder)
///     .locked_at(Location::project("/srv/app"))
///     .trusted_in("/home/me/.config/metier/trust.toml");
/// let registry = Registry::builder().source(Blocking(sealed)).open();
/// # drop(registry);
/// ```
#[derive(Debug)]
pub struct SealedFolder {
    folder: Folder,
    location: Option<Location>,
    trust_file: Option<PathBuf>,
    /// By the keys of skills. One that an edit has broken keeps the seal it had.
    seals: RwLock<BTreeMap<String, Arc<Seal>>>,
}

/// What the files of a skill must be.
#[derive(Debug)]
enum Seal {
    /// These.
    Files { since: &'static str, directory: PathBuf, records: BTreeMap<String, FileRecord> },
    /// Nobody can say: the lock cannot be read.
    Unknown { lock: String, reason: String },
}

/// What was said about the skills of a folder, as it is now.
struct Said {
    /// What the lock has, by the folder it stands in.
    locked: Result<BTreeMap<PathBuf, LockedSkill>, Problem>,
    /// What someone trusts, by the keys of skills.
    trusted: BTreeMap<String, Sha256>,
    problems: Vec<Problem>,
}

impl SealedFolder {
    /// A folder that nothing is said about yet.
    pub fn new(folder: Folder) -> Self {
        Self { folder, location: None, trust_file: None, seals: RwLock::default() }
    }

    /// The project or the home whose lock says what was installed.
    pub fn locked_at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// The file of the [`TrustRecord`] that says what someone trusts.
    pub fn trusted_in(mut self, file: impl Into<PathBuf>) -> Self {
        self.trust_file = Some(file.into());
        self
    }

    fn said(&self) -> Said {
        let mut problems = Vec::new();
        let locked = match self.location.as_ref().map(|it| (it, it.lock())) {
            None => Ok(BTreeMap::new()),
            Some((location, Ok(lock))) => Ok(places(location, &lock)),
            Some((location, Err(error))) => Err(problem(&location.lock_file(), &error)),
        };
        if let Err(problem) = &locked {
            problems.push(problem.clone());
        }
        let record = self.trust_file.as_ref().map(|file| (file, TrustRecord::read(file)));
        let trusted = match record {
            None => None,
            Some((_, Ok(record))) => record.trusted(self.folder.path()).cloned(),
            // A record that cannot be read trusts nothing.
            Some((file, Err(error))) => {
                problems.push(problem(file, &error));
                None
            }
        };
        Said { locked, trusted: trusted.unwrap_or_default(), problems }
    }

    /// Says whether a skill may reach a model, what its files must be, and what is wrong with it.
    fn judge(&self, skill: &Listed, said: &Said) -> (Trust, Option<Seal>, Option<Problem>) {
        let directory = self.directory(skill);
        let mut changed = None;
        if let Some(digest) = said.trusted.get(&*skill.key) {
            match read_folder(&directory, &PackageLimits::default()) {
                Ok(tree) if tree.digest() == *digest => {
                    let seal = Seal::files("trust", directory, tree.records());
                    return (Trust::Trusted, Some(seal), None);
                }
                // Else it was not for this that models could see it.
                _ if self.trust() == Trust::Trusted => {}
                _ => {
                    let message = "it was changed since someone trusted it, and no model sees it";
                    let help = "look at it, and run `metier trust` again";
                    let place = skill.location();
                    changed = Some(Problem::new(place, Severity::Warning, message, help));
                }
            }
        }
        let locked = match &said.locked {
            Ok(locked) => find(locked, &directory),
            Err(problem) => {
                let (lock, reason) = (problem.location.clone(), problem.message.clone());
                return (Trust::Untrusted, Some(Seal::Unknown { lock, reason }), None);
            }
        };
        let Some(locked) = locked else { return (self.trust(), None, changed) };
        let seal = Seal::files("install", directory, &locked.files);
        match self.read_sealed(&seal, &skill.key, &skill.file, &ReadOptions::default()) {
            Ok(_) | Err(SourceError::TooLarge { .. }) => (self.trust(), Some(seal), changed),
            Err(error) => {
                let place = skill.location();
                let problem = Problem::new(place, Severity::Error, error.to_string(), error.help());
                (Trust::Untrusted, Some(seal), Some(problem))
            }
        }
    }

    /// Whether a path is a link that metier made for an agent: it leads to a skill that the folder it
    /// was installed in lists, and so there is nothing wrong with it.
    fn is_our_link(&self, place: &Path, said: &Said) -> bool {
        let locked = said.locked.as_ref().ok().and_then(|locked| locked.get(place));
        let (Some(skill), Some(location)) = (locked, &self.location) else { return false };
        let own = location.folder(skill.into.as_ref()).join(skill.name.as_str());
        let is_link = matches!(standing(place), Ok(Some(Kind::Link)));
        let leads = (disk::real_path(place), disk::real_path(&own));
        is_link && matches!(leads, (Ok(a), Ok(b)) if a == b)
    }

    fn directory(&self, skill: &Listed) -> PathBuf {
        skill.directory().map_or_else(|| self.folder.path().join(&skill.key), Path::to_owned)
    }

    fn seal(&self, key: &str) -> Option<Arc<Seal>> {
        self.seals.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Reads the whole of a file, compares it with its digest, and gives out the part that was meant.
    fn read_sealed(
        &self,
        seal: &Seal,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let (owned, asked) = (|| key.to_owned(), || path.clone());
        let (since, records) = match seal {
            Seal::Files { since, records, .. } => (*since, records),
            Seal::Unknown { lock, reason } => {
                let (location, message) = (lock.clone(), reason.clone());
                return Err(SourceError::Unavailable { location, message });
            }
        };
        let Some(record) = records.get(&normal(path)) else {
            // What is not there at all is told as such.
            let nothing = ReadOptions { limit: 0, range: Some(0..0) };
            self.folder.read(key, path, &nothing)?;
            return Err(SourceError::NotInManifest { key: owned(), path: asked(), since });
        };
        let (start, end) = match &options.range {
            None => (0, record.size),
            Some(range) => (range.start.min(record.size), range.end.min(record.size)),
        };
        let wanted = end.saturating_sub(start);
        if wanted > options.limit as u64 {
            let limit = options.limit;
            return Err(SourceError::TooLarge { key: owned(), path: asked(), size: wanted, limit });
        }
        let changed = |found: String| SourceError::Changed {
            key: owned(),
            path: asked(),
            since,
            expected: record.sha256.to_string(),
            found,
        };
        let most = record.size.max(PackageLimits::default().file_bytes);
        let limit = usize::try_from(most).unwrap_or(usize::MAX);
        let whole = self.folder.read(key, path, &ReadOptions { limit, range: None });
        let mut file = whole.map_err(|error| match error {
            SourceError::TooLarge { size, .. } => changed(format!("a file of {size} bytes")),
            error => error,
        })?;
        let found = Sha256::of(&file.bytes);
        if found != record.sha256 {
            return Err(changed(found.to_string()));
        }
        // The digest is right, and so is the size that was recorded with it.
        file.bytes.truncate(usize::try_from(end).unwrap_or(usize::MAX));
        file.bytes.drain(..usize::try_from(start).unwrap_or(usize::MAX).min(file.bytes.len()));
        Ok(file)
    }
}

impl BlockingSource for SealedFolder {
    fn label(&self) -> &str {
        BlockingSource::label(&self.folder)
    }

    fn trust(&self) -> Trust {
        BlockingSource::trust(&self.folder)
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let mut listing = self.folder.list()?;
        let said = self.said();
        listing.problems.retain(|problem| !self.is_our_link(Path::new(&problem.location), &said));
        let mut seals = BTreeMap::new();
        for skill in &mut listing.skills {
            let (trust, seal, problem) = self.judge(skill, &said);
            skill.trust = Some(trust);
            seals.extend(seal.map(|seal| (skill.key.to_string(), Arc::new(seal))));
            listing.problems.extend(problem);
        }
        listing.problems.extend(said.problems);
        listing.sort();
        let listed: BTreeSet<&str> = listing.skills.iter().map(|skill| &*skill.key).collect();
        let mut current = self.seals.write().unwrap_or_else(PoisonError::into_inner);
        current.retain(|key, _| !listed.contains(key.as_str()));
        current.extend(seals);
        drop(current);
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        match self.seal(key) {
            Some(seal) => self.read_sealed(&seal, key, path, options),
            None => self.folder.read(key, path, options),
        }
    }

    fn verify(&self, key: &str) -> Result<(), SourceError> {
        self.seal(key).map_or(Ok(()), |seal| seal.verify(key))
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        let files = self.folder.files(key)?;
        match self.seal(key).as_deref() {
            Some(Seal::Files { records, .. }) => {
                let known = files.iter().filter(|path| records.contains_key(&normal(path)));
                Ok(Files { truncated: files.truncated, ..Files::group(known.cloned()) })
            }
            _ => Ok(files),
        }
    }
}

impl Seal {
    fn files<'r>(
        since: &'static str,
        directory: PathBuf,
        records: impl IntoIterator<Item = &'r FileRecord>,
    ) -> Self {
        let by_path = |record: &FileRecord| (record.path.as_str().to_owned(), record.clone());
        Self::Files { since, directory, records: records.into_iter().map(by_path).collect() }
    }

    /// Compares every file with its digest. What came later is fine where a script leaves what it has
    /// made, and not under `scripts/`, where others would load it.
    fn verify(&self, key: &str) -> Result<(), SourceError> {
        let (since, directory, records) = match self {
            Self::Files { since, directory, records } => (*since, directory, records),
            Self::Unknown { lock, reason } => {
                let (location, message) = (lock.clone(), reason.clone());
                return Err(SourceError::Unavailable { location, message });
            }
        };
        let key = || key.to_owned();
        let tree = read_folder(directory, &PackageLimits::default()).map_err(|error| {
            SourceError::Unavailable { location: key(), message: error.to_string() }
        })?;
        for record in records.values() {
            let path = record.path.clone();
            match tree.get(path.as_str()).map(|file| file.record.sha256) {
                Some(found) if found == record.sha256 => {}
                None => return Err(SourceError::NoSuchFile { key: key(), path }),
                Some(found) => {
                    let (expected, found) = (record.sha256.to_string(), found.to_string());
                    return Err(SourceError::Changed { key: key(), path, since, expected, found });
                }
            }
        }
        let new = |it: &&FileRecord| {
            it.path.starts_with_dir("scripts") && !records.contains_key(it.path.as_str())
        };
        match tree.records().find(new) {
            Some(new) => {
                let path = new.path.clone();
                Err(SourceError::NotInManifest { key: key(), path, since })
            }
            None => Ok(()),
        }
    }
}

/// A path as a lock has it.
fn normal(path: &ResourcePath) -> String {
    path.as_str().nfc().collect()
}

/// Where the skills of a lock stand: in the folder they were installed in, and in those of agents.
fn places(location: &Location, lock: &Lock) -> BTreeMap<PathBuf, LockedSkill> {
    let mut places = BTreeMap::new();
    for skill in lock.skills() {
        let agents = skill.links.keys().filter_map(|agent| agent_folder(agent));
        let folders = agents.map(|folder| location.root().join(folder));
        for folder in folders.chain([location.folder(skill.into.as_ref())]) {
            places.insert(folder.join(skill.name.as_str()), skill.clone());
        }
    }
    places
}

/// The locked skill that stands in a directory, whatever links lead there. Only a directory of the
/// right name is looked up.
fn find<'l>(
    locked: &'l BTreeMap<PathBuf, LockedSkill>,
    directory: &Path,
) -> Option<&'l LockedSkill> {
    let exact = locked.get(directory);
    exact.or_else(|| {
        let named = |place: &Path| place.file_name() == directory.file_name();
        let same = |place: &Path| {
            let (place, directory) = (disk::real_path(place), disk::real_path(directory));
            matches!((place, directory), (Ok(a), Ok(b)) if a == b)
        };
        locked.iter().find(|(place, _)| named(place) && same(place)).map(|(_, skill)| skill)
    })
}

fn problem(file: &Path, error: &InstallError) -> Problem {
    let help = error.help().unwrap_or_else(|| "mend the file".to_owned());
    let message = match error {
        // It names the file by itself, and so does the problem.
        InstallError::Lock { error, .. } => error.to_string(),
        error => error.to_string(),
    };
    Problem::new(file.to_string_lossy(), Severity::Error, message, help)
}
