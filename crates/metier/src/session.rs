//! Turns a registry and a host's choices into a session: which skills are active, and which may be.

use crate::active::{Active, Given, Invoker, Presence, Table, common};
use crate::catalog::CatalogEntry;
use crate::given;
use crate::glob;
use crate::path_filter::{PathFilter, path_of};
use crate::registry::Registry;
use crate::resource::Files;
use crate::session_error::SessionError;
use crate::session_options::{Retention, SessionOptions};
use crate::session_state::Usage;
use crate::source::Trust;
use metier_core::{
    Activation, ActivationOptions, AllowedTools, Invocation, Manifest, Prompt, Render, Skill,
    ToolPattern, nearest,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many names are offered in place of one that nobody has.
const OFFERED: usize = 3;

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

/// What an activation gives the conversation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Activated {
    /// The id of the skill.
    pub id: String,
    /// The skill, as it was read.
    pub skill: Skill,
    /// Why the text is what it is.
    pub injection: Injection,
    /// What goes into the conversation: the instructions, or a notice that they are there.
    pub text: String,
    /// The tools that the skill brings under the ceiling: sorted, each once.
    pub tools: Vec<String>,
    /// The tools that it asks for and does not bring, in its order: the ceiling does not hold them, or
    /// the skill comes from elsewhere.
    pub not_granted: Vec<String>,
    /// Those of them that no other active skill brought before.
    pub added_tools: Vec<String>,
    /// The other files of the skill. Not looked for when the text is a notice.
    pub files: Files,
    /// The skills that gave way, see [`Retention::Bounded`].
    pub released: Vec<String>,
}

/// Why the text of an activation is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Injection {
    /// The instructions: the skill was not active.
    First,
    /// The instructions: they changed since they were given.
    Changed,
    /// The instructions: the conversation had lost them.
    Lost,
    /// A notice: the conversation holds them. Or the instructions once more, where a user gives
    /// other arguments or the tools of a system always answer with them.
    Repeated,
}

