//! Turns the example agent into a test: the recorded conversation, played from the catalog to the answer.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test reads the repository")]

#[allow(dead_code, unreachable_pub, reason = "the test runs what `main` runs")]
#[path = "../examples/agent.rs"]
mod agent;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testing::Fixture;

fn skills() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/skills")
}

/// The text of the only tool result of a message, and whether it is an error.
fn result(message: &Value) -> (&str, bool) {
    let block = &message["content"][0];
    assert_eq!((&message["role"], &block["type"]), (&json!("user"), &json!("tool_result")));
    (block["content"][0]["text"].as_str().unwrap(), block["is_error"].as_bool().unwrap())
}

#[test]
fn the_agent_goes_from_the_catalog_to_the_answer() {
    let agent::Conversation { system, messages } =
        agent::run(&skills(), "What happened to my export?").unwrap();
    assert_eq!(messages.len(), 8);
    // The catalog: names and descriptions, and nothing of a body.
    assert!(system.contains("<name>csv-inspector</name>"), "{system}");
    assert!(!system.contains("# CSV inspector"));
    // A wrong name is answered with the right one.
    let (text, is_error) = result(&messages[2]);
    assert_eq!(text, "there is no skill `csv-inspect`: did you mean `csv-inspector`?");
    assert!(is_error);
    // The skill, without its frontmatter, with its folder and its files.
    let (text, is_error) = result(&messages[4]);
    assert!(!is_error);
    assert!(text.starts_with("<skill_content name=\"csv-inspector\">\n# CSV inspector"), "{text}");
    assert!(text.contains("<file>references/pitfalls.md</file>") && !text.contains("license:"));
    // The file, to the byte.
    let (text, _) = result(&messages[6]);
    let file = skills().join("csv-inspector/references/pitfalls.md");
    assert_eq!(text, std::fs::read_to_string(file).unwrap());
    assert_eq!(messages[7]["role"], "assistant");
    assert!(messages[7]["content"][0]["text"].as_str().unwrap().contains("leading zeros"));
}

#[test]
fn without_skills_the_model_is_offered_no_tools_and_a_broken_loop_is_told() {
    // The recording calls a tool all the same; the loop answers, and the recording goes on.
    let fixture = Fixture::new().dir("empty");
    let agent::Conversation { system, messages } =
        agent::run(&fixture.join("empty"), "What happened?").unwrap();
    assert_eq!(system.trim_end(), "You help people with their data.");
    assert_eq!(result(&messages[2]).0, "there are no skills to load: go on without");
}
