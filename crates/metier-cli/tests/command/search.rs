//! Turns queries into the table and the JSON of `metier search`.

use crate::{metier, metier_with};
use serde_json::Value;
use testing::{Fixture, command_snapshot};

fn skill(name: &str, description: &str, more: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n{more}---\n\n{body}\n")
}

/// A few skills of an office.
fn office() -> Fixture {
    Fixture::new()
        .skill(
            "skills/pdf-forms",
            &skill(
                "pdf-forms",
                "Fills in PDF forms. Use when the user has a form to fill.",
                "allowed-tools: Bash(qpdf:*) Read\nmetadata:\n  tags: office, paper\n",
                "# Tax returns\n\nOpen the form and fill it in.",
            ),
        )
        .skill(
            "skills/commit-messages",
            &skill(
                "commit-messages",
                "Writes commit messages. Use when the user commits changes.",
                "allowed-tools: Bash(git:*)\nmetadata:\n  tags: code\n",
                "# Steps\n\nRead the diff.",
            ),
        )
        .skill(
            "skills/meal-plans",
            &skill(
                "meal-plans",
                "Plans meals for a week. Use when the user asks what to cook.",
                "",
                "# Steps\n\nAsk for allergies, then fill the week.",
            ),
        )
}

const ROOT: [&str; 2] = ["--root", "skills"];

fn json(fixture: &Fixture, args: &[&str]) -> Value {
    let output = metier(fixture, &[&["search", "--json"], &ROOT[..], args].concat());
    assert_eq!(output.exit_code(), Some(0), "{output}");
    serde_json::from_str(output.stdout()).expect("the answer is JSON")
}

fn ids(fixture: &Fixture, args: &[&str]) -> Vec<String> {
    let hits = json(fixture, args);
    let id = |hit: &Value| hit["id"].as_str().unwrap_or_default().to_owned();
    hits.as_array().into_iter().flatten().map(id).collect()
}

#[test]
fn the_best_come_first_in_a_table() {
    let fixture = office();
    command_snapshot!(fixture, ["search", "fill", "a", "form", "--matcher", "keyword", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    1.00  pdf-forms   Fills in PDF forms. Use when the user has a form to fill.
    0.33  meal-plans  Plans meals for a week. Use when the user asks what to cook.
    ----- stderr -----
    2 of 3 skills
    ");
}

#[test]
fn an_explanation_names_words_and_places() {
    let query = "fill in my large tax form";
    let output =
        metier(&office(), &["search", "--explain", query, "--top", "1", "--root", "skills"]);
    let text = output.stdout();
    for line in [
        "%  fill       description ×2, body\n",
        "%  tax        headings\n",
        "%  form       name, description ×2, body\n",
        "%  exact      words spelt as in the query\n",
        "  not there  large\n",
    ] {
        assert!(text.contains(line), "{line}: {output}");
    }
}

#[test]
fn nothing_is_an_answer() {
    let fixture = office();
    command_snapshot!(fixture, ["search", "quantum chromodynamics", "--root", "skills"], @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    no skill fits; 3 skills searched
    ");
}

#[test]
fn the_json_has_every_documented_key() {
    let fixture = office();
    let hits = json(&fixture, &["tax form"]);
    let keys: Vec<_> = hits[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "name", "score", "description", "location"]);
    let path = fixture.join("skills/pdf-forms/SKILL.md");
    assert_eq!(hits[0]["location"], path.to_str().unwrap());
    let score = hits[0]["score"].as_f64().unwrap();
    assert!(score > 0.0 && score <= 1.0, "{score}");
    let why = &json(&fixture, &["tax form", "--explain"])[0]["explanation"];
    assert_eq!(why["words"][0]["word"], "tax");
    assert_eq!(why["words"][0]["fields"][0][0], "headings");
}

#[test]
fn options_cut_and_filter() {
    let fixture = office();
    assert_eq!(ids(&fixture, &["fill", "--top", "1"]), ["pdf-forms"]);
    assert_eq!(ids(&fixture, &["fill"]), ["pdf-forms", "meal-plans"]);
    assert!(ids(&fixture, &["fill", "--min-score", "1.1"]).is_empty());
    assert_eq!(
        ids(&fixture, &["user", "--matcher", "keyword", "--tag", "paper", "--tag", "code"]),
        ["commit-messages", "pdf-forms"]
    );
    assert_eq!(ids(&fixture, &["fill", "--tools", "read,bash"]), ["pdf-forms", "meal-plans"]);
    assert_eq!(ids(&fixture, &["fill", "--tools", "read"]), ["meal-plans"]);
    assert_eq!(ids(&fixture, &["fill", "--tag", "unheard-of"]), [""; 0]);
}

#[test]
fn every_matcher_answers() {
    let fixture = office();
    for (matcher, query, expected) in [
        ("keyword", "fills forms", &["pdf-forms"][..]),
        ("lexical", "the FÖRM", &["pdf-forms"]),
        ("bm25", "diff", &["commit-messages"]),
        ("default", "filling forms", &["pdf-forms", "meal-plans"]),
        ("all", "x", &["commit-messages", "meal-plans", "pdf-forms"]),
    ] {
        assert_eq!(ids(&fixture, &[query, "--matcher", matcher]), expected, "{matcher}");
    }
    let keyword = json(&fixture, &["fills nothing", "--matcher", "keyword"]);
    assert_eq!(keyword[0]["score"], 0.5);
}

#[test]
fn a_query_comes_from_stdin() {
    let output = metier_with(&office(), &["search", "-", "--root", "skills"], "my tax\nform");
    assert!(output.stdout().contains("pdf-forms"), "{output}");
}

#[test]
fn copies_are_told_and_do_not_crowd_the_list() {
    let text = |name: &str| {
        skill(
            name,
            "Folds paper boats. Use for origami.",
            "",
            "Take a sheet. Fold it in half, then fold the corners down to the middle.",
        )
    };
    let fixture = (1..=3).fold(office(), |fixture, n| {
        let name = format!("boats-{n}");
        fixture.skill(&format!("skills/{name}"), &text(&name))
    });
    let output = metier(&fixture, &["search", "fold a boat", "--root", "skills"]);
    let lines: Vec<_> = output.stdout().lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].contains("boats-1"), "{output}");
    assert_eq!(lines[1].trim(), "2 other skills say the same");
}

#[test]
fn only_the_default_matcher_explains() {
    let fixture = office();
    command_snapshot!(fixture,
        ["search", "x", "--explain", "--matcher", "bm25", "--root", "skills"], @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: only the default matcher explains itself
      help: leave out `--matcher` or `--explain`
    ");
}

#[test]
fn a_query_is_needed() {
    let output = metier(&office(), &["search"]);
    assert_eq!(output.exit_code(), Some(2), "{output}");
}
