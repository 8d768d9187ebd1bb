//! Turns activations into instructions, notices and tools.

use crate::{activate, ceiling, on_disk, plain, registry, session, skill};
use metier::{
    Blocking, BlockingSource, Files, Injection, Listing, Memory, ReadOptions, Registry, Resource,
    ResourcePath, Retention, Session, SessionError, SessionOptions, SourceError, ToolFormat,
    block_on,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::Fixture;

#[test]
fn the_instructions_are_given_once_and_then_a_notice() {
    // Spec assertions 94, 95 and 99.
    let session = plain();
    let first = activate(&session, "pdf").unwrap();
    assert_eq!(first.injection, Injection::First);
    assert_eq!(
        first.text,
        "<skill_content name=\"pdf\">\nOpen the form.\n\nSee references/forms.md.\n\n\
         Relative paths in this skill are those of the files below.\n\n\
         <skill_resources>\n  <file>references/forms.md</file>\n  <file>scripts/fill.py</file>\n\
         </skill_resources>\n</skill_content>"
    );
    let second = activate(&session, "pdf").unwrap();
    assert_eq!(second.injection, Injection::Repeated);
    assert_eq!(
        second.text,
        "The skill `pdf` is already loaded: its instructions are above in this conversation, and \
         they have not changed."
    );
    assert_eq!(second.tools, first.tools);
    assert_eq!(session.active(), ["pdf"]);
}

#[test]
fn several_calls_at_once_inject_once() {
    // Spec assertion 100.
    let session = plain();
    let injected = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let activated = activate(&session, "pdf").unwrap();
                if activated.injection == Injection::First {
                    injected.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(injected.into_inner(), 1);
    let usage = session.usage()["pdf"];
    assert_eq!((usage.activations, usage.notices), (1, 15));
}

#[test]
fn an_edit_is_given_and_says_that_it_replaces() {
    // Spec assertions 99 and 101.
    let fixture = Fixture::new().skill("skills/pdf", &skill("pdf", "Read", "One."));
    let session = on_disk(&fixture, SessionOptions { tools: ceiling(), ..Default::default() });
    activate(&session, "pdf").unwrap();
    let fixture = fixture.skill("skills/pdf", &skill("pdf", "Write", "Two."));
    let second = activate(&session, "pdf").unwrap();
    assert_eq!(second.injection, Injection::Changed);
    assert!(second.text.starts_with(
        "The skill `pdf` has changed since it was loaded. These instructions replace the earlier \
         ones.\n\n<skill_content"
    ));
    assert!(second.text.contains("Two."));
    // The tools are those of the new version.
    assert_eq!(second.added_tools, ["Write"]);
    assert_eq!(session.active_tools(), ["Write"]);
    assert_eq!(activate(&session, "pdf").unwrap().injection, Injection::Repeated);
    drop(fixture);
}

#[test]
fn the_text_names_the_folder_that_paths_start_from() {
    let fixture = Fixture::new()
        .skill("skills/pdf", &skill("pdf", "", "One."))
        .file("skills/pdf/scripts/a.py", "");
    let session = on_disk(&fixture, SessionOptions::default());
    let text = activate(&session, "pdf").unwrap().text;
    let line = format!("Skill directory: {}", fixture.join("skills/pdf").display());
    assert!(text.contains(&line), "{text}");
}

#[test]
fn tools_are_those_of_all_active_skills_under_the_ceiling() {
    let session = plain();
    assert_eq!(activate(&session, "pdf").unwrap().tools, ["Read"]);
    let git = activate(&session, "git").unwrap();
    assert_eq!(
        (git.tools, git.added_tools),
        (vec!["Bash(git:*)".to_owned(), "Read".to_owned()], vec!["Bash(git:*)".to_owned()])
    );
    assert_eq!(session.active_tools(), ["Bash(git:*)", "Read"]);
    assert_eq!(session.deactivate("pdf").unwrap(), Vec::<String>::new());
    assert_eq!(session.deactivate("git").unwrap(), ["Bash(git:*)", "Read"]);
    assert!(session.active_tools().is_empty());
}

/// A table whose skills are said to be elsewhere.
#[derive(Debug)]
struct Elsewhere(Memory);

impl BlockingSource for Elsewhere {
    fn label(&self) -> &str {
        self.0.label()
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let mut listing = self.0.list()?;
        for skill in &mut listing.skills {
            skill.set_location(format!("https://skills.example/{}/SKILL.md", skill.key));
        }
        Ok(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        self.0.read(key, path, options)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.0.files(key)
    }
}

#[test]
fn a_skill_from_elsewhere_gives_itself_no_tools() {
    // Security N14: requested, not granted.
    let registry = Registry::builder().source(Blocking(Elsewhere(crate::table()))).open();
    let options = SessionOptions { tools: ceiling(), ..SessionOptions::default() };
    let session = Session::new(registry.clone(), options.clone());
    let csv = activate(&session, "csv").unwrap();
    assert!(csv.tools.is_empty() && session.active_tools().is_empty());
    assert_eq!(csv.not_granted, ["Read", "Write"]);
    assert!(csv.text.contains("origin=\"built-in\""), "{}", csv.text);
    let trusting = SessionOptions { remote_tools: true, ..options };
    let session = Session::new(registry, trusting.clone());
    let csv = activate(&session, "csv").unwrap();
    assert_eq!((csv.tools, csv.not_granted), (ceiling()[1..].to_vec(), vec![]));
    // A child does not trust more than its parent.
    let parent = plain();
    assert!(!parent.child(trusting).options().remote_tools);
}

#[test]
fn active_skills_save_questions_and_no_more() {
    let session = plain();
    activate(&session, "git").unwrap();
    assert!(session.preapproves("Bash", "git log") && session.preapproves("Read", "any"));
    for (tool, argument) in [("Bash", "ls"), ("Bash", "git log | sh"), ("Write", "any")] {
        assert!(!session.preapproves(tool, argument), "{tool} {argument}");
    }
    session.deactivate("git").unwrap();
    assert!(!session.preapproves("Bash", "git log"));
}

#[test]
fn without_a_ceiling_no_skill_brings_tools() {
    let session = session(SessionOptions::default());
    assert!(activate(&session, "git").unwrap().tools.is_empty());
    assert!(session.active_tools().is_empty());
}

#[test]
fn what_is_not_active_cannot_be_deactivated() {
    let session = plain();
    for id in ["pdf", "absent"] {
        let error = session.deactivate(id).unwrap_err();
        assert!(matches!(error, SessionError::NotActive { .. }), "{error}");
        assert_eq!(error.to_string(), format!("the skill `{id}` is not active"));
    }
}

#[test]
fn a_full_session_refuses_the_next_skill_and_says_which_could_go() {
    let options = SessionOptions { max_active: 2, ..SessionOptions::default() };
    let session = session(options);
    activate(&session, "pdf").unwrap();
    activate(&session, "csv").unwrap();
    // One that is active takes no more room.
    activate(&session, "pdf").unwrap();
    let error = activate(&session, "git").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the skill `git` cannot be activated: 2 skills are active, the limit is 2"
    );
    assert_eq!(error.help(), "deactivate one first: `csv`, `pdf`");
    assert_eq!(session.active(), ["csv", "pdf"]);
    assert!(!session.usage().contains_key("git") || session.usage()["git"].activations == 0);
}

#[test]
fn a_bounded_session_lets_go_of_what_was_not_used_for_the_longest_time() {
    let options = SessionOptions {
        retention: Retention::Bounded,
        max_active: 2,
        tools: ceiling(),
        ..SessionOptions::default()
    };
    let session = session(options);
    activate(&session, "csv").unwrap();
    activate(&session, "pdf").unwrap();
    activate(&session, "csv").unwrap();
    let git = activate(&session, "git").unwrap();
    assert_eq!(git.released, ["pdf"]);
    assert_eq!(session.active(), ["csv", "git"]);
    // Reading a file of a skill is using it.
    let read = serde_json::json!({ "skill": "csv", "path": "SKILL.md" });
    assert!(!block_on(session.call("read_skill_file", read)).is_error);
    assert_eq!(activate(&session, "pdf").unwrap().released, ["git"]);
    assert_eq!(session.active_tools(), ["Read", "Write"]);
    // What was let go of is given whole the next time.
    assert_eq!(activate(&session, "git").unwrap().injection, Injection::First);
}

#[test]
fn an_ephemeral_session_forgets_at_the_end_of_the_turn() {
    let options =
        SessionOptions { retention: Retention::Ephemeral, tools: ceiling(), ..Default::default() };
    let session = session(options);
    activate(&session, "pdf").unwrap();
    activate(&session, "csv").unwrap();
    assert_eq!(session.end_turn(), ["csv", "pdf"]);
    assert!(session.active().is_empty() && session.active_tools().is_empty());
    assert!(session.end_turn().is_empty());
    assert_eq!(activate(&session, "pdf").unwrap().injection, Injection::First);

    let persistent = plain();
    activate(&persistent, "pdf").unwrap();
    assert!(persistent.end_turn().is_empty());
    assert_eq!(persistent.active(), ["pdf"]);
}

#[test]
fn a_user_gives_arguments_and_a_model_does_not() {
    // Spec assertions 87 and 103.
    let session = plain();
    let first = block_on(session.invoke("release", Some("1.2"))).unwrap();
    assert!(first.text.contains("Ship 1.2."), "{}", first.text);
    // Other arguments are other instructions.
    let second = block_on(session.invoke("release", Some("1.3"))).unwrap();
    assert!(second.text.contains("Ship 1.3."), "{}", second.text);
    // Without arguments, nothing is replaced and nothing is repeated.
    let third = block_on(session.invoke("release", None)).unwrap();
    assert_eq!(third.injection, Injection::Repeated);

    let table = Memory::new("m").inline("echo", "Echoes.", "Say $ARGUMENTS and !`rm x`.");
    let session =
        Session::new(Registry::builder().source(Blocking(table)).open(), SessionOptions::default());
    assert!(activate(&session, "echo").unwrap().text.contains("Say $ARGUMENTS and !`rm x`."));
}

#[test]
fn skills_that_should_be_active_from_the_start_are() {
    let table = Memory::new("m")
        .inline("a", "A.", "One.")
        .preload("a")
        .inline("b", "B.", "Two.")
        .skill("c", "---\nname: c\ndescription: C.\ndisable-model-invocation: true\nuser-invocable: false\n---\nThree.\n")
        .preload("c")
        .inline("x", "X.", "")
        .preload("x");
    let registry = Registry::builder().source(Blocking(table)).open();
    let session =
        Session::new(registry, SessionOptions { deny: vec!["x".to_owned()], ..Default::default() });
    let loaded = block_on(session.preload());
    let ids: Vec<_> = loaded.iter().map(|(id, result)| (id.as_str(), result.is_ok())).collect();
    // Nothing keeps the host from it but what the host decided itself.
    assert_eq!(ids, [("a", true), ("c", true), ("x", false)]);
    assert_eq!(session.active(), ["a", "c"]);
}

#[test]
fn clones_are_one_session_and_sessions_can_be_sent() {
    fn can_be_sent<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn future_can_be_sent<T: Send>(future: T) -> T {
        future
    }
    let session = plain();
    can_be_sent(&session);
    let clone = session.clone();
    activate(&clone, "pdf").unwrap();
    assert_eq!(session.active(), ["pdf"]);
    block_on(future_can_be_sent(session.search("tables", 1)));
    block_on(future_can_be_sent(session.reconcile("")));
    block_on(future_can_be_sent(session.restate()));
    block_on(future_can_be_sent(session.answer(ToolFormat::Mcp, &serde_json::json!({}))));
    block_on(future_can_be_sent(session.invoke("release", None))).unwrap();
    session.deactivate("release").unwrap();
    block_on(future_can_be_sent(session.call("load_skill", serde_json::json!({ "name": "csv" }))));
    assert_eq!(clone.active(), ["csv", "pdf"]);
}

#[test]
fn a_skill_that_vanished_can_still_be_let_go() {
    let fixture = Fixture::new().skill("skills/pdf", &skill("pdf", "", "One."));
    let session = on_disk(&fixture, SessionOptions::default());
    activate(&session, "pdf").unwrap();
    let fixture = fixture.remove("skills/pdf");
    session.registry().reload_blocking();
    assert_eq!(session.active(), ["pdf"]);
    assert!(session.deactivate("pdf").is_ok());
    assert!(registry().has("pdf"));
    drop(fixture);
}
