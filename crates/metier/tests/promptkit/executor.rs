//! Turns what PromptKit promises about its executor, filters and `skill__` tools into tests.

use metier::{
    Blocking, CatalogEntry, CatalogFormat, Folder, Layer, Layers, Memory, PathFilter, Registry,
    Render, Session, SessionError, SessionOptions, ToolNames, ToolReply, block_on,
};
use serde_json::{Value, json};
use testing::Fixture;

fn skill(name: &str, tools: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Does {name}.\nallowed-tools: {tools}\n---\n\nDo {name}.\n\n"
    )
}

/// Two skills for billing, one for orders, one inline.
fn registry() -> Registry {
    let billing = Memory::new("billing")
        .skill("refund", skill("refund", "[refund, lookup, refund, absent]"))
        .skill("invoice", skill("invoice", "[lookup, invoice]"));
    let orders = Memory::new("orders").skill("track", skill("track", "[track]"));
    let layers = Layers::new("all")
        .layer(Layer::new(Blocking(billing)).mount_as("skills/billing").unwrap())
        .layer(Layer::new(Blocking(orders)).mount_as("skills/orders").unwrap())
        .layer(Layer::new(Blocking(Memory::new("i").inline("chat", "Talks.", "Talk."))));
    Registry::builder().source(layers).open()
}

fn options() -> SessionOptions {
    let tools = ["track", "refund", "lookup", "invoice"].map(str::to_owned).to_vec();
    SessionOptions { names: ToolNames::PromptKit, tools, ..SessionOptions::default() }
}

fn session() -> Session {
    Session::new(registry(), options())
}

fn call(session: &Session, tool: &str, arguments: Value) -> ToolReply {
    block_on(session.call(tool, arguments))
}

fn activate(session: &Session, name: &str) -> ToolReply {
    call(session, "skill__activate", json!({ "name": name }))
}

fn fails(session: &Session, name: &str) -> String {
    let reply = activate(session, name);
    assert!(reply.is_error, "{}", reply.content);
    reply.content
}

// The executor.

#[test]
fn activating_gives_instructions_and_the_tools_of_the_pack() {
    let session = session();
    let reply = activate(&session, "invoice");
    let expected = json!({ "instructions": "Do invoice.", "added_tools": ["invoice", "lookup"] });
    assert_eq!((reply.is_error, &reply.data), (false, &expected));
    assert_eq!(serde_json::from_str::<Value>(&reply.content).unwrap(), expected);
    // Again: the same, as long as it may be used.
    assert_eq!(activate(&session, "invoice"), reply);
    assert_eq!(session.active(), ["invoice"]);
}

