//! Turns a skill's name and a path into what `metier read` prints.

use crate::metier;
use serde_json::{Value, json};
use testing::{Fixture, command_snapshot};

fn fixture() -> Fixture {
    Fixture::new()
        .skill("skills/pdf", "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n")
        .file("skills/pdf/references/forms.md", "# Forms\n")
        .file("skills/pdf/scripts/fill.py", "print(1)\n")
        .bytes("skills/pdf/assets/logo.bin", &[0, 159, 146, 150])
}

fn read(fixture: &Fixture, args: &[&str]) -> Value {
    let output = metier(fixture, &[&["read", "--root", "skills", "--json"], args].concat());
    assert_eq!(output.exit_code(), Some(0), "{output}");
    serde_json::from_str(output.stdout()).expect("the answer is JSON")
}

#[test]
fn files_are_listed_in_groups() {
    let fixture = fixture();
    command_snapshot!(fixture, ["read", "pdf", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    scripts
      scripts/fill.py
    references
      references/forms.md
    assets
      assets/logo.bin
    ----- stderr -----
    ");
    let listed = read(&fixture, &["pdf"]);
    assert_eq!(
        listed["resources"],
        json!({
            "scripts": ["scripts/fill.py"],
            "references": ["references/forms.md"],
            "assets": ["assets/logo.bin"],
            "other": [],
        })
    );
}

#[test]
fn a_file_is_printed_to_the_byte() {
    let fixture = fixture();
    let text = metier(&fixture, &["read", "pdf", "references/forms.md", "--root", "skills"]);
    assert_eq!(text.stdout(), "# Forms\n");
    let bytes = metier(&fixture, &["read", "pdf", "assets/logo.bin", "--root", "skills"]);
    assert_eq!(bytes.stdout_bytes(), [0, 159, 146, 150]);
}

#[test]
fn json_carries_text_or_base64() {
    let fixture = fixture();
    assert_eq!(
        read(&fixture, &["pdf", "references/forms.md"]),
        json!({ "path": "references/forms.md", "content": "# Forms\n", "bytes": 8 })
    );
    assert_eq!(
        read(&fixture, &["pdf", "assets/logo.bin"]),
        json!({ "path": "assets/logo.bin", "content_base64": "AJ+Slg==", "bytes": 4 })
    );
}

#[test]
fn a_range_is_a_part_and_the_limit_says_so() {
    let fixture = fixture();
    let part = read(&fixture, &["pdf", "references/forms.md", "--range", "2-4"]);
    assert_eq!(part["content"], "For");
    assert_eq!(part["bytes"], 8);
    command_snapshot!(fixture, ["read", "pdf", "references/forms.md", "--root", "skills", "--max-bytes", "4"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `references/forms.md` of the skill `pdf` has 8 bytes, the limit is 4
      help: read a range of it
    ");
}

#[test]
fn paths_that_leave_the_skill_and_names_that_nobody_has_are_faults() {
    let fixture = fixture().file("skills/secret.txt", "no");
    command_snapshot!(fixture, ["read", "pdf", "../secret.txt", "--root", "skills"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `../secret.txt` is not a path inside the skill: it has a `..` component, which leads outside the skill
      help: give a relative path with `/`, as `files` lists them
    ");
    command_snapshot!(fixture, ["read", "pfd", "--root", "skills"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: there is no skill `pfd`
      help: did you mean `pdf`?
    ");
}

#[test]
fn a_skill_that_does_not_load_is_not_called_absent() {
    let fixture = Fixture::new().skill("skills/bad", "no frontmatter\n");
    command_snapshot!(fixture, ["read", "bad", "--root", "skills"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: the skill `bad` does not load: the file does not start with frontmatter, a line of `---`
      help: `metier check [ROOT]/skills/bad/SKILL.md` shows it
    ");
}
