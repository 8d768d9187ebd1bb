//! Turns plans into installed skills: what every command of the installer is made of.

use super::archive::unpack;
use super::candidates::{choose, skill_folders};
use super::git::{GitEntry, GitEntryKind, GitNotice, Repositories, Resolved};
use super::install_error::InstallError;
use super::local::read_folder;
use super::local_path::LocalPath;
use super::location::Location;
use super::lock::{Lock, LockedSkill};
use super::origin::Origin;
use super::package_limits::PackageLimits;
use super::plan::{Plan, PlannedFetch, Selection};
use super::reference::Reference;
use super::requests::Requests;
use super::sha256::Sha256;
use super::store::Store;
use super::tree::FileTree;
use super::verified::{Fetched, Findings};
use super::web::Web;
use crate::disk::staging::{replace_file, standing};
use crate::disk::{self, Kind};
use crate::find;
use crate::{FindOptions, ReadError};
use metier_core::ResourcePath;
use std::fmt;
use std::path::{Path, PathBuf};

/// How skills are installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct InstallOptions {
    /// How much a skill may hold.
    pub limits: PackageLimits,
    /// What happens to skills with errors.
    pub findings: Findings,
    /// What happens to what is in the way.
    pub existing: Existing,
    /// Whether anything may be fetched.
    pub network: Network,
    /// Whether the files of an archive may stand in one folder of it.
    pub wrapper: Wrapper,
    /// What happens when a source has gone back.
    pub older: OlderVersion,
}

/// What happens to what is in the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existing {
    /// It stays: other skills, and changes by hand.
    #[default]
    Keep,
    /// It goes.
    Replace,
}

/// Whether anything may be fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Network {
    /// It may.
    #[default]
    Online,
    /// What is not in the store is not to be had. Folders and archives on this machine are.
    Offline,
}

/// Whether the files of an archive may stand in one folder of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrapper {
    /// `SKILL.md` must be at the root (security Z18).
    #[default]
    Refuse,
    /// The one folder that holds everything is left out.
    Strip,
}

/// What an update does when a source offers something older than what is locked (security L12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OlderVersion {
    /// It stays with what is locked.
    #[default]
    Refuse,
    /// It takes it.
    Allow,
}

