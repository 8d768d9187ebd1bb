//! Turns a lock and a disk into what is installed and whether it is still what was installed.

use super::differences::Differences;
use super::install_error::InstallError;
use super::installer::Installer;
use super::location::Level;
use super::lock::{LinkMode, LockedSkill};
use super::placement::There;
use super::reference::Reference;
use crate::disk::Kind;
use crate::disk::staging::standing;
use std::fmt;
use std::path::PathBuf;

/// One installed skill, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// What is locked.
    pub locked: LockedSkill,
    /// Where it should stand.
    pub folder: PathBuf,
    /// Whose it is.
    pub level: Level,
    /// What stands there.
    pub state: State,
}

/// What became of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Every file is what was installed.
    Sound,
    /// It is not there.
    Missing,
    /// Files were changed, added or removed (security L08).
    Changed(Differences),
    /// It cannot be read as a skill any more.
    Odd(String),
    /// It is there, but an agent's folder does not show it, or shows a copy that was changed.
    Unlinked(String),
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound => f.write_str("as installed"),
            Self::Missing => f.write_str("missing"),
            Self::Changed(differences) => write!(f, "{differences}"),
            Self::Odd(reason) => f.write_str(reason),
            Self::Unlinked(agent) => write!(f, "the folder of `{agent}` does not show it as it is"),
        }
    }
}

impl State {
    /// One word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Sound => "sound",
            Self::Missing => "missing",
            Self::Changed(_) => "changed",
            Self::Odd(_) => "odd",
            Self::Unlinked(_) => "unlinked",
        }
    }
}

impl Status {
    /// The organisation that the skill is from: the owner of a repository, else `local` for what
    /// comes from this machine, else the host.
    pub fn org(&self) -> String {
        match self.locked.requested.parse() {
            Ok(Reference::Named { org, .. }) => org,
            Ok(Reference::GitHub { owner, .. }) => owner,
            Ok(reference) if reference.is_local() => "local".to_owned(),
            _ => {
                let source = self.locked.source.source();
                let rest = source.split_once("://").map_or(source.as_str(), |(_, rest)| rest);
                let host = rest.split(['/', ':']).next().unwrap_or_default();
                host.rsplit('@').next().unwrap_or_default().to_owned()
            }
        }
    }
}

/// The installed skill that a reference means, whatever its version: the first one from the same
/// place that is still there. Give the project's before the user's, and the project's wins.
pub fn resolve<'s>(installed: &'s [Status], reference: &Reference) -> Option<&'s Status> {
    installed.iter().find(|status| {
        let Ok(requested) = status.locked.requested.parse::<Reference>() else { return false };
        let same_place = match (requested.repository(), reference.repository()) {
            (Some((url, ..)), Some((wanted, ..))) => url == wanted,
            _ => requested == *reference,
        };
        let named = reference.skill().is_none_or(|name| *name == status.locked.name);
        same_place && named && status.state != State::Missing
    })
}

impl Installer<'_> {
    /// What is installed, sorted by name, each hashed again and compared with the lock.
    pub fn status(&self) -> Result<Vec<Status>, InstallError> {
        let lock = self.lock()?;
        let mut found = Vec::new();
        for locked in lock.skills() {
            let folder = self.location.folder(locked.into.as_ref()).join(locked.name.as_str());
            let state = match self.there(&folder) {
                Ok(There::Nothing) => State::Missing,
                Ok(There::Odd(error)) => State::Odd(error.to_string()),
                Ok(There::Files(tree)) => {
                    let changed = Differences::between(&locked.files, tree.records());
                    if changed.is_empty() {
                        self.link_state(locked)?
                    } else {
                        State::Changed(changed)
                    }
                }
                Err(error) => State::Odd(error.to_string()),
            };
            let level = self.location.level();
            found.push(Status { locked: locked.clone(), folder, level, state });
        }
        Ok(found)
    }

    fn link_state(&self, locked: &LockedSkill) -> Result<State, InstallError> {
        for (agent, mode) in &locked.links {
            let place = self.agent_place(agent, locked.name.as_str())?;
            let shown = match (standing(&place), mode) {
                (Ok(Some(Kind::Link)), LinkMode::Link) => crate::disk::kind(&place).is_ok(),
                (Ok(Some(Kind::Directory)), LinkMode::Copy) => {
                    matches!(self.there(&place), Ok(There::Files(it)) if it.digest() == locked.digest)
                }
                _ => false,
            };
            if !shown {
                return Ok(State::Unlinked(agent.clone()));
            }
        }
        Ok(State::Sound)
    }
}
