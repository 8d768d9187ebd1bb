//! Turns folders of skills into what `metier prompt` prints.

use crate::metier;
use serde_json::{Value, json};
use testing::{Fixture, command_snapshot};

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n")
}

fn fixture() -> Fixture {
    Fixture::new()
        .skill("skills/pdf", &skill("pdf", "Fills in <PDF> forms. Use when there is a form."))
        .skill("skills/csv", &skill("csv", "Reads tables. Use for CSV files."))
}

fn read(fixture: &Fixture, args: &[&str]) -> Value {
    let output = metier(fixture, &[&["prompt", "--root", "skills", "--json"], args].concat());
    assert_eq!(output.exit_code(), Some(0), "{output}");
    serde_json::from_str(output.stdout()).expect("the answer is JSON")
}

#[test]
fn the_catalog_is_printed() {
    let fixture = fixture();
    command_snapshot!(fixture, ["prompt", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    <available_skills>
      <skill>
        <name>csv</name>
        <description>Reads tables. Use for CSV files.</description>
        <location>[ROOT]/skills/csv/SKILL.md</location>
      </skill>
      <skill>
        <name>pdf</name>
        <description>Fills in &lt;PDF&gt; forms. Use when there is a form.</description>
        <location>[ROOT]/skills/pdf/SKILL.md</location>
      </skill>
    </available_skills>
    ----- stderr -----
    ");
}

#[test]
fn every_format_has_a_name() {
    let fixture = fixture();
    for format in [
        "xml",
        "markdown",
        "json",
        "skills-ref",
        "drover",
        "deuz",
        "fizeau",
        "zerodep",
        "promptkit",
    ] {
        let output = metier(&fixture, &["prompt", "--root", "skills", "--format", format]);
        assert_eq!(output.exit_code(), Some(0), "{output}");
        assert!(output.stdout().contains("Reads tables. Use for CSV files."), "{output}");
    }
    command_snapshot!(fixture, ["prompt", "--root", "skills", "--format", "markdown"], @"
    exit_code: 0
    ----- stdout -----
    ## Available skills

    - csv: Reads tables. Use for CSV files.
      (location: [ROOT]/skills/csv/SKILL.md)
    - pdf: Fills in <PDF> forms. Use when there is a form.
      (location: [ROOT]/skills/pdf/SKILL.md)
    ----- stderr -----
    ");
    command_snapshot!(fixture, ["prompt", "--root", "skills", "--format", "skills-ref", "--only", "pdf"], @"
    exit_code: 0
    ----- stdout -----
    <available_skills>
    <skill>
    <name>
    pdf
    </name>
    <description>
    Fills in &lt;PDF&gt; forms. Use when there is a form.
    </description>
    <location>
    [ROOT]/skills/pdf/SKILL.md
    </location>
    </skill>
    </available_skills>
    ----- stderr -----
    ");
}

#[test]
fn the_json_says_what_became_of_every_skill() {
    let fixture = fixture();
    let whole = read(&fixture, &["--no-locations"]);
    let keys: Vec<_> = whole.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["text", "tokens", "included", "shortened", "omitted"]);
    assert_eq!(whole["included"], json!(["csv", "pdf"]));
    let tokens = whole["tokens"].as_u64().unwrap();

    let budget = (tokens - 5).to_string();
    let less = read(&fixture, &["--no-locations", "--budget", &budget, "--pin", "pdf"]);
    assert_eq!((&less["included"], &less["shortened"]), (&json!(["pdf"]), &json!(["csv"])));
    assert!(less["tokens"].as_u64().unwrap() <= tokens - 5);

    let none = read(&fixture, &["--budget", "1"]);
    assert_eq!(
        none,
        json!({ "text": "", "tokens": 0, "included": [], "shortened": [], "omitted": ["csv", "pdf"] })
    );
}

#[test]
fn what_fits_the_query_stays_longest_or_alone() {
    let fixture = fixture();
    let listed = read(&fixture, &["--no-locations"])["tokens"].as_u64().unwrap();
    let budget = (listed - 5).to_string();
    for (query, fit, other) in [("fill in a form", "pdf", "csv"), ("read a table", "csv", "pdf")] {
        let prompt = read(&fixture, &[query, "--no-locations", "--budget", &budget]);
        assert_eq!((&prompt["included"], &prompt["shortened"]), (&json!([fit]), &json!([other])));
        let prompt = read(&fixture, &[query, "--top", "1"]);
        assert_eq!((&prompt["included"], &prompt["omitted"]), (&json!([fit]), &json!([])));
    }
    let both = read(&fixture, &["a form or a table, read for CSV", "--top", "2", "--only", "pdf"]);
    assert_eq!(both["included"], json!(["pdf"]));
    assert_eq!(metier(&fixture, &["prompt", "--top", "1"]).exit_code(), Some(2));
}

#[test]
fn a_budget_that_nothing_fits_is_said() {
    let fixture = fixture();
    command_snapshot!(fixture, ["prompt", "--root", "skills", "--budget", "3"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    about 0 tokens: 0 included, 0 shortened, 2 omitted
    ");
}

#[test]
fn no_skills_are_no_text() {
    let fixture = Fixture::new().dir("skills");
    command_snapshot!(fixture, ["prompt", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    ");
}

#[test]
fn skills_of_a_project_are_left_out_and_that_is_said() {
    let fixture = Fixture::new()
        .dir("work/.git")
        .skill("work/.agents/skills/deploy", &skill("deploy", "Deploys. Use to ship."))
        .skill(".agents/skills/pdf", &skill("pdf", "Use for PDFs."));
    let command =
        || fixture.command(env!("CARGO_BIN_EXE_metier"), ["prompt", "--format", "promptkit"]);
    command_snapshot!(command().folder("work"), @"
    exit_code: 0
    ----- stdout -----
    Available skills:
    - pdf: Use for PDFs.
    ----- stderr -----
    note: 1 skill of the project left out, nobody agreed to: deploy
      help: look with `metier list`, then run `metier trust`; `--root [ROOT]/work/.agents/skills` includes them once
    ");
    let args = ["prompt", "--format", "promptkit", "--root", ".agents/skills"];
    let command = fixture.command(env!("CARGO_BIN_EXE_metier"), args).folder("work");
    command_snapshot!(command, @"
    exit_code: 0
    ----- stdout -----
    Available skills:
    - deploy: Deploys. Use to ship.
    ----- stderr -----
    ");
}

#[test]
fn what_a_skill_hides_is_taken_out_and_said() {
    let fixture = Fixture::new().skill("skills/odd", &skill("odd", "\"Use\\u202e it.\""));
    command_snapshot!(fixture, ["prompt", "--root", "skills", "--format", "promptkit"], @"
    exit_code: 0
    ----- stdout -----
    Available skills:
    - odd: Use it.
    ----- stderr -----
    note: characters that nobody can see were taken out of what these skills say: odd
    ");
}

#[test]
fn names_that_nobody_has_are_faults() {
    for option in ["--only", "--pin"] {
        let output = metier(&fixture(), &["prompt", "--root", "skills", option, "pfd"]);
        assert_eq!((output.exit_code(), output.stdout()), (Some(3), ""), "{output}");
        assert!(output.stderr().contains("did you mean `pdf`?"), "{output}");
    }
}

#[test]
fn a_broken_skill_loses_no_other() {
    let fixture = fixture().skill("skills/bad", "no frontmatter\n");
    let output = metier(&fixture, &["prompt", "--root", "skills", "--format", "promptkit"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(output.stdout().contains("- pdf: "), "{output}");
    assert!(output.stderr().contains("skills/bad/SKILL.md"), "{output}");
}

#[test]
fn a_search_tool_is_named_where_there_is_one() {
    let fixture = (0..20).fold(fixture(), |fixture, n| {
        fixture.skill(&format!("skills/s{n}"), &skill(&format!("s{n}"), "Reads. Use to read."))
    });
    let silent = read(&fixture, &["--budget", "90", "--no-locations"]);
    let text = silent["text"].as_str().expect("text");
    assert!(text.contains("not listed") && !text.contains("call"), "{text}");
    let named =
        read(&fixture, &["--budget", "90", "--no-locations", "--search-tool", "find_skills"]);
    let text = named["text"].as_str().expect("text");
    assert!(text.contains("call `find_skills` to find"), "{text}");
}
