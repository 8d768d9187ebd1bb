//! Turns folders of skills into the table and the JSON of `metier list`.

use crate::metier;
use serde_json::Value;
use testing::{Fixture, command_snapshot};

/// A skill with this name and description.
fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n")
}

/// A project with a skill of its own, and a home with two, one of the same name.
fn project() -> Fixture {
    Fixture::new()
        .dir("work/.git")
        .skill("work/.agents/skills/deploy", &skill("deploy", "Deploys this. Use to ship."))
        .skill(".agents/skills/deploy", &skill("deploy", "Deploys that. Use to ship."))
        .skill(".claude/skills/pdf", &skill("pdf", "Fills forms. Use for PDFs."))
}

fn json(fixture: &Fixture, args: &[&str]) -> Value {
    let output = metier(fixture, args);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    serde_json::from_str(output.stdout()).expect("the answer is JSON")
}

#[test]
fn roots_are_listed_in_a_table() {
    let fixture = Fixture::new()
        .skill("skills/pdf", &skill("pdf", "Fills forms. Use for PDFs."))
        .skill("skills/csv", &skill("csv", "Reads tables. Use for CSV files."));
    command_snapshot!(fixture, ["list", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    csv  Reads tables. Use for CSV files.                                                         skills
    pdf  Fills forms. Use for PDFs.                                                               skills
    ----- stderr -----
    2 skills
    ");
}

#[test]
fn the_json_has_every_documented_key() {
    let fixture = Fixture::new().skill("skills/pdf", &skill("pdf", "Use for PDFs."));
    let listed = json(&fixture, &["list", "--root", "skills", "--json"]);
    let keys: Vec<_> = listed[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["id", "name", "description", "location", "source", "body_offset", "shadowed"]
    );
    assert_eq!(listed[0]["location"], fixture.join("skills/pdf/SKILL.md").to_str().unwrap());
}

#[test]
fn the_standard_scopes_are_project_home_and_path() {
    let fixture = project().skill("more/csv", &skill("csv", "Use for CSV files."));
    let more = fixture.join("more");
    let output = fixture
        .command(env!("CARGO_BIN_EXE_metier"), ["list", "--json"])
        .folder("work")
        .env("METIER_PATH", &more)
        .run();
    let listed: Value = serde_json::from_str(output.stdout()).unwrap();
    let sources: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            format!("{} {}", entry["name"].as_str().unwrap(), entry["source"].as_str().unwrap())
        })
        .collect();
    assert_eq!(sources, ["csv path", "deploy user", "pdf user-claude"]);
}

#[test]
fn all_shows_what_is_shadowed_and_why() {
    let fixture = project();
    let output =
        fixture.command(env!("CARGO_BIN_EXE_metier"), ["list", "--all"]).folder("work").run();
    assert!(output.stdout().contains("project:deploy"), "{output}");
    assert!(output.stdout().contains("whose source is trusted"), "{output}");
}

#[test]
fn a_broken_skill_is_named_and_the_others_are_listed() {
    let fixture = Fixture::new()
        .skill("skills/good", &skill("good", "Use it."))
        .skill("skills/bad", "no frontmatter\n");
    command_snapshot!(fixture, ["list", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    good  Use it.                                                                                 skills
    ----- stderr -----
    error: [ROOT]/skills/bad/SKILL.md: the file does not start with frontmatter, a line of `---`
      help: start the file with `---`, a `name:` line, a `description:` line and another `---`
    1 skill
    ");
}

#[test]
fn a_root_that_is_not_there_is_a_fault() {
    let fixture = Fixture::new();
    command_snapshot!(fixture, ["list", "--root", "absent"], @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `[ROOT]/absent` cannot be read: it does not exist
      help: check the place and try again
    ");
}

#[test]
fn no_skills_are_no_fault() {
    let fixture = Fixture::new();
    assert_eq!(json(&fixture, &["list", "--json"]), Value::Array(Vec::new()));
}

#[test]
fn a_skill_is_shown_by_its_name() {
    let fixture = project();
    let shown = json(&fixture, &["show", "pdf", "--json"]);
    assert_eq!(shown["id"], "pdf");
    assert_eq!(shown["location"], fixture.join(".claude/skills/pdf/SKILL.md").to_str().unwrap());
}
