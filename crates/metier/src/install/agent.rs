//! Turns the name of an agent into its folder, and an installed skill into one that the folder shows.

use super::differences::Differences;
use super::install_error::InstallError;
use super::installer::{Existing, Installer, Step};
use super::lock::{LinkMode, LockedSkill};
use super::placement::There;
use super::tree::FileTree;
use crate::disk::staging::{link_folder, link_target, remove_file, standing, take_away};
use crate::disk::{self, Kind};
use std::path::{Component, Path, PathBuf};

/// Agents that look for skills in folders of their own.
const AGENTS: [(&str, &str); 8] = [
    ("claude", ".claude/skills"),
    ("codex", ".codex/skills"),
    ("copilot", ".github/skills"),
    ("cursor", ".cursor/skills"),
    ("gemini", ".gemini/skills"),
    ("goose", ".goose/skills"),
    ("opencode", ".opencode/skills"),
    ("windsurf", ".windsurf/skills"),
];

/// The names of the agents whose folders are known, sorted.
///
/// ```
/// assert!(metier::install::agents().contains(&"claude"));
/// ```
pub fn agents() -> Vec<&'static str> {
    AGENTS.iter().map(|(name, _)| *name).collect()
}

/// What stands where the folder of an agent would show a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nothing.
    Free,
    /// The skill, already.
    Shown(LinkMode),
    /// A link that goes.
    Link,
    /// A folder that goes.
    Folder,
}

/// Where an agent looks for skills, below a project or a home.
pub(crate) fn agent_folder(agent: &str) -> Option<&'static str> {
    AGENTS.iter().find(|(known, _)| *known == agent).map(|(_, folder)| *folder)
}

impl Installer<'_> {
    /// Where the folder of an agent would show a skill.
    pub(crate) fn agent_place(&self, agent: &str, name: &str) -> Result<PathBuf, InstallError> {
        let Some(folder) = agent_folder(agent) else {
            return Err(InstallError::UnknownAgent { agent: agent.to_owned() });
        };
        let folder = self.location.root().join(folder);
        self.location.confine(&folder)?;
        Ok(folder.join(name))
    }

    /// What it takes for the folder of an agent to show a skill. What must not be overwritten is an
    /// error.
    pub(crate) fn agent_way(
        &self,
        agent: &str,
        name: &str,
        folder: &Path,
        tree: &FileTree,
    ) -> Result<Way, InstallError> {
        let place = self.agent_place(agent, name)?;
        let target = relative(disk::folder_of(&place), folder);
        let failed = |error: std::io::Error| InstallError::io("look at", &place, &error);
        let force = self.options.existing == Existing::Replace;
        match standing(&place).map_err(failed)? {
            None => Ok(Way::Free),
            Some(Kind::Link) if link_target(&place).map_err(failed)? == target => {
                Ok(Way::Shown(LinkMode::Link))
            }
            Some(Kind::Link) if force => Ok(Way::Link),
            Some(Kind::Link) => Err(InstallError::LinkThere { path: place }),
            Some(Kind::Directory) => match self.there(&place)? {
                There::Files(there) if there == *tree => Ok(Way::Shown(LinkMode::Copy)),
                There::Files(there) if self.is_ours(name, &there)? => Ok(Way::Folder),
                _ if force => Ok(Way::Folder),
                _ => Err(InstallError::Unmanaged { path: place }),
            },
            Some(_) => Err(InstallError::NotAFolder { path: place }),
        }
    }

    /// Whether files were installed and not written by hand: the lock has them, or the store.
    fn is_ours(&self, name: &str, there: &FileTree) -> Result<bool, InstallError> {
        let digest = there.digest();
        let locked =
            self.lock()?.skills().any(|it| it.name.as_str() == name && it.digest == digest);
        Ok(locked || self.stored(&digest).is_some())
    }

    /// Refuses to go on when the copy that an agent's folder has was changed by hand.
    pub(crate) fn check_copy(&self, agent: &str, locked: &LockedSkill) -> Result<(), InstallError> {
        let name = locked.name.as_str();
        let place = self.agent_place(agent, name)?;
        match self.there(&place)? {
            There::Nothing => Ok(()),
            There::Files(there) if self.is_ours(name, &there)? => Ok(()),
            There::Files(there) => {
                let differences = Differences::between(&locked.files, there.records()).into();
                Err(InstallError::Edited { name: format!("{name} for {agent}"), differences })
            }
            There::Odd(error) => {
                let (name, reason) = (format!("{name} for {agent}"), error.to_string());
                Err(InstallError::Odd { name, reason })
            }
        }
    }

    /// Lets the folder of an agent show a skill: by a link, or by a copy where links fail.
    pub(crate) fn show(
        &self,
        agent: &str,
        name: &str,
        folder: &Path,
        tree: &FileTree,
    ) -> Result<LinkMode, InstallError> {
        let place = self.agent_place(agent, name)?;
        let target = relative(disk::folder_of(&place), folder);
        let failed = |error: std::io::Error| InstallError::io("link", &place, &error);
        match self.agent_way(agent, name, folder, tree)? {
            Way::Shown(mode) => return Ok(mode),
            Way::Link => remove_file(&place).map_err(failed)?,
            Way::Folder => take_away(&place).map_err(failed)?,
            Way::Free => {}
        }
        disk::make_folders(disk::folder_of(&place)).map_err(InstallError::Write)?;
        let mode = if link_folder(&target, &place).is_ok() {
            LinkMode::Link
        } else {
            self.put(name, tree, &place, Existing::Keep)?;
            LinkMode::Copy
        };
        (self.progress)(Step::Linked(name));
        Ok(mode)
    }

    /// Takes a skill out of the folder of an agent, if it is what was put there.
    pub(crate) fn hide(
        &self,
        agent: &str,
        name: &str,
        folder: &Path,
        mode: LinkMode,
    ) -> Result<(), InstallError> {
        let place = self.agent_place(agent, name)?;
        let failed = |error: std::io::Error| InstallError::io("remove", &place, &error);
        let target = relative(disk::folder_of(&place), folder);
        match (standing(&place).map_err(failed)?, mode) {
            (Some(Kind::Link), _) if link_target(&place).map_err(failed)? == target => {
                remove_file(&place).map_err(failed)
            }
            (Some(Kind::Directory), LinkMode::Copy) => take_away(&place).map_err(failed),
            _ => Ok(()),
        }
    }
}

/// The way from one folder to another, where both start at the same root.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| Component::ParentDir);
    up.chain(to[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_relative() {
        let way = relative(Path::new("/p/.claude/skills"), Path::new("/p/.agents/skills/pdf"));
        assert_eq!(way, Path::new("../../.agents/skills/pdf"));
    }
}
