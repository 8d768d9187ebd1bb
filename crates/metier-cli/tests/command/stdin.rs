//! Turns a text on stdin into findings, or into mended text.

use crate::{COLON, GOOD, metier_with};
use testing::{Fixture, command_snapshot};

#[test]
fn dash_checks_stdin() {
    let fixture = Fixture::new();
    let check = fixture.command(env!("CARGO_BIN_EXE_metier"), ["check", "-"]).stdin(COLON);
    command_snapshot!(check, @r#"
    exit_code: 1
    ----- stdout -----
    error[unquoted-colon]: the value of `description` holds `: ` but is not quoted
     --> -:3:42
      |
    3 | description: Fills in PDF forms. Use when: the user has a form to fill.
      |                                          ^
      |
    help: quote the value: `description: "..."`
      |
    3 | description: "Fills in PDF forms. Use when: the user has a form to fill."
      |              +                                                          +

    ----- stderr -----
    checked 1 skill: 1 error, 0 warnings (1 fixable with --fix)
    "#);
}

#[test]
fn a_name_gives_the_text_its_folder() {
    let fixture = Fixture::new();
    let run = |name: &str| metier_with(&fixture, &["check", "-", "--stdin-name", name], GOOD);
    assert_eq!(run("pdf/SKILL.md").exit_code(), Some(0));
    let output = run("xls/SKILL.md");
    assert!(output.stdout().contains("error[name-mismatch]"), "{output}");
    assert!(output.stdout().contains("xls/SKILL.md:2:7"), "{output}");
}

#[test]
fn fix_writes_the_mended_text_to_stdout() {
    let fixture = Fixture::new();
    let output = metier_with(&fixture, &["check", "-", "--fix"], COLON);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let value = "Fills in PDF forms. Use when: the user has a form to fill.";
    assert_eq!(output.stdout(), COLON.replace(value, &format!("\"{value}\"")));
}

#[test]
fn fix_passes_a_text_without_findings_through() {
    let fixture = Fixture::new();
    let text = format!("{GOOD}\u{1b}[31mred\u{1b}[0m\n");
    let output =
        metier_with(&fixture, &["check", "-", "--fix", "--ignore", "hidden-characters"], &text);
    assert_eq!(output.stdout(), text);
}

#[test]
fn bytes_that_are_not_text_are_a_finding() {
    let fixture = Fixture::new();
    let output = metier_with(&fixture, &["check", "-"], b"---\nname: \xff\n---\n");
    assert_eq!(output.exit_code(), Some(1), "{output}");
    assert!(output.stdout().contains("error[not-utf8]"), "{output}");
}

#[test]
fn dash_stands_alone() {
    let fixture = Fixture::new();
    let both = fixture.command(env!("CARGO_BIN_EXE_metier"), ["check", "-", "pdf"]).stdin("");
    command_snapshot!(both, @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `-` cannot be combined with other paths
      help: give `-` alone, or the paths alone
    ");
    let output = metier_with(&fixture, &["check", "pdf", "--stdin-name", "x"], "");
    assert_eq!(output.exit_code(), Some(2), "{output}");
}

#[test]
fn a_text_over_the_limit_is_not_written_back_cut() {
    let long = format!("{COLON}{}", "x".repeat(2 << 20));
    for args in [["check", "--fix", "-"], ["fmt", "-", "--color=never"]] {
        let output = metier_with(&Fixture::new(), &args, &long);
        assert_eq!(output.exit_code(), Some(3), "{output}");
        assert_eq!(output.stdout(), "", "{args:?}");
    }
}
