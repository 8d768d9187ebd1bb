//! Turns tools, calls and replies into values that the SDKs of the model APIs judge by their own types.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test asks where the SDKs are")]
#![expect(clippy::print_stderr, reason = "a test that runs on less must say so")]

use metier::{
    Blocking, Memory, Registry, Session, SessionOptions, ToolFormat, ToolNames, block_on,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testing::{Fixture, Output};

/// The Python of an environment that `testing/providers/validate.py` made; `None` where none is named.
fn python() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Some(environment) = std::env::var_os("METIER_TEST_PROVIDERS") else {
        eprintln!("no SDKs to judge by: see testing/providers/README.md");
        return None;
    };
    let python = root.join(environment).join("bin/python");
    assert!(python.exists(), "`METIER_TEST_PROVIDERS` names no environment: {}", python.display());
    Some(python)
}

fn validate(python: &Path, command: &str, input: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testing/providers/validate.py");
    let fixture = Fixture::new();
    let command = fixture.command(python, [script.to_str().unwrap(), command]);
    command.timeout(Duration::from_secs(240)).stdin(input).run()
}

fn session(names: ToolNames, list_names: bool) -> Session {
    let table = Memory::new("m").inline("pdf", "Use for PDFs.", "Open it.").inline(
        "csv",
        "Use for tables.",
        "Read it.",
    );
    let registry = Registry::builder().source(Blocking(table)).open();
    Session::new(registry, SessionOptions { names, list_names, ..SessionOptions::default() })
}

#[test]
fn the_sdks_take_our_definitions_and_replies_and_we_take_their_calls() {
    let Some(python) = python() else { return };
    let calls = validate(&python, "calls", "");
    let calls: Value = serde_json::from_str(calls.stdout()).unwrap_or_else(|_| panic!("{calls}"));
    let mut written = Map::new();
    for format in ToolFormat::ALL {
        let mut tools = Vec::new();
        for names in ToolNames::ALL {
            for list_names in [false, true] {
                let rendered = session(names, list_names).tools().render(format);
                tools.extend(rendered.as_array().unwrap().clone());
            }
        }
        let session = session(ToolNames::Default, false);
        let replies = block_on(session.answer(format, &calls[format.name()]));
        assert_eq!(session.active(), ["pdf"], "{format} did not load: {}", calls[format.name()]);
        let text = Value::from(replies.clone()).to_string();
        // One call is right, and one is not; MCP sends one at a time.
        assert!(text.contains("Open it."), "{text}");
        assert_eq!(text.contains("did you mean"), format != ToolFormat::Mcp, "{text}");
        written.insert(format.name().to_owned(), json!({ "tools": tools, "replies": replies }));
    }
    let said = validate(&python, "check", &Value::Object(written.clone()).to_string());
    assert_eq!(said.exit_code(), Some(0), "{said}");
    assert_eq!(said.stdout().lines().count(), ToolFormat::ALL.len(), "{said}");

    // The judge can say no: a key that nobody knows is refused.
    for format in ToolFormat::ALL {
        let mut wrong = written.clone();
        let tool = &mut wrong[format.name()]["tools"][0];
        match format {
            ToolFormat::Gemini => tool["functionDeclarations"][0]["unheard_of"] = json!(1),
            ToolFormat::OpenAiChat => tool["function"]["unheard_of"] = json!(1),
            ToolFormat::Mcp => tool["inputSchema"] = json!("none"),
            _ => tool["unheard_of"] = json!(1),
        }
        let output = validate(&python, "check", &Value::Object(wrong).to_string());
        assert_ne!(output.exit_code(), Some(0), "{format}: {output}");
    }
}
