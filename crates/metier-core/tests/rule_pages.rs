//! Turns the documentation of the rules into `docs/rules`, and fails when a page there is not what it would write.
//!
//! `METIER_UPDATE_DOCS=1 cargo test -p metier-core --test rule_pages` rewrites the pages.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads and writes the pages of the repository"
)]

use metier_core::{Folder, Mode, ParseOptions, Rule, check};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The parts of the table, each with its first rule.
const GROUPS: [(&str, Rule); 5] = [
    ("Document", Rule::NotUtf8),
    ("YAML", Rule::InvalidYaml),
    ("Fields", Rule::MissingName),
    ("Body", Rule::EmptyBody),
    ("Folder", Rule::FileName),
];

/// What a rule's documentation says when metier can mend what the rule finds.
const FIX: &str = "`metier check --fix`";

fn severity(rule: Rule, mode: Mode) -> &'static str {
    rule.severity(mode).map_or("off", |severity| severity.as_str())
}

fn page(rule: Rule) -> String {
    let (strict, lenient) = (severity(rule, Mode::Strict), severity(rule, Mode::Lenient));
    let fix = if rule.docs().contains(FIX) { ", fixable" } else { "" };
    format!("# {rule}\n\nStrict: {strict}, lenient: {lenient}{fix}\n\n{}", rule.docs())
}

fn overview() -> String {
    let mut text = String::from(
        "# Rules\n\nEverything that metier can find in a skill. `metier check` judges strictly, \
         loading a skill judges leniently; `metier rule CODE` prints a page. Rules that are off \
         say nothing in that mode.\n",
    );
    for rule in Rule::ALL {
        if let Some((group, _)) = GROUPS.iter().find(|(_, first)| first == rule) {
            let _ = write!(
                text,
                "\n## {group}\n\n| rule | strict | lenient | fix | |\n|---|---|---|---|---|\n"
            );
        }
        let fix = if rule.docs().contains(FIX) { "yes" } else { "" };
        let _ = writeln!(
            text,
            "| [{rule}]({rule}.md) | {} | {} | {fix} | {} |",
            severity(*rule, Mode::Strict),
            severity(*rule, Mode::Lenient),
            rule.title().replace('|', "\\|"),
        );
    }
    text
}

#[test]
fn pages_are_what_the_rules_say() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    let mut wanted: BTreeMap<String, String> =
        Rule::ALL.iter().map(|rule| (format!("{rule}.md"), page(*rule))).collect();
    wanted.insert("README.md".to_owned(), overview());

    if std::env::var_os("METIER_UPDATE_DOCS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in &wanted {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }

    let mut wrong = Vec::new();
    let mut left_over: Vec<String> = std::fs::read_dir(&folder)
        .map(|entries| entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    left_over.retain(|name| !wanted.contains_key(name));
    wrong.extend(left_over.iter().map(|name| format!("{name} belongs to no rule")));
    for (name, text) in &wanted {
        match std::fs::read_to_string(folder.join(name)) {
            // A checkout may change line ends.
            Ok(there) if there.replace("\r\n", "\n") == *text => {}
            Ok(_) => wrong.push(format!("{name} is stale")),
            Err(_) => wrong.push(format!("{name} is missing")),
        }
    }
    assert!(
        wrong.is_empty(),
        "docs/rules is not what the rules say; run the test with METIER_UPDATE_DOCS=1\n{}",
        wrong.join("\n")
    );
}

/// The first fenced block of a section: its language and its text.
fn block(docs: &str, section: &str) -> (String, String) {
    let (_, rest) = docs.split_once(&format!("\n## {section}\n")).unwrap();
    let (_, fenced) = rest.split_once("\n```").unwrap();
    let (language, text) = fenced.split_once('\n').unwrap();
    let end = text.find("```").unwrap();
    (language.to_owned(), testing::unescape(&text[..end]).unwrap())
}

/// The codes of all that is found in an example, which is a whole file or some of its fields.
fn found(example: &str, language: &str) -> Vec<&'static str> {
    let is_whole = example.starts_with("---\n") || language == "markdown";
    let has = |key: &str| example.lines().any(|line| line.starts_with(key));
    let mut file = String::from(example);
    if !is_whole {
        let name = if has("name:") || has("description:") { "" } else { "name: invoices\n" };
        file = format!("---\n{name}{example}---\n# Invoices\n");
    }
    let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let checked = check(file.as_bytes(), Some(&Folder::new("SKILL.md")), &options);
    checked.report.iter().map(|finding| finding.rule.code()).collect()
}

/// The examples of the documentation show what they say: the wrong one breaks the rule, the right
/// one does not.
#[test]
fn examples_break_their_rule_and_what_stands_instead_does_not() {
    // Examples that stand for something too long to print, and links to files of a real folder.
    const SHORTENED: [Rule; 5] = [
        Rule::FileTooLarge,
        Rule::FrontmatterTooLarge,
        Rule::TooManyNodes,
        Rule::DescriptionTooLong,
        Rule::BodyTooLong,
    ];
    const IN_A_FOLDER: [Rule; 2] = [Rule::DeadLink, Rule::MissingResource];
    let mut shown = 0;
    let mut wrong = Vec::new();
    for rule in Rule::ALL.iter().filter(|rule| !SHORTENED.contains(rule)) {
        let docs = rule.docs();
        let (language, example) = block(&docs, "Example");
        if !["markdown", "yaml"].contains(&language.as_str()) {
            continue;
        }
        shown += 1;
        let codes = found(&example, &language);
        if !codes.contains(&rule.code()) {
            wrong.push(format!("{rule}: the example gives {codes:?}"));
        }
        let (language, instead) = block(&docs, "Instead");
        let codes = found(&instead, &language);
        if codes.contains(&rule.code()) && !IN_A_FOLDER.contains(rule) {
            wrong.push(format!("{rule}: the right form gives {codes:?}"));
        }
    }
    assert!(shown > Rule::ALL.len() / 2, "only {shown} examples were run");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
