//! Turns each shape of an index into the same skills.

use crate::server::{Reply, Server, local};
use metier::{Blocking, BlockingSource, Http, HttpOptions, Source, Trust, block_on};
use metier::{ReadOptions, ResourcePath, Severity, SourceError};
use serde_json::json;

pub(crate) const PDF: &str = "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n";
/// The SHA-256 of [`PDF`], as `sha256sum` has it.
pub(crate) const PDF_DIGEST: &str =
    "sha256:bca6b079234c7cc3a28f3bf0f26007cd622f6e10a4ea786f7bf1a0e0e1a82a5c";

pub(crate) fn path(text: &str) -> ResourcePath {
    text.parse().unwrap()
}

pub(crate) fn read(source: &Http, key: &str, file: &str) -> Result<String, SourceError> {
    let resource = source.read(key, &path(file), &ReadOptions::default())?;
    Ok(resource.text().unwrap().to_owned())
}

/// A discovery index of the one skill, and the skill.
pub(crate) fn discovery(server: &Server, change: &serde_json::Value) {
    let mut entry = json!({
        "name": "pdf", "type": "skill-md", "description": "Use for PDFs.",
        "url": "pdf/SKILL.md", "digest": PDF_DIGEST,
    });
    for (key, value) in change.as_object().unwrap() {
        entry[key] = value.clone();
    }
    let schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    let index = json!({ "$schema": schema, "skills": [entry] });
    server.on("/.well-known/agent-skills/index.json", Reply::ok(index.to_string()));
    server.on("/.well-known/agent-skills/pdf/SKILL.md", Reply::ok(PDF));
}

#[test]
fn a_discovery_index_is_listed_without_reading_a_skill() {
    let server = Server::new();
    discovery(&server, &json!({}));
    let source = server.source("");
    let listing = source.list().unwrap();
    assert_eq!(server.paths(), ["/.well-known/agent-skills/index.json"]);
    assert!(listing.problems.is_empty());
    let [skill] = &listing.skills[..] else { panic!("{listing:?}") };
    assert_eq!((skill.key.as_str(), skill.name.as_str()), ("pdf", "pdf"));
    assert_eq!(skill.description(), "Use for PDFs.");
    assert_eq!(skill.digest.as_deref(), Some(PDF_DIGEST));
    assert_eq!(skill.location(), server.url("/.well-known/agent-skills/pdf/SKILL.md"));

    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
    assert_eq!(server.paths(), ["/.well-known/agent-skills/pdf/SKILL.md"]);
    assert!(source.files("pdf").unwrap().is_empty());
    let error = read(&source, "pdf", "NOTES.md").unwrap_err();
    assert!(matches!(error, SourceError::NoSuchFile { .. }));
    assert!(server.paths().is_empty());
}

#[test]
fn a_skill_is_read_without_listing_first() {
    let server = Server::new();
    discovery(&server, &json!({}));
    let source = server.source("/.well-known/agent-skills/index.json");
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
    let error = read(&source, "docx", "SKILL.md").unwrap_err();
    assert_eq!(error.to_string(), "`127.0.0.1` has no skill `docx`");
    assert_eq!(server.paths().len(), 2);
}

#[test]
fn archives_are_reported_and_unknown_types_skipped() {
    for (kind, severity, message) in [
        ("archive", Severity::Error, "archives are installed, not read"),
        ("mcp-resource-template", Severity::Warning, "is not known, the entry is skipped"),
    ] {
        let server = Server::new();
        discovery(&server, &json!({ "type": kind }));
        let listing = server.source("").list().unwrap();
        assert!(listing.skills.is_empty());
        let [problem] = &listing.problems[..] else { panic!("{listing:?}") };
        assert_eq!(problem.severity, severity);
        assert!(problem.message.ends_with(message), "{problem}");
        assert_eq!(problem.location, server.url("/.well-known/agent-skills/index.json"));
    }
}

