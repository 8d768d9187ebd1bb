//! Turns trigger tests beside skills into reports and exit codes of `metier test`.

use crate::metier;
use serde_json::Value;
use testing::{Fixture, command_snapshot};

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nDo it.\n")
}

fn office() -> Fixture {
    Fixture::new()
        .skill(
            "skills/pdf-forms",
            &skill("pdf-forms", "Fills in PDF forms. Use when a form must be filled."),
        )
        .skill(
            "skills/signing",
            &skill("signing", "Signs contracts. Use when a contract must be signed."),
        )
        .skill("skills/cooking", &skill("cooking", "Plans meals. Use when someone is hungry."))
}

const TESTS: &str = "\
- query: fill in this form
- query: fill out a pdf
- query: what shall I cook
  should_trigger: false
";

#[test]
fn tests_that_pass_are_counted() {
    let fixture = office().file("skills/pdf-forms/evals/triggers.yaml", TESTS);
    command_snapshot!(fixture, ["test", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    pdf-forms  3 tests    recall@1 100 %, recall@3 100 %, recall@5 100 %
    ----- stderr -----
    3 tests of 1 skill: recall@1 100 %, recall@3 100 %, recall@5 100 %; 0 missed, 0 triggered
    ");
}

#[test]
fn a_miss_names_the_winner_its_words_and_those_that_are_lacking() {
    let fixture = office().file(
        "skills/pdf-forms/evals/triggers.yaml",
        &format!("{TESTS}- query: sign the enclosed contract\n- query: juggle oranges\n"),
    );
    command_snapshot!(fixture, ["test", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    pdf-forms  5 tests    recall@1 50 %, recall@3 50 %, recall@5 50 %

    missed: `sign the enclosed contract` ([ROOT]/skills/pdf-forms/evals/triggers.yaml:5)
      it went to `signing` because of: sign, contract
      `pdf-forms` is not among the first 50; its name and description lack: sign, enclosed, contract

    missed: `juggle oranges` ([ROOT]/skills/pdf-forms/evals/triggers.yaml:6)
      it found nothing
      `pdf-forms` is not among the first 50; its name and description lack: juggle, oranges
    ----- stderr -----
    5 tests of 1 skill: recall@1 50 %, recall@3 50 %, recall@5 50 %; 2 missed, 0 triggered
    note: recall@3 is 50 %, and should be 100 %
    ");
}

#[test]
fn a_skill_that_comes_uncalled_is_told() {
    let fixture = office().file(
        "skills/signing/evals/trigger_eval.json",
        r#"[{"query": "a contract must be signed", "should_trigger": false}]"#,
    );
    let output = metier(&fixture, &["test", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    let text = output.stdout();
    assert!(text.contains("triggered: `a contract must be signed` ("), "{output}");
    assert!(text.contains("`signing` came first with 0."), "{output}");
    let lenient = ["test", "--root", "skills", "--max-triggered", "1"];
    assert_eq!(metier(&fixture, &lenient).exit_code(), Some(0));
    let doubtful = ["test", "--root", "skills", "--min-score", "1"];
    assert_eq!(metier(&fixture, &doubtful).exit_code(), Some(0));
}

#[test]
fn the_threshold_decides_the_exit_code() {
    let fixture = office()
        .file("skills/pdf-forms/evals/triggers.yaml", "- fill in a form\n- sign a contract\n");
    for (least, exit) in [("1", 1), ("0.51", 1), ("0.5", 0), ("0", 0)] {
        let output = metier(&fixture, &["test", "--root", "skills", "--min-recall", least]);
        assert_eq!(output.exit_code(), Some(exit), "{least}: {output}");
    }
}

#[test]
fn bad_files_are_findings_with_line_and_help() {
    let fixture = office().file(
        "skills/pdf-forms/evals/triggers.yaml",
        "- query: fill in this form\n- should_trigger: true\n- query: x\n  expect: unheard-of\n",
    );
    command_snapshot!(fixture, ["test", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    pdf-forms  1 test     recall@1 100 %, recall@3 100 %, recall@5 100 %

    warning[bad-trigger-test]: the test has no `query` ([ROOT]/skills/pdf-forms/evals/triggers.yaml:2)
      help: add what a user would say

    warning[bad-trigger-test]: there is no skill `unheard-of` ([ROOT]/skills/pdf-forms/evals/triggers.yaml:3)
      help: check the name, or add the folder that holds the skill
    ----- stderr -----
    1 test of 1 skill: recall@1 100 %, recall@3 100 %, recall@5 100 %; 0 missed, 0 triggered
    ");
}

#[test]
fn descriptions_that_are_alike_are_told() {
    let fixture = office()
        .skill(
            "skills/form-filler",
            &skill("form-filler", "Fills in PDF forms. Use when forms must be filled in."),
        )
        .file("skills/pdf-forms/evals/triggers.yaml", "- fill in this form\n");
    let output = metier(&fixture, &["test", "--root", "skills"]);
    assert!(output.stdout().contains("alike: `pdf-forms` and `form-filler` share"), "{output}");
    assert_eq!(output.exit_code(), Some(0), "{output}");
}

#[test]
fn the_json_has_everything() {
    let fixture = office().file(
        "skills/pdf-forms/evals/evals.json",
        r#"{"skill_name": "pdf-forms", "evals": [{"id": 1, "prompt": "sign a contract", "expectations": ["signed"]}]}"#,
    );
    let output = metier(&fixture, &["test", "--root", "skills", "--json"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    let json: Value = serde_json::from_str(output.stdout()).unwrap();
    let keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["summary", "skills", "tests", "findings", "overlaps"]);
    assert_eq!(json["summary"]["ok"], false);
    assert_eq!(json["summary"]["recall_at_1"], 0.0);
    assert_eq!(json["skills"][0]["id"], "pdf-forms");
    let test = &json["tests"][0];
    assert_eq!((test["query"].as_str(), test["line"].as_u64()), (Some("sign a contract"), Some(1)));
    assert_eq!(test["found"][0]["id"], "signing");
    assert_eq!(test["confusions"][0]["kind"], "missed");
    assert_eq!(test["confusions"][0]["lacking"], serde_json::json!(["sign", "contract"]));
}

#[test]
fn nothing_to_test_does_not_pass() {
    let fixture = office();
    command_snapshot!(fixture, ["test", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    ----- stderr -----
    note: no trigger test was found: write `evals/triggers.yaml` beside a skill
    ");
    let fixture = fixture.file("skills/pdf-forms/evals/triggers.yaml", TESTS);
    assert_eq!(metier(&fixture, &["test", "signing", "--root", "skills"]).exit_code(), Some(1));
    assert_eq!(metier(&fixture, &["test", "pdf-forms", "--root", "skills"]).exit_code(), Some(0));
    assert_eq!(metier(&fixture, &["test", "pdf-form", "--root", "skills"]).exit_code(), Some(3));
}

#[test]
fn the_examples_find_what_they_should() {
    let skills = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/skills");
    let output = metier(&Fixture::new(), &["test", "--root", skills, "--json"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let json: Value = serde_json::from_str(output.stdout()).unwrap();
    assert!(json["summary"]["tests"].as_u64() > Some(20), "{output}");
}

#[test]
fn check_looks_at_trigger_tests_too() {
    let fixture = office().file("skills/pdf-forms/evals/triggers.yaml", "- should_trigger: true\n");
    let output = metier(&fixture, &["check", "skills", "--output-format", "concise"]);
    assert!(
        output.stdout().contains("evals/triggers.yaml:1:3: warning[bad-trigger-test]"),
        "{output}"
    );
}
