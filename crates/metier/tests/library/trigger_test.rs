//! Turns eval files beside skills into recall, confusions and findings.

use metier::{
    Blocking, ConfusionKind, Folder, Memory, Registry, RegistryError, TriggerTestOptions,
    TriggerTests,
};
use testing::Fixture;

fn office() -> Memory {
    Memory::new("office")
        .inline("pdf-forms", "Fills in PDF forms. Use when a form must be filled.", "Open it.")
        .inline("signing", "Signs contracts. Use when a contract must be signed.", "Take a pen.")
        .inline("meal-plans", "Plans meals. Use when someone asks what to cook.", "Ask first.")
}

fn run(table: Memory) -> TriggerTests {
    let registry = Registry::builder().source(Blocking(table)).open();
    registry.test_triggers_blocking(&TriggerTestOptions::default()).unwrap()
}

#[test]
fn every_skill_with_a_file_is_tested_against_all() {
    let tests = run(office()
        .resource("pdf-forms", "evals/triggers.yaml", "- fill in this form\n- sign the contract\n")
        .resource(
            "signing",
            "evals/trigger_eval.json",
            r#"[{"query": "what shall I cook", "should_trigger": false}]"#,
        )
        .resource("signing", "evals/other.yaml", "- not read\n"));
    assert_eq!(tests.files.len(), 2);
    assert_eq!(tests.outcomes().count(), 3);
    assert_eq!(tests.outcomes().filter(|outcome| outcome.passed).count(), 2);
    assert_eq!(tests.recall(1), Some(0.5));
    let missed = &tests.files[0].outcomes[1].confusions[0];
    assert_eq!(missed.kind, ConfusionKind::Missed);
    assert_eq!(missed.went_to.as_deref(), Some("signing"));
    assert_eq!(missed.lacking, ["sign", "contract"]);
    assert_eq!(tests.findings(), 0);
}

#[test]
fn other_skills_can_be_expected_by_name() {
    let tests = run(office().resource(
        "pdf-forms",
        "evals/triggers.yaml",
        "- query: sign the contract\n  expect: office:signing\n  not: pdf-forms\n- query: x\n  expect: unheard-of\n",
    ));
    let file = &tests.files[0];
    assert_eq!(file.outcomes.len(), 1);
    assert!(file.outcomes[0].passed);
    let finding = file.report.iter().next().unwrap();
    assert_eq!(finding.message, "there is no skill `unheard-of`");
    assert_eq!(file.line(finding), 4);
    assert!(finding.help.is_some());
}

#[test]
fn skills_that_say_nearly_the_same_are_pairs() {
    let tests = run(office()
        .inline("form-filler", "Fills in PDF forms. Use when forms must be filled in.", "x")
        .resource("pdf-forms", "evals/triggers.yaml", "- fill in this form\n"));
    assert_eq!(tests.overlaps.len(), 1);
    let pair = &tests.overlaps[0];
    assert_eq!((pair.one.as_str(), pair.other.as_str()), ("pdf-forms", "form-filler"));
    assert!(pair.share >= 0.5 && pair.words.contains(&"form".to_owned()), "{pair:?}");
}

#[test]
fn chosen_skills_only_are_tested_and_unknown_ones_refused() {
    let table = office().resource("pdf-forms", "evals/triggers.yaml", "- a form\n").resource(
        "signing",
        "evals/triggers.yaml",
        "- a contract\n",
    );
    let registry = Registry::builder().source(Blocking(table)).open();
    let only = |id: &str| {
        let options =
            TriggerTestOptions { skills: vec![id.to_owned()], ..TriggerTestOptions::default() };
        registry.test_triggers_blocking(&options)
    };
    let tests = only("office:signing").unwrap();
    assert_eq!(tests.files.iter().map(|file| &*file.skill).collect::<Vec<_>>(), ["signing"]);
    assert!(matches!(only("gone").unwrap_err(), RegistryError::UnknownSkill { .. }));
}

#[test]
fn files_stand_where_people_find_them() {
    let text = "---\nname: pdf\ndescription: Fills forms.\n---\n";
    let fixture = Fixture::new()
        .skill("r/pdf", text)
        .file("r/pdf/evals/triggers.yml", "- query: fill\n  should_trigger: maybe\n");
    let registry = Registry::builder().source(Blocking(Folder::new(fixture.join("r")))).open();
    let tests = registry.test_triggers_blocking(&TriggerTestOptions::default()).unwrap();
    let file = &tests.files[0];
    assert_eq!(file.location, fixture.join("r/pdf/evals/triggers.yml").to_str().unwrap());
    assert_eq!(file.line(file.report.iter().next().unwrap()), 2);
    assert_eq!((tests.recall(1), tests.findings()), (None, 1));
}
