//! Turns a task into an answer: a whole agent loop over skills, against a model that plays a recorded conversation.
//!
//! ```console
//! $ cargo run -p metier --example agent
//! ```
//!
//! What happens, in the order of the conversation:
//! 1. the catalog goes into the system prompt, the tools into the request;
//! 2. the model asks for a skill by a wrong name, and is told the nearest one;
//! 3. it loads the skill, and reads the file that the skill points at;
//! 4. it answers.
//!
//! The model is a server on this machine that speaks the Anthropic Messages API and checks what it is
//! sent. Point `Model` at the real address, add a key, and the loop is the same.

#![expect(clippy::print_stdout, reason = "an example shows what happens")]

#[path = "agent/model.rs"]
mod model;
#[path = "agent/scripted.rs"]
mod scripted;

use metier::{Budget, Registry, Render, Session, SessionOptions, ToolFormat, block_on};
use model::Model;
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;

const TASK: &str = "The order numbers in my export lost their leading zeros. What happened?";

fn main() -> Result<(), Box<dyn Error>> {
    let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skills");
    for message in run(&skills, TASK)?.messages {
        println!("--- {}", message["role"].as_str().unwrap_or_default());
        println!("{}\n", shown(&message["content"]));
    }
    Ok(())
}

/// What the model was told, and what was said.
pub struct Conversation {
    /// The system prompt, with the catalog.
    pub system: String,
    /// The messages of both sides, in order.
    pub messages: Vec<Value>,
}

/// Runs the loop until the model answers without calling a tool.
pub fn run(skills: &Path, task: &str) -> Result<Conversation, Box<dyn Error>> {
    let model = Model { address: scripted::start(include_str!("agent/conversation.json"))? };

    let registry = Registry::open([skills]);
    let session = Session::new(
        registry,
        SessionOptions {
            // What skills may bring. This host has one tool of its own, and so nothing else to give.
            tools: vec!["Read".to_owned()],
            ..SessionOptions::default()
        },
    );
    let catalog = session.prompt(&Render { budget: Budget::Tokens(2_000), ..Render::default() });
    let system = format!("You help people with their data.\n\n{}", catalog.text);

    let mut messages = vec![json!({ "role": "user", "content": task })];
    loop {
        let answer = model.ask(&json!({
            "model": "scripted",
            "max_tokens": 1024,
            "system": system,
            "tools": session.tools().to_anthropic(),
            "messages": messages,
        }))?;
        messages.push(json!({ "role": "assistant", "content": answer["content"] }));
        // Everything that a model can get wrong comes back as text that it can act on.
        let replies = block_on(session.answer(ToolFormat::Anthropic, &answer));
        if replies.is_empty() {
            return Ok(Conversation { system, messages });
        }
        messages.extend(replies);
    }
}

/// A message as a reader sees it, the start of long texts.
fn shown(content: &Value) -> String {
    let blocks = match content {
        Value::String(text) => return text.clone(),
        blocks => blocks.as_array().map(Vec::as_slice).unwrap_or_default(),
    };
    let lines = blocks.iter().map(|block| match block["type"].as_str() {
        Some("tool_use") => {
            format!("calls {} {}", block["name"].as_str().unwrap_or("?"), block["input"])
        }
        Some("tool_result") => start(block["content"][0]["text"].as_str().unwrap_or_default()),
        _ => block["text"].as_str().unwrap_or_default().to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn start(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take(6).collect();
    let more = text.lines().count().saturating_sub(lines.len());
    if more == 0 {
        lines.join("\n")
    } else {
        format!("{}\n... ({more} more lines)", lines.join("\n"))
    }
}
