//! Turns tools into the definitions of each model API, its calls into ours, and our replies into its messages.

use crate::tool::Tool;
use crate::tool::call::{ToolCall, ToolReply};
use serde_json::{Map, Value, json};
use std::fmt;
use std::str::FromStr;

/// A way of writing tools, calls and replies that some model API understands.
///
/// ```
/// use metier_core::{ToolFormat, ToolReply};
/// use serde_json::json;
///
/// let format: ToolFormat = "anthropic".parse().unwrap();
/// let calls = format.calls(&json!({ "role": "assistant", "content": [
///     { "type": "text", "text": "I will look." },
///     { "type": "tool_use", "id": "toolu_1", "name": "load_skill", "input": { "name": "pdf" } },
/// ] }));
/// assert_eq!((calls.len(), calls[0].name.as_str()), (1, "load_skill"));
/// let reply = ToolReply::ok("Open the form.");
/// let message = &format.messages(&[(calls[0].clone(), reply)])[0];
/// assert_eq!(message["content"][0]["tool_use_id"], "toolu_1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolFormat {
    /// OpenAI Chat Completions, strict; `openai-chat`.
    OpenAiChat,
    /// OpenAI Responses, strict; `openai-responses`.
    OpenAiResponses,
    /// Anthropic Messages; `anthropic`.
    Anthropic,
    /// Gemini `generateContent`; `gemini`.
    Gemini,
    /// The Model Context Protocol; `mcp`.
    Mcp,
}

/// Text that names no [`ToolFormat`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownToolFormat {
    /// The text.
    pub name: String,
}

