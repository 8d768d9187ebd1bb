//! Turns skills that a person has looked at into a record of their contents, and folders into "trusted" or not.

use super::install_error::InstallError;
use super::installer::read_text;
use super::local::read_folder;
use super::lock::{LockError, line_at};
use super::package_limits::PackageLimits;
use super::sha256::Sha256;
use crate::disk::file_lock::FileLock;
use crate::disk::staging::sweep;
use crate::{BlockingSource as _, Folder, SourceError, disk, write_atomically};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Which contents of which folders a person trusts.
///
/// Trust is in contents, not in places: a skill that was changed, or one that is new, is not trusted
/// until someone says so again (security D12, D13).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustRecord {
    #[serde(default, rename = "folder")]
    folders: BTreeMap<String, BTreeMap<String, Sha256>>,
}

/// What a record says about a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Judgement {
    /// Every skill in it is one that was trusted, to the byte.
    Trusted,
    /// Nobody has said anything about it.
    Unknown,
    /// These skills are new, or not what was trusted.
    Changed(Vec<String>),
}

const HEADER: &str = "\
# Skills of projects that you trust, by their contents. Written by `metier trust`.

";

impl TrustRecord {
    /// Reads a record; an empty one when there is no file. One that cannot be read is an error: then
    /// nothing is trusted.
    pub fn read(file: &Path) -> Result<Self, InstallError> {
        let Some(text) = read_text(file)? else { return Ok(Self::default()) };
        toml_edit::de::from_str(&text).map_err(|error| InstallError::Lock {
            path: file.to_owned(),
            error: LockError::Syntax {
                message: format!("line {}: {}", line_at(&text, error.span()), error.message()),
            },
        })
    }

    /// Changes the record in a file, one process at a time.
    pub fn change<T>(
        file: &Path,
        change: impl FnOnce(&mut Self) -> Result<T, InstallError>,
    ) -> Result<T, InstallError> {
        disk::make_folders(disk::folder_of(file)).map_err(InstallError::Write)?;
        let lock = file.with_extension("lock");
        let _held =
            FileLock::hold(&lock).map_err(|error| InstallError::io("lock", &lock, &error))?;
        let folder = disk::folder_of(file);
        sweep(folder).map_err(|error| InstallError::io("clean up", folder, &error))?;
        let mut record = Self::read(file)?;
        let result = change(&mut record)?;
        let text = toml_edit::ser::to_string_pretty(&record).unwrap_or_default();
        write_atomically(file, format!("{HEADER}{text}").as_bytes())
            .map_err(InstallError::Write)?;
        Ok(result)
    }

    /// Trusts what a folder of skills holds now, and says which skills that are.
    pub fn trust(&mut self, folder: &Path) -> Result<Vec<String>, InstallError> {
        let contents = contents(folder)?;
        let names = contents.keys().cloned().collect();
        self.folders.insert(key(folder)?, contents);
        Ok(names)
    }

    /// Trusts a folder no longer, and says whether it was trusted.
    pub fn revoke(&mut self, folder: &Path) -> Result<bool, InstallError> {
        Ok(self.folders.remove(&key(folder)?).is_some())
    }

    /// The folders that something is known about, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.keys().map(String::as_str)
    }

    /// The skills of a folder that were trusted, each with the digest that it had.
    pub(crate) fn trusted(&self, folder: &Path) -> Option<&BTreeMap<String, Sha256>> {
        self.folders.get(&key(folder).ok()?)
    }

    /// Whether what a folder holds now is what was trusted. A folder that nobody has said anything
    /// about is not even looked at.
    pub fn judge(&self, folder: &Path) -> Result<Judgement, InstallError> {
        let Some(trusted) = self.folders.get(&key(folder)?) else {
            return Ok(Judgement::Unknown);
        };
        let now = contents(folder)?;
        let changed: Vec<String> = now
            .into_iter()
            .filter(|(name, it)| trusted.get(name) != Some(it))
            .map(|(name, _)| name)
            .collect();
        Ok(if changed.is_empty() { Judgement::Trusted } else { Judgement::Changed(changed) })
    }
}

/// One folder is one folder, whatever links lead to it.
fn key(folder: &Path) -> Result<String, InstallError> {
    Ok(disk::real_path(folder)?.to_string_lossy().into_owned())
}

/// The digest of each skill that would be found in a folder.
fn contents(folder: &Path) -> Result<BTreeMap<String, Sha256>, InstallError> {
    let unavailable = |error: SourceError| InstallError::Io {
        doing: "look into",
        path: folder.to_owned(),
        reason: error.to_string(),
    };
    let listing = Folder::new(folder).list().map_err(unavailable)?;
    let limits = PackageLimits::default();
    let mut contents = BTreeMap::new();
    for skill in listing.skills {
        let directory = skill.directory().map_or_else(|| folder.join(&skill.key), Path::to_owned);
        contents.insert(skill.key.into(), read_folder(&directory, &limits)?.digest());
    }
    Ok(contents)
}
