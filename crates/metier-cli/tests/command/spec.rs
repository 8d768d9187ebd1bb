//! Turns assertions 1 to 10 of the specification's test list into commands, one test each.
//!
//! The others, about the text of a skill, are tests of `metier-core`.

use crate::{GOOD, metier};
use testing::{Fixture, Output};

fn check(fixture: &Fixture, path: &str) -> Output {
    metier(fixture, &["check", "--strict", "--output-format", "concise", path])
}

fn passes(fixture: &Fixture, path: &str) {
    let output = check(fixture, path);
    assert_eq!(output.exit_code(), Some(0), "{output}");
}

#[test]
fn a01_a_directory_with_skill_md_is_found() {
    passes(&Fixture::new().skill("pdf", GOOD), "pdf");
}

#[test]
fn a02_skill_md_in_lower_case_is_found_under_its_own_name() {
    let fixture = Fixture::new().file("pdf/skill.md", GOOD);
    let output = check(&fixture, "pdf");
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().starts_with("pdf/skill.md: warning[lowercase-file-name]"), "{output}");
}

#[test]
fn a03_of_both_the_upper_case_one_wins() {
    let fixture = Fixture::new().skill("pdf", GOOD).file("pdf/skill.md", "no skill\n");
    let output = check(&fixture, "pdf");
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().contains("pdf/SKILL.md: warning[two-manifests]"), "{output}");
}

#[test]
fn a04_a_directory_with_neither_is_named() {
    let output = check(&Fixture::new().dir("pdf"), "pdf");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("no `SKILL.md` under `pdf`"), "{output}");
}

#[test]
fn a05_another_case_is_an_error_when_strict_and_a_warning_when_lenient() {
    let fixture = Fixture::new().file("pdf/Skill.md", GOOD);
    let strict = check(&fixture, "pdf");
    assert_eq!(strict.exit_code(), Some(1), "{strict}");
    assert!(strict.stdout().contains("error[file-name]"), "{strict}");
    let lenient = metier(&fixture, &["check", "--lenient", "--output-format", "concise", "pdf"]);
    assert_eq!(lenient.exit_code(), Some(0), "{lenient}");
    assert!(lenient.stdout().contains("warning[file-name]"), "{lenient}");
}

/// The reference validator ends with 2 here, which is our code for wrong usage; a path that is not
/// there is a fault.
#[test]
fn a06_a_path_that_does_not_exist_is_a_fault_that_names_it() {
    let output = check(&Fixture::new(), "nowhere");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("`nowhere` does not exist"), "{output}");
}

#[test]
fn a07_a_file_of_another_kind_is_no_skill() {
    let output = check(&Fixture::new().file("pdf/notes.txt", "x"), "pdf/notes.txt");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("`pdf/notes.txt` is not a skill"), "{output}");
}

#[test]
fn a08_the_file_itself_stands_for_its_directory() {
    let fixture = Fixture::new().skill("pdf", GOOD).skill("csv", GOOD);
    passes(&fixture, "pdf/SKILL.md");
    let output = check(&fixture, "csv/SKILL.md");
    assert!(output.stdout().contains("error[name-mismatch]"), "{output}");
}

#[test]
fn a09_a_directory_called_skill_md_is_a_clear_fault() {
    let output = check(&Fixture::new().dir("pdf/SKILL.md"), "pdf");
    assert_eq!(output.exit_code(), Some(3), "{output}");
    assert!(output.stderr().contains("pdf/SKILL.md"), "{output}");
    assert!(output.stderr().contains("director"), "{output}");
}

#[test]
fn a10_a_dot_inside_a_valid_skill_is_valid() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    let args = ["check", "--strict", "."];
    let output = fixture.command(env!("CARGO_BIN_EXE_metier"), args).folder("pdf").run();
    assert_eq!(output.exit_code(), Some(0), "{output}");
}
