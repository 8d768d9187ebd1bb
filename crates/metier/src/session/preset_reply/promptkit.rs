//! Turns what a call did into the replies of the `skill__` tools, as PromptKit shapes and words them.

use crate::registry::RegistryError;
use crate::session::Session;
use crate::session::call::{CallError, Done, Failure};
use crate::session::call_arguments::ArgumentError;
use crate::session::error::SessionError;
use crate::source::SourceError;
use metier_core::{PathProblem, ToolReply};
use serde_json::{Value, json};

pub(crate) fn done(done: Done) -> ToolReply {
    match done {
        Done::Loaded(activated) => shaped(json!({
            "instructions": activated.skill.instructions(),
            "added_tools": activated.tools,
        })),
        Done::Unloaded { removed, .. } => shaped(json!({ "removed_tools": removed })),
        Done::Read { part, .. } => shaped(json!({ "content": part.text })),
        // No tool of PromptKit's searches, lists or runs.
        Done::Found(_) | Done::Listed { .. } | Done::Ran { .. } => ToolReply::ok(""),
    }
}

/// The model reads the JSON itself.
fn shaped(data: Value) -> ToolReply {
    ToolReply::ok(data.to_string()).with_data(data)
}

/// Words the failures that PromptKit has words for.
pub(crate) fn failed(session: &Session, tool: &str, failure: &Failure) -> Option<ToolReply> {
    let skill = failure.skill.as_deref().unwrap_or_default();
    let path = failure.path.as_deref().unwrap_or_default();
    let is_activation = tool == "skill__activate";
    let (content, reason) = match &failure.error {
        CallError::Arguments(error) => {
            let verb = tool.strip_prefix("skill__").unwrap_or(tool);
            let message = match error {
                ArgumentError::NotJson { message } => message.clone(),
                ArgumentError::NotAnObject => "not an object".to_owned(),
                ArgumentError::Missing { name } => format!("{name} is required"),
                ArgumentError::WrongType { name, wanted } => format!("{name} must be {wanted}"),
            };
            (format!("parsing {verb} args: {message}"), "invalid_arguments")
        }
        CallError::NoSkills | CallError::Session(SessionError::UnknownSkill { .. }) => {
            let prefix =
                if is_activation { format!("activating skill {skill:?}: ") } else { String::new() };
            (format!("{prefix}skill {skill:?} not found"), "unknown_skill")
        }
        CallError::Session(SessionError::Filtered { filter, .. }) => {
            let filter = filter.pattern();
            let content = format!(
                "skill {skill:?} is not available in the current state (filter: {filter:?})"
            );
            (content, "filtered")
        }
        CallError::Session(SessionError::Full { limit, .. }) => {
            let content =
                format!("cannot activate skill {skill:?}: max active limit ({limit}) reached");
            (content, "full")
        }
        CallError::Session(SessionError::NotActive { .. }) => {
            (format!("skill {skill:?} is not active"), "not_active")
        }
        CallError::Session(SessionError::Registry(RegistryError::Path(error)))
            if error.problem == PathProblem::Parent =>
        {
            (format!("resource path escapes skill directory: {path}"), "read_failed")
        }
        CallError::Session(SessionError::Registry(RegistryError::Source(
            SourceError::NoSuchFile { .. },
        ))) if session.registry().get(skill).is_some_and(|e| e.listed.directory().is_none()) => {
            (format!("skill {skill:?} is inline and has no directory"), "read_failed")
        }
        CallError::Session(error) => (error.to_string(), error.reason()),
        _ => return None,
    };
    let data = json!({ "skill": skill, "reason": reason });
    Some(ToolReply::error(content, reason).with_data(data))
}
