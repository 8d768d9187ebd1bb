//! Turns what `@drover/skills` promises about `skill_load` and `skill_resource` into tests.

use super::{drover, text};
use metier::{
    ActivationOptions, Blocking, Folder, Registry, Session, SessionOptions, ToolNames, ToolReply,
    block_on,
};
use serde_json::{Value, json};
use testing::Fixture;

fn fixture() -> Fixture {
    Fixture::new()
        .skill("r/pdf", "---\nname: pdf\ndescription: d\n---\n\n# PDF\n\nOpen it.\n\n")
        .file("r/pdf/scripts/fill.py", "print()\n")
        .file("r/pdf/scripts/run.sh", "ls\n")
        .file("r/pdf/references/forms.md", "# Forms\n")
        .file("r/pdf/README.md", "Read me.\n")
        .skill("r/bare", &text("bare", "two"))
        .skill("r/other", &text("other", "three"))
}

fn options(allowed: &[&str]) -> SessionOptions {
    SessionOptions {
        names: ToolNames::Drover,
        allow: Some(allowed.iter().map(|name| (*name).to_owned()).collect()),
        ..SessionOptions::default()
    }
}

fn session(fixture: &Fixture, options: SessionOptions) -> Session {
    let folder = Folder::new(fixture.join("r")).label("r").discovery(drover());
    Session::new(Registry::builder().source(Blocking(folder)).open(), options)
}

fn call(session: &Session, tool: &str, arguments: Value) -> ToolReply {
    block_on(session.call(tool, arguments))
}

#[test]
fn the_schemas_have_drovers_arguments() {
    let tools = session(&fixture(), options(&["pdf"])).tools();
    assert_eq!(tools.names(), ["skill_load", "skill_resource"]);
    let load = tools.get("skill_load").unwrap().schema();
    assert_eq!(
        (&load["properties"]["name"]["type"], &load["required"]),
        (&json!("string"), &json!(["name"]))
    );
    let resource = tools.get("skill_resource").unwrap().schema();
    assert_eq!(resource["properties"]["resource"]["type"], "string");
    assert_eq!(resource["required"], json!(["name"]));
}

#[test]
fn loading_gives_the_trimmed_body_and_a_hint() {
    let fixture = fixture();
    let session = session(&fixture, options(&["pdf", "bare"]));
    let reply = call(&session, "skill_load", json!({ "name": "pdf" }));
    assert!(!reply.is_error);
    assert_eq!(
        reply.content,
        "# PDF\n\nOpen it.\n\n---\nThis skill ships 2 script(s), 1 reference(s). Call \
         `skill_resource(name=\"pdf\")` to list, or `skill_resource(name=\"pdf\", \
         resource=\"<relative-path>\")` to read one."
    );
    assert_eq!(
        reply.data,
        json!({
            "skill": "pdf",
            "path": fixture.join("r/pdf/SKILL.md"),
            "resources": {
                "scripts": ["fill.py", "run.sh"],
                "references": ["forms.md"],
                "assets": [],
                "other": ["README.md"],
            },
        })
    );
    // The body comes each time, and without files there is no hint; `other` does not count.
    assert_eq!(call(&session, "skill_load", json!({ "name": "pdf" })), reply);
    assert_eq!(call(&session, "skill_load", json!({ "name": "bare" })).content, "Body of two.");
}

#[test]
fn the_hint_can_be_left_out() {
    let activation = ActivationOptions { max_listed: 0, ..ActivationOptions::default() };
    let fixture = fixture();
    let session = session(&fixture, SessionOptions { activation, ..options(&["pdf"]) });
    let reply = call(&session, "skill_load", json!({ "name": "pdf" }));
    assert_eq!(reply.content, "# PDF\n\nOpen it.");
    assert_eq!(reply.data.get("resources"), None);
}

#[test]
fn names_outside_the_list_are_denied_with_the_list_in_its_order() {
    let fixture = fixture();
    for tool in ["skill_load", "skill_resource"] {
        let reply =
            call(&session(&fixture, options(&["pdf", "bare"])), tool, json!({ "name": "other" }));
        assert!(reply.is_error);
        assert_eq!(
            reply.content,
            "skill 'other' is not available to this agent. allowed: [pdf, bare]"
        );
        assert_eq!(reply.data, json!({ "skill": "other", "reason": "not_allowed" }));
        let reply = call(&session(&fixture, options(&[])), tool, json!({ "name": "pdf" }));
        assert_eq!(reply.content, "skill 'pdf' is not available to this agent. allowed: [(none)]");
    }
}

