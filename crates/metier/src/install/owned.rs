//! Turns what metier itself has put on this machine into a file, so that nothing else is ever pruned.

use super::install_error::InstallError;
use super::installer::{Installer, Step, read_text};
use super::lock::{Lock, LockedSkill};
use super::sha256::Sha256;
use metier_core::{ResourcePath, SkillName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was put where on this machine. The lock says what should be there and travels with the
/// project; this says what is there because of us, and stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owned {
    #[serde(default)]
    pub(crate) skills: BTreeMap<SkillName, OwnedSkill>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OwnedSkill {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) into: Option<ResourcePath>,
    pub(crate) digest: Sha256,
    /// What asked for it.
    #[serde(default)]
    pub(crate) requested: String,
    /// What the same request has brought here before, the latest last. A source that offers one of
    /// these again has gone back (security L12).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) before: Vec<Sha256>,
}

/// How many earlier versions of a skill are remembered.
const REMEMBERED: usize = 64;

impl OwnedSkill {
    pub(crate) fn of(skill: &LockedSkill) -> Self {
        let (into, requested) = (skill.into.clone(), skill.requested.clone());
        Self { into, digest: skill.digest, requested, before: Vec::new() }
    }
}

impl Owned {
    /// What is there once the lock has its way, with the past of each skill.
    fn follow(self, lock: &Lock) -> Self {
        let mut past = self.skills;
        let owned = |skill: &LockedSkill| {
            let mut owned = OwnedSkill::of(skill);
            if let Some(old) = past.remove(&skill.name).filter(|it| it.requested == owned.requested)
            {
                owned.before = old.before;
                owned.before.push(old.digest);
                owned.before.retain(|digest| *digest != owned.digest);
                owned.before.dedup();
                let over = owned.before.len().saturating_sub(REMEMBERED);
                owned.before.drain(..over);
            }
            (skill.name.clone(), owned)
        };
        Self { skills: lock.skills().map(owned).collect() }
    }
}

impl Installer<'_> {
    /// What is there because of us. A file that cannot be read is as good as none: then nothing is
    /// pruned.
    pub(crate) fn owned(&self) -> Result<Owned, InstallError> {
        let text = read_text(&self.location.owned_file())?;
        Ok(text.and_then(|text| toml_edit::de::from_str(&text).ok()).unwrap_or_default())
    }

    pub(crate) fn write_owned(&self, lock: &Lock) -> Result<(), InstallError> {
        let owned = self.owned()?.follow(lock);
        let text = toml_edit::ser::to_string_pretty(&owned).unwrap_or_default();
        self.write(&self.location.owned_file(), &text)?;
        (self.progress)(Step::OwnedWritten);
        Ok(())
    }
}