/// Something that the installer has come to. The name of a skill or the text of a reference goes
/// with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'s> {
    /// A place is being fetched.
    Fetching(&'s str),
    /// A file of a skill is being written beside its place.
    Staging(&'s str),
    /// The files of a skill wait beside their place.
    Staged(&'s str),
    /// The files of a skill are at their place.
    Placed(&'s str),
    /// The folder of an agent shows a skill.
    Linked(&'s str),
    /// A skill is gone from its place.
    TakenAway(&'s str),
    /// What people ask for is written.
    RequestsWritten,
    /// The lock is written.
    LockWritten,
    /// What metier itself has installed is written.
    OwnedWritten,
}

/// Installs skills into one project or home.
///
/// Git and the web are reached through traits, so a host can bring its own; where relative paths
/// start and where the home is are given, never looked up.
pub struct Installer<'i> {
    /// Where skills are installed.
    pub location: Location,
    /// How repositories are reached.
    pub repositories: &'i dyn Repositories,
    /// How the web is reached.
    pub web: &'i dyn Web,
    /// What was fetched before, by anyone.
    pub store: Option<Store>,
    /// Where relative references start.
    pub base: PathBuf,
    /// What `~` means.
    pub home: Option<PathBuf>,
    /// How.
    pub options: InstallOptions,
    /// Hears of every step.
    pub progress: &'i dyn Fn(Step<'_>),
}

impl fmt::Debug for Installer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Installer")
            .field("location", &self.location)
            .field("store", &self.store)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Installer<'_> {
    /// The lock; an empty one when there is none yet.
    pub fn lock(&self) -> Result<Lock, InstallError> {
        self.location.lock()
    }

    /// What people ask for; `None` when nobody has written it down.
    pub fn requests(&self) -> Result<Option<Requests>, InstallError> {
        let path = self.location.requests_file();
        match read_text(&path)? {
            None => Ok(None),
            Some(text) => Requests::parse(&text)
                .map(Some)
                .map_err(|error| InstallError::Requests { path, error: error.into() }),
        }
    }

    /// Fetches everything that is planned.
    pub fn fetch(&self, plan: &Plan) -> Result<Vec<Fetched>, InstallError> {
        let mut fetched = Vec::new();
        for planned in &plan.fetches {
            fetched.extend(self.fetch_one(planned)?);
        }
        Ok(fetched)
    }

    pub(crate) fn fetch_one(&self, planned: &PlannedFetch) -> Result<Vec<Fetched>, InstallError> {
        let shown = planned.reference.to_string();
        if self.options.network == Network::Offline && !planned.reference.is_local() {
            return self.fetch_again(planned, &shown);
        }
        (self.progress)(Step::Fetching(&shown));
        match &planned.reference {
            Reference::Named { .. } | Reference::GitHub { .. } | Reference::Git { .. } => {
                self.fetch_git(planned)
            }
            Reference::Folder { path } => self.fetch_folder(planned, path),
            Reference::ArchiveFile { path } => {
                let file = path.resolve(&self.base, self.home.as_deref())?;
                let most = self.options.limits.total_bytes;
                let bytes = disk::read_capped(&file, usize::try_from(most).unwrap_or(usize::MAX))?;
                self.unpack(planned, path.as_str(), &bytes, None)
            }
            Reference::Archive { url, digest } => {
                let bytes = self.web.download(url, self.options.limits.total_bytes)?;
                self.unpack(planned, url, &bytes, *digest)
            }
            Reference::Site { url, .. } => self.fetch_site(planned, url),
        }
    }

    /// What was installed by the same reference before, from the store.
    fn fetch_again(
        &self,
        planned: &PlannedFetch,
        shown: &str,
    ) -> Result<Vec<Fetched>, InstallError> {
        let lock = self.lock()?;
        let offline = || InstallError::Offline { what: shown.to_owned() };
        let locked = lock.skills().find(|skill| skill.requested == *shown).ok_or_else(offline)?;
        let tree = self.stored(&locked.digest).ok_or_else(offline)?;
        Ok(vec![fetched_from(planned, planned.reference.clone(), locked.source.clone(), tree)])
    }

    fn fetch_git(&self, planned: &PlannedFetch) -> Result<Vec<Fetched>, InstallError> {
        let Some((url, path, revision)) = planned.reference.repository() else {
            return Ok(Vec::new());
        };
        let resolved = self.repositories.resolve(&url, revision)?;
        let repository = self.repositories.open(&url, &resolved)?;
        let prefix = path.map(|path| format!("{path}/")).unwrap_or_default();
        let paths = repository.entries().iter().filter_map(|entry| {
            std::str::from_utf8(&entry.path).ok()?.strip_prefix(prefix.as_str())
        });
        let place = planned.reference.to_string();
        let likely = match &planned.reference {
            Reference::Named { name, .. } => Some(name.as_str()),
            _ => None,
        };
        let folders = choose(skill_folders(paths), &planned.select, &place, likely)?;
        let mut fetched = Vec::new();
        for folder in folders {
            let whole = format!("{prefix}{folder}");
            let subpath = whole.trim_end_matches('/').parse::<ResourcePath>().ok();
            let left_out = left_out(repository.entries(), subpath.as_ref());
            let tree = repository.tree(subpath.as_ref(), &self.options.limits)?;
            let requested = narrowed(&planned.reference, subpath.as_ref(), &planned.select);
            let origin = Origin::Git {
                url: url.clone(),
                reference: resolved.reference.clone(),
                commit: resolved.commit.clone(),
                subpath,
            };
            let mut one = fetched_from(planned, requested, origin, tree);
            let notices = repository.notices().iter().chain(&left_out);
            one.notices.extend(notices.map(ToString::to_string));
            fetched.push(one);
        }
        Ok(fetched)
    }

    fn fetch_folder(
        &self,
        planned: &PlannedFetch,
        path: &LocalPath,
    ) -> Result<Vec<Fetched>, InstallError> {
        let root = path.resolve(&self.base, self.home.as_deref())?;
        let found = if disk::kind(&root.join("SKILL.md")).is_ok() {
            vec![String::new()]
        } else {
            if disk::kind(&root).is_err() {
                return Err(super::local::LocalError::Missing { path: root }.into());
            }
            let files = find(&[&root], &FindOptions::default()).files;
            let relative: Vec<String> = files
                .iter()
                .filter_map(|file| file.strip_prefix(&root).ok()?.to_str())
                .map(|path| path.replace('\\', "/"))
                .collect();
            skill_folders(relative.iter().map(String::as_str))
        };
        let place = planned.reference.to_string();
        let mut fetched = Vec::new();
        for folder in choose(found, &planned.select, &place, None)? {
            let tree = read_folder(&root.join(&folder), &self.options.limits)?;
            let text = path.as_str().trim_end_matches('/');
            let text = if folder.is_empty() { text.to_owned() } else { format!("{text}/{folder}") };
            let requested = Reference::Folder { path: LocalPath::new(&text) };
            fetched.push(fetched_from(planned, requested, Origin::Folder { path: text }, tree));
        }
        Ok(fetched)
    }

    /// The digest is compared before the first entry is read (security Z23).
    fn unpack(
        &self,
        planned: &PlannedFetch,
        location: &str,
        bytes: &[u8],
        expected: Option<Sha256>,
    ) -> Result<Vec<Fetched>, InstallError> {
        let sha256 = Sha256::of(bytes);
        if let Some(expected) = expected.filter(|expected| *expected != sha256) {
            let name = location.to_owned();
            return Err(InstallError::Digest { name, expected, found: sha256 });
        }
        let location = location.to_owned();
        let tree = unpack(&location, bytes, &self.options.limits).map_err(|error| {
            InstallError::Archive { location: location.clone(), error: error.into() }
        })?;
        let wrapper = tree.wrapper();
        let inner = match (&wrapper, self.options.wrapper) {
            (Some(wrapper), Wrapper::Strip) => tree.below(wrapper).unwrap_or(tree),
            _ => tree,
        };
        if inner.get("SKILL.md").is_none() {
            return Err(InstallError::NotAtRoot { location, wrapper });
        }
        let origin = Origin::Archive { location, sha256 };
        Ok(vec![fetched_from(planned, planned.reference.clone(), origin, inner)])
    }

    fn fetch_site(&self, planned: &PlannedFetch, url: &str) -> Result<Vec<Fetched>, InstallError> {
        let names = match &planned.select {
            Selection::Named(name) => vec![name.as_str().to_owned()],
            select => choose(self.web.names(url)?, select, url, None)?,
        };
        let mut fetched = Vec::new();
        for name in names {
            let place = || url.to_owned();
            let skill: metier_core::SkillName =
                name.parse().map_err(|error: metier_core::InvalidName| InstallError::Name {
                    place: place(),
                    reason: error.to_string(),
                })?;
            let tree = self.web.skill(url, &skill, &self.options.limits)?;
            let requested = Reference::Site { url: place(), skill: Some(skill.clone()) };
            let origin = Origin::Site { url: place(), skill };
            fetched.push(fetched_from(planned, requested, origin, tree));
        }
        Ok(fetched)
    }

    /// Exactly what was locked: from the store, else from where it came from.
    pub(crate) fn fetch_locked(&self, locked: &LockedSkill) -> Result<FileTree, InstallError> {
        if let Some(tree) = self.stored(&locked.digest) {
            return Ok(tree);
        }
        let name = || locked.name.as_str().to_owned();
        let limits = &self.options.limits;
        let local = matches!(&locked.source, Origin::Folder { .. })
            || matches!(&locked.source, Origin::Archive { location, .. } if LocalPath::is_meant_by(location));
        if self.options.network == Network::Offline && !local {
            return Err(InstallError::Offline { what: name() });
        }
        (self.progress)(Step::Fetching(locked.name.as_str()));
        let tree = match &locked.source {
            Origin::Git { url, reference, commit, subpath } => {
                let at = Resolved { reference: reference.clone(), ..Resolved::commit(commit) };
                self.repositories.open(url, &at)?.tree(subpath.as_ref(), limits)?
            }
            Origin::Folder { path } => {
                let folder = LocalPath::new(path).resolve(&self.base, self.home.as_deref())?;
                read_folder(&folder, limits)?
            }
            Origin::Archive { location, sha256 } => {
                let reference: Reference = match location.parse() {
                    Ok(reference) => reference,
                    Err(_) => return Err(InstallError::NoSkill { place: location.clone() }),
                };
                let reference = match reference {
                    Reference::Archive { url, .. } => {
                        Reference::Archive { url, digest: Some(*sha256) }
                    }
                    other => other,
                };
                // Whether it was wrapped is seen by the digest.
                let mut fetched = self.unwrapping().fetch_one(&PlannedFetch::new(reference))?;
                match fetched.pop() {
                    Some(fetched) => fetched.tree,
                    None => return Err(InstallError::NoSkill { place: location.clone() }),
                }
            }
            Origin::Site { url, skill } => self.web.skill(url, skill, limits)?,
        };
        let found = tree.digest();
        if found != locked.digest {
            return Err(InstallError::Digest { name: name(), expected: locked.digest, found });
        }
        self.keep(&tree)?;
        Ok(tree)
    }

    /// The same installer, for archives that someone has taken out of their folder before.
    pub(crate) fn unwrapping(&self) -> Installer<'_> {
        Installer {
            location: self.location.clone(),
            store: self.store.clone(),
            base: self.base.clone(),
            home: self.home.clone(),
            options: InstallOptions { wrapper: Wrapper::Strip, ..self.options.clone() },
            ..*self
        }
    }

    /// A tree from the store, when there is a store and it has it.
    pub(crate) fn stored(&self, digest: &Sha256) -> Option<FileTree> {
        self.store.as_ref()?.get(digest, &self.options.limits)
    }

    /// Keeps a tree for later, and for others.
    pub(crate) fn keep(&self, tree: &FileTree) -> Result<(), InstallError> {
        match &self.store {
            Some(store) => store.put(tree, &self.options.limits).map_err(InstallError::Write),
            None => Ok(()),
        }
    }

    pub(crate) fn write_lock(&self, lock: &Lock) -> Result<(), InstallError> {
        self.write(&self.location.lock_file(), &lock.to_toml())?;
        (self.progress)(Step::LockWritten);
        Ok(())
    }

    pub(crate) fn write_requests(&self, requests: &Requests) -> Result<(), InstallError> {
        self.write(&self.location.requests_file(), &requests.to_toml())?;
        (self.progress)(Step::RequestsWritten);
        Ok(())
    }

    /// Replaces a file in one step, if it has another text. A link that a project has put there is
    /// replaced and not followed (security L02).
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), InstallError> {
        let is_link = matches!(standing(path), Ok(Some(Kind::Link)));
        if !is_link && read_text(path)?.as_deref() == Some(text) {
            return Ok(());
        }
        disk::make_folders(disk::folder_of(path)).map_err(InstallError::Write)?;
        replace_file(path, text.as_bytes(), &self.location.own_folder())
            .map_err(|error| InstallError::io("write", path, &error))
    }
}

