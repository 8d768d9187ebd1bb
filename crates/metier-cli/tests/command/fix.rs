//! Turns fixable findings into mended files, to the byte.
#![expect(clippy::disallowed_methods, reason = "the test looks at the files themselves")]

use crate::{COLON, GOOD, metier};
use testing::{Fixture, command_snapshot};

#[test]
fn fix_mends_and_says_so() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check", "--fix"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    fixed 1 finding in 1 file
    checked 1 skill: nothing found
    ");
}

#[test]
fn fix_changes_no_byte_outside_the_edit_and_is_idempotent() {
    // CRLF, trailing blanks, a tab, no newline at the end: all of it stays.
    let body = "# PDF \r\n\r\n1.\tOpen  \r\n\r\n---\r\nend";
    let frontmatter = "---\r\nname: pdf\r\ndescription: Use when: forms are asked for\r\n---\r\n";
    let text = format!("{frontmatter}{body}");
    let fixture = Fixture::new().skill("pdf", &text);
    metier(&fixture, &["check", "--fix"]);
    let once = fixture.read("pdf/SKILL.md");
    assert_eq!(
        once,
        text.replace("Use when: forms are asked for", "\"Use when: forms are asked for\"")
    );
    let again = metier(&fixture, &["check", "--fix"]);
    assert!(again.stderr().starts_with("fixed 0 findings in 0 files"), "{again}");
    assert_eq!(fixture.read("pdf/SKILL.md"), once);
}

#[test]
fn a_file_without_findings_is_not_written() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    let path = fixture.join("pdf/SKILL.md");
    let before = path.metadata().unwrap().modified().unwrap();
    metier(&fixture, &["check", "--fix"]);
    assert_eq!(path.metadata().unwrap().modified().unwrap(), before);
}

#[test]
fn fix_diff_shows_the_change_and_writes_nothing() {
    let fixture = Fixture::new().skill("pdf", COLON);
    command_snapshot!(fixture, ["check", "--fix", "--diff"], @r#"
    exit_code: 1
    ----- stdout -----
    --- pdf/SKILL.md
    +++ pdf/SKILL.md
    @@ -1,6 +1,6 @@
     ---
     name: pdf
    -description: Fills in PDF forms. Use when: the user has a form to fill.
    +description: "Fills in PDF forms. Use when: the user has a form to fill."
     ---
    ␠
     # PDF
    ----- stderr -----
    would fix 1 finding in 1 file
    checked 1 skill: 1 error, 0 warnings
    "#);
    assert_eq!(fixture.read("pdf/SKILL.md"), COLON);
}

#[test]
fn diff_fails_when_it_would_change_something_that_is_only_a_warning() {
    let text = GOOD.replace("---\n\n#", "allowed-tools: Read, Write\n---\n\n#");
    let fixture = Fixture::new().skill("pdf", &text);
    assert_eq!(metier(&fixture, &["check"]).exit_code(), Some(0));
    let output = metier(&fixture, &["check", "--fix", "--diff"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    assert!(output.stdout().contains("\n+allowed-tools: Read Write\n"), "{output}");
}

#[test]
fn diff_of_nothing_is_nothing() {
    let fixture = Fixture::new().skill("pdf", GOOD);
    let output = metier(&fixture, &["check", "--fix", "--diff"]);
    assert_eq!((output.exit_code(), output.stdout()), (Some(0), ""), "{output}");
}

#[test]
fn only_selected_rules_are_fixed() {
    let fixture = Fixture::new().skill("pdf", COLON);
    metier(&fixture, &["check", "--fix", "--ignore", "unquoted-colon"]);
    assert_eq!(fixture.read("pdf/SKILL.md"), COLON);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the bytes themselves are what is compared")]
fn a_file_that_is_not_text_is_left_alone() {
    let bytes = b"---\nname: pdf\ndescription: Use when: caf\xe9\n---\n";
    let fixture = Fixture::new().bytes("pdf/SKILL.md", bytes);
    let output = metier(&fixture, &["check", "--fix"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    assert_eq!(std::fs::read(fixture.join("pdf/SKILL.md")).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn a_linked_skill_file_stays_a_link() {
    let fixture = Fixture::new().file("skills/store.md", COLON).dir("skills/pdf");
    let fixture = fixture.link("skills/pdf/SKILL.md", "../store.md");
    let output = metier(&fixture, &["check", "--fix", "skills"]);
    assert!(output.stderr().contains("fixed 1 finding in 1 file"), "{output}");
    assert!(fixture.join("skills/pdf/SKILL.md").is_symlink());
    assert!(fixture.read("skills/store.md").contains("description: \"Fills in PDF forms."));
}

#[test]
fn diff_needs_fix() {
    let fixture = Fixture::new().skill("pdf", COLON);
    assert_eq!(metier(&fixture, &["check", "--diff"]).exit_code(), Some(2));
}

#[test]
fn as_many_findings_are_fixed_as_were_said_to_be_fixable() {
    // Once the fence is there, the fields are read and have findings of their own.
    let open = "name: pdf\ndescription: Fills in forms.\nfoo: bar\n\n# Steps\n";
    let fixture = Fixture::new().skill("pdf", open);
    let output = metier(&fixture, &["check"]);
    assert!(output.stderr().contains("(1 fixable with --fix)"), "{output}");
    let output = metier(&fixture, &["check", "--fix"]);
    assert!(output.stderr().contains("fixed 1 finding in 1 file"), "{output}");
}