/// How a skill is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) by: Invoker,
    pub(crate) arguments: Option<&'a str>,
    /// Whether the instructions are given even if the conversation holds them.
    pub(crate) always_whole: bool,
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

    /// The skills that the model may be told of and may load, by name.
    pub fn catalog(&self) -> Vec<CatalogEntry> {
        let snapshot = self.registry().catalog();
        let filters = self.filters();
        let may = |entry: &&CatalogEntry| self.check(entry, Invoker::Model, &filters).is_ok();
        snapshot.iter().filter(may).cloned().collect()
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
        let visible: BTreeSet<Arc<str>> =
            self.catalog().into_iter().map(|entry| entry.id).collect();
        let snapshot = self.registry().catalog();
        let is_visible = |id: &&String| snapshot.get(id).is_some_and(|e| visible.contains(&e.id));
        let is_list = |list: &&Vec<String>| !list.iter().any(|id| glob::is_pattern(id));
        let order = render.allow.as_ref().or(self.options().allow.as_ref().filter(is_list));
        let allow = match order {
            Some(order) => order.iter().filter(is_visible).cloned().collect(),
            None => visible.iter().map(ToString::to_string).collect(),
        };
        snapshot.render(&Render { allow: Some(allow), ..render.clone() })
    }

    /// Activates a skill as the model does, and gives what goes into the conversation.
    ///
    /// The skill is read anew. If it is active already, the text is a short notice (spec assertion
    /// 99); it is the instructions again if they changed, or if
    /// [`reconcile`](Self::reconcile) found that the conversation lost them. Of several calls at once,
    /// one gets the instructions (spec assertion 100).
    pub async fn activate(&self, id: &str) -> Result<Activated, SessionError> {
        let ask = Ask { by: Invoker::Model, arguments: None, always_whole: false };
        self.activate_for(id, ask).await
    }

    /// Activates a skill as its user does, by name: also one that its author keeps for users, and
    /// with arguments for the instructions' `$ARGUMENTS`, `$1` and so on. With arguments the text is
    /// always the instructions.
    pub async fn invoke(
        &self,
        id: &str,
        arguments: Option<&str>,
    ) -> Result<Activated, SessionError> {
        let always_whole = arguments.is_some();
        self.activate_for(id, Ask { by: Invoker::User, arguments, always_whole }).await
    }

    /// Activates the skills that should be active from the start, by name; each with the reason when
    /// it cannot be.
    pub async fn preload(&self) -> Vec<(String, Result<Activated, SessionError>)> {
        let ask = Ask { by: Invoker::User, arguments: None, always_whole: false };
        let mut activated = Vec::new();
        for entry in self.registry().preloaded() {
            activated.push((entry.id.to_string(), self.activate_for(&entry.id, ask).await));
        }
        activated
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

    pub(crate) async fn activate_for(
        &self,
        id: &str,
        ask: Ask<'_>,
    ) -> Result<Activated, SessionError> {
        let entry = self.find(id, ask.by)?;
        let skill = self.registry().load(&entry.id).await?;
        // An edit may have kept the skill for users since it was listed.
        check_invoker(&entry.id, skill.manifest(), ask.by)?;
        let digest = skill.digest();
        if !ask.always_whole && self.live().holds(&entry.id, &digest) {
            return self.settle(&entry, skill, &digest, ask, Files::default(), "");
        }
        let (files, activation) = self.whole(&entry, &skill, ask.by, ask.arguments).await;
        self.settle(&entry, skill, &digest, ask, files, &activation.text)
    }

    /// What a model receives of a skill, and the files of the skill.
    pub(crate) async fn whole(
        &self,
        entry: &CatalogEntry,
        skill: &Skill,
        by: Invoker,
        arguments: Option<&str>,
    ) -> (Files, Activation) {
        let invocation = match by {
            Invoker::Model => Invocation::Model,
            Invoker::User => Invocation::User { arguments: arguments.map(str::to_owned) },
        };
        let options = ActivationOptions { invocation, ..self.options().activation.clone() };
        let files = self.registry().files_of(entry).await;
        let activation = self.registry().activate(entry, skill.clone(), &files, &options).await;
        (files, activation)
    }

    /// Decides, at one moment for all who ask at once, what an activation gives.
    fn settle(
        &self,
        entry: &CatalogEntry,
        skill: Skill,
        digest: &str,
        ask: Ask<'_>,
        files: Files,
        whole: &str,
    ) -> Result<Activated, SessionError> {
        let id = &entry.id;
        let mut filters = self.parent().map(Self::filters).unwrap_or_default();
        let mut live = self.live();
        // The filter may have changed while the skill was read.
        filters.push(live.filter.clone());
        self.check(entry, ask.by, &filters)?;
        let injection = match live.table.get(id) {
            None => Injection::First,
            Some(active) if active.digest != digest => Injection::Changed,
            Some(active) if active.presence == Presence::Lost => Injection::Lost,
            Some(_) => Injection::Repeated,
        };
        let mut activated = Activated {
            id: id.to_string(),
            skill,
            injection,
            text: String::new(),
            tools: Vec::new(),
            not_granted: Vec::new(),
            added_tools: Vec::new(),
            files,
            released: Vec::new(),
        };
        if injection == Injection::Repeated && !ask.always_whole {
            live.usage.entry(id.to_string()).or_default().notices += 1;
            live.table.touch(id);
            activated.text = given::notice(activated.skill.name());
            activated.tools =
                live.table.get(id).map(|active| active.tools.clone()).unwrap_or_default();
            return Ok(activated);
        }
        activated.released = self.make_room(&mut live, id)?;
        live.usage.entry(id.to_string()).or_default().activations += 1;
        let asked = activated.skill.manifest().allowed_tools.clone().unwrap_or_default();
        activated.tools = self.grant(entry, &asked);
        let is_granted = |pattern: &&ToolPattern| {
            let (alone, _) = AllowedTools::parse(&pattern.to_string());
            !self.grant(entry, &alone).is_empty()
        };
        activated.not_granted =
            asked.iter().filter(|pattern| !is_granted(pattern)).map(ToString::to_string).collect();
        activated.text = match injection {
            Injection::Changed => given::replacing(activated.skill.name(), whole),
            _ => whole.to_owned(),
        };
        let active = Active {
            digest: digest.to_owned(),
            tools: activated.tools.clone(),
            by: ask.by,
            path: path_of(entry, &self.registry().shared.options.base),
            arguments: ask.arguments.map(str::to_owned),
            given: Some(Given {
                whole: whole.into(),
                instructions: activated.skill.instructions().into(),
            }),
            presence: Presence::Given,
            has_scripts: !activated.files.scripts.is_empty(),
        };
        activated.added_tools = live.table.put(id, active);
        Ok(activated)
    }

    /// Makes room for one more, or says that there is none.
    fn make_room(&self, live: &mut Live, id: &Arc<str>) -> Result<Vec<String>, SessionError> {
        let limit = self.options().max_active;
        let mut released = Vec::new();
        while limit > 0 && live.table.get(id).is_none() && live.table.len() >= limit {
            let oldest =
                live.table.oldest().filter(|_| self.options().retention == Retention::Bounded);
            let Some(oldest) = oldest else {
                let active = live.table.ids();
                return Err(SessionError::Full { id: id.to_string(), limit, active });
            };
            live.table.take(&oldest);
            released.push(oldest.to_string());
        }
        Ok(released)
    }

    /// The tools that a skill brings here. One that comes from elsewhere brings none, unless the host
    /// says so: whoever can change it there could give itself tools here (security N14).
    pub(crate) fn grant(&self, entry: &CatalogEntry, asked: &AllowedTools) -> Vec<String> {
        let options = self.options();
        if entry.line().origin.is_some() && !options.remote_tools {
            return Vec::new();
        }
        asked.grant(options.tools.iter().map(String::as_str))
    }

    /// The skill with this id, if it may be used.
    pub(crate) fn find(&self, id: &str, by: Invoker) -> Result<CatalogEntry, SessionError> {
        match self.registry().get(id) {
            Some(entry) => self.check(&entry, by, &self.filters()).map(|()| entry),
            None => Err(self.unknown(id)),
        }
    }

    /// An error that offers the nearest skills that may be used.
    pub(crate) fn unknown(&self, id: &str) -> SessionError {
        let catalog = self.catalog();
        let near = nearest(id, catalog.iter().map(|entry| &*entry.id), OFFERED);
        let nearest = near.into_iter().map(str::to_owned).collect();
        SessionError::UnknownSkill { id: id.to_owned(), nearest }
    }

    /// Whether a skill may be used, and if not, the first reason why.
    pub(crate) fn check(
        &self,
        entry: &CatalogEntry,
        by: Invoker,
        filters: &[PathFilter],
    ) -> Result<(), SessionError> {
        let id = || entry.id.to_string();
        if entry.trust() != Trust::Trusted {
            return Err(SessionError::Untrusted { id: id() });
        }
        if !self.lists_allow(entry) {
            return Err(SessionError::NotAllowed { id: id() });
        }
        check_invoker(&entry.id, entry.manifest(), by)?;
        if filters.iter().any(|filter| !filter.pattern().is_empty()) {
            let path = path_of(entry, &self.registry().shared.options.base);
            if let Some(filter) = filters.iter().find(|filter| !filter.matches(&path)) {
                return Err(SessionError::Filtered { id: id(), filter: filter.clone() });
            }
        }
        Ok(())
    }

    /// Whether the lists of this session and of those above agree to a skill.
    fn lists_allow(&self, entry: &CatalogEntry) -> bool {
        let options = self.options();
        let qualified = || format!("{}:{}", entry.source(), entry.name());
        let is_allowed = options.allow.as_ref().is_none_or(|allow| {
            // The name alone does not do: it is another skill that answers to it.
            allow.iter().any(|p| glob::matches(p, &entry.id) || glob::matches(p, &qualified()))
        });
        let is_denied = options.deny.iter().any(|p| {
            [&*entry.id, entry.name(), &qualified()].into_iter().any(|id| glob::matches(p, id))
        });
        is_allowed && !is_denied && self.parent().is_none_or(|parent| parent.lists_allow(entry))
    }

    /// The filters of this session and of those above.
    pub(crate) fn filters(&self) -> Vec<PathFilter> {
        let mut filters = self.parent().map(Self::filters).unwrap_or_default();
        filters.push(self.lock().filter.clone());
        filters
    }

    fn parent(&self) -> Option<&Self> {
        self.inner.parent.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
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

impl Live {
    /// Whether the conversation holds this version of a skill.
    fn holds(&self, id: &str, digest: &str) -> bool {
        let active = self.table.get(id);
        active.is_some_and(|a| a.digest == digest && a.presence != Presence::Lost)
    }
}

/// Whether the author of a skill lets it be called by who calls it.
fn check_invoker(id: &str, manifest: &Manifest, by: Invoker) -> Result<(), SessionError> {
    match by {
        Invoker::Model if manifest.disable_model_invocation() == Some(true) => {
            Err(SessionError::UserOnly { id: id.to_owned() })
        }
        Invoker::User if manifest.user_invocable() == Some(false) => {
            Err(SessionError::ModelOnly { id: id.to_owned() })
        }
        _ => Ok(()),
    }
}
