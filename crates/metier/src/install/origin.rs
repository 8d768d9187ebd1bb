//! Turns a place that was fetched from into what a lock keeps of it.

use super::git_url::GitUrl;
use super::sha256::Sha256;
use metier_core::{ResourcePath, SkillName};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where the files of a skill came from, exactly enough to fetch the same ones again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Origin {
    /// A git repository.
    #[non_exhaustive]
    Git {
        /// Its address.
        url: GitUrl,
        /// The whole name of the tag or branch that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
        /// The commit.
        commit: String,
        /// The folder of the skill; the root without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subpath: Option<ResourcePath>,
    },
    /// A folder on the machine that installed it.
    #[non_exhaustive]
    Folder {
        /// The folder, as it was written, down to the skill.
        path: String,
    },
    /// An archive, on the machine that installed it or on the web.
    #[non_exhaustive]
    Archive {
        /// Its path or its address.
        location: String,
        /// The digest of its bytes.
        sha256: Sha256,
    },
    /// A web site with an index of skills.
    #[non_exhaustive]
    Site {
        /// Its address.
        url: String,
        /// What the site calls the skill.
        skill: SkillName,
    },
}

impl Origin {
    /// The place without what changes from version to version. Two skills of one name from two of
    /// these are two skills.
    pub fn source(&self) -> String {
        match self {
            Self::Git { url, subpath: Some(subpath), .. } => format!("{url}//{subpath}"),
            Self::Git { url, subpath: None, .. } => url.to_string(),
            Self::Folder { path } => path.clone(),
            Self::Archive { location, .. } => location.clone(),
            Self::Site { url, skill } => format!("{url}#@{}", skill.as_str()),
        }
    }

    /// What tells this version from another: the first digits of a commit or of a digest.
    pub fn version(&self) -> Option<String> {
        match self {
            Self::Git { commit, .. } => Some(commit.chars().take(12).collect()),
            Self::Archive { sha256, .. } => Some(sha256.hex().chars().take(12).collect()),
            Self::Folder { .. } | Self::Site { .. } => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::visible(&self.source()))?;
        match self.version() {
            Some(version) => write!(f, " at {version}"),
            None => Ok(()),
        }
    }
}