#[test]
fn the_list_is_asked_before_the_registry() {
    let fixture = fixture();
    let session = session(&fixture, options(&["pdf", "absent"]));
    let reply = call(&session, "skill_load", json!({ "name": "absent" }));
    assert!(reply.is_error && reply.content.contains("allowed but not registered"));
    assert_eq!(reply.data, json!({ "skill": "absent", "reason": "missing" }));
    let reply = call(&session, "skill_load", json!({ "name": "nowhere" }));
    assert_eq!(reply.data["reason"], "not_allowed");
}

#[test]
fn without_a_resource_the_files_are_listed() {
    let fixture = fixture();
    let session = session(&fixture, options(&["pdf", "bare"]));
    for arguments in [json!({ "name": "pdf" }), json!({ "name": "pdf", "resource": "" })] {
        let reply = call(&session, "skill_resource", arguments);
        assert_eq!(
            reply.content,
            "## scripts\n- scripts/fill.py\n- scripts/run.sh\n\n## references\n\
             - references/forms.md\n\n## other\n- README.md"
        );
        assert_eq!(reply.data["resources"]["scripts"], json!(["fill.py", "run.sh"]));
    }
    let reply = call(&session, "skill_resource", json!({ "name": "bare" }));
    assert_eq!(reply.content, "(no supporting files)");
}

#[test]
fn resources_are_read_up_to_a_limit() {
    let fixture = fixture()
        .file("r/pdf/references/full.md", &"x".repeat(65536))
        .file("r/pdf/references/over.md", &"x".repeat(65537));
    let read = |options: SessionOptions, resource: &str| {
        let arguments = json!({ "name": "pdf", "resource": resource });
        call(&session(&fixture, options), "skill_resource", arguments)
    };
    let reply = read(options(&["pdf"]), "references/forms.md");
    assert_eq!(reply.content, "# Forms\n");
    assert_eq!(reply.data, json!({ "skill": "pdf", "resource": "references/forms.md" }));
    assert_eq!(read(options(&["pdf"]), "references/full.md").content.len(), 65536);
    let reply = read(options(&["pdf"]), "references/over.md");
    assert!(reply.is_error);
    assert!(reply.content.starts_with("resource 'references/over.md' exceeds 65536 bytes"));
    assert_eq!(
        reply.data,
        json!({ "skill": "pdf", "resource": "references/over.md", "reason": "too_large" })
    );
    let small = SessionOptions { read_limit: Some(4), ..options(&["pdf"]) };
    assert_eq!(read(small, "references/forms.md").data["reason"], "too_large");
}

#[test]
fn what_cannot_be_read_is_told() {
    let fixture = fixture();
    for resource in ["absent.md", "../other/SKILL.md", "/etc/hostname", "scripts"] {
        let arguments = json!({ "name": "pdf", "resource": resource });
        let reply = call(&session(&fixture, options(&["pdf"])), "skill_resource", arguments);
        assert!(reply.is_error);
        assert!(
            reply.content.starts_with(&format!("cannot read '{resource}': ")),
            "{}",
            reply.content
        );
        assert_eq!(reply.data["reason"], "read_failed");
    }
}

// Defects that are not repeated.

#[cfg(unix)]
#[test]
fn not_following_a_link_out_of_the_skill() {
    let fixture =
        fixture().file("secret.txt", "secret\n").link("r/pdf/link.md", "../../secret.txt");
    let arguments = json!({ "name": "pdf", "resource": "link.md" });
    let reply = call(&session(&fixture, options(&["pdf"])), "skill_resource", arguments);
    assert!(reply.is_error && !reply.content.contains("secret"), "{}", reply.content);
}

#[test]
fn not_refusing_a_name_that_only_starts_with_dots() {
    let fixture = fixture().file("r/pdf/..foo", "x\n");
    let arguments = json!({ "name": "pdf", "resource": "..foo" });
    let reply = call(&session(&fixture, options(&["pdf"])), "skill_resource", arguments);
    assert_eq!(reply.content, "x\n");
}

#[test]
fn not_failing_on_arguments_that_are_no_arguments() {
    let fixture = fixture();
    let session = session(&fixture, options(&["pdf"]));
    for arguments in [json!(null), json!([]), json!("{"), json!({ "name": 1 })] {
        assert!(call(&session, "skill_load", arguments).is_error);
    }
}