#[test]
fn an_empty_pack_gives_no_tools_and_no_null() {
    let session = Session::new(registry(), SessionOptions { tools: vec![], ..options() });
    assert_eq!(activate(&session, "refund").data["added_tools"], json!([]));
    let reply = call(&session, "skill__deactivate", json!({ "name": "refund" }));
    assert_eq!(reply.content, r#"{"removed_tools":[]}"#);
}

#[test]
fn errors_come_in_order_unknown_filter_limit() {
    let session = Session::new(registry(), SessionOptions { max_active: 1, ..options() });
    session.set_filter("skills/billing/*");
    activate(&session, "refund");
    assert_eq!(fails(&session, "nope"), "activating skill \"nope\": skill \"nope\" not found");
    assert_eq!(
        fails(&session, "track"),
        "skill \"track\" is not available in the current state (filter: \"skills/billing/*\")"
    );
    assert_eq!(
        fails(&session, "invoice"),
        "cannot activate skill \"invoice\": max active limit (1) reached"
    );
    // One that is active is not one more.
    assert!(!activate(&session, "refund").is_error);
}

#[test]
fn no_limit_is_zero() {
    let session = session();
    for name in ["refund", "invoice", "track", "chat"] {
        assert!(!activate(&session, name).is_error);
    }
    assert_eq!(session.active(), ["chat", "invoice", "refund", "track"]);
    assert_eq!(session.active_tools(), ["invoice", "lookup", "refund", "track"]);
}

#[test]
fn deactivating_removes_only_what_nobody_else_needs() {
    let session = session();
    activate(&session, "refund");
    activate(&session, "invoice");
    let reply = call(&session, "skill__deactivate", json!({ "name": "refund" }));
    assert_eq!(reply.content, r#"{"removed_tools":["refund"]}"#);
    let reply = call(&session, "skill__deactivate", json!({ "name": "invoice" }));
    assert_eq!(reply.data, json!({ "removed_tools": ["invoice", "lookup"] }));
    let reply = call(&session, "skill__deactivate", json!({ "name": "invoice" }));
    assert_eq!((reply.is_error, reply.content.as_str()), (true, "skill \"invoice\" is not active"));
}

#[test]
fn preloaded_skills_are_active_from_the_start_by_name() {
    let table =
        Memory::new("m").inline("b", "B.", "2").preload("b").inline("a", "A.", "1").preload("a");
    let session = Session::new(Registry::builder().source(Blocking(table)).open(), options());
    let loaded = block_on(session.preload());
    let texts: Vec<_> = loaded
        .iter()
        .map(|(id, a)| (id.as_str(), a.as_ref().unwrap().skill.instructions()))
        .collect();
    assert_eq!(texts, [("a", "1"), ("b", "2")]);
}

#[test]
fn every_method_can_be_called_at_once() {
    let session = session();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let session = &session;
            scope.spawn(move || {
                for _ in 0..20 {
                    let name = ["refund", "invoice", "track"][worker % 3];
                    let _ = activate(session, name);
                    session.set_filter(["", "skills/billing/*", "none"][worker % 3]);
                    let _ = session.deactivate(name);
                    let _ = (session.active(), session.active_tools(), session.tools());
                }
            });
        }
    });
    session.set_filter("none");
    assert!(session.active().is_empty() && session.active_tools().is_empty());
}

// Filters.

#[test]
fn filters_match_virtual_paths() {
    for (filter, available) in [
        ("", &["chat", "invoice", "refund", "track"][..]),
        ("none", &[]),
        ("NONE", &[]),
        ("skills/billing/*", &["invoice", "refund"]),
        ("skills/*/[a-q]*", &["invoice"]),
        ("skills/billing/r?fund", &["refund"]),
        ("skills/*", &[]),
        ("skills/{billing,orders}/*", &[]),
        ("skills/[", &[]),
        ("*", &["chat"]),
    ] {
        let filter = PathFilter::new(filter);
        let session =
            Session::new(registry(), SessionOptions { filter: filter.clone(), ..options() });
        let catalog = session.catalog();
        let names: Vec<_> = catalog.iter().map(CatalogEntry::name).collect();
        assert_eq!(names, available, "{filter}");
        for name in ["chat", "invoice", "refund", "track"] {
            assert_eq!(!activate(&session, name).is_error, available.contains(&name), "{filter}");
        }
    }
}

#[test]
fn folders_are_matched_relative_to_the_base() {
    let fixture = Fixture::new()
        .skill("skills/billing/refund", &skill("refund", "[refund]"))
        .skill("skills/orders/track", &skill("track", "[track]"));
    let folder = Folder::new(fixture.join("skills"));
    let registry = Registry::builder().source(Blocking(folder)).base(fixture.path()).open();
    let session = Session::new(registry, options());
    session.set_filter("skills/billing/*");
    assert!(!activate(&session, "refund").is_error);
    assert!(activate(&session, "track").is_error);
}

#[test]
fn a_filter_for_one_run_is_a_child() {
    let session = session();
    let filter = PathFilter::new("skills/orders/*");
    let run = session.child(SessionOptions { filter, ..session.options().clone() });
    assert!(activate(&run, "refund").is_error && !activate(&run, "track").is_error);
    assert!(!activate(&session, "refund").is_error);
}

// The tools.

#[test]
fn the_tools_have_promptkits_names_and_arguments() {
    let tools = session().tools();
    for (name, required) in [
        ("skill__activate", json!(["name"])),
        ("skill__deactivate", json!(["name"])),
        ("skill__read_resource", json!(["skill_name", "path"])),
    ] {
        assert_eq!(tools.get(name).unwrap().schema()["required"], required);
    }
}

