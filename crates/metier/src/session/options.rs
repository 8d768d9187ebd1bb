//! Turns a host's choices into what a session may do: how long skills stay, which ones, which tools.

use crate::registry::path_filter::PathFilter;
use crate::session::runner::Runner;
use crate::session::tool_names::ToolNames;
use metier_core::{ActivationOptions, Matcher, Render};
use std::sync::Arc;

/// How long an active skill stays active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Retention {
    /// Until it is deactivated. When `max_active` is reached, the next one is refused.
    #[default]
    Persistent,
    /// Until it is deactivated, or `max_active` is reached and it is the one that was not used for
    /// the longest time: that one gives way.
    Bounded,
    /// Until [`Session::end_turn`](crate::Session::end_turn). When `max_active` is reached, the next
    /// one is refused.
    Ephemeral,
}

/// What a session may do.
///
/// ```
/// use metier::{Memory, Blocking, Registry, Retention, Session, SessionOptions};
///
/// let registry = Registry::builder().source(Blocking(Memory::new("none"))).open();
/// let session = Session::new(registry, SessionOptions {
///     retention: Retention::Bounded,
///     max_active: 5,
///     tools: vec!["Read".to_owned(), "Bash(git:*)".to_owned()],
///     deny: vec!["internal-*".to_owned()],
///     ..SessionOptions::default()
/// });
/// assert!(session.tools().is_empty()); // nothing to load, nothing to offer
/// ```
#[derive(Debug, Clone, Default)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct SessionOptions {
    /// How long an active skill stays active.
    pub retention: Retention,
    /// How many skills may be active at once; 0 is no limit.
    pub max_active: usize,
    /// The ceiling: the tools that skills may bring, names or patterns such as `Bash(git:*)`. Empty:
    /// none.
    pub tools: Vec<String>,
    /// Whether skills that are not on this machine may bring tools too.
    pub remote_tools: bool,
    /// The skills that may be used: ids, or patterns with `*`, `?` and `[..]`. `None`: all.
    pub allow: Option<Vec<String>>,
    /// The skills that may not be used, also where `allow` names them: ids, names or patterns.
    pub deny: Vec<String>,
    /// Which skills may be used, by where they appear; [`Session::set_filter`] changes it.
    ///
    /// [`Session::set_filter`]: crate::Session::set_filter
    pub filter: PathFilter,
    /// What the tools and their arguments are called, and how their replies read.
    pub names: ToolNames,
    /// Whether the definitions of the tools list the names of the skills. A list keeps a model from
    /// guessing (spec G18), and changes the definitions, and so a prompt cache, with the catalog.
    pub list_names: bool,
    /// How the catalog is written behind the description of the tool that loads skills; `None` leaves
    /// it to the system prompt, see [`Session::prompt`](crate::Session::prompt).
    pub index: Option<Render>,
    /// What the text of an activation looks like. Who asked for it is filled in.
    pub activation: ActivationOptions,
    /// How many bytes of a file a model may read at once; `None`: 1 MiB, and 64 KiB with drover's
    /// names.
    pub read_limit: Option<usize>,
    /// What orders the skills that `search_skills` finds; `None`: the registry's own ranking.
    pub matcher: Option<Arc<dyn Matcher>>,
    /// What runs scripts; `None`: nothing does, and the tool is not offered.
    pub runner: Option<Arc<dyn Runner>>,
}
