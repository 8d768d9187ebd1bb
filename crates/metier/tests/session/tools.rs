//! Turns a session into the tools that its model is offered.

use crate::{activate, on_disk, plain, session, skill};
use metier::{
    BoxFuture, RunError, RunOutput, RunRequest, Runner, Session, SessionOptions, ToolFormat,
    ToolNames, block_on,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testing::Fixture;

fn named(names: ToolNames) -> Session {
    session(SessionOptions { names, ..SessionOptions::default() })
}

/// Answers every request with what it was asked.
#[derive(Debug, Default)]
struct Echo(Mutex<Vec<RunRequest>>);

impl Runner for Echo {
    fn run<'a>(&'a self, request: &'a RunRequest) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        self.0.lock().unwrap().push(request.clone());
        let fails = request.arguments == ["fail"];
        let code = Some(i32::from(fails));
        Box::pin(async move {
            Ok(RunOutput::new(code, request.arguments.join("+"), request.input.clone()))
        })
    }
}

#[test]
fn every_system_has_its_own_names() {
    for (names, expected) in [
        (
            ToolNames::Default,
            &["search_skills", "load_skill", "unload_skill", "read_skill_file"][..],
        ),
        (ToolNames::Drover, &["skill_load", "skill_resource"]),
        (ToolNames::Fizeau, &["load_skill"]),
        (ToolNames::PromptKit, &["skill__activate", "skill__deactivate", "skill__read_resource"]),
    ] {
        let session = named(names);
        assert_eq!(session.tools().names(), expected);
        assert!(expected.iter().all(|name| session.handles(name)));
        assert!(!session.handles("other"));
        assert_eq!(names.name().parse::<ToolNames>().unwrap(), names);
    }
    assert!("openai".parse::<ToolNames>().is_err());
}

#[test]
fn an_empty_catalog_offers_no_tools() {
    // Spec assertion 76.
    for names in ToolNames::ALL {
        let allow = Some(vec![]);
        let session = session(SessionOptions { names, allow, ..SessionOptions::default() });
        assert!(session.tools().is_empty());
        for format in ToolFormat::ALL {
            assert_eq!(session.tools().render(format), json!([]));
        }
    }
}

#[test]
fn names_are_listed_only_when_asked_for() {
    // Spec assertion 92.
    let property = |session: &Session| {
        session.tools().get("load_skill").unwrap().schema()["properties"]["name"].clone()
    };
    assert_eq!(property(&plain()).get("enum"), None);
    let listed = session(SessionOptions { list_names: true, ..SessionOptions::default() });
    assert_eq!(property(&listed)["enum"], json!(["csv", "git", "pdf"]));
    let hidden = session(SessionOptions {
        list_names: true,
        deny: vec!["csv".to_owned()],
        ..SessionOptions::default()
    });
    assert_eq!(property(&hidden)["enum"], json!(["git", "pdf"]));
}

#[test]
fn definitions_stay_the_same_while_skills_come_and_go() {
    let session = plain();
    let before = session.tools();
    activate(&session, "pdf").unwrap();
    assert_eq!(session.tools(), before);
    session.deactivate("pdf").unwrap();
    assert_eq!(session.tools(), before);
}

#[test]
fn scripts_are_offered_when_someone_runs_them_and_a_loaded_skill_has_some() {
    let fixture = Fixture::new()
        .skill("skills/pdf", &skill("pdf", "", "One."))
        .file("skills/pdf/scripts/fill.py", "print()\n")
        .file("skills/pdf/other.py", "print()\n")
        .skill("skills/csv", &skill("csv", "", "Two."));
    let runner = Arc::new(Echo::default());
    let options = SessionOptions { runner: Some(runner.clone()), ..SessionOptions::default() };
    let session = on_disk(&fixture, options);
    let is_offered = || session.tools().get("run_skill_script").is_some();
    activate(&session, "csv").unwrap();
    assert!(!is_offered());
    activate(&session, "pdf").unwrap();
    assert!(is_offered());

    let run = |arguments: Value| block_on(session.call("run_skill_script", arguments));
    let reply = run(json!({
        "skill": "pdf", "script": "scripts/fill.py", "arguments": ["a b", "$(c)"], "input": "in"
    }));
    assert_eq!(reply.content, "exit code: 0\n\nstdout:\na b+$(c)\n\nstderr:\nin");
    assert!(!reply.is_error);
    assert_eq!(session.usage()["pdf"].runs, 1);
    let request = runner.0.lock().unwrap()[0].clone();
    assert_eq!(request.directory, fixture.join("skills/pdf"));
    assert_eq!(request.script.as_str(), "scripts/fill.py");

    let reply = run(json!({ "skill": "pdf", "script": "scripts/fill.py", "arguments": ["fail"] }));
    assert_eq!((reply.is_error, &reply.data["reason"]), (true, &json!("script_failed")));
    for (arguments, reason) in [
        (json!({ "skill": "pdf" }), "invalid_arguments"),
        (json!({ "skill": "pdf", "script": "other.py" }), "no_script"),
        (json!({ "skill": "pdf", "script": "../csv/x" }), "no_script"),
        (
            json!({ "skill": "pdf", "script": "scripts/fill.py", "arguments": "x" }),
            "invalid_arguments",
        ),
        (json!({ "skill": "gone", "script": "scripts/fill.py" }), "unknown_skill"),
    ] {
        let reply = run(arguments);
        assert_eq!(reply.data["reason"], reason, "{}", reply.content);
    }
    session.deactivate("pdf").unwrap();
    assert!(!is_offered());
    let reply = run(json!({ "skill": "pdf", "script": "scripts/fill.py" }));
    assert_eq!(reply.data["reason"], "not_active");
    assert_eq!(runner.0.lock().unwrap().len(), 2);

    // A child of a session that runs nothing runs nothing.
    let parent = on_disk(&fixture, SessionOptions::default());
    let child = parent.child(SessionOptions { runner: Some(runner), ..SessionOptions::default() });
    activate(&child, "pdf").unwrap();
    assert!(child.tools().get("run_skill_script").is_none());
}

#[test]
fn a_skill_in_memory_has_no_folder_to_run_in() {
    let runner: Arc<dyn Runner> = Arc::new(Echo::default());
    let session = session(SessionOptions { runner: Some(runner), ..SessionOptions::default() });
    activate(&session, "pdf").unwrap();
    let arguments = json!({ "skill": "pdf", "script": "scripts/fill.py" });
    let reply = block_on(session.call("run_skill_script", arguments));
    assert_eq!(reply.data["reason"], "no_directory");
}
