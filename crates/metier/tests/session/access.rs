//! Turns lists, filters, trust and parents into what a session lets a model and a user do.

use crate::{activate, ceiling, half_trusted, on_disk, plain, session, skill};
use metier::{
    Blocking, BlockingSource, Files, Layer, Layers, Listing, Memory, PathFilter, ReadOptions,
    Registry, Resource, ResourcePath, Session, SessionError, SessionOptions, SourceError, block_on,
};
use serde_json::json;
use std::sync::{Arc, OnceLock};
use testing::Fixture;

fn names(session: &Session) -> Vec<String> {
    session.catalog().iter().map(|entry| entry.id.to_string()).collect()
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A session over skills in two virtual folders, and one in none.
fn mounted(filter: &str) -> Session {
    let billing = Memory::new("b")
        .skill("refunds", skill("refunds", "refund", "Refund."))
        .skill("invoices", skill("invoices", "invoice", "Invoice."));
    let orders = Memory::new("o").skill("returns", skill("returns", "refund", "Return."));
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(billing)).mount_as("skills/billing").unwrap())
        .layer(Layer::new(Blocking(orders)).mount_as("skills/orders").unwrap())
        .layer(Layer::new(Blocking(Memory::new("i").inline("chat", "Talks.", "Talk."))));
    let registry = Registry::builder().source(layers).open();
    let tools = list(&["invoice", "refund"]);
    let filter = PathFilter::new(filter);
    Session::new(registry, SessionOptions { filter, tools, ..SessionOptions::default() })
}

#[test]
fn what_the_model_may_not_use_is_not_told_of() {
    // Spec assertion 87, security P09.
    let session = session(SessionOptions { deny: list(&["g*"]), ..SessionOptions::default() });
    assert_eq!(names(&session), ["csv", "pdf"]);
    for hidden in ["git", "release"] {
        let reply = block_on(session.call("load_skill", json!({ "name": hidden })));
        assert!(reply.is_error);
        assert_eq!(reply.data["reason"], "unknown_skill");
        assert!(
            reply.content.starts_with(&format!("there is no skill `{hidden}`")),
            "{}",
            reply.content
        );
        let reply = block_on(
            session.call("read_skill_file", json!({ "skill": hidden, "path": "SKILL.md" })),
        );
        assert_eq!(reply.data["reason"], "unknown_skill");
    }
    let error = activate(&session, "git").unwrap_err();
    assert!(matches!(error, SessionError::NotAllowed { .. }), "{error}");
    let error = activate(&session, "release").unwrap_err();
    assert!(matches!(error, SessionError::UserOnly { .. }), "{error}");
}

#[test]
fn users_may_call_what_is_kept_for_them_but_not_what_is_denied() {
    let session = session(SessionOptions { deny: list(&["git"]), ..SessionOptions::default() });
    assert!(block_on(session.invoke("release", None)).is_ok());
    let error = block_on(session.invoke("git", None)).unwrap_err();
    assert!(matches!(error, SessionError::NotAllowed { .. }), "{error}");

    let table = Memory::new("m")
        .skill("inner", "---\nname: inner\ndescription: I.\nuser-invocable: false\n---\n");
    let session =
        Session::new(Registry::builder().source(Blocking(table)).open(), SessionOptions::default());
    let error = block_on(session.invoke("inner", None)).unwrap_err();
    assert!(matches!(error, SessionError::ModelOnly { .. }), "{error}");
    assert!(activate(&session, "inner").is_ok());
}

#[test]
fn an_edit_that_keeps_a_skill_for_users_counts_at_once() {
    let fixture = Fixture::new().skill("skills/pdf", &skill("pdf", "", "One."));
    let session = on_disk(&fixture, SessionOptions::default());
    let kept = "---\nname: pdf\ndescription: d\ndisable-model-invocation: true\n---\nTwo.\n";
    let fixture = fixture.skill("skills/pdf", kept);
    let error = activate(&session, "pdf").unwrap_err();
    assert!(matches!(error, SessionError::UserOnly { .. }), "{error}");
    assert!(block_on(session.invoke("pdf", None)).is_ok());
    drop(fixture);
}

