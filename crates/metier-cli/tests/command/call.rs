//! Turns tool calls into what `metier call` prints.

use crate::{metier, metier_with};
use serde_json::{Value, json};
use testing::{Fixture, command_snapshot};

fn fixture() -> Fixture {
    Fixture::new()
        .skill(
            "skills/pdf",
            "---\nname: pdf\ndescription: Fills in forms. Use for PDFs.\n---\nOpen it.\n",
        )
        .file("skills/pdf/references/forms.md", "# Forms\n")
        .file("skills/pdf/scripts/fill.py", "print(1)\n")
}

fn call(args: &[&str]) -> (Option<i32>, Value) {
    let output = metier(&fixture(), &[&["call", "--root", "skills", "--json"], args].concat());
    (output.exit_code(), serde_json::from_str(output.stdout()).expect("the answer is JSON"))
}

#[test]
fn a_skill_is_printed_as_a_model_reads_it() {
    let fixture = fixture();
    command_snapshot!(fixture, ["call", "load_skill", r#"{"name": "pdf"}"#, "--root", "skills"], @r#"
    exit_code: 0
    ----- stdout -----
    <skill_content name="pdf">
    Open it.

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
fn a_failed_call_says_what_to_do_and_ends_with_1() {
    let fixture = fixture();
    command_snapshot!(fixture, ["call", "load_skill", r#"{"name": "pfd"}"#, "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    there is no skill `pfd`: did you mean `pdf`?
    ----- stderr -----
    ");
    command_snapshot!(fixture, ["call", "load_skill", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    `load_skill` needs the argument `name`
    ----- stderr -----
    ");
    command_snapshot!(fixture, ["call", "load_skill", "{name", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    the arguments of `load_skill` are not JSON (key must be a string at line 1 column 2): send one JSON object
    ----- stderr -----
    ");
    command_snapshot!(fixture, ["call", "open", "{}", "--root", "skills"], @"
    exit_code: 1
    ----- stdout -----
    there is no tool `open`: call one of `search_skills`, `load_skill`, `unload_skill`, `read_skill_file`
    ----- stderr -----
    ");
}

#[test]
fn json_has_the_three_parts_of_a_reply() {
    let (code, reply) =
        call(&["read_skill_file", r#"{"skill":"pdf","path":"references/forms.md"}"#]);
    assert_eq!(code, Some(0));
    assert_eq!(
        reply,
        json!({
            "is_error": false,
            "content": "# Forms\n",
            "data": { "skill": "pdf", "path": "references/forms.md", "offset": 0, "end": 8, "bytes": 8 },
        })
    );
    let (code, reply) = call(&["read_skill_file", r#"{"skill":"pdf","path":"../x"}"#]);
    assert_eq!((code, &reply["is_error"]), (Some(1), &json!(true)));
    assert_eq!(reply["data"]["reason"], "read_failed");
    let (code, reply) = call(&["search_skills", r#"{"query":"fill in this form"}"#]);
    assert_eq!((code, &reply["data"]["skills"][0]["name"]), (Some(0), &json!("pdf")));
}

#[test]
fn the_tools_of_other_systems_answer_in_their_own_words() {
    let (_, reply) = call(&["skill__activate", r#"{"name":"pdf"}"#, "--names", "promptkit"]);
    assert_eq!(reply["content"], r#"{"instructions":"Open it.","added_tools":[]}"#);
    let (code, reply) = call(&["load_skill", r#"{"skill_name":"x"}"#, "--names", "fizeau"]);
    assert_eq!(code, Some(1));
    assert_eq!(reply["content"], "load_skill: skill \"x\" not found; available: pdf");
    let (_, reply) = call(&["skill_resource", r#"{"name":"pdf"}"#, "--names", "drover"]);
    assert_eq!(
        reply["content"],
        "## scripts\n- scripts/fill.py\n\n## references\n- references/forms.md\n"
    );
}

#[test]
fn arguments_may_come_from_stdin() {
    let fixture = fixture();
    let args = ["call", "read_skill_file", "-", "--root", "skills"];
    let output = metier_with(&fixture, &args, r#"{"skill": "pdf", "path": "references/forms.md"}"#);
    assert_eq!((output.exit_code(), output.stdout()), (Some(0), "# Forms\n"), "{output}");
}

#[test]
fn scripts_never_run() {
    let arguments = r#"{"skill":"pdf","script":"scripts/fill.py"}"#;
    let (code, reply) = call(&["run_skill_script", arguments]);
    assert_eq!((code, &reply["data"]["reason"]), (Some(1), &json!("unknown_tool")));
}

#[test]
fn a_project_that_nobody_trusts_reaches_no_model() {
    let fixture = Fixture::new().dir("work/.git").skill(
        "work/.agents/skills/pdf",
        "---\nname: pdf\ndescription: Use for PDFs.\n---\nOpen it.\n",
    );
    let args = ["call", "load_skill", r#"{"name": "pdf"}"#];
    let output = fixture.command(env!("CARGO_BIN_EXE_metier"), args).folder("work").run();
    assert_eq!(output.exit_code(), Some(1), "{output}");
    assert_eq!(output.stdout(), "there are no skills to load: go on without\n");
    let said = "note: 1 skill of the project left out, nobody agreed to: pdf";
    assert!(output.stderr().contains(said), "{output}");
}