#[test]
fn the_index_can_stand_behind_the_description() {
    let render = Render { format: CatalogFormat::PromptKit, ..Render::default() };
    let session = Session::new(registry(), SessionOptions { index: Some(render), ..options() });
    assert_eq!(
        session.tools().get("skill__activate").unwrap().description,
        "Activate a skill to load its instructions and tools.\n\nAvailable skills:\n- chat: Talks.\n\
         - invoice: Does invoice.\n- refund: Does refund.\n- track: Does track."
    );
    assert!(!session.tools().get("skill__deactivate").unwrap().description.contains("refund"));
}

#[test]
fn resources_are_read_through_the_tool() {
    let fixture = Fixture::new()
        .skill("r/pdf", &skill("pdf", "[]"))
        .file("r/pdf/refs/d", "d\n")
        .file("r/secret", "no\n");
    let inline = Memory::new("inline").inline("chat", "Talks.", "Talk.");
    let registry = Registry::builder()
        .source(Blocking(Folder::new(fixture.join("r"))))
        .source(Blocking(inline))
        .open();
    let session = Session::new(registry, options());
    let read = |skill: &str, path: &str| {
        call(&session, "skill__read_resource", json!({ "skill_name": skill, "path": path }))
    };
    assert_eq!(read("pdf", "./refs//d").content, r#"{"content":"d\n"}"#);
    for (skill, path, expected) in [
        ("x", "refs/d", "skill \"x\" not found"),
        ("chat", "refs/d", "skill \"chat\" is inline and has no directory"),
        ("pdf", "../secret", "resource path escapes skill directory: ../secret"),
    ] {
        let reply = read(skill, path);
        assert_eq!((reply.is_error, reply.content.as_str()), (true, expected));
    }
    assert!(
        read("pdf", "absent").is_error && read("pdf", "").is_error && read("pdf", "refs").is_error
    );
    let reply = call(&session, "skill__read_resource", json!("{"));
    assert!(reply.content.starts_with("parsing read_resource args: "), "{}", reply.content);
}

// Defects that are not repeated.

#[test]
fn not_letting_a_tool_call_past_the_filter_of_the_session() {
    let session = session();
    session.set_filter("skills/orders/*");
    assert!(fails(&session, "refund").contains("not available in the current state"));
    let reply = call(
        &session,
        "skill__read_resource",
        json!({ "skill_name": "refund", "path": "SKILL.md" }),
    );
    assert!(reply.is_error, "{}", reply.content);
}

#[test]
fn not_letting_a_second_activation_past_the_filter() {
    let session = session();
    activate(&session, "refund");
    assert_eq!(session.set_filter("none"), ["refund"]);
    assert!(activate(&session, "refund").is_error);
    let error = block_on(session.activate("refund")).unwrap_err();
    assert!(matches!(error, SessionError::Filtered { .. }), "{error}");
    assert!(session.active_tools().is_empty());
}

#[test]
fn not_listing_what_became_inactive_in_any_order() {
    for _ in 0..8 {
        let session = session();
        for name in ["track", "refund", "chat", "invoice"] {
            activate(&session, name);
        }
        assert_eq!(session.set_filter("none"), ["chat", "invoice", "refund", "track"]);
    }
}

#[test]
fn not_giving_a_tool_twice() {
    let reply = activate(&session(), "refund");
    assert_eq!(reply.data["added_tools"], json!(["lookup", "refund"]));
}

#[test]
fn not_showing_in_the_index_what_the_filter_keeps_away() {
    let render = Render { format: CatalogFormat::PromptKit, ..Render::default() };
    let session = Session::new(registry(), SessionOptions { index: Some(render), ..options() });
    session.set_filter("skills/orders/*");
    let description = session.tools().get("skill__activate").unwrap().description.clone();
    assert!(description.ends_with("\n\nAvailable skills:\n- track: Does track."), "{description}");
}

#[test]
fn not_matching_nothing_below_a_bare_folder() {
    // The documents promise it, the code does not.
    let session = session();
    session.set_filter("skills/billing");
    assert!(!activate(&session, "refund").is_error && activate(&session, "track").is_error);
    session.set_filter("./skills/billing/");
    assert!(!activate(&session, "refund").is_error);
}
