//! Turns the wish for a skill into what the conversation is given: instructions, or a notice that it has them.

use crate::registry::catalog::CatalogEntry;
use crate::registry::path_filter::path_of;
use crate::session::access::check_invoker;
use crate::session::active::{Active, Given, Invoker, Presence};
use crate::session::error::SessionError;
use crate::session::given;
use crate::session::options::Retention;
use crate::session::{Live, Session};
use crate::source::resource::Files;
use metier_core::{Activation, ActivationOptions, AllowedTools, Invocation, Skill, ToolPattern};
use std::sync::Arc;

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
    /// Those of them that no other active skill brought before.
    pub added_tools: Vec<String>,
    /// The tools that it asks for and does not bring, in its order: the ceiling does not hold them, or
    /// the skill comes from elsewhere.
    pub not_granted: Vec<String>,
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
        let ask = Ask { by: Invoker::Host, arguments: None, always_whole: false };
        let mut activated = Vec::new();
        for entry in self.registry().preloaded() {
            activated.push((entry.id.to_string(), self.activate_for(&entry.id, ask).await));
        }
        activated
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
        let mut whole = None;
        loop {
            if let Some(activated) = self.settle(&entry, &skill, ask, whole.as_ref())? {
                return Ok(activated);
            }
            whole = Some(self.whole(&entry, &skill, ask.by, ask.arguments).await);
        }
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
            Invoker::User | Invoker::Host => {
                Invocation::User { arguments: arguments.map(str::to_owned) }
            }
        };
        let options = ActivationOptions { invocation, ..self.options().activation.clone() };
        let files = self.registry().files_of(entry).await;
        let activation = self.registry().activate(entry, skill.clone(), &files, &options).await;
        (files, activation)
    }

    /// Decides, at one moment for all who ask at once, what an activation gives. `None`: the whole text
    /// is needed, and not at hand.
    fn settle(
        &self,
        entry: &CatalogEntry,
        skill: &Skill,
        ask: Ask<'_>,
        whole: Option<&(Files, Activation)>,
    ) -> Result<Option<Activated>, SessionError> {
        let id = &entry.id;
        let digest = skill.digest();
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
            skill: skill.clone(),
            injection,
            text: String::new(),
            tools: Vec::new(),
            not_granted: Vec::new(),
            added_tools: Vec::new(),
            files: Files::default(),
            released: Vec::new(),
        };
        if injection == Injection::Repeated && !ask.always_whole {
            live.usage.entry(id.to_string()).or_default().notices += 1;
            live.table.touch(id);
            activated.text = given::notice(skill.name());
            let tools = live.table.get(id).map(|active| active.tools.clone());
            activated.tools = tools.unwrap_or_default();
            return Ok(Some(activated));
        }
        let Some((files, activation)) = whole else { return Ok(None) };
        activated.released = self.make_room(&mut live, id)?;
        live.usage.entry(id.to_string()).or_default().activations += 1;
        activated.files = files.clone();
        activated.text = match injection {
            Injection::Changed => given::replacing(skill.name(), &activation.text),
            _ => activation.text.clone(),
        };
        let asked = skill.manifest().allowed_tools.clone().unwrap_or_default();
        activated.tools = self.grant(entry, &asked);
        activated.not_granted = self.not_granted(entry, &asked);
        let active = Active {
            digest,
            tools: activated.tools.clone(),
            by: ask.by,
            path: path_of(entry, &self.registry().shared.options.base),
            arguments: ask.arguments.map(str::to_owned),
            given: Some(Given {
                whole: activation.text.as_str().into(),
                instructions: skill.instructions().into(),
            }),
            presence: Presence::Given,
            has_scripts: !files.scripts.is_empty(),
        };
        activated.added_tools = live.table.put(id, active);
        Ok(Some(activated))
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

    /// The tools that a skill asks for and does not bring here.
    fn not_granted(&self, entry: &CatalogEntry, asked: &AllowedTools) -> Vec<String> {
        let is_granted = |pattern: &&ToolPattern| {
            let (alone, _) = AllowedTools::parse(&pattern.to_string());
            !self.grant(entry, &alone).is_empty()
        };
        asked.iter().filter(|pattern| !is_granted(pattern)).map(ToString::to_string).collect()
    }
}