#[test]
fn untrusted_skills_reach_no_model_on_any_path() {
    let session =
        Session::new(half_trusted(), SessionOptions { tools: ceiling(), ..Default::default() });
    assert!(!names(&session).contains(&"evil".to_owned()));
    for result in [activate(&session, "evil"), block_on(session.invoke("evil", Some("x")))] {
        let error = result.unwrap_err();
        assert!(matches!(error, SessionError::Untrusted { .. }), "{error}");
    }
    for (tool, arguments) in [
        ("load_skill", json!({ "name": "evil" })),
        ("load_skill", json!({ "name": "project:evil" })),
        ("read_skill_file", json!({ "skill": "evil" })),
        ("read_skill_file", json!({ "skill": "evil", "path": "SKILL.md" })),
    ] {
        let reply = block_on(session.call(tool, arguments));
        assert_eq!((reply.is_error, &reply.data["reason"]), (true, &json!("unknown_skill")));
        assert!(!reply.content.contains("Do as I say"), "{}", reply.content);
    }
    let reply = block_on(session.call("search_skills", json!({ "query": "evil files" })));
    assert!(!reply.content.contains("evil"), "{}", reply.content);
    // Nor is it offered as the nearest name.
    let reply = block_on(session.call("load_skill", json!({ "name": "evill" })));
    assert_eq!(reply.data["nearest"], json!([]));
}

#[test]
fn an_allow_list_names_ids_and_patterns_and_deny_wins() {
    let allow = Some(list(&["csv", "p*", "release"]));
    let allowed = session(SessionOptions { allow: allow.clone(), ..SessionOptions::default() });
    assert_eq!(names(&allowed), ["csv", "pdf"]);
    let both = session(SessionOptions { allow, deny: list(&["pdf"]), ..SessionOptions::default() });
    assert_eq!(names(&both), ["csv"]);
    let nothing = session(SessionOptions { allow: Some(vec![]), ..SessionOptions::default() });
    assert!(names(&nothing).is_empty() && nothing.tools().is_empty());
}

#[test]
fn a_name_on_the_list_does_not_let_its_shadowed_twin_in() {
    let one = Memory::new("one").skill("pdf", skill("pdf", "", "The one."));
    let two = Memory::new("two").skill("pdf", skill("pdf", "", "The other."));
    let registry = Registry::builder().source(Blocking(one)).source(Blocking(two)).open();
    let allow = Some(list(&["pdf"]));
    let narrow = Session::new(registry.clone(), SessionOptions { allow, ..Default::default() });
    assert!(activate(&narrow, "pdf").is_ok());
    assert!(activate(&narrow, "one:pdf").is_ok());
    let error = activate(&narrow, "two:pdf").unwrap_err();
    assert!(matches!(error, SessionError::NotAllowed { .. }), "{error}");
    // A name on the deny list keeps both away.
    let deny =
        Session::new(registry, SessionOptions { deny: list(&["pdf"]), ..Default::default() });
    assert!(activate(&deny, "pdf").is_err() && activate(&deny, "two:pdf").is_err());
}

#[test]
fn filters_are_patterns_over_virtual_paths() {
    for (filter, expected) in [
        ("", &["chat", "invoices", "refunds", "returns"][..]),
        ("none", &[]),
        ("NoNe", &[]),
        ("*", &["chat"]),
        ("skills/billing/*", &["invoices", "refunds"]),
        ("skills/*/re*", &["refunds", "returns"]),
        ("skills/**", &["invoices", "refunds", "returns"]),
        ("skills/orders", &["returns"]),
        ("skills/order", &[]),
    ] {
        assert_eq!(names(&mounted(filter)), expected, "{filter}");
    }
}

#[test]
fn a_new_filter_lets_go_of_what_does_not_pass_and_tells_sorted() {
    let session = mounted("");
    for id in ["returns", "refunds", "invoices", "chat"] {
        activate(&session, id).unwrap();
    }
    assert_eq!(session.set_filter("skills/orders/*"), ["chat", "invoices", "refunds"]);
    assert_eq!(session.active(), ["returns"]);
    // `refund` is still needed by `returns`.
    assert_eq!(session.active_tools(), ["refund"]);
    assert!(session.set_filter("").is_empty());
    assert_eq!(session.set_filter("none"), ["returns"]);
    assert!(session.active_tools().is_empty() && session.tools().is_empty());
}

#[test]
fn the_filter_counts_on_every_path() {
    let session = mounted("skills/billing/*");
    let error = activate(&session, "returns").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the skill `returns` is not available while the filter is `skills/billing/*`"
    );
    assert!(block_on(session.invoke("returns", None)).is_err());
    for (tool, arguments) in [
        ("load_skill", json!({ "name": "returns" })),
        ("read_skill_file", json!({ "skill": "returns" })),
    ] {
        let reply = block_on(session.call(tool, arguments));
        assert_eq!(reply.data["reason"], "filtered", "{}", reply.content);
    }
    let reply = block_on(session.call("search_skills", json!({ "query": "returns files" })));
    assert!(!reply.content.contains("returns"), "{}", reply.content);
    // A skill that was active before does not come back through a second activation.
    session.set_filter("");
    activate(&session, "returns").unwrap();
    session.set_filter("skills/billing/*");
    assert!(activate(&session, "returns").is_err());
}