fn fetched_from(
    planned: &PlannedFetch,
    requested: Reference,
    origin: Origin,
    tree: FileTree,
) -> Fetched {
    let (into, links) = (planned.into.clone(), planned.links.clone());
    Fetched { requested, origin, tree, into, links, notices: Vec::new() }
}

/// What stands in a skill and is not a part of it.
fn left_out(entries: &[GitEntry], folder: Option<&ResourcePath>) -> Vec<GitNotice> {
    let prefix = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
    let inside = |entry: &&GitEntry| entry.path.starts_with(prefix.as_bytes());
    let submodules = entries.iter().filter(|entry| entry.kind == GitEntryKind::Submodule);
    submodules
        .filter(inside)
        .map(|entry| GitNotice::Submodule { path: String::from_utf8_lossy(&entry.path).into() })
        .collect()
}

/// The reference to one skill of a place that may have several.
fn narrowed(
    reference: &Reference,
    subpath: Option<&ResourcePath>,
    select: &Selection,
) -> Reference {
    let mut narrowed = reference.clone();
    if let Reference::GitHub { path, skill, .. } | Reference::Git { path, skill, .. } =
        &mut narrowed
    {
        match select {
            // The place had one skill and may have more tomorrow: what was written is what is meant.
            Selection::Only => {}
            Selection::Named(name) => *skill = Some(name.clone()),
            Selection::All => {
                *path = subpath.cloned();
                *skill = None;
            }
        }
    }
    narrowed
}

pub(crate) fn read_text(path: &Path) -> Result<Option<String>, InstallError> {
    const LIMIT: usize = 64 * 1024 * 1024;
    match disk::read_capped(path, LIMIT) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(InstallError::Io {
                doing: "read",
                path: path.to_owned(),
                reason: "it is not UTF-8".to_owned(),
            }),
        },
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
