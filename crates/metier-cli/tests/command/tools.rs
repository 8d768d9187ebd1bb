//! Turns skills into the tool definitions that `metier tools` prints.

use crate::metier;
use serde_json::{Value, json};
use testing::{Fixture, command_snapshot};

fn fixture() -> Fixture {
    Fixture::new()
        .skill("skills/pdf", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n")
        .skill("skills/csv", "---\nname: csv\ndescription: Use for tables.\n---\nRead it.\n")
        .skill(
            "skills/ship",
            "---\nname: ship\ndescription: Ships.\ndisable-model-invocation: true\n---\n",
        )
}

fn tools(args: &[&str]) -> Value {
    let output = metier(&fixture(), &[&["tools", "--root", "skills"], args].concat());
    assert_eq!(output.exit_code(), Some(0), "{output}");
    serde_json::from_str(output.stdout()).expect("the answer is JSON")
}

#[test]
fn every_format_is_an_array() {
    for (format, pointer) in [
        ("openai-chat", "/0/function/parameters/properties"),
        ("openai-responses", "/0/parameters/properties"),
        ("anthropic", "/0/input_schema/properties"),
        ("gemini", "/0/functionDeclarations/0/parametersJsonSchema/properties"),
        ("mcp", "/0/inputSchema/properties"),
    ] {
        for extra in [&[][..], &["--json"]] {
            let tools = tools(&[&["--format", format], extra].concat());
            assert!(tools.is_array());
            assert!(tools.pointer(pointer).is_some_and(|p| p.get("query").is_some()), "{tools}");
        }
    }
}

#[test]
fn names_are_those_of_the_system_that_is_asked_for() {
    for (names, expected) in [
        ("default", json!(["search_skills", "load_skill", "unload_skill", "read_skill_file"])),
        ("drover", json!(["skill_load", "skill_resource"])),
        ("fizeau", json!(["load_skill"])),
        ("promptkit", json!(["skill__activate", "skill__deactivate", "skill__read_resource"])),
    ] {
        let tools = tools(&["--names", names]);
        let found: Vec<&Value> = tools.as_array().unwrap().iter().map(|t| &t["name"]).collect();
        assert_eq!(json!(found), expected);
    }
}

#[test]
fn skills_that_are_kept_from_the_model_are_not_listed() {
    let tools = tools(&["--names", "fizeau", "--list-names"]);
    assert_eq!(tools[0]["input_schema"]["properties"]["skill_name"]["enum"], json!(["csv", "pdf"]));
}

#[test]
fn the_definition_of_one_tool_is_this() {
    let fixture = fixture();
    command_snapshot!(fixture, ["tools", "--root", "skills", "--names", "fizeau", "--format", "openai-responses"], @r#"
    exit_code: 0
    ----- stdout -----
    [
      {
        "type": "function",
        "name": "load_skill",
        "description": "Load the full instructions of a skill by name. Returns the skill's body as markdown.",
        "strict": true,
        "parameters": {
          "type": "object",
          "properties": {
            "skill_name": {
              "type": "string",
              "description": "Name of the skill to load (matches the frontmatter \"name\" field)."
            }
          },
          "required": [
            "skill_name"
          ],
          "additionalProperties": false
        }
      }
    ]
    ----- stderr -----
    "#);
}

#[test]
fn without_skills_there_are_no_tools() {
    // Spec assertion 76.
    let fixture = Fixture::new().dir("skills");
    command_snapshot!(fixture, ["tools", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    []
    ----- stderr -----
    note: there is no skill that a model may be offered, so there are no tools
    ");
}

#[test]
fn skills_of_a_project_that_nobody_trusts_bring_no_tools() {
    let fixture = Fixture::new().dir("work/.git").skill(
        "work/.agents/skills/pdf",
        "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n",
    );
    let output = fixture.command(env!("CARGO_BIN_EXE_metier"), ["tools"]).folder("work").run();
    assert_eq!(output.stdout(), "[]\n", "{output}");
}

#[test]
fn a_format_that_nobody_has_is_wrong_usage() {
    let fixture = fixture();
    command_snapshot!(fixture, ["tools", "--format", "openai"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid value 'openai' for '--format <FORMAT>'
      [possible values: openai-chat, openai-responses, anthropic, gemini, mcp]

      tip: a similar value exists: 'openai-chat'

    For more information, try '--help'.
    ");
}