#[test]
fn the_older_index_names_its_files() {
    let server = Server::new();
    let files = json!([
        "SKILL.md",
        "scripts/fill.py",
        "references/x.md",
        "NOTES.md",
        ".hidden",
        "inner/SKILL.md",
        "inner/a.md"
    ]);
    let index = json!({ "skills": [
        { "name": "pdf", "description": "Use for PDFs.", "files": files }
    ] });
    server.on("/.well-known/skills/index.json", Reply::ok(index.to_string()));
    server.on("/.well-known/skills/pdf/SKILL.md", Reply::ok(PDF));
    server.on("/.well-known/skills/pdf/scripts/fill.py", Reply::ok([0, 159, 255]));
    let source = server.source("/");
    let listing = source.list().unwrap();
    assert!(listing.problems.is_empty());
    assert_eq!(listing.skills[0].description(), "Use for PDFs.");
    assert_eq!(listing.skills[0].digest, None);
    assert_eq!(
        server.paths(),
        ["/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"]
    );
    let files = source.files("pdf").unwrap();
    let names: Vec<_> = files.iter().map(ResourcePath::as_str).collect();
    assert_eq!(names, ["scripts/fill.py", "references/x.md", "NOTES.md"]);
    assert_eq!(files.scripts.len(), 1);

    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
    let script = source.read("pdf", &path("scripts/fill.py"), &ReadOptions::default()).unwrap();
    assert_eq!(script.bytes, [0, 159, 255]);
    // Listed, but gone.
    let error = read(&source, "pdf", "NOTES.md").unwrap_err();
    assert_eq!(error.to_string(), "the skill `pdf` has no file `NOTES.md`");
    // There, but not listed.
    server.requests();
    assert!(read(&source, "pdf", "secret.md").is_err());
    assert!(server.paths().is_empty());
}

#[test]
fn an_index_without_descriptions_has_them_read() {
    let server = Server::new();
    let index = json!({ "skills": [
        { "name": "pdf", "files": ["SKILL.md"], "version": "1" },
        { "name": "gone", "files": ["SKILL.md"] },
        { "name": "other", "files": ["SKILL.md"] },
        { "name": "broken", "files": ["SKILL.md"] },
    ] });
    server.on("/base/index.json", Reply::ok(index.to_string()));
    server.on("/base/pdf/SKILL.md", Reply::ok(PDF));
    server.on("/base/other/SKILL.md", Reply::ok(PDF));
    server.on("/base/broken/SKILL.md", Reply::ok("no frontmatter"));
    let source = server.source("/base/");
    let listing = source.list().unwrap();
    let [skill] = &listing.skills[..] else { panic!("{listing:?}") };
    assert_eq!((skill.description(), skill.body_offset), ("Use for PDFs.", 45));
    assert_eq!(skill.digest.as_deref(), Some(PDF_DIGEST));
    let problems: Vec<_> = listing.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        problems,
        [
            "`broken` is refused: it is not a skill that can be loaded",
            "`gone` cannot be read: the server answers with status 404",
            "`other` is refused: its name is not the one in the index",
        ]
    );
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
}

#[test]
fn a_server_that_stops_answering_is_asked_once() {
    let server = Server::new();
    let index = json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]);
    server.on("/index.json", Reply::ok(index.to_string()));
    server.on("/a/SKILL.md", Reply::short());
    let listing = server.source("/index.json").list().unwrap();
    assert_eq!(server.paths(), ["/index.json", "/a/SKILL.md"]);
    let names: Vec<_> = listing.skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["b", "c"]);
    let problems: Vec<_> = listing.problems.iter().map(ToString::to_string).collect();
    assert!(problems[0].contains("`a` cannot be read"), "{problems:?}");
    assert!(problems[1].ends_with("2 skills are listed without their descriptions"));
}

