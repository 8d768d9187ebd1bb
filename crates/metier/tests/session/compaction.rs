//! Turns compactions of a conversation into skills that were lost and come back.

use crate::{activate, on_disk, plain, skill};
use metier::{Injection, Session, SessionOptions, ToolNames, block_on};
use serde_json::json;
use testing::Fixture;

#[test]
fn what_the_conversation_lost_is_given_again() {
    // Spec assertion 99: after a compaction, the body.
    let session = plain();
    let pdf = activate(&session, "pdf").unwrap().text;
    let csv = activate(&session, "csv").unwrap().text;
    let messages = json!([
        { "role": "user", "content": "Fill in the form." },
        { "role": "tool", "content": pdf },
    ]);
    assert_eq!(block_on(session.reconcile(&messages.to_string())), ["csv"]);
    assert_eq!(activate(&session, "pdf").unwrap().injection, Injection::Repeated);
    let again = activate(&session, "csv").unwrap();
    assert_eq!((again.injection, again.text), (Injection::Lost, csv));
    assert_eq!(activate(&session, "csv").unwrap().injection, Injection::Repeated);
    // Instructions that were cut are lost.
    let cut = &pdf[..pdf.find("forms.md").unwrap()];
    assert_eq!(block_on(session.reconcile(cut)), ["csv", "pdf"]);
    assert_eq!(session.active(), ["csv", "pdf"]);
}

#[test]
fn restating_brings_back_what_is_not_there() {
    let session = plain();
    assert_eq!(block_on(session.restate()).text, "");
    let pdf = activate(&session, "pdf").unwrap().text;
    let csv = activate(&session, "csv").unwrap().text;
    // Nobody looked: all of them, in the order in which they became active.
    let restated = block_on(session.restate());
    assert_eq!(restated.skills, ["pdf", "csv"]);
    assert_eq!(
        restated.text,
        format!("These skills are loaded, and their instructions still hold.\n\n{pdf}\n\n{csv}")
    );
    // Someone looked: those that are not there.
    block_on(session.reconcile(&format!("summary\n{csv}")));
    let restated = block_on(session.restate());
    assert_eq!(restated.skills, ["pdf"]);
    assert!(block_on(session.reconcile(&format!("{}\n{csv}", restated.text))).is_empty());
    assert_eq!(block_on(session.restate()).text, "");
    assert_eq!(activate(&session, "pdf").unwrap().injection, Injection::Repeated);
}

#[test]
fn restating_reads_anew_and_tells_what_vanished() {
    let fixture = Fixture::new()
        .skill("skills/a", &skill("a", "", "One."))
        .skill("skills/b", &skill("b", "", "Two."))
        .skill("skills/c", &skill("c", "", "Three."));
    let session = on_disk(&fixture, SessionOptions::default());
    for id in ["a", "b", "c"] {
        activate(&session, id).unwrap();
    }
    let fixture = fixture.skill("skills/a", &skill("a", "", "Edited.")).remove("skills/b");
    session.registry().reload_blocking();
    let restated = block_on(session.restate());
    assert_eq!(restated.skills, ["a", "c"]);
    assert!(restated.text.contains("Edited.") && !restated.text.contains("Two."));
    assert_eq!(restated.vanished[0].id, "b");
    assert_eq!(restated.vanished[0].reason.to_string(), "there is no skill `b`");
    assert_eq!(session.active(), ["a", "c"]);
    // What was restated is what the conversation holds now.
    assert_eq!(activate(&session, "a").unwrap().injection, Injection::Repeated);
    drop(fixture);
}

#[test]
fn a_restarted_session_knows_what_the_conversation_holds() {
    let session = plain();
    let pdf = activate(&session, "pdf").unwrap().text;
    activate(&session, "csv").unwrap();
    let (restored, vanished) =
        Session::restore(crate::registry(), session.options().clone(), &session.state()).unwrap();
    assert!(vanished.is_empty());
    assert_eq!(block_on(restored.reconcile(&pdf)), ["csv"]);
    assert_eq!(activate(&restored, "pdf").unwrap().injection, Injection::Repeated);
    assert_eq!(activate(&restored, "csv").unwrap().injection, Injection::Lost);
}

#[test]
fn what_a_user_gave_is_given_again() {
    let session = plain();
    let text = block_on(session.invoke("release", Some("1.2"))).unwrap().text;
    assert!(text.contains("Ship 1.2."));
    assert!(block_on(session.restate()).text.ends_with(&text));
    let (restored, _) =
        Session::restore(crate::registry(), session.options().clone(), &session.state()).unwrap();
    assert!(block_on(restored.reconcile(&text)).is_empty());
    assert_eq!(restored.state().active[0].arguments.as_deref(), Some("1.2"));
    assert_eq!(block_on(restored.reconcile("Ship 1.3.")), ["release"]);
    assert!(block_on(restored.restate()).text.ends_with(&text));
}

#[test]
fn instructions_are_found_however_a_tool_worded_them() {
    for (names, tool, argument) in [
        (ToolNames::Default, "load_skill", "name"),
        (ToolNames::Drover, "skill_load", "name"),
        (ToolNames::Fizeau, "load_skill", "skill_name"),
        (ToolNames::PromptKit, "skill__activate", "name"),
    ] {
        let session = crate::session(SessionOptions { names, ..SessionOptions::default() });
        let reply = block_on(session.call(tool, json!({ argument: "pdf" })));
        assert!(!reply.is_error, "{}", reply.content);
        let history = json!([{ "role": "tool", "content": reply.content }]).to_string();
        assert!(block_on(session.reconcile(&history)).is_empty(), "{names}: {history}");
        assert_eq!(block_on(session.reconcile("something else")), ["pdf"]);
    }
}
