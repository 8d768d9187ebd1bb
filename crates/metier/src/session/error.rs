//! Turns what keeps a session from using a skill into an error that names it, and a hint beside it.

use crate::registry::RegistryError;
use crate::registry::path_filter::PathFilter;

/// Why a session did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// No skill has this id, or none that may be used here: what is hidden is not told of.
    #[error("there is no skill `{}`", crate::visible(id))]
    UnknownSkill {
        /// The id that was asked for.
        id: String,
        /// The ids that it may have meant, the nearest first.
        nearest: Vec<String>,
    },
    /// The allow-list or the deny-list keeps the skill away.
    #[error("the skill `{}` is not allowed in this session", crate::visible(id))]
    NotAllowed {
        /// The skill.
        id: String,
    },
    /// The filter keeps the skill away for now.
    #[error("the skill `{}` is not available while the filter is `{filter}`", crate::visible(id))]
    Filtered {
        /// The skill.
        id: String,
        /// The filter that keeps it away.
        filter: PathFilter,
    },
    /// Nobody agreed to the source of the skill yet.
    #[error("the skill `{}` comes from a source that is not trusted", crate::visible(id))]
    Untrusted {
        /// The skill.
        id: String,
    },
    /// Its author keeps the skill for users, and it was not a user who asked.
    #[error("the skill `{}` is for users to call, not for the model", crate::visible(id))]
    UserOnly {
        /// The skill.
        id: String,
    },
    /// Its author keeps users from calling the skill.
    #[error("the skill `{}` is for the model to call, not for users", crate::visible(id))]
    ModelOnly {
        /// The skill.
        id: String,
    },
    /// As many skills are active as may be.
    #[error(
        "the skill `{}` cannot be activated: {limit} skills are active, the limit is {limit}",
        crate::visible(id)
    )]
    Full {
        /// The skill.
        id: String,
        /// How many may be active.
        limit: usize,
        /// Those that are, sorted.
        active: Vec<String>,
    },
    /// The skill is not active.
    #[error("the skill `{}` is not active", crate::visible(id))]
    NotActive {
        /// The skill.
        id: String,
    },
    /// The registry has no answer.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The state was written by a version that this one does not read.
    #[error("the state has version {version}, this is version {supported}")]
    StateVersion {
        /// The version of the state.
        version: u32,
        /// The version that is read.
        supported: u32,
    },
}

impl SessionError {
    /// What can be done about it.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownSkill { nearest, .. } if !nearest.is_empty() => {
                format!("did you mean {}?", quoted(nearest, " or "))
            }
            Self::UnknownSkill { .. } => "list the skills".to_owned(),
            Self::NotAllowed { .. } => "use another skill".to_owned(),
            Self::Filtered { .. } => "use another skill, or change the filter".to_owned(),
            Self::Untrusted { .. } => "trust its source first".to_owned(),
            Self::UserOnly { .. } => "let the user call it".to_owned(),
            Self::ModelOnly { .. } => "let the model call it".to_owned(),
            Self::Full { active, .. } => {
                format!("deactivate one first: {}", quoted(active, ", "))
            }
            Self::NotActive { .. } => "list the active skills".to_owned(),
            Self::Registry(error) => error.help().to_owned(),
            Self::StateVersion { .. } => "start a new session".to_owned(),
        }
    }

    /// The reason, for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            // A model must not learn of what is hidden from it (spec G15).
            Self::UnknownSkill { .. } | Self::Untrusted { .. } | Self::UserOnly { .. } => {
                "unknown_skill"
            }
            Self::NotAllowed { .. } | Self::ModelOnly { .. } => "not_allowed",
            Self::Filtered { .. } => "filtered",
            Self::Full { .. } => "full",
            Self::NotActive { .. } => "not_active",
            Self::Registry(_) => "read_failed",
            Self::StateVersion { .. } => "state_version",
        }
    }
}

/// Names in backticks.
pub(crate) fn quoted(names: &[String], between: &str) -> String {
    let names: Vec<String> =
        names.iter().map(|name| format!("`{}`", crate::visible(name))).collect();
    names.join(between)
}
