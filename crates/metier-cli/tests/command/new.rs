//! Turns a name into a skill that passes every check.

use crate::{GOOD, metier};
use testing::{Fixture, command_snapshot};

#[test]
fn a_new_skill_passes_without_a_finding() {
    let fixture = Fixture::new();
    command_snapshot!(
        fixture,
        ["new", "pdf-filler", "--with", "scripts,references,assets"],
        @"
    exit_code: 0
    ----- stdout -----
    pdf-filler/SKILL.md
    pdf-filler/scripts/run.sh
    pdf-filler/references/guide.md
    pdf-filler/assets/template.md
    ----- stderr -----
    "
    );
    assert_eq!(metier(&fixture, &["new", "plain", "--dir", "deep/skills"]).exit_code(), Some(0));
    let output = metier(&fixture, &["check", "--strict", "--deny-warnings"]);
    assert_eq!((output.exit_code(), output.stdout()), (Some(0), ""), "{output}");
    assert!(output.stderr().starts_with("checked 2 skills"), "{output}");
    assert_eq!(metier(&fixture, &["fmt", "--check"]).exit_code(), Some(0));
}

#[test]
fn a_description_of_any_text_is_written_so_that_it_reads_back() {
    let fixture = Fixture::new();
    let description = "Use when: the user says \"#1\" or 'it''s' # this";
    let output = metier(&fixture, &["new", "pdf", "--description", description]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let shown = metier(&fixture, &["show", "pdf", "--json"]);
    let skill: serde_json::Value = serde_json::from_str(shown.stdout()).unwrap();
    assert_eq!(skill["description"], description);
}

#[test]
fn an_invalid_name_is_refused_with_a_suggestion() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["new", "PDF Filler"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `PDF Filler` is not a skill name: name is not all lower case; name has characters other than letters, digits and hyphens: ` `
      help: call it `pdf-filler`
    ");
    assert_eq!(fixture.tree().len(), 0);
}

#[test]
fn a_description_that_is_too_long_is_refused() {
    let fixture = Fixture::new();
    let output = metier(&fixture, &["new", "pdf", "--description", &"word ".repeat(300)]);
    assert_eq!(output.exit_code(), Some(2), "{output}");
    assert_eq!(fixture.tree().len(), 0);
}

#[test]
fn nothing_is_overwritten() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    command_snapshot!(fixture, ["new", "pdf"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: cannot write `pdf`: it already exists
      help: choose another name, or remove it first
    ");
    assert_eq!(fixture.read("pdf/SKILL.md"), GOOD);
}

#[test]
fn a_path_in_place_of_a_name_is_led_to_the_option() {
    let fixture = Fixture::new();
    let output = metier(&fixture, &["new", "skills/pdf-filler"]);
    assert_eq!(output.exit_code(), Some(2), "{output}");
    assert!(output.stderr().contains("`metier new pdf-filler --dir skills`"), "{output}");
}
