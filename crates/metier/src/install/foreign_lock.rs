//! Turns the lock of another installer into what people had asked it for.

use super::install_error::InstallError;
use super::installer::{Installer, read_text};
use super::reference::Reference;
use super::requests::Requests;
use crate::disk::staging::standing;
use metier_core::SkillName;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What another installer's lock came to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Migrated {
    /// What was asked for.
    pub requests: Requests,
    /// Entries that could not be taken over, and why.
    pub skipped: Vec<(String, String)>,
}

/// Why a lock of another installer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// It is not JSON, or not a lock.
    #[error("it is not a lock that is known: {0}")]
    Unknown(String),
    /// Its version is none that is known.
    #[error("its version {0} is not known; 1 and 3 are")]
    Version(i64),
}

/// What was taken over, and from where.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TakenOver {
    /// The lock of the other installer. It stays where it is.
    pub path: PathBuf,
    /// What it came to.
    pub migrated: Migrated,
}

impl Installer<'_> {
    /// Writes down what another installer was asked for, where nothing of ours is yet.
    pub fn take_over(&self) -> Result<Option<TakenOver>, InstallError> {
        let _held = self.location.hold()?;
        let root = self.location.root();
        let there = |path: &Path| matches!(standing(path), Ok(Some(_)));
        if there(&self.location.lock_file()) || there(&self.location.requests_file()) {
            return Ok(None);
        }
        let places = ["skills-lock.json", ".agents/.skill-lock.json"].map(|name| root.join(name));
        let Some(path) = places.into_iter().find(|path| there(path)) else { return Ok(None) };
        let text = read_text(&path)?.unwrap_or_default();
        let migrated =
            migrate(&text).map_err(|error| InstallError::Foreign { path: path.clone(), error })?;
        self.write_requests(&migrated.requests)?;
        Ok(Some(TakenOver { path, migrated }))
    }
}

/// Reads `skills-lock.json` (version 1) or `.skill-lock.json` (version 3).
///
/// Their hashes say nothing about modes and can be the same for different files, so they are not
/// taken over: what is installed next is locked anew.
///
/// ```
/// use metier::install::migrate;
///
/// let lock = r#"{"version": 1, "skills": {"pdf": {
///     "source": "acme/skills", "sourceType": "github", "ref": "v1", "skillPath": "skills/pdf/SKILL.md",
///     "computedHash": "00"
/// }}}"#;
/// let migrated = migrate(lock).unwrap();
/// assert_eq!(migrated.requests.entries()[0].reference.to_string(), "acme/skills/skills/pdf#v1");
/// ```
pub fn migrate(text: &str) -> Result<Migrated, MigrateError> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| MigrateError::Unknown(error.to_string()))?;
    match value["version"].as_i64() {
        Some(1 | 3) => {}
        Some(version) => return Err(MigrateError::Version(version)),
        None => return Err(MigrateError::Unknown("it has no version".to_owned())),
    }
    let Some(skills) = value["skills"].as_object() else {
        return Err(MigrateError::Unknown("it has no skills".to_owned()));
    };
    let mut migrated = Migrated { requests: Requests::default(), skipped: Vec::new() };
    for (key, entry) in skills {
        match request(key, entry) {
            Ok((name, reference)) => migrated.requests.set(&name, &reference, None),
            Err(reason) => migrated.skipped.push((key.clone(), reason)),
        }
    }
    Ok(migrated)
}

fn request(key: &str, entry: &Value) -> Result<(SkillName, Reference), String> {
    let name: SkillName =
        key.parse().map_err(|error: metier_core::InvalidName| error.to_string())?;
    let text = |field: &str| entry[field].as_str().filter(|text| !text.is_empty());
    let source = text("source").ok_or("it has no source")?;
    let path = text("skillPath").unwrap_or_default();
    let path = path.strip_suffix("SKILL.md").unwrap_or(path).trim_matches('/');
    let revision = text("ref").map(|revision| format!("#{revision}")).unwrap_or_default();
    let spelt = match text("sourceType").unwrap_or("github") {
        "github" if path.is_empty() => format!("{source}{revision}"),
        "github" => format!("{source}/{path}{revision}"),
        "local" => source.to_owned(),
        "well-known" => format!("{}#@{key}", text("sourceUrl").unwrap_or(source)),
        _ => {
            let url = text("sourceUrl").unwrap_or(source);
            let url = url.strip_prefix("git+").unwrap_or(url);
            let subpath = if path.is_empty() { String::new() } else { format!("//{path}") };
            let prefix = if url.starts_with("http") { "git+" } else { "" };
            format!("{prefix}{url}{subpath}{revision}")
        }
    };
    let reference = spelt.parse().map_err(|error: super::InvalidReference| error.to_string())?;
    Ok((name, reference))
}
