//! Turns sessions into JSON and back.

use crate::{activate, ceiling, on_disk, plain, registry, skill};
use metier::{Injection, Retention, Session, SessionError, SessionOptions, SessionState, block_on};
use serde_json::json;
use testing::Fixture;

#[test]
fn a_session_goes_on_where_it_stopped() {
    let options = SessionOptions {
        retention: Retention::Bounded,
        max_active: 2,
        tools: ceiling(),
        ..SessionOptions::default()
    };
    let session = crate::session(options.clone());
    activate(&session, "csv").unwrap();
    block_on(session.invoke("release", None)).unwrap();
    activate(&session, "csv").unwrap();
    let text = serde_json::to_string(&session.state()).unwrap();
    let state: SessionState = serde_json::from_str(&text).unwrap();
    assert_eq!(state, session.state());

    let (restored, vanished) = Session::restore(registry(), options, &state).unwrap();
    assert!(vanished.is_empty(), "{vanished:?}");
    assert_eq!(restored.state(), state);
    assert_eq!(restored.active(), ["csv", "release"]);
    assert_eq!(restored.active_tools(), ["Read", "Write"]);
    assert_eq!(restored.usage(), session.usage());
    assert_eq!(activate(&restored, "csv").unwrap().injection, Injection::Repeated);
    // Who was used last is remembered: the other one gives way.
    assert_eq!(activate(&restored, "pdf").unwrap().released, ["release"]);
}

#[test]
fn the_form_is_plain_and_versioned() {
    let session = plain();
    session.set_filter("");
    activate(&session, "csv").unwrap();
    let state = serde_json::to_value(session.state()).unwrap();
    assert_eq!(state["version"], 1);
    assert_eq!(state["active"][0]["id"], "csv");
    assert_eq!(state["active"][0]["tools"], json!(["Read", "Write"]));
    assert_eq!(state["active"][0]["by"], "model");
    assert_eq!(state["usage"]["csv"]["activations"], 1);
    let mut later = state;
    later["version"] = 2.into();
    let later: SessionState = serde_json::from_value(later).unwrap();
    let error = Session::restore(registry(), SessionOptions::default(), &later).unwrap_err();
    assert!(matches!(error, SessionError::StateVersion { version: 2, supported: 1 }), "{error}");
}

#[test]
fn skills_that_vanished_or_may_not_be_used_now_are_told() {
    let fixture = Fixture::new()
        .skill("skills/a", &skill("a", "Read", "One."))
        .skill("skills/b", &skill("b", "Read", "Two."))
        .skill("skills/c", &skill("c", "Write", "Three."));
    let options = SessionOptions { tools: ceiling(), ..SessionOptions::default() };
    let session = on_disk(&fixture, options.clone());
    for id in ["a", "b", "c"] {
        activate(&session, id).unwrap();
    }
    let state = session.state();
    let fixture = fixture.remove("skills/a");
    let options = SessionOptions { deny: vec!["b".to_owned()], ..options };
    let registry = on_disk(&fixture, SessionOptions::default()).registry().clone();
    let (restored, vanished) = Session::restore(registry, options, &state).unwrap();
    let told: Vec<_> = vanished.iter().map(|v| (v.id.as_str(), v.reason.reason())).collect();
    assert_eq!(told, [("a", "unknown_skill"), ("b", "not_allowed")]);
    assert_eq!(restored.active(), ["c"]);
    assert_eq!(restored.active_tools(), ["Write"]);
}

#[test]
fn an_edit_between_two_runs_is_given_the_next_time() {
    let fixture = Fixture::new().skill("skills/a", &skill("a", "", "One."));
    let session = on_disk(&fixture, SessionOptions::default());
    activate(&session, "a").unwrap();
    let state = session.state();
    let fixture = fixture.skill("skills/a", &skill("a", "", "Two."));
    let registry = on_disk(&fixture, SessionOptions::default()).registry().clone();
    let (restored, _) = Session::restore(registry, SessionOptions::default(), &state).unwrap();
    assert_eq!(activate(&restored, "a").unwrap().injection, Injection::Changed);
    drop(fixture);
}

#[test]
fn a_lower_ceiling_takes_tools_away_and_a_state_gives_none() {
    let session = plain();
    activate(&session, "csv").unwrap();
    let mut state = serde_json::to_value(session.state()).unwrap();
    state["active"][0]["tools"] = json!(["Read", "Write", "Bash"]);
    let state: SessionState = serde_json::from_value(state).unwrap();
    let tools = vec!["Read".to_owned()];
    let options = SessionOptions { tools, ..SessionOptions::default() };
    let (restored, _) = Session::restore(registry(), options, &state).unwrap();
    assert_eq!(restored.active_tools(), ["Read"]);
}

#[test]
fn a_child_resumes_under_its_parent_and_within_its_limit() {
    let session = plain();
    for id in ["csv", "git", "pdf"] {
        activate(&session, id).unwrap();
    }
    activate(&session, "csv").unwrap();
    let state = session.state();
    let parent = crate::session(SessionOptions {
        deny: vec!["git".to_owned()],
        tools: vec!["Write".to_owned()],
        max_active: 1,
        ..SessionOptions::default()
    });
    let child = parent.child(SessionOptions { tools: ceiling(), ..SessionOptions::default() });
    activate(&child, "pdf").unwrap();
    let vanished = child.resume(&state).unwrap();
    let told: Vec<_> = vanished.iter().map(|v| (v.id.as_str(), v.reason.reason())).collect();
    assert_eq!(told, [("git", "not_allowed"), ("pdf", "full")]);
    assert_eq!(
        (child.active(), child.active_tools()),
        (vec!["csv".to_owned()], vec!["Write".to_owned()])
    );
    assert!(parent.active().is_empty());
}
