//! Turns checked skills into decisions about what happens to the disk, and decisions into folders there.

use super::differences::Differences;
use super::install_error::InstallError;
use super::installer::{Existing, Installer, Step};
use super::local::{LocalError, read_folder};
use super::lock::{Lock, LockedSkill};
use super::tree::FileTree;
use super::verified::Verified;
use crate::disk::staging::{Staged, StagedFile, standing};
use crate::disk::{self, Kind};
use metier_core::twin_key;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What will happen to the folder of a skill.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Placement {
    /// The skill.
    pub skill: Verified,
    /// Where it will stand.
    pub folder: PathBuf,
    /// What that changes.
    pub change: Change,
}

/// What changes when a skill is placed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Nothing is there yet.
    New,
    /// The very files are there already.
    Same,
    /// These files change.
    Replace(Differences),
    /// Something that cannot be compared goes, because the caller said so.
    Clear,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, origin) = (self.skill.name.as_str(), &self.skill.fetched.origin);
        match &self.change {
            Change::New => write!(f, "install `{name}` from {origin}"),
            Change::Same => write!(f, "`{name}` from {origin} is there already"),
            Change::Replace(changed) => {
                write!(f, "replace `{name}` with that from {origin}: {changed}")
            }
            Change::Clear => write!(f, "replace `{name}` with that from {origin}"),
        }
    }
}

/// What stands where a skill would be.
pub(crate) enum There {
    /// Nothing.
    Nothing,
    /// A folder of files.
    Files(FileTree),
    /// A folder that is no tree of files: it holds a link, or too much.
    Odd(LocalError),
}

impl Installer<'_> {
    /// Decides what happens to each skill. What must not be overwritten is an error, before anything
    /// is touched.
    pub fn decide(
        &self,
        skills: Vec<Verified>,
        lock: &Lock,
    ) -> Result<Vec<Placement>, InstallError> {
        let mut placements: Vec<Placement> = Vec::new();
        for skill in skills {
            let name = skill.name.as_str().to_owned();
            let twin = |other: &str| other != name && twin_key(other) == twin_key(&name);
            let earlier = placements
                .iter()
                .find(|placed| placed.skill.name == skill.name || twin(placed.skill.name.as_str()));
            if let Some(earlier) = earlier {
                let installed = earlier.skill.fetched.origin.source();
                let wanted = skill.fetched.origin.source();
                return Err(InstallError::OtherSource { name, installed, wanted });
            }
            let root = self.location.folder(skill.fetched.into.as_ref());
            self.location.confine(&root)?;
            let entries = disk::entries(&root).unwrap_or_default();
            if let Some(entry) = entries.iter().find(|entry| twin(&entry.name)) {
                return Err(InstallError::Twin { name, other: entry.name.clone() });
            }
            let folder = root.join(&name);
            let change = self.change(&skill, &folder, lock)?;
            placements.push(Placement { skill, folder, change });
        }
        Ok(placements)
    }

    fn change(&self, skill: &Verified, folder: &Path, lock: &Lock) -> Result<Change, InstallError> {
        let name = || skill.name.as_str().to_owned();
        let force = self.options.existing == Existing::Replace;
        let locked = lock.get(&skill.name);
        let wanted = skill.fetched.origin.source();
        if let Some(locked) = locked.filter(|it| it.source.source() != wanted && !force) {
            let installed = locked.source.source();
            return Err(InstallError::OtherSource { name: name(), installed, wanted });
        }
        let tree = match self.there(folder)? {
            There::Nothing => return Ok(Change::New),
            There::Odd(_) if force => return Ok(Change::Clear),
            There::Odd(error) if locked.is_some() => {
                return Err(InstallError::Odd { name: name(), reason: error.to_string() });
            }
            There::Odd(_) => return Err(InstallError::Unmanaged { path: folder.to_owned() }),
            There::Files(tree) => tree,
        };
        let digest = tree.digest();
        if digest == skill.fetched.tree.digest() {
            return Ok(Change::Same);
        }
        let changed = Differences::between(tree.records(), skill.fetched.tree.records());
        // What the store has was installed, not written by hand, and can be had again.
        if force || self.stored(&digest).is_some() {
            return Ok(Change::Replace(changed));
        }
        match locked {
            Some(locked) if locked.digest == digest => Ok(Change::Replace(changed)),
            Some(locked) => {
                let differences = Differences::between(&locked.files, tree.records());
                Err(InstallError::Edited { name: name(), differences: differences.into() })
            }
            None => Err(InstallError::Unmanaged { path: folder.to_owned() }),
        }
    }

    /// What stands at the folder of a skill. A link is refused, whatever the caller says.
    pub(crate) fn there(&self, folder: &Path) -> Result<There, InstallError> {
        let kind = standing(folder).map_err(|it| InstallError::io("look at", folder, &it))?;
        match kind {
            None => Ok(There::Nothing),
            Some(Kind::Link) => Err(InstallError::LinkThere { path: folder.to_owned() }),
            Some(Kind::File | Kind::Special) => {
                Err(InstallError::NotAFolder { path: folder.to_owned() })
            }
            Some(Kind::Directory) => match read_folder(folder, &self.options.limits) {
                Ok(tree) => Ok(There::Files(tree)),
                Err(error) => Ok(There::Odd(error)),
            },
        }
    }

    /// Does what was decided.
    pub(crate) fn place(&self, placement: &Placement) -> Result<(), InstallError> {
        let tree = &placement.skill.fetched.tree;
        self.keep(tree)?;
        let name = placement.skill.name.as_str();
        match placement.change {
            Change::Same => Ok(()),
            Change::New => self.put(name, tree, &placement.folder, Existing::Keep),
            Change::Replace(_) | Change::Clear => {
                self.put(name, tree, &placement.folder, Existing::Replace)
            }
        }
    }

    /// Puts files at a place in one step.
    pub(crate) fn put(
        &self,
        name: &str,
        tree: &FileTree,
        folder: &Path,
        existing: Existing,
    ) -> Result<(), InstallError> {
        let failed = |error: std::io::Error| InstallError::io("install into", folder, &error);
        let files = tree.files().iter().map(|file| {
            (self.progress)(Step::Staging(name));
            StagedFile {
                path: file.record.path.as_str(),
                bytes: &file.bytes,
                executable: file.record.executable,
            }
        });
        let staged = Staged::fill(disk::folder_of(folder), name, files).map_err(failed)?;
        (self.progress)(Step::Staged(name));
        match existing {
            Existing::Keep => staged.place(folder).map_err(failed)?,
            Existing::Replace => staged.replace(folder).map_err(failed)?,
        }
        (self.progress)(Step::Placed(name));
        Ok(())
    }
}

impl Verified {
    /// What a lock keeps of the skill.
    pub(crate) fn locked(&self) -> LockedSkill {
        LockedSkill {
            name: self.name.clone(),
            requested: self.fetched.requested.to_string(),
            into: self.fetched.into.clone(),
            source: self.fetched.origin.clone(),
            digest: self.fetched.tree.digest(),
            links: BTreeMap::new(),
            files: self.fetched.tree.records().cloned().collect(),
        }
    }
}