impl ToolFormat {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Gemini, Self::Mcp];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    pub(crate) fn definitions(self, tools: &[Tool]) -> Value {
        let define = |tool: &Tool| match self {
            Self::OpenAiChat => json!({ "type": "function", "function": {
                "name": tool.name,
                "description": tool.description,
                "strict": true,
                "parameters": tool.strict_schema(),
            } }),
            Self::OpenAiResponses => json!({
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "strict": true,
                "parameters": tool.strict_schema(),
            }),
            Self::Anthropic => json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.schema(),
            }),
            Self::Gemini => json!({
                "name": tool.name,
                "description": tool.description,
                "parametersJsonSchema": tool.schema(),
            }),
            Self::Mcp => json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.schema(),
                "annotations": {
                    "readOnlyHint": tool.is_read_only,
                    "destructiveHint": false,
                    "idempotentHint": tool.is_idempotent,
                    "openWorldHint": tool.is_open,
                },
            }),
        };
        let definitions: Vec<Value> = tools.iter().map(define).collect();
        match self {
            // One entry declares all functions; without any there is no entry.
            Self::Gemini if !definitions.is_empty() => {
                json!([{ "functionDeclarations": definitions }])
            }
            _ => definitions.into(),
        }
    }

    /// The tool calls in what a model answered, in order. What is no call is passed over: texts,
    /// thoughts, calls of tools that the vendor runs.
    ///
    /// | format | takes |
    /// |---|---|
    /// | OpenAI Chat | the assistant's message, or a whole response |
    /// | OpenAI Responses | an output item, the list of them, or a whole response |
    /// | Anthropic | the assistant's message, its content, or one block |
    /// | Gemini | a content, its parts, one part, or a whole response |
    /// | MCP | the `params` of `tools/call`, or the whole request |
    pub fn calls(self, message: &Value) -> Vec<ToolCall> {
        match self {
            Self::OpenAiChat => {
                let inside = |choice: &Value| choice.get("message").cloned();
                let messages: Vec<Value> = match message.get("choices") {
                    Some(choices) => items(choices).filter_map(inside).collect(),
                    None => items(message).cloned().collect(),
                };
                let calls = messages.iter().flat_map(|m| items(&m["tool_calls"]).cloned());
                calls.filter_map(|call| read(call.get("id"), call.get("function")?)).collect()
            }
            Self::OpenAiResponses => {
                let output = message.get("output").filter(|_| message.get("type").is_none());
                let calls =
                    items(output.unwrap_or(message)).filter(|i| i["type"] == "function_call");
                calls.filter_map(|call| read(call.get("call_id"), call)).collect()
            }
            Self::Anthropic => {
                let content = message.get("content").filter(|_| message["type"] != "tool_use");
                let calls = items(content.unwrap_or(message)).filter(|b| b["type"] == "tool_use");
                calls.filter_map(|call| read(call.get("id"), call)).collect()
            }
            Self::Gemini => {
                let contents: Vec<&Value> = match message.get("candidates") {
                    Some(candidates) => items(candidates).map(|c| &c["content"]).collect(),
                    None => vec![message],
                };
                let parts = contents.into_iter().flat_map(|c| items(c.get("parts").unwrap_or(c)));
                let calls = parts.filter_map(|part| {
                    part.get("functionCall").or_else(|| part.get("function_call"))
                });
                calls.filter_map(|call| read(call.get("id"), call)).collect()
            }
            Self::Mcp => {
                let params = message.get("params").unwrap_or(message);
                read(message.get("id"), params).into_iter().collect()
            }
        }
    }

    /// One reply: a message (OpenAI Chat), an item (OpenAI Responses), a block (Anthropic), a part
    /// (Gemini) or a result (MCP).
    pub fn reply(self, call: &ToolCall, reply: &ToolReply) -> Value {
        let id = call.id.as_deref().unwrap_or_default();
        match self {
            Self::OpenAiChat => {
                json!({ "role": "tool", "tool_call_id": id, "content": reply.content })
            }
            Self::OpenAiResponses => {
                json!({ "type": "function_call_output", "call_id": id, "output": reply.content })
            }
            Self::Anthropic => json!({
                "type": "tool_result",
                "tool_use_id": id,
                "content": [{ "type": "text", "text": reply.content }],
                "is_error": reply.is_error,
            }),
            Self::Gemini => {
                // The API tells success from failure by the key.
                let key = if reply.is_error { "error" } else { "result" };
                let mut response = Map::new();
                if let Some(id) = &call.id {
                    response.insert("id".to_owned(), id.as_str().into());
                }
                response.insert("name".to_owned(), call.name.as_str().into());
                response.insert("response".to_owned(), json!({ key: reply.content }));
                json!({ "functionResponse": response })
            }
            Self::Mcp => {
                let mut result = json!({
                    "content": [{ "type": "text", "text": reply.content }],
                    "isError": reply.is_error,
                });
                if reply.data.is_object() {
                    result["structuredContent"] = reply.data.clone();
                }
                result
            }
        }
    }

    /// What goes into the conversation for these calls: one message for each (OpenAI Chat), one item
    /// for each (OpenAI Responses), one turn of the user for all (Anthropic, Gemini), or one result
    /// for each (MCP).
    pub fn messages(self, replies: &[(ToolCall, ToolReply)]) -> Vec<Value> {
        let each = replies.iter().map(|(call, reply)| self.reply(call, reply));
        match self {
            _ if replies.is_empty() => Vec::new(),
            Self::OpenAiChat | Self::OpenAiResponses | Self::Mcp => each.collect(),
            Self::Anthropic => vec![json!({ "role": "user", "content": each.collect::<Vec<_>>() })],
            Self::Gemini => vec![json!({ "role": "user", "parts": each.collect::<Vec<_>>() })],
        }
    }
}

/// The items of a list, or a single value as a list of one.
fn items(value: &Value) -> std::slice::Iter<'_, Value> {
    match value {
        Value::Null => [].iter(),
        Value::Array(items) => items.iter(),
        one => std::slice::from_ref(one).iter(),
    }
}

/// Reads the name and the arguments of a call, under whatever key they stand.
fn read(id: Option<&Value>, call: &Value) -> Option<ToolCall> {
    let name = call.get("name")?.as_str()?.to_owned();
    let arguments = ["arguments", "input", "args"].iter().find_map(|key| call.get(*key));
    let id = match id {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    Some(ToolCall { id, name, arguments: arguments.cloned().unwrap_or_default() })
}

impl fmt::Display for ToolFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ToolFormat {
    type Err = UnknownToolFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownToolFormat { name: name.to_owned() })
    }
}

impl fmt::Display for UnknownToolFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no tool format {}", crate::quoted::Quoted(&self.name))
    }
}

impl std::error::Error for UnknownToolFormat {}
