//! Turns what `@deuz-sdk/core/skills` promises about triggering and scoping tools into tests.

use super::text;
use metier::{
    Blocking, Memory, Parameter, ReadOptions, Registry, Tool, ToolFormat, ToolReply, ToolSet, parse,
};
use serde_json::json;

fn registry() -> Registry {
    let table =
        Memory::new("m").skill("pdf", text("pdf", "one")).resource("pdf", "forms/w2.json", "{}");
    Registry::builder().source(Blocking(table)).open()
}

/// Narrows a set of tools to a skill, as `scopeToolsToSkill` does.
fn scope<'a>(tools: &[&'a str], allowed: &str) -> Vec<&'a str> {
    let text = format!("---\nname: a\ndescription: d\n{allowed}---\n");
    let skill = parse(&text).skill.unwrap();
    match &skill.manifest().allowed_tools {
        Some(allowed) => allowed.scope(tools.iter().copied()),
        None => tools.to_vec(),
    }
}

#[test]
fn triggering_gives_the_whole_skill_and_the_third_level_its_files() {
    let registry = registry();
    let skill = registry.load_blocking("pdf").unwrap();
    assert_eq!(skill.instructions(), "Body of one.");
    let file = registry.read_blocking("pdf", "forms/w2.json", &ReadOptions::default()).unwrap();
    assert_eq!(file.text(), Some("{}"));
    assert!(registry.load_blocking("zz").is_err());
}

#[test]
fn tools_of_the_hosts_own_making_are_rendered_like_ours() {
    // deuz leaves the tools to its users: `load_skill{id}` and `read_skill_resource{id, path}`.
    let tools = ToolSet::from_iter([
        Tool::new("load_skill", "Load the full instructions for a skill by id (Level 2).")
            .parameter(Parameter::text("id", "The id.")),
        Tool::new("read_skill_resource", "Read a bundled file shipped with a skill (Level 3).")
            .parameter(Parameter::text("id", "The id."))
            .parameter(Parameter::text("path", "The file.")),
    ]);
    assert_eq!(tools.to_anthropic()[1]["input_schema"]["required"], json!(["id", "path"]));
    let message = json!({ "role": "assistant", "tool_calls": [{ "id": "c1", "type": "function",
        "function": { "name": "load_skill", "arguments": "{\"id\":\"pdf\"}" } }] });
    let calls = ToolFormat::OpenAiChat.calls(&message);
    let reply = ToolReply::ok(registry().load_blocking("pdf").unwrap().instructions());
    let messages = ToolFormat::OpenAiChat.messages(&[(calls[0].clone(), reply)]);
    assert_eq!(
        messages,
        [json!({ "role": "tool", "tool_call_id": "c1", "content": "Body of one." })]
    );
}

#[test]
fn tools_are_narrowed_by_key_in_their_order() {
    let all = ["Read", "Write", "Bash"];
    for (allowed, expected) in [
        ("", &["Read", "Write", "Bash"][..]),
        ("allowed-tools: []\n", &[]),
        ("allowed-tools:\n  - Bash(python:*)\n  - Read\n", &["Read", "Bash"]),
        ("allowed-tools: [read, WRITE]\n", &[]),
        ("allowed-tools: Read, Absent\n", &["Read"]),
    ] {
        assert_eq!(scope(&all, allowed), expected, "{allowed}");
    }
}

// Defects that are not repeated.

#[test]
fn not_taking_a_list_of_words_for_one_tool() {
    assert_eq!(scope(&["Read", "Bash"], "allowed-tools: Bash(git:*) Read\n"), ["Read", "Bash"]);
    assert_eq!(scope(&["Read", "Bash"], "allowed-tools: Bash(a,b)\n"), ["Bash"]);
}
