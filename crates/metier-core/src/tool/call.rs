//! Turns a call of a tool and its answer into plain data that belongs to no vendor.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A model's call of a tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ToolCall {
    /// What the reply refers to, where the API has such a thing.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments: an object, or its JSON as text, as some APIs send it and models misspell it.
    pub arguments: Value,
}

impl ToolCall {
    /// A call without an id.
    pub fn new(name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self { id: None, name: name.into(), arguments: arguments.into() }
    }
}

/// What a model reads after a call. A call that failed is a reply too: it says what was wrong and
/// what to do.
///
/// ```
/// use metier_core::ToolReply;
/// use serde_json::json;
///
/// let reply = ToolReply::error("there is no skill `pfd`; did you mean `pdf`?", "unknown_skill");
/// assert!(reply.is_error);
/// assert_eq!(reply.data, json!({ "reason": "unknown_skill" }));
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolReply {
    /// Whether the call failed.
    pub is_error: bool,
    /// The text for the model.
    pub content: String,
    /// The same for programs: an object.
    pub data: Value,
}

impl ToolReply {
    /// A reply to a call that succeeded.
    pub fn ok(content: impl Into<String>) -> Self {
        Self { is_error: false, content: content.into(), data: json!({}) }
    }

    /// A reply to a call that failed, with a reason that programs can tell apart.
    pub fn error(content: impl Into<String>, reason: &str) -> Self {
        Self { is_error: true, content: content.into(), data: json!({ "reason": reason }) }
    }

    /// Replaces what programs read.
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }
}