#[test]
fn folders_are_filtered_by_where_they_are_below_the_base() {
    let fixture = Fixture::new()
        .skill("skills/billing/refunds", &skill("refunds", "", "R."))
        .skill("skills/pdf", &skill("pdf", "", "P."));
    let session = on_disk(
        &fixture,
        SessionOptions { filter: "skills/billing/*".into(), ..Default::default() },
    );
    assert_eq!(names(&session), ["refunds"]);
    session.set_filter("skills/*");
    assert_eq!(names(&session), ["pdf"]);
}

#[test]
fn a_child_can_only_narrow() {
    // The lists, the filter, the ceiling, the limit: of parent and child, the narrower one counts.
    let parent = session(SessionOptions {
        deny: list(&["git"]),
        tools: list(&["Bash(git:*)", "Read"]),
        max_active: 2,
        ..SessionOptions::default()
    });
    let wide = parent.child(SessionOptions {
        tools: list(&["Bash", "Read", "Write"]),
        max_active: 0,
        ..SessionOptions::default()
    });
    assert_eq!(names(&wide), ["csv", "pdf"]);
    assert_eq!(wide.options().tools, ["Bash(git:*)", "Read"]);
    assert_eq!(wide.options().max_active, 2);
    assert!(activate(&wide, "git").is_err());
    activate(&wide, "csv").unwrap();
    assert_eq!(wide.active_tools(), ["Read"]);
    // What is active in a child is not active in its parent, and the other way round.
    assert!(parent.active().is_empty());
    let narrow =
        wide.child(SessionOptions { allow: Some(list(&["csv", "git"])), ..wide.options().clone() });
    assert_eq!(names(&narrow), ["csv"]);
    assert!(narrow.active().is_empty());
}

#[test]
fn a_parent_that_narrows_later_narrows_its_children() {
    let parent = mounted("");
    let child = parent.child(parent.options().clone());
    let grandchild = child.child(child.options().clone());
    activate(&grandchild, "refunds").unwrap();
    activate(&grandchild, "returns").unwrap();
    parent.set_filter("skills/orders/*");
    assert_eq!(names(&grandchild), ["returns"]);
    assert_eq!(grandchild.active(), ["returns"]);
    assert_eq!(grandchild.active_tools(), ["refund"]);
    assert!(activate(&grandchild, "refunds").is_err());
    assert!(parent.set_filter("").is_empty());
}

#[test]
fn a_child_filters_for_one_run_beside_others() {
    let session = mounted("");
    let run = session
        .child(SessionOptions { filter: "skills/billing/*".into(), ..session.options().clone() });
    assert!(activate(&run, "returns").is_err());
    assert!(activate(&session, "returns").is_ok());
}

#[test]
fn the_prompt_shows_what_may_be_loaded_in_the_order_of_the_list() {
    let allow = Some(list(&["pdf", "absent", "csv", "release"]));
    let session = session(SessionOptions { allow, ..SessionOptions::default() });
    let prompt = session.prompt(&metier::Render::default());
    assert_eq!(prompt.included, ["pdf", "csv"]);
    let patterns = Some(list(&["*"]));
    let all = crate::session(SessionOptions { allow: patterns, ..SessionOptions::default() });
    assert_eq!(all.prompt(&metier::Render::default()).included, ["csv", "git", "pdf"]);
    let render = metier::Render { allow: Some(list(&["git", "pdf"])), ..Default::default() };
    assert_eq!(session.prompt(&render).included, ["pdf"]);
    assert_eq!(plain().prompt(&render).included, ["git", "pdf"]);
}

/// A table that does something while it is read.
#[derive(Debug)]
struct Slow {
    table: Memory,
    meanwhile: Arc<OnceLock<Session>>,
}

impl BlockingSource for Slow {
    fn label(&self) -> &str {
        self.table.label()
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.table.list()
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        if let Some(session) = self.meanwhile.get() {
            session.set_filter("none");
        }
        self.table.read(key, path, options)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.table.files(key)
    }
}

#[test]
fn a_filter_that_changes_while_a_skill_is_read_counts() {
    let meanwhile = Arc::new(OnceLock::new());
    let source = Slow { table: crate::table(), meanwhile: meanwhile.clone() };
    let registry = Registry::builder().source(Blocking(source)).open();
    let session = Session::new(registry, SessionOptions { tools: ceiling(), ..Default::default() });
    activate(&session, "csv").unwrap();
    meanwhile.set(session.clone()).unwrap();
    let error = activate(&session, "pdf").unwrap_err();
    assert!(matches!(error, SessionError::Filtered { .. }), "{error}");
    assert!(session.active().is_empty() && session.active_tools().is_empty());
}
