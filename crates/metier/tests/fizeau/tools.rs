//! Turns what Fizeau promises about `load_skill` into tests.

use super::{fizeau, text};
use metier::{
    Blocking, Folder, Precedence, Registry, Session, SessionOptions, ToolNames, ToolReply, block_on,
};
use serde_json::{Value, json};
use testing::Fixture;

fn session(fixture: &Fixture) -> Session {
    let folder = Folder::new(fixture.path()).label("skills").discovery(fizeau());
    let registry = Registry::builder().source(Blocking(folder)).precedence(Precedence::Last).open();
    Session::new(registry, SessionOptions { names: ToolNames::Fizeau, ..SessionOptions::default() })
}

fn load(fixture: &Fixture, arguments: Value) -> ToolReply {
    block_on(session(fixture).call("load_skill", arguments))
}

fn fails(fixture: &Fixture, arguments: Value) -> String {
    let reply = load(fixture, arguments);
    assert!(reply.is_error, "{}", reply.content);
    reply.content
}

fn two() -> Fixture {
    Fixture::new()
        .skill("b", &text("web", "two"))
        .skill("a", "---\nname: pdf\ndescription: d\n---\n\r\n raw \n\n")
}

#[test]
fn the_schema_has_one_argument() {
    let tools = session(&two()).tools();
    assert_eq!(tools.names(), ["load_skill"]);
    let schema = tools.get("load_skill").unwrap().schema();
    assert_eq!(schema["properties"]["skill_name"]["type"], "string");
    assert_eq!(schema["required"], json!(["skill_name"]));
}

#[test]
fn the_body_is_given_raw_each_time() {
    let fixture = two();
    let session = session(&fixture);
    for _ in 0..2 {
        let reply = block_on(session.call("load_skill", json!({ "skill_name": "pdf" })));
        assert_eq!((reply.is_error, reply.content.as_str()), (false, "\r\n raw \n\n"));
    }
}

#[test]
fn wrong_arguments_are_told() {
    let fixture = two();
    assert!(fails(&fixture, json!("{")).starts_with("load_skill: invalid params: "));
    assert!(fails(&fixture, json!([])).starts_with("load_skill: invalid params"));
    assert!(fails(&fixture, json!({ "skill_name": 1 })).starts_with("load_skill: invalid params"));
    for arguments in [json!({}), json!({ "skill_name": "" })] {
        assert_eq!(fails(&fixture, arguments), "load_skill: skill_name is required");
    }
}

#[test]
fn an_unknown_skill_is_answered_with_all_names_sorted() {
    let content = fails(&two(), json!({ "skill_name": "x" }));
    assert_eq!(content, "load_skill: skill \"x\" not found; available: pdf, web");
}

#[test]
fn without_skills_there_is_no_tool_and_a_call_says_so() {
    let fixture = Fixture::new();
    assert!(session(&fixture).tools().is_empty());
    let content = fails(&fixture, json!({ "skill_name": "pdf" }));
    assert_eq!(content, "load_skill: no skills are configured");
    // A missing name is told first.
    assert_eq!(fails(&fixture, json!({})), "load_skill: skill_name is required");
}

#[test]
fn loads_can_run_at_once() {
    let fixture = two();
    let session = session(&fixture);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let reply = block_on(session.call("load_skill", json!({ "skill_name": "web" })));
                assert_eq!(reply.content, "Body of two.\n");
            });
        }
    });
}