#[test]
fn a_list_of_ids_is_an_index_bare_or_wrapped() {
    let entries = json!([{ "id": "pdf-1", "name": "pdf", "description": "Use for PDFs." }]);
    for index in [entries.clone(), json!({ "skills": entries })] {
        let server = Server::new();
        server.on("/s/index.json", Reply::ok(index.to_string()));
        server.on("/s/pdf-1/SKILL.md", Reply::ok(PDF));
        server.on("/s/pdf-1/assets/a%20b.txt", Reply::ok("text"));
        let source = server.source("/s");
        let listing = source.list().unwrap();
        assert_eq!(
            (listing.skills[0].key.as_str(), listing.skills[0].name.as_str()),
            ("pdf-1", "pdf")
        );
        assert_eq!(
            server.paths(),
            [
                "/s/.well-known/agent-skills/index.json",
                "/s/.well-known/skills/index.json",
                "/s/index.json"
            ]
        );
        assert_eq!(read(&source, "pdf-1", "SKILL.md").unwrap(), PDF);
        // The index does not name files, so any may be asked for.
        assert_eq!(read(&source, "pdf-1", "assets/a b.txt").unwrap(), "text");
        assert!(source.files("pdf-1").unwrap().is_empty());
    }
}

#[test]
fn an_index_may_have_any_address() {
    let server = Server::new();
    server.on("/api/skills", Reply::ok(r#"[{"id": "pdf", "description": "Use for PDFs."}]"#));
    server.on("/api/pdf/SKILL.md", Reply::ok(PDF));
    let source = server.source("/api/skills");
    assert_eq!(source.list().unwrap().skills.len(), 1);
    assert_eq!(read(&source, "pdf", "SKILL.md").unwrap(), PDF);
}

#[test]
fn one_file_is_a_source_of_one_skill() {
    let server = Server::new();
    server.on("/x/SKILL.md?v=1", Reply::ok(PDF)).on("/x/NOTES.md", Reply::ok("notes"));
    let source = server.source("/x/SKILL.md?v=1");
    let listing = source.list().unwrap();
    let [skill] = &listing.skills[..] else { panic!("{listing:?}") };
    assert_eq!((skill.key.as_str(), skill.body_offset), ("pdf", 45));
    assert_eq!(skill.digest.as_deref(), Some(PDF_DIGEST));
    assert_eq!(read(&source, "pdf", "NOTES.md").unwrap(), "notes");
    // An edit is seen: there is no index that says otherwise.
    server.on("/x/SKILL.md?v=1", Reply::ok(PDF.replace("Use", "Made")));
    assert!(read(&source, "pdf", "SKILL.md").unwrap().contains("Made for PDFs."));

    server.on("/x/SKILL.md?v=1", Reply::ok("nothing"));
    let listing = source.list().unwrap();
    assert!(listing.skills.is_empty());
    assert_eq!(listing.problems[0].severity, Severity::Error);
}

#[test]
fn a_site_without_an_index_says_where_it_was_looked_for() {
    let server = Server::new();
    server.on("/.well-known/skills/index.json", Reply::ok("\n<!doctype html><p>Hello"));
    server.on("/index.json", Reply::status(403));
    let message = server.source("/").list().unwrap_err().to_string();
    let places = [
        (".well-known/agent-skills/index.json", "status 404"),
        (".well-known/skills/index.json", "a page"),
        ("index.json", "status 403"),
    ];
    let site = server.url("/");
    let places = places.map(|(place, reason)| format!("`{site}{place}` ({reason})")).join(", ");
    assert_eq!(
        message,
        format!("`{site}` cannot be read: there is no index of skills at {places}")
    );
}

#[test]
fn a_source_is_called_by_its_host_and_is_not_trusted() {
    let server = Server::new();
    discovery(&server, &json!({}));
    let source = Blocking(server.source(""));
    assert_eq!((source.label(), source.trust()), ("127.0.0.1", Trust::Untrusted));
    assert_eq!(block_on(source.list()).unwrap().skills.len(), 1);

    let label = Some("team".to_owned());
    let options = HttpOptions { label, trust: Trust::Trusted, ..local() };
    let source = Http::new(&server.url(""), options).unwrap();
    assert_eq!((source.label(), source.trust()), ("team", Trust::Trusted));
}
