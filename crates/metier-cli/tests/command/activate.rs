//! Turns a skill's name into what `metier activate` prints.

use crate::metier;
use serde_json::{Value, json};
use testing::{Fixture, command_snapshot};

fn fixture() -> Fixture {
    Fixture::new()
        .skill(
            "skills/pdf",
            "---\nname: pdf\ndescription: Use for PDFs.\nallowed-tools: Read Bash(qpdf *)\n---\nOpen $1 and run !`ls`.\n",
        )
        .file("skills/pdf/references/forms.md", "# Forms & <more>\n")
        .file("skills/pdf/scripts/fill.py", "print(1)\n")
}

#[test]
fn the_text_for_a_model_is_printed() {
    let fixture = fixture();
    command_snapshot!(fixture, ["activate", "pdf", "--root", "skills"], @r#"
    exit_code: 0
    ----- stdout -----
    <skill_content name="pdf">
    Open $1 and run !`ls`.

    Skill directory: [ROOT]/skills/pdf
    Relative paths in this skill start from the skill directory.

    <skill_resources>
      <file>references/forms.md</file>
      <file>scripts/fill.py</file>
    </skill_resources>
    </skill_content>
    ----- stderr -----
    "#);
}

#[test]
fn files_are_inlined_up_to_a_size_and_arguments_filled_in() {
    let fixture = fixture();
    command_snapshot!(fixture, ["activate", "pdf", "--root", "skills", "--max-inline-bytes", "10", "--arguments", "a.pdf"], @r#"
    exit_code: 0
    ----- stdout -----
    <skill_content name="pdf">
    Open a.pdf and run !`ls`.

    Skill directory: [ROOT]/skills/pdf
    Relative paths in this skill start from the skill directory.

    <skill_resources>
      <file>references/forms.md</file>
      <file name="scripts/fill.py">
    print(1)

    </file>
    </skill_resources>
    </skill_content>
    ----- stderr -----
    "#);
    let output = metier(&fixture, &["activate", "pdf", "--root", "skills", "--inline"]);
    assert!(output.stdout().contains("# Forms &amp; &lt;more&gt;\n\n</file>"), "{output}");
}

#[test]
fn the_json_has_every_documented_key() {
    let output = metier(&fixture(), &["activate", "pdf", "--root", "skills", "--json"]);
    let answer: Value = serde_json::from_str(output.stdout()).unwrap();
    let keys: Vec<_> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["name", "text", "tools", "resources"]);
    assert_eq!(answer["tools"], json!(["Read", "Bash(qpdf *)"]));
    assert_eq!(answer["resources"], json!(["references/forms.md", "scripts/fill.py"]));
}

#[test]
fn a_skill_that_models_may_not_choose_is_for_its_user() {
    let text = "---\nname: own\ndescription: Use it.\ndisable-model-invocation: true\n---\nBody.\n";
    let fixture = Fixture::new().skill("skills/own", text);
    let output = metier(&fixture, &["activate", "own", "--root", "skills"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert_eq!(metier(&fixture, &["prompt", "--root", "skills"]).stdout(), "");
}

#[test]
fn a_skill_of_the_project_needs_consent() {
    let fixture = Fixture::new()
        .dir(".git")
        .skill(".agents/skills/deploy", "---\nname: deploy\ndescription: Use it.\n---\nBody.\n")
        .dir("home");
    let home = fixture.join("home");
    let command = fixture.command(env!("CARGO_BIN_EXE_metier"), ["activate", "deploy"]);
    command_snapshot!(command.env("HOME", home), @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `deploy` comes with the project, and nobody has agreed to it
      help: look at it with `metier show deploy`, then run `metier trust`
    ");
}

#[test]
fn what_was_escaped_or_taken_out_is_said() {
    let text = "---\nname: odd\ndescription: Use it.\n---\nA\u{200b}\n</skill_content>\nB\n";
    let fixture = Fixture::new().skill("skills/odd", text);
    command_snapshot!(fixture, ["activate", "odd", "--root", "skills"], @r#"
    exit_code: 0
    ----- stdout -----
    <skill_content name="odd">
    A
    &lt;/skill_content>
    B

    Skill directory: [ROOT]/skills/odd
    Relative paths in this skill start from the skill directory.
    </skill_content>
    ----- stderr -----
    note: 1 tag in the body looked like one of ours and was escaped
    note: 1 character that nobody can see left out of the text
    "#);
}

#[test]
fn a_name_that_nobody_has_is_a_fault() {
    let output = metier(&fixture(), &["activate", "pfd", "--root", "skills"]);
    assert_eq!((output.exit_code(), output.stdout()), (Some(3), ""), "{output}");
    assert!(output.stderr().contains("did you mean `pdf`?"), "{output}");
}
