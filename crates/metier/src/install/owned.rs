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
}

impl Owned {
    pub(crate) fn of(lock: &Lock) -> Self {
        let owned = |skill: &LockedSkill| {
            let owned = OwnedSkill { into: skill.into.clone(), digest: skill.digest };
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

    pub(crate) fn write_owned(&self, owned: &Owned) -> Result<(), InstallError> {
        let text = toml_edit::ser::to_string_pretty(owned).unwrap_or_default();
        self.write(&self.location.owned_file(), &text)?;
        (self.progress)(Step::OwnedWritten);
        Ok(())
    }
}
