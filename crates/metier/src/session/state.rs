//! Turns a session into plain data and back, so that it survives a restart.

use crate::registry::Registry;
use crate::registry::path_filter::{PathFilter, path_of};
use crate::session::Session;
use crate::session::active::{Active, Invoker, Presence, Table};
use crate::session::error::SessionError;
use crate::session::options::SessionOptions;
use metier_core::AllowedTools;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of [`SessionState`] that is written and read.
const VERSION: u32 = 1;

/// How often a skill was used in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// How often its instructions were given.
    pub activations: u64,
    /// How often it was asked for when the conversation held it.
    pub notices: u64,
    /// How many of its files were read.
    pub reads: u64,
    /// How many of its scripts were run.
    pub runs: u64,
}

/// What a session holds, as plain data. What the host decides, the [`SessionOptions`], is not part of
/// it.
///
/// ```
/// use metier::{Blocking, Memory, Registry, Session, SessionOptions, block_on};
///
/// let table = Memory::new("m").inline("pdf", "Use for PDFs.", "Open it.");
/// let registry = Registry::builder().source(Blocking(table)).open();
/// let session = Session::new(registry.clone(), SessionOptions::default());
/// block_on(session.activate("pdf"))?;
/// let json = serde_json::to_string(&session.state()).unwrap();
///
/// let state = serde_json::from_str(&json).unwrap();
/// let (session, vanished) = Session::restore(registry, SessionOptions::default(), &state)?;
/// assert_eq!(session.active(), ["pdf"]);
/// assert!(vanished.is_empty());
/// # Ok::<(), metier::SessionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionState {
    /// The version of the form.
    pub version: u32,
    /// The filter.
    pub filter: PathFilter,
    /// The active skills, in the order in which they became active.
    pub active: Vec<ActiveState>,
    /// How often each skill was used.
    pub usage: BTreeMap<String, Usage>,
}

/// An active skill in a [`SessionState`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActiveState {
    /// The id.
    pub id: String,
    /// The digest of the text that the conversation was given.
    pub digest: String,
    /// The tools it brings.
    pub tools: Vec<String>,
    /// Who asked for it.
    pub by: Invoker,
    /// What its user gave for the places in its instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Whether the conversation still holds it.
    presence: Presence,
    /// Whether it has scripts.
    has_scripts: bool,
    /// When it became active, and when it was used last, in steps of the session.
    since: u64,
    used: u64,
}

/// A skill that was active and is not any more, because it could not be restored.
#[derive(Debug)]
#[non_exhaustive]
pub struct Vanished {
    /// The id that it had.
    pub id: String,
    /// Why: it is gone, or may not be used now.
    pub reason: SessionError,
}

impl Session {
    /// What the session holds, as plain data.
    pub fn state(&self) -> SessionState {
        let live = self.live();
        let active =
            live.table.in_order().into_iter().map(|(id, active, since, used)| ActiveState {
                id: id.to_string(),
                digest: active.digest.clone(),
                tools: active.tools.clone(),
                by: active.by,
                arguments: active.arguments.clone(),
                presence: active.presence,
                has_scripts: active.has_scripts,
                since,
                used,
            });
        SessionState {
            version: VERSION,
            filter: live.filter.clone(),
            active: active.collect(),
            usage: live.usage.clone(),
        }
    }

    /// A session that goes on where another one stopped, and the skills that are not active any more:
    /// those that vanished, and those that may not be used now. Nothing is read.
    pub fn restore(
        registry: Registry,
        options: SessionOptions,
        state: &SessionState,
    ) -> Result<(Self, Vec<Vanished>), SessionError> {
        let session = Self::new(registry, options);
        let vanished = session.resume(state)?;
        Ok((session, vanished))
    }

    /// Goes on from a state, in place of what this session holds: [`restore`](Self::restore) for one
    /// that is there, such as a [`child`](Self::child). What is not allowed here now stays inactive,
    /// and of more skills than may be active those that were used last stay.
    pub fn resume(&self, state: &SessionState) -> Result<Vec<Vanished>, SessionError> {
        if state.version != VERSION {
            let version = state.version;
            return Err(SessionError::StateVersion { version, supported: VERSION });
        }
        {
            let mut live = self.live();
            live.table = Table::default();
            live.filter = state.filter.clone();
            live.usage.clone_from(&state.usage);
        }
        let mut vanished = Vec::new();
        for skill in &state.active {
            let entry = match self.find(&skill.id, skill.by) {
                Ok(entry) => entry,
                Err(reason) => {
                    vanished.push(Vanished { id: skill.id.clone(), reason });
                    continue;
                }
            };
            let active = Active {
                digest: skill.digest.clone(),
                tools: self.grant(&entry, &AllowedTools::from(skill.tools.clone())),
                by: skill.by,
                path: path_of(&entry, &self.registry().shared.options.base),
                arguments: skill.arguments.clone(),
                given: None,
                presence: skill.presence,
                has_scripts: skill.has_scripts,
            };
            self.live().table.restore(&entry.id, active, skill.since, skill.used);
        }
        vanished.extend(self.let_go_of_the_oldest());
        Ok(vanished)
    }

    /// Takes out the skills that are too many.
    fn let_go_of_the_oldest(&self) -> Vec<Vanished> {
        let limit = self.options().max_active;
        let mut live = self.live();
        let mut vanished = Vec::new();
        while limit > 0
            && live.table.len() > limit
            && let Some(id) = live.table.oldest()
        {
            live.table.take(&id);
            let (id, active) = (id.to_string(), live.table.ids());
            vanished.push(Vanished {
                id: id.clone(),
                reason: SessionError::Full { id, limit, active },
            });
        }
        vanished
    }
}
