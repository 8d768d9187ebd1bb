//! Turns frontmatter into its canonical form, and nothing else.

use crate::{GOOD, metier, metier_with};
use testing::{Fixture, command_snapshot};

const UGLY: &str = "\
---
description:   'Fills in PDF forms. Use when the user has a form to fill.'
name:   pdf
---

# PDF   \n\ntext without an end";

#[test]
fn fmt_writes_canonical_frontmatter_and_keeps_the_body() {
    let fixture = Fixture::new().skill("pdf", UGLY).skill("xls", GOOD);
    command_snapshot!(fixture, ["fmt"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    formatted 1 of 2 skills
    ");
    let once = fixture.read("pdf/SKILL.md");
    assert!(once.starts_with("---\nname: pdf\ndescription: "), "{once}");
    assert!(once.ends_with("---\n\n# PDF   \n\ntext without an end"), "{once}");
    assert_eq!(fixture.read("xls/SKILL.md"), GOOD);
    metier(&fixture, &["fmt"]);
    assert_eq!(fixture.read("pdf/SKILL.md"), once);
}

#[test]
fn check_lists_and_diff_shows_without_writing() {
    let fixture = Fixture::new().skill("pdf", UGLY).skill("xls", GOOD);
    command_snapshot!(fixture, ["fmt", "--check"], @"
    exit_code: 1
    ----- stdout -----
    pdf/SKILL.md
    ----- stderr -----
    would format 1 of 2 skills
    ");
    command_snapshot!(fixture, ["fmt", "--diff"], @"
    exit_code: 1
    ----- stdout -----
    --- pdf/SKILL.md
    +++ pdf/SKILL.md
    @@ -1,6 +1,6 @@
     ---
    -description:   'Fills in PDF forms. Use when the user has a form to fill.'
    -name:   pdf
    +name: pdf
    +description: Fills in PDF forms. Use when the user has a form to fill.
     ---
    ␠
     # PDF␠␠␠
    ----- stderr -----
    would format 1 of 2 skills
    ");
    assert_eq!(fixture.read("pdf/SKILL.md"), UGLY);
    assert_eq!(metier(&fixture, &["fmt", "--check", "xls"]).exit_code(), Some(0));
}

#[test]
fn what_cannot_be_formatted_is_left_alone_and_named() {
    let broken = "---\nname: pdf\ndescription: [never closed\n";
    let fixture = Fixture::new().skill("pdf", broken);
    let output = metier(&fixture, &["fmt"]);
    assert_eq!(output.exit_code(), Some(1), "{output}");
    assert!(output.stderr().starts_with("`pdf/SKILL.md` is left alone: "), "{output}");
    assert!(output.stderr().contains("`metier check --fix` mends"), "{output}");
    assert_eq!(fixture.read("pdf/SKILL.md"), broken);
    let output = metier(&fixture, &["fmt", "gone"]);
    assert_eq!(output.exit_code(), Some(3), "{output}");
}

#[test]
fn dash_goes_from_stdin_to_stdout() {
    let fixture = Fixture::new();
    let output = metier_with(&fixture, &["fmt", "-"], UGLY);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().starts_with("---\nname: pdf\n"), "{output}");
    let again = metier_with(&fixture, &["fmt", "-"], output.stdout());
    assert_eq!(again.stdout(), output.stdout());
    // An editor that takes whatever comes back must not lose the text.
    let broken = metier_with(&fixture, &["fmt", "-"], "no frontmatter");
    assert_eq!((broken.exit_code(), broken.stdout()), (Some(1), "no frontmatter"));
    assert_eq!(metier_with(&fixture, &["fmt", "-", "--check"], UGLY).exit_code(), Some(1));
}
