//! Turns a skill into what a conversation is given of it: its instructions, or a notice that it has them.

use crate::resource::Files;
use metier_core::Skill;

/// The instructions of a skill, wrapped.
pub(crate) fn instructions(skill: &Skill, files: &Files, arguments: Option<&str>) -> String {
    let _ = arguments;
    let mut text = format!("<skill_content name=\"{}\">\n{}\n", skill.name(), skill.instructions());
    for file in files.iter() {
        text.push_str(&format!("<file>{file}</file>\n"));
    }
    text + "</skill_content>"
}

/// A notice that the conversation holds the instructions.
pub(crate) fn notice(name: &str) -> String {
    format!(
        "The skill `{}` is already loaded: its instructions are above in this conversation, \
         and they have not changed.",
        crate::visible(name)
    )
}

/// Instructions that take the place of earlier ones.
pub(crate) fn replacing(name: &str, instructions: &str) -> String {
    format!(
        "The skill `{}` has changed since it was loaded. These instructions replace the earlier \
         ones.\n\n{instructions}",
        crate::visible(name)
    )
}

/// Instructions that come back after a compaction; empty when there are none.
pub(crate) fn restated(instructions: &[String]) -> String {
    if instructions.is_empty() {
        return String::new();
    }
    format!(
        "These skills are loaded, and their instructions still hold.\n\n{}",
        instructions.join("\n\n")
    )
}
