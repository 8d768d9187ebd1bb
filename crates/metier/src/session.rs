//! Turns a registry and a host's choices into a session: which skills are active, and what they bring.

pub(crate) mod access;
pub(crate) mod activate;
pub(crate) mod activation;
pub(crate) mod active;
pub(crate) mod call;
pub(crate) mod call_arguments;
pub(crate) mod compaction;
pub(crate) mod error;
pub(crate) mod given;
pub(crate) mod options;
pub(crate) mod preset_reply;
#[cfg(all(feature = "run", unix))]
pub(crate) mod process;
pub(crate) mod prompt;
pub(crate) mod reply;
pub(crate) mod runner;
pub(crate) mod search;
pub(crate) mod state;
pub(crate) mod tool_names;
pub(crate) mod toolbox;

use crate::check::glob;
use crate::registry::Registry;
use crate::registry::path_filter::PathFilter;
use crate::session::active::{Table, common};
use crate::session::error::SessionError;
use crate::session::options::{Retention, SessionOptions};
use crate::session::state::Usage;
use metier_core::{AllowedTools, Prompt, Render};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a conversation knows of skills: which are active, which tools they bring, which may be
/// loaded. Cheap to clone; clones are one session, and every method can be called at any time.
///
/// A skill may be used when all of these agree, on every path (tool calls, second activations,
/// users and children too):
/// 1. its source is trusted,
/// 2. `allow` names it, and `deny` does not,
/// 3. the filter lets it pass,
/// 4. for a model: its author does not keep it for users,
/// 5. every session above agrees.
///
/// ```
/// use metier::{Blocking, Injection, Memory, Registry, Session, SessionOptions, block_on};
///
/// let table = Memory::new("built-in").skill(
///     "pdf",
///     "---\nname: pdf\ndescription: Use for PDFs.\nallowed-tools: Read Write\n---\nOpen it.\n",
/// );
/// let registry = Registry::builder().source(Blocking(table)).open();
/// let tools = vec!["Read".to_owned()];
/// let session = Session::new(registry, SessionOptions { tools, ..SessionOptions::default() });
///
/// let first = block_on(session.activate("pdf"))?;
/// assert!(first.text.contains("Open it."));
/// assert_eq!(session.active_tools(), ["Read"]); // what the skill asks for, under the ceiling
/// let second = block_on(session.activate("pdf"))?;
/// assert_eq!(second.injection, Injection::Repeated); // a short notice: the body is there already
/// assert_eq!(session.deactivate("pdf")?, ["Read"]);
/// # Ok::<(), metier::SessionError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    registry: Registry,
    options: SessionOptions,
    parent: Option<Session>,
    live: Mutex<Live>,
}

/// What changes in a session.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) table: Table,
    pub(crate) filter: PathFilter,
    pub(crate) usage: BTreeMap<String, Usage>,
}

impl Session {
    /// A session in which no skill is active.
    pub fn new(registry: Registry, options: SessionOptions) -> Self {
        Self::with(registry, options, None)
    }

    /// A session for a part of the work, such as a subagent's, in which no skill is active. It can
    /// only narrow: its lists, filter and ceiling count together with those of this session, now and
    /// when they change, and it runs scripts only if this one does.
    ///
    /// ```
    /// # use metier::{Blocking, Memory, Registry, Session, SessionOptions};
    /// # let table = Memory::new("m").inline("pdf", "PDFs.", "").inline("csv", "Tables.", "");
    /// # let registry = Registry::builder().source(Blocking(table)).open();
    /// let deny = vec!["pdf".to_owned()];
    /// let session = Session::new(registry, SessionOptions { deny, ..SessionOptions::default() });
    /// let child = session.child(SessionOptions { deny: vec![], ..session.options().clone() });
    /// let names: Vec<_> = child.catalog().iter().map(|entry| entry.name().to_owned()).collect();
    /// assert_eq!(names, ["csv"]);
    /// ```
    pub fn child(&self, mut options: SessionOptions) -> Self {
        let ours = self.options();
        options.tools = common(&options.tools, &ours.tools);
        options.max_active = match (options.max_active, ours.max_active) {
            (0, limit) | (limit, 0) => limit,
            (one, other) => one.min(other),
        };
        options.runner = options.runner.filter(|_| ours.runner.is_some());
        options.remote_tools &= ours.remote_tools;
        options.matcher = options.matcher.or_else(|| ours.matcher.clone());
        options.read_limit = match (options.read_limit, ours.read_limit) {
            (None, limit) | (limit, None) => limit,
            (Some(one), Some(other)) => Some(one.min(other)),
        };
        Self::with(self.registry().clone(), options, Some(self.clone()))
    }

    fn with(registry: Registry, options: SessionOptions, parent: Option<Self>) -> Self {
        let live = Live { filter: options.filter.clone(), ..Live::default() };
        Self { inner: Arc::new(Inner { registry, options, parent, live: Mutex::new(live) }) }
    }

    /// The registry that the skills come from.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// What the session may do. For a child, what is left of it under its parent.
    pub fn options(&self) -> &SessionOptions {
        &self.inner.options
    }

