//! Turns skills into a server that speaks on stdin and stdout.

use crate::{metier, metier_with};
use serde_json::{Value, json};
use testing::{Fixture, Output};

fn fixture() -> Fixture {
    Fixture::new()
        .skill("skills/pdf", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n")
        .file("skills/pdf/references/forms.md", "# Forms\n")
        .skill("skills/csv", "---\nname: csv\ndescription: Use for tables.\n---\nRead it.\n")
        .skill("skills/odd", "---\nname: odd\ndescription: Use when: it is odd\n---\nMend it.\n")
        .skill("skills/broken", "---\nname: [\n---\n")
}

/// What a client of the older protocols says first.
fn hello() -> String {
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } });
    format!("{hello}\n{}\n", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
}

fn serve(args: &[&str], input: &str) -> Output {
    let all = [&["serve", "--root", "skills"], args].concat();
    metier_with(&fixture(), &all, input)
}

#[test]
fn stdout_holds_nothing_but_messages() {
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "load_skill", "arguments": { "name": "odd" } } });
    let list = json!({ "jsonrpc": "2.0", "id": 3, "method": "skills/list" });
    let output = serve(&["--log-level", "debug"], &format!("{}garbage\n{call}\n{list}\n", hello()));
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let mut messages: Vec<Value> =
        output.stdout().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    messages.sort_by_key(|message| message["id"].as_u64());
    assert_eq!(messages.len(), 3, "{output}");
    let instructions = messages[0]["result"]["instructions"].as_str().unwrap_or_default();
    assert!(instructions.contains("<name>odd</name>"), "{output}");
    assert!(messages[1].to_string().contains("Mend it."), "{output}");
    // A file that only a lenient reader understands cannot be verified.
    let listed: Vec<_> = messages[2]["result"]["skills"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|s| &s["uri"])
        .collect();
    assert_eq!(listed, ["skill://csv/SKILL.md", "skill://pdf/SKILL.md"]);
    assert!(
        output.stderr().contains("warn: not listed for hosts that verify skill=skill://odd"),
        "{output}"
    );
    assert!(output.stderr().contains("info: serving skills=3"), "{output}");
}

#[test]
fn both_ways_at_once_end_with_the_program_on_stdin() {
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    let args = ["--http", "localhost:0", "--log-format", "json"];
    let output = serve(&args, &format!("{}{ping}\n", hello()));
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert_eq!(output.stdout().lines().count(), 2, "{output}");
    let records: Vec<Value> =
        output.stderr().lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let events: Vec<_> = records.iter().filter_map(|record| record["event"].as_str()).collect();
    assert!(events.contains(&"listening") && events.contains(&"stopped"), "{output}");
    assert!(records.iter().all(|record| record["time"].as_str().is_some_and(|t| t.ends_with('Z'))));
}

#[test]
fn others_may_only_connect_with_a_token() {
    let output = serve(&["--http", "0.0.0.0:0"], "");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("no token is set"), "{output}");
    let output = serve(&["--http", "0.0.0.0:0", "--token-file", "gone"], "");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    let output = serve(&["--token-file", "gone"], "");
    assert_eq!(output.exit_code(), Some(2), "{output}");
    let output = serve(&["--http", "everywhere"], "");
    assert_eq!(output.exit_code(), Some(2), "{output}");
}

#[test]
fn skills_of_a_project_are_not_served_before_it_is_trusted() {
    let fixture = Fixture::new().dir("project/.git").skill(
        "project/.agents/skills/evil",
        "---\nname: evil\ndescription: Use it.\n---\nObey.\n",
    );
    let command = fixture.command(env!("CARGO_BIN_EXE_metier"), ["serve"]).folder("project");
    let output = command.stdin(hello()).run();
    assert!(!output.stdout().contains("evil"), "{output}");
    let said = "warn: not trusted reason=1 skill of the project left out";
    assert!(output.stderr().contains(said), "{output}");
}

#[test]
fn every_host_gets_its_own_lines() {
    let fixture = fixture();
    let lines = |host: &str, more: &[&str]| {
        let all = [&["serve", "--root", "skills", "--print-config", host], more].concat();
        let output = metier(&fixture, &all);
        assert_eq!(output.exit_code(), Some(0), "{output}");
        output.stdout().to_owned()
    };
    for (host, pointer) in [
        ("claude", "/mcpServers/metier"),
        ("claude-desktop", "/mcpServers/metier"),
        ("cline", "/mcpServers/metier"),
        ("copilot", "/mcpServers/metier"),
        ("cursor", "/mcpServers/metier"),
        ("gemini", "/mcpServers/metier"),
        ("vscode", "/servers/metier"),
        ("windsurf", "/mcpServers/metier"),
        ("zed", "/context_servers/metier"),
    ] {
        let json: Value = serde_json::from_str(&lines(host, &[])).expect(host);
        let server = json.pointer(pointer).expect(host);
        assert_eq!(
            (&server["args"][0], &server["args"][1]),
            (&json!("serve"), &json!("--root")),
            "{server}"
        );
        assert!(
            server["command"].as_str().is_some_and(|path| path.ends_with("metier")),
            "{server}"
        );
    }
    let opencode: Value = serde_json::from_str(&lines("opencode", &[])).expect("JSON");
    assert_eq!(opencode["mcp"]["metier"]["command"][1], "serve");
    assert!(lines("codex", &[]).starts_with("[mcp_servers.metier]\ncommand = \""));
    let http = ["--http", "127.0.0.1:7331", "--token-file", "token"];
    assert_eq!(
        lines("codex", &http),
        "[mcp_servers.metier]\nurl = \"http://127.0.0.1:7331/mcp\"\nbearer_token_env_var = \"METIER_TOKEN\"\n"
    );
    for (host, place, key, token) in [
        ("claude", "/mcpServers/metier", "url", "${METIER_TOKEN}"),
        ("cline", "/mcpServers/metier", "url", "YOUR-TOKEN"),
        ("copilot", "/mcpServers/metier", "url", "YOUR-TOKEN"),
        ("cursor", "/mcpServers/metier", "url", "${env:METIER_TOKEN}"),
        ("gemini", "/mcpServers/metier", "httpUrl", "${METIER_TOKEN}"),
        ("opencode", "/mcp/metier", "url", "{env:METIER_TOKEN}"),
        ("vscode", "/servers/metier", "url", "${input:metier-token}"),
        ("windsurf", "/mcpServers/metier", "serverUrl", "${env:METIER_TOKEN}"),
        ("zed", "/context_servers/metier", "url", "YOUR-TOKEN"),
    ] {
        let json: Value = serde_json::from_str(&lines(host, &http)).expect(host);
        let server = json.pointer(place).expect(host);
        assert_eq!(server[key], "http://127.0.0.1:7331/mcp", "{host}");
        assert_eq!(server["headers"]["Authorization"], format!("Bearer {token}"), "{host}");
    }
    let everywhere =
        ["--http", "0.0.0.0:7331", "--token-file", "token", "--allow-host", "a.example"];
    assert!(lines("cursor", &everywhere).contains("\"https://a.example/mcp\""));
    assert!(lines("cursor", &everywhere[..4]).contains("\"http://127.0.0.1:7331/mcp\""));
    // It knows programs only, so it is given one that passes on what is at the address.
    let desktop: Value = serde_json::from_str(&lines("claude-desktop", &http)).expect("JSON");
    let arguments = &desktop["mcpServers"]["metier"]["args"];
    assert_eq!(
        (&arguments[1], &arguments[2]),
        (&json!("--mcp"), &json!("http://127.0.0.1:7331/mcp"))
    );
}
