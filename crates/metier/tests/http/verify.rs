//! Turns an index that does not tell the truth, or does not make sense, into refusals.

use crate::server::{Reply, Server};
use crate::shapes::{PDF, discovery, read};
use metier::{BlockingSource, Severity, SourceError};
use serde_json::json;

/// What reading the one skill of a discovery index says.
fn refusal(change: &serde_json::Value, file: &str) -> String {
    let server = Server::new();
    discovery(&server, change);
    server.on("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(file));
    let error = read(&server.source(""), "pdf", "SKILL.md").unwrap_err();
    assert!(matches!(error, SourceError::Refused { .. }), "{error}");
    error.to_string()
}

#[test]
fn bytes_that_do_not_have_the_digest_are_refused() {
    let edited = PDF.replace("Open", "Burn");
    assert_eq!(
        refusal(&json!({}), &edited),
        "`SKILL.md` of the skill `pdf` is refused: its digest is not the one in the index"
    );
    // Even a line break counts: it is the bytes that were signed for.
    assert!(refusal(&json!({}), &PDF.replace('\n', "\r\n")).contains("digest"));
}

#[test]
fn what_the_index_says_of_a_skill_must_be_so() {
    let description = json!({ "description": "Use for anything." });
    assert!(refusal(&description, PDF).ends_with("its description is not the one in the index"));

    let server = Server::new();
    server.on("/index.json", Reply::ok(r#"[{"name": "evil", "description": "Use for PDFs."}]"#));
    server.on("/evil/SKILL.md", Reply::ok(PDF));
    let error = read(&server.source("/index.json"), "evil", "SKILL.md").unwrap_err();
    assert!(error.to_string().ends_with("its name is not the one in the index"));
}

#[test]
fn white_space_around_a_description_is_not_a_difference() {
    let server = Server::new();
    discovery(&server, &json!({ "description": " Use for PDFs.\n" }));
    assert_eq!(read(&server.source(""), "pdf", "SKILL.md").unwrap(), PDF);
}

#[test]
fn a_file_that_is_no_skill_is_refused() {
    let server = Server::new();
    server.on("/index.json", Reply::ok(r#"[{"name": "pdf", "description": "Use for PDFs."}]"#));
    server.on("/pdf/SKILL.md", Reply::ok("<html>"));
    let error = read(&server.source("/index.json"), "pdf", "SKILL.md").unwrap_err();
    assert!(error.to_string().ends_with("it is not a skill that can be loaded"), "{error}");
}

/// Security H05: the entry is refused, and no byte of it is asked for.
#[test]
fn an_entry_without_a_proper_digest_is_refused() {
    let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for digest in [
        json!(null),
        json!("md5:d41d8cd98f00b204e9800998ecf8427e"),
        json!(format!("SHA256:{hex}")),
        json!(format!("sha256:{}", &hex[1..])),
        json!(format!("sha256:{}", hex.to_uppercase())),
        json!(hex),
    ] {
        let server = Server::new();
        discovery(&server, &json!({ "digest": digest }));
        let source = server.source("");
        let listing = source.list().unwrap();
        assert!(listing.skills.is_empty());
        assert_eq!(listing.problems[0].severity, Severity::Error);
        assert!(listing.problems[0].message.contains("digest"), "{:?}", listing.problems);
        assert!(matches!(read(&source, "pdf", "SKILL.md"), Err(SourceError::UnknownSkill { .. })));
        assert_eq!(server.paths().len(), 1);
    }
}

/// Security H07.
#[test]
fn an_unknown_schema_is_not_read() {
    let server = Server::new();
    let schema = "https://schemas.agentskills.io/discovery/9.9.9/schema.json";
    let index = json!({ "$schema": schema, "skills": [{ "name": "pdf" }] });
    server.on("/index.json", Reply::ok(index.to_string()));
    let error = server.source("/index.json").list().unwrap_err().to_string();
    assert!(error.contains("discovery/9.9.9/schema.json`, which is not known"), "{error}");
}

/// Security H08.
#[test]
fn hostile_names_are_refused_and_the_others_kept() {
    let server = Server::new();
    let entry = |name: &str| json!({ "name": name, "description": "x" });
    let names = ["../x", "nul", "--upload-pack=x", "pdf\u{200b}", "a/b", "good", ".git"];
    let index = json!({ "skills": names.map(entry) });
    server.on("/index.json", Reply::ok(index.to_string()));
    let listing = server.source("/index.json").list().unwrap();
    let names: Vec<_> = listing.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["good"]);
    assert_eq!(listing.problems.len(), 6);
    let shown: Vec<_> = listing.problems.iter().map(ToString::to_string).collect();
    assert!(shown.iter().any(|line| line.contains(r"entry 4 `pdf\u{200b}`")), "{shown:#?}");
}

/// Security H10.
#[test]
fn json_that_two_readers_would_not_agree_on_is_refused() {
    let twice = r#"{"skills": [{"name": "a", "digest": "x", "digest": "y"}]}"#.to_owned();
    let many = json!(vec![json!({ "name": "a" }); 10_001]).to_string();
    for (index, message) in [
        (twice, "the key `digest` stands twice"),
        ("[".repeat(100_000), "nested more than 64 deep"),
        (many, "the index has 10001 entries, the limit is 10000"),
        ("{\"skills\": [".to_owned(), "EOF while parsing"),
    ] {
        let server = Server::new();
        server.on("/index.json", Reply::ok(index));
        let error = server.source("/index.json").list().unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
