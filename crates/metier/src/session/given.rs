//! Turns the instructions of skills into what a conversation is given when it had them before.

use std::sync::Arc;

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
pub(crate) fn restated(instructions: &[Arc<str>]) -> String {
    if instructions.is_empty() {
        return String::new();
    }
    format!(
        "These skills are loaded, and their instructions still hold.\n\n{}",
        instructions.join("\n\n")
    )
}