    /// The text that tells the model which skills it may load, within a budget, and the report of what
    /// it holds: [`catalog`](Self::catalog), in the order of the allow-lists where there are any.
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry, Render, Session, SessionOptions};
    ///
    /// let table = Memory::new("m").inline("pdf", "For PDFs.", "").inline("csv", "For tables.", "");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let deny = vec!["csv".to_owned()];
    /// let session = Session::new(registry, SessionOptions { deny, ..SessionOptions::default() });
    /// assert_eq!(session.prompt(&Render::default()).included, ["pdf"]);
    /// ```
    pub fn prompt(&self, render: &Render) -> Prompt {
        let snapshot = self.registry().catalog();
        if self.is_unrestricted() {
            return snapshot.render(render);
        }
        let visible: BTreeSet<&str> = self.visible(&snapshot).map(|entry| &*entry.id).collect();
        let is_visible = |id: &&String| snapshot.get(id).is_some_and(|e| visible.contains(&*e.id));
        let is_list = |list: &&Vec<String>| !list.iter().any(|id| glob::is_pattern(id));
        let order = render.allow.as_ref().or(self.options().allow.as_ref().filter(is_list));
        let allow = match order {
            Some(order) => order.iter().filter(is_visible).cloned().collect(),
            None => visible.iter().map(ToString::to_string).collect(),
        };
        snapshot.render(&Render { allow: Some(allow), ..render.clone() })
    }

    /// Deactivates a skill. The answer is the tools that went with it: those that no other active
    /// skill brings, sorted.
    pub fn deactivate(&self, id: &str) -> Result<Vec<String>, SessionError> {
        let known = self.registry().get(id).map(|entry| entry.id);
        let mut live = self.live();
        // A skill that vanished from the catalog can still be active, under the id it had.
        let removed =
            live.table.take(known.as_deref().unwrap_or(id)).or_else(|| live.table.take(id));
        removed.ok_or_else(|| SessionError::NotActive { id: id.to_owned() })
    }

    /// The ids of the active skills, sorted.
    pub fn active(&self) -> Vec<String> {
        self.live().table.ids()
    }

    /// Whether a skill is active.
    pub fn is_active(&self, id: &str) -> bool {
        let known = self.registry().get(id).map(|entry| entry.id);
        self.live().table.get(known.as_deref().unwrap_or(id)).is_some()
    }

    /// The tools that the active skills bring, under the ceiling: sorted, each once.
    pub fn active_tools(&self) -> Vec<String> {
        self.live().table.tools()
    }

    /// Whether a call of a tool may run without asking the user, because an active skill says so and
    /// the ceiling holds it: [`AllowedTools::preapproves`], of what the active skills bring. `false`
    /// means "ask", never "forbid".
    ///
    /// ```
    /// # use metier::{Blocking, Memory, Registry, Session, SessionOptions, block_on};
    /// # let text = "---\nname: git\ndescription: Use for git.\nallowed-tools: Bash(git:*)\n---\n";
    /// # let table = Memory::new("m").skill("git", text);
    /// # let registry = Registry::builder().source(Blocking(table)).open();
    /// let tools = vec!["Bash(git:*)".to_owned()];
    /// let session = Session::new(registry, SessionOptions { tools, ..SessionOptions::default() });
    /// assert!(!session.preapproves("Bash", "git status"));
    /// block_on(session.activate("git"))?;
    /// assert!(session.preapproves("Bash", "git status"));
    /// assert!(!session.preapproves("Bash", "git status; rm x"));
    /// # Ok::<(), metier::SessionError>(())
    /// ```
    pub fn preapproves(&self, tool: &str, argument: &str) -> bool {
        AllowedTools::from(self.active_tools()).preapproves(tool, argument)
    }

    /// The filter of this session; those of the sessions above count as well.
    pub fn filter(&self) -> PathFilter {
        self.live().filter.clone()
    }

    /// Changes which skills may be used, by where they appear. The answer is the skills that became
    /// inactive with it, sorted. Active skills of children go when they are next looked at.
    ///
    /// ```
    /// # use metier::{Blocking, Memory, Registry, Session, SessionOptions};
    /// # let registry = Registry::builder().source(Blocking(Memory::new("m"))).open();
    /// # let session = Session::new(registry, SessionOptions::default());
    /// session.set_filter("skills/billing/*");
    /// session.set_filter("none"); // no skill at all
    /// session.set_filter(""); // all of them again
    /// ```
    pub fn set_filter(&self, filter: impl Into<PathFilter>) -> Vec<String> {
        let filter = filter.into();
        let mut live = self.live();
        let leaving = live.table.retain(|_, active| filter.matches(&active.path));
        live.filter = filter;
        leaving
    }

    /// Ends the turn: with [`Retention::Ephemeral`], every active skill becomes inactive. The answer
    /// is those skills, sorted.
    pub fn end_turn(&self) -> Vec<String> {
        match self.options().retention {
            Retention::Ephemeral => self.live().table.retain(|_, _| false),
            Retention::Persistent | Retention::Bounded => Vec::new(),
        }
    }

    /// How often each skill was used, by id.
    pub fn usage(&self) -> BTreeMap<String, Usage> {
        self.live().usage.clone()
    }

    pub(crate) fn parent(&self) -> Option<&Self> {
        self.inner.parent.as_ref()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Live> {
        self.inner.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What changes, without the skills that a session above no longer lets pass.
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        let above = self.parent().map(Self::filters).unwrap_or_default();
        let mut live = self.lock();
        if above.iter().any(|filter| !filter.pattern().is_empty()) {
            live.table.retain(|_, active| above.iter().all(|filter| filter.matches(&active.path)));
        }
        live
    }
}
