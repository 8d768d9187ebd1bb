//! Turns the skills of another MCP server into skills that commands show, and that reach no model by themselves.

use crate::metier;
use serde_json::{Value, json};
use testing::{Fixture, Output};

const METIER: &str = env!("CARGO_BIN_EXE_metier");

fn fixture() -> Fixture {
    Fixture::new()
        .skill("theirs/pdf", "---\nname: pdf\ndescription: Fills in forms.\n---\nTheirs.\n")
        .file("theirs/pdf/references/forms.md", "# Forms\n")
        .skill("theirs/csv", "---\nname: csv\ndescription: Reads tables.\n---\nRead it.\n")
        .skill("mine/pdf", "---\nname: pdf\ndescription: Signs documents.\n---\nMine.\n")
}

/// Runs a command with a server of the fixture's skills as its source.
fn with_theirs(fixture: &Fixture, args: &[&str]) -> Output {
    let server = format!("team='{METIER}' serve --no-watch --root theirs");
    metier(fixture, &[args, &["--mcp-command", &server]].concat())
}

fn ok(output: &Output) -> &str {
    assert_eq!(output.exit_code(), Some(0), "{output}");
    output.stdout()
}

#[test]
fn a_person_sees_the_skills_of_another_server() {
    let fixture = fixture();
    let listed = with_theirs(&fixture, &["list", "--json"]);
    let listed: Value = serde_json::from_str(ok(&listed)).unwrap();
    assert_eq!(listed.as_array().map(Vec::len), Some(2), "{listed}");
    assert_eq!(listed[1]["location"], "skill://pdf/SKILL.md");
    assert_eq!(listed[1]["source"], "team");
    let found = with_theirs(&fixture, &["search", "a form to fill in", "--top", "1", "--json"]);
    let found: Value = serde_json::from_str(ok(&found)).unwrap();
    assert_eq!(found[0]["id"], "pdf");
    let shown = with_theirs(&fixture, &["show", "pdf", "--json"]);
    let shown: Value = serde_json::from_str(ok(&shown)).unwrap();
    assert_eq!(shown["body"], "Theirs.\n");
    assert_eq!(shown["resources"]["references"], json!(["references/forms.md"]));
    let page = with_theirs(&fixture, &["show", "pdf"]);
    assert!(ok(&page).contains("skill://pdf/SKILL.md"), "{page}");
    assert_eq!(ok(&with_theirs(&fixture, &["read", "pdf", "references/forms.md"])), "# Forms\n");
}

#[test]
fn no_model_does_before_somebody_agrees() {
    let fixture = fixture();
    let prompt = with_theirs(&fixture, &["prompt"]);
    assert_eq!(ok(&prompt), "", "{prompt}");
    assert!(prompt.stderr().contains("2 skills of other servers left out"), "{prompt}");
    assert!(prompt.stderr().contains("--mcp-trust"), "{prompt}");
    let refused = with_theirs(&fixture, &["activate", "pdf"]);
    assert_eq!(refused.exit_code(), Some(3), "{refused}");
    assert!(refused.stderr().contains("`pdf` comes from another server"), "{refused}");
    let call = ["call", "load_skill", r#"{"name":"pdf"}"#];
    assert_eq!(with_theirs(&fixture, &call).exit_code(), Some(1));

    let trusted = |args: &[&str]| with_theirs(&fixture, &[args, &["--mcp-trust"]].concat());
    let prompt = trusted(&["prompt"]);
    assert!(ok(&prompt).contains("<origin>team</origin>"), "{prompt}");
    let activated = trusted(&["activate", "pdf"]);
    assert!(ok(&activated).contains("Theirs.") && activated.stdout().contains("team"));
    assert!(ok(&trusted(&call)).contains("Theirs."));
}

#[test]
fn a_skill_of_another_server_gives_way_to_one_in_a_folder() {
    let fixture = fixture();
    for more in [&["--root", "mine"][..], &["--root", "mine", "--mcp-trust"]] {
        let show = |name: &str| {
            let output = with_theirs(&fixture, &[&["show", name, "--json"], more].concat());
            serde_json::from_str::<Value>(ok(&output)).unwrap()
        };
        assert_eq!(show("pdf")["body"], "Mine.\n");
        assert_eq!(show("team:pdf")["body"], "Theirs.\n");
        assert_eq!(show("csv")["body"], "Read it.\n");
    }
}

#[test]
fn a_server_that_does_not_answer_is_named_with_what_to_do() {
    let fixture = fixture().file("token", "0123456789abcdef\n");
    for (args, code, said) in [
        (
            &["list", "--mcp", "http://127.0.0.1:9/mcp"][..],
            3,
            "the MCP server `127.0.0.1`: it cannot",
        ),
        (&["list", "--mcp", "team=http://127.0.0.1:9/mcp"], 3, "the MCP server `team`"),
        (&["list", "--mcp", "http://a.example/mcp", "--mcp-token-file", "token"], 3, "without TLS"),
        (&["list", "--mcp", "a.example"], 2, "the URL of an MCP endpoint"),
        (&["list", "--mcp", "https://me:secret@a.example/"], 2, "--mcp-token-file"),
        (&["list", "--mcp-token-file", "token"], 2, "--mcp"),
        (
            &["list", "--mcp", "t=https://a.example/", "--mcp-token-file", "x=token"],
            2,
            "no server is called `x`",
        ),
        (
            &[
                "list",
                "--mcp",
                "t=https://a.example/",
                "--mcp",
                "https://b.example/",
                "--mcp-token-file",
                "token",
            ],
            2,
            "LABEL=FILE",
        ),
        (&["list", "--mcp-command", "no-such-program x"], 3, "`no-such-program` cannot be started"),
        (&["list", "--mcp-command", "'"], 2, "quotation mark"),
        (&["search", "x", "--saved", "--mcp", "https://a.example/"], 2, "a saved index"),
    ] {
        let output = metier(&fixture, args);
        assert_eq!(output.exit_code(), Some(code), "{output}");
        assert!(output.stderr().contains(said), "{output}");
        assert!(!output.stderr().contains("0123456789abcdef"), "{output}");
    }
    let server = format!("'{METIER}' serve --root nowhere");
    let output = metier(&fixture, &["list", "--mcp-command", &server]);
    assert!(output.stderr().contains("nowhere` cannot be read"), "what it said is told: {output}");
}

#[test]
fn what_another_server_has_is_served_on() {
    let fixture = fixture();
    let server = format!("team='{METIER}' serve --no-watch --root theirs");
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    } });
    let read = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read",
        "params": { "uri": "skill://pdf/references/forms.md" } });
    let input = format!(
        "{hello}\n{}\n{read}\n",
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    );
    let away = ["--mcp", "away=http://127.0.0.1:9/mcp", "--mcp-trust"];
    let args = [&["serve", "--mcp-command", &server][..], &away].concat();
    let output = crate::metier_with(&fixture, &args, input);
    assert!(ok(&output).contains("# Forms"), "{output}");
    assert!(output.stdout().contains("Reads tables."), "{output}");
    assert!(output.stderr().contains("warn: problem location=away"), "{output}");
}
