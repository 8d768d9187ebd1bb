//! Turns what a call did into the replies of `load_skill`, as Fizeau words them.

use crate::session::Session;
use crate::session::activate::Activated;
use crate::session::call::{CallError, Failure};
use crate::session::call_arguments::ArgumentError;
use crate::session::error::SessionError;
use metier_core::ToolReply;
use serde_json::json;

/// The body to the byte.
pub(crate) fn loaded(activated: &Activated) -> ToolReply {
    ToolReply::ok(activated.skill.body()).with_data(json!({ "skill_name": activated.id }))
}

/// Words the failures that Fizeau has words for.
pub(crate) fn failed(session: &Session, failure: &Failure) -> Option<ToolReply> {
    let skill = failure.skill.as_deref().unwrap_or_default();
    let (content, reason) = match &failure.error {
        CallError::Arguments(ArgumentError::Missing { name }) => {
            (format!("{name} is required"), "invalid_arguments")
        }
        CallError::Arguments(ArgumentError::NotJson { message }) => {
            (format!("invalid params: {message}"), "invalid_arguments")
        }
        CallError::Arguments(ArgumentError::NotAnObject) => {
            ("invalid params: not an object".to_owned(), "invalid_arguments")
        }
        CallError::Arguments(ArgumentError::WrongType { name, wanted }) => {
            (format!("invalid params: {name} must be {wanted}"), "invalid_arguments")
        }
        CallError::NoSkills => ("no skills are configured".to_owned(), "unknown_skill"),
        CallError::Session(SessionError::UnknownSkill { .. } | SessionError::Filtered { .. }) => {
            let names: Vec<String> =
                session.catalog().iter().map(|entry| entry.id.to_string()).collect();
            let content = format!("skill {skill:?} not found; available: {}", names.join(", "));
            (content, "unknown_skill")
        }
        CallError::Session(error) => (error.to_string(), error.reason()),
        _ => return None,
    };
    let data = json!({ "skill_name": skill, "reason": reason });
    Some(ToolReply::error(format!("load_skill: {content}"), reason).with_data(data))
}
