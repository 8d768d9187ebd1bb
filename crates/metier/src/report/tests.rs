//! Turns hand-made reports into every format, and compares with what people and machines expect.

use super::{Format, RenderOptions, render};
use crate::CheckedFile;
use metier_core::{Edit, Fix, Mode, Report, ResourcePath, Rule, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const TEXT: &str = "---\nname: pdf\ndescription: Fills forms: quickly\n---\nSee é [x](gone.md).\n";

/// A skill with an error that can be fixed, a warning that cannot, and a finding in another file.
fn file() -> CheckedFile {
    let span_of = |part: &str| {
        let at = TEXT.find(part).unwrap();
        Span::new(TEXT, at..at + part.len())
    };
    let mut report = Report::new(Mode::Strict);
    let value = span_of("Fills forms: quickly");
    report.push(Rule::UnquotedColon, value, "the value holds `: ` and is not quoted", |finding| {
        finding.with_help("quote the value").with_fix(Fix {
            title: "quote the value".into(),
            edits: vec![
                Edit { span: Span::at(TEXT, value.start()), replacement: "\"".into() },
                Edit { span: Span::at(TEXT, value.end()), replacement: "\"".into() },
            ],
        })
    });
    report.add(Rule::DeadLink, span_of("gone.md"), "`gone.md` does not exist");
    let notes: ResourcePath = "references/notes.md".parse().unwrap();
    let secret = "ok\nkey\u{202e} AKIA\n".to_owned();
    report.push(Rule::Secret, Span::new(&secret, 3..14), "this looks like a key", |finding| {
        finding.in_file(notes.clone())
    });
    CheckedFile {
        path: "my skills/pdf/SKILL.md".into(),
        name: Some("pdf".into()),
        report,
        text: TEXT.into(),
        resources: BTreeMap::from([(notes, secret)]),
        unread: Vec::new(),
    }
}

/// A file with one finding, whose path and message come from someone unfriendly.
fn hostile() -> CheckedFile {
    let mut report = Report::new(Mode::Strict);
    report.add(Rule::NameCase, None, "bad name `\u{1b}[2Jx\n::error::fake, 100%`");
    CheckedFile { path: "a\nb:c,d/SKILL.md".into(), report, ..CheckedFile::default() }
}

fn show(files: &[CheckedFile], format: Format) -> String {
    render(files, &RenderOptions { format, width: 80, ..RenderOptions::default() })
}

#[test]
fn full_underlines_the_place_and_shows_the_fix() {
    insta::assert_snapshot!(show(&[file()], Format::Full));
}

#[test]
fn full_keeps_long_lines_and_their_fixes_short() {
    let text = format!("---\ndescription: {}: {}\n---\n", "word ".repeat(150), "more ".repeat(150));
    let start = text.find("word").unwrap();
    let end = text.find("\n---\n").unwrap();
    let span = Span::new(&text, start..end);
    let mut report = Report::new(Mode::Strict);
    report.push(Rule::UnquotedColon, span, "the value holds `: ` and is not quoted", |finding| {
        finding.with_fix(Fix::replace(
            "quote the value",
            span,
            format!("\"{}\"", &text[start..end]),
        ))
    });
    let file = CheckedFile { path: "long/SKILL.md".into(), report, text, ..CheckedFile::default() };
    let shown = show(&[file], Format::Full);
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn full_shows_no_character_that_acts_on_a_terminal() {
    let shown = show(&[file(), hostile()], Format::Full);
    assert!(!shown.contains(['\u{202e}', '\u{1b}', '\r']), "{shown}");
    assert!(shown.contains(r"key\u{202e} AKIA"), "{shown}");
    assert!(shown.contains(r"a\nb:c,d/SKILL.md"), "{shown}");
}

#[test]
fn full_is_coloured_on_request_only() {
    let options = RenderOptions { color: true, ..RenderOptions::default() };
    assert!(render(&[file()], &options).contains("\u{1b}["));
    assert!(!show(&[file()], Format::Full).contains('\u{1b}'));
}

#[test]
fn concise_is_one_line_a_finding() {
    insta::assert_snapshot!(show(&[file(), hostile()], Format::Concise), @r"
    my skills/pdf/SKILL.md:3:14: error[unquoted-colon] the value holds `: ` and is not quoted
    my skills/pdf/SKILL.md:5:11: warning[dead-link] `gone.md` does not exist
    my skills/pdf/references/notes.md:2:1: warning[secret] this looks like a key
    a\nb:c,d/SKILL.md: error[name-case] bad name `\u{1b}[2Jx\n::error::fake, 100%`
    ");
}

#[test]
fn github_escapes_what_its_commands_are_made_of() {
    insta::assert_snapshot!(show(&[file(), hostile()], Format::Github), @r"
    ::error file=my skills/pdf/SKILL.md,line=3,col=14,endLine=3,endColumn=34,title=unquoted-colon::the value holds `: ` and is not quoted%0Ahelp: quote the value
    ::warning file=my skills/pdf/SKILL.md,line=5,col=11,endLine=5,endColumn=18,title=dead-link::`gone.md` does not exist
    ::warning file=my skills/pdf/references/notes.md,line=2,col=1,endLine=2,endColumn=10,title=secret::this looks like a key
    ::error file=a\nb%3Ac%2Cd/SKILL.md,title=name-case::bad name `\u{1b}[2Jx\n::error::fake, 100%25`
    ");
}

#[test]
fn json_has_the_documented_shape() {
    let shown: Value = serde_json::from_str(&show(&[file(), hostile()], Format::Json)).unwrap();
    let first = &shown["files"][0];
    assert_eq!(first["path"], "my skills/pdf/SKILL.md");
    assert_eq!(first["name"], "pdf");
    assert_eq!(first["ok"], false);
    assert_eq!(
        first["findings"][0],
        json!({
            "rule": "unquoted-colon", "severity": "error",
            "message": "the value holds `: ` and is not quoted",
            "line": 3, "column": 14, "end_line": 3, "end_column": 34,
            "help": "quote the value", "fixable": true,
        })
    );
    assert_eq!(first["findings"][2]["file"], "references/notes.md");
    assert_eq!(first["findings"][1].get("file"), None);
    let whole = &shown["files"][1]["findings"][0];
    assert_eq!((&whole["line"], &whole["end_column"]), (&Value::Null, &Value::Null));
    assert_eq!(shown["files"][1]["name"], Value::Null);
    assert_eq!(shown["summary"], json!({ "files": 2, "errors": 2, "warnings": 2 }));
}

#[test]
fn json_of_nothing_is_still_an_object() {
    let shown: Value = serde_json::from_str(&show(&[], Format::Json)).unwrap();
    assert_eq!(
        shown,
        json!({ "files": [], "summary": { "files": 0, "errors": 0, "warnings": 0 } })
    );
}

#[test]
fn sarif_points_at_rules_places_and_replacements() {
    let shown: Value = serde_json::from_str(&show(&[file(), hostile()], Format::Sarif)).unwrap();
    assert_eq!(shown["version"], "2.1.0");
    let run = &shown["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Rule::ALL.len());

    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let first = &results[0];
    assert_eq!(first["level"], "error");
    assert_eq!(
        first["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": "my%20skills/pdf/SKILL.md" },
            "region": { "startLine": 3, "startColumn": 14, "endLine": 3, "endColumn": 34 },
        })
    );
    assert_eq!(
        first["fixes"][0]["artifactChanges"][0]["replacements"][1],
        json!({
            "deletedRegion": { "startLine": 3, "startColumn": 34, "endLine": 3, "endColumn": 34 },
            "insertedContent": { "text": "\"" },
        })
    );
    // Columns count characters, so the `é` before the link is one.
    let region = &results[1]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startColumn"], 11);
    // Without a span there is a file and no region.
    let whole = &results[3]["locations"][0]["physicalLocation"];
    assert_eq!(whole["artifactLocation"]["uri"], "a%0Ab%3Ac%2Cd/SKILL.md");
    assert_eq!(whole.get("region"), None);
}

#[test]
fn sarif_makes_paths_below_the_base_relative() {
    let at = |path: &str| {
        let file = CheckedFile { path: path.into(), ..hostile() };
        let base = "/home/me".into();
        let options = RenderOptions { format: Format::Sarif, base, ..RenderOptions::default() };
        let shown: Value = serde_json::from_str(&render(&[file], &options)).unwrap();
        let location = &shown["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        location["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(at("/home/me/a/SKILL.md"), "a/SKILL.md");
    assert_eq!(at("/srv/é/SKILL.md"), "file:///srv/%C3%A9/SKILL.md");
}
