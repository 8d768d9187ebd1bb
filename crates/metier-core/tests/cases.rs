//! Turns the Markdown files in `tests/cases` into tests: what metier finds in a skill, mends in it and reads from it.
//!
//! Each case is checked with every rule, in its mode. How a case becomes a skill:
//!
//! 1. `dir=pdf` is the name of the directory; `dir=pdf/Skill.md` names the skill's own file as well.
//! 2. With `dir=` or with another `file=`, the skill stands in a folder that holds exactly the files
//!    of the case, none of them executable. Without both there is no folder, only a text.
//!    Signs such as `␠` stand for what cannot be written in either.
//! 3. Every other file is checked too; its findings come last and start with its path.
//!
//! A finding is written `severity[rule] line:column message`, with `-` for one without a place. `fixed`
//! is the text after all fixes were made, again and again until nothing changes. The keys of `value`
//! are `name`, `description`, `license`, `compatibility`, `allowed-tools`, `metadata.KEY`,
//! `extra.KEY` and `body`; a skill that cannot be loaded has none of them.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its data from the repository"
)]

use metier_core::{
    Checked, EntryKind, Finding, Folder, FolderEntry, LineIndex, Mode, ParseOptions, Rule, check,
    check_resource,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use testing::{Case, CaseFile, Outcome, run_cases};

fn folder_of_cases() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn options(case: &Case) -> ParseOptions {
    let mode = match case.mode {
        testing::Mode::Strict => Mode::Strict,
        testing::Mode::Lenient => Mode::Lenient,
    };
    let directory = case
        .directory
        .as_deref()
        .map(|dir| testing::unescape(dir.split('/').next().unwrap()).unwrap());
    ParseOptions { mode, directory, ..ParseOptions::default() }
}

fn folder(case: &Case) -> Option<Folder> {
    if case.directory.is_none() && case.files.is_empty() {
        return None;
    }
    let manifest = case.directory.as_deref().and_then(|dir| dir.split_once('/'));
    let mut folder = Folder::new(manifest.map_or("SKILL.md", |(_, file)| file));
    folder.entries = case
        .files
        .iter()
        .map(|(path, text)| FolderEntry {
            path: testing::unescape(path).unwrap(),
            kind: EntryKind::File { executable: false, shebang: text.starts_with("#!") },
        })
        .collect();
    folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Some(folder)
}

/// Everything that is found in a case: in its `SKILL.md`, then in its other files, each with its text.
fn findings(case: &Case) -> Vec<(Finding, &str)> {
    let options = options(case);
    let checked = check(case.text.as_bytes(), folder(case).as_ref(), &options);
    let mut found: Vec<_> = checked.report.into_iter().map(|f| (f, case.text.as_str())).collect();
    for (path, text) in &case.files {
        let path = testing::unescape(path).unwrap().parse().unwrap();
        let report = check_resource(&path, text.as_bytes(), options.mode);
        found.extend(report.into_iter().map(|f| (f, text.as_str())));
    }
    found
}

fn line(finding: &Finding, text: &str) -> String {
    let place = finding.span.map_or("-".to_owned(), |span| {
        let position = LineIndex::new(text).position(text, span.start());
        format!("{}:{}", position.line, position.column)
    });
    let file = finding.file.as_ref().map_or(String::new(), |path| format!("{path}: "));
    let Finding { severity, rule, message, .. } = finding;
    format!("{file}{severity}[{rule}] {place} {message}")
}

/// The text after all fixes.
fn fixed(case: &Case) -> String {
    let mut text = case.text.clone();
    for _ in 0..16 {
        let checked = check(text.as_bytes(), folder(case).as_ref(), &options(case));
        let next = checked.report.apply_fixes(&text);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

fn value(checked: &Checked<'_>) -> BTreeMap<String, String> {
    let mut value = BTreeMap::new();
    let Some(skill) = &checked.skill else { return value };
    let manifest = skill.manifest();
    let mut put = |key: &str, text: &str| value.insert(key.to_owned(), text.to_owned());
    put("name", skill.name());
    put("description", skill.description());
    put("body", skill.body());
    for (key, text) in [
        ("license", manifest.license.clone().map(String::from)),
        ("compatibility", manifest.compatibility.clone().map(String::from)),
        ("allowed-tools", manifest.allowed_tools.as_ref().map(ToString::to_string)),
    ] {
        if let Some(text) = text {
            put(key, &text);
        }
    }
    for (key, text) in manifest.metadata_text() {
        put(&format!("metadata.{key}"), &text);
    }
    for entry in &manifest.extra() {
        put(&format!("extra.{}", entry.key), &entry.value.to_line());
    }
    value
}

#[test]
fn cases() {
    run_cases(folder_of_cases(), |case| {
        let checked = check(case.text.as_bytes(), folder(case).as_ref(), &options(case));
        Outcome {
            findings: findings(case).iter().map(|(f, text)| line(f, text)).collect(),
            fixed: Some(fixed(case)),
            value: value(&checked),
        }
    });
}

/// Inputs that no case file can hold: bytes that are no text, sizes, and what is no regular file.
fn unwritable() -> Vec<(Rule, Vec<u8>, Folder)> {
    let head = "---\nname: pdf\ndescription: Use for PDFs.\n";
    let skill = |body: &str| format!("{head}---\n{body}").into_bytes();
    let folder = || Folder::new("SKILL.md");
    let with = |kind| Folder {
        entries: vec![FolderEntry { path: "references/style.md".to_owned(), kind }],
        ..folder()
    };
    let numbers = "1, ".repeat(5000);
    vec![
        (Rule::NotUtf8, b"---\nname: pdf\ndescription: Caf\xe9.\n---\n".to_vec(), folder()),
        (Rule::FileTooLarge, skill(&"x\n".repeat(1024 * 1024)), folder()),
        (
            Rule::FrontmatterTooLarge,
            format!("{head}metadata:\n  a: {}\n---\n# Steps\n", "x".repeat(70_000)).into_bytes(),
            folder(),
        ),
        (
            Rule::TooManyNodes,
            format!("{head}metadata:\n  a: [{numbers}]\n---\n# Steps\n").into_bytes(),
            folder(),
        ),
        (Rule::BodyTooLong, skill(&"One more line.\n".repeat(501)), folder()),
        (Rule::BodyTooLong, skill(&"word ".repeat(5100)), folder()),
        (Rule::SpecialFile, skill("# Steps\n"), with(EntryKind::Special)),
        (Rule::SpecialFile, skill("# Steps\n"), with(EntryKind::Link { inside: false })),
    ]
}

#[test]
fn what_no_case_can_hold_is_found() {
    let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    for (rule, bytes, folder) in unwritable() {
        let checked = check(&bytes, Some(&folder), &options);
        let codes: Vec<_> = checked.report.iter().map(|f| f.rule.code()).collect();
        // A line of 25 000 characters is also one that nobody reads to its end.
        let codes: Vec<_> = codes.into_iter().filter(|code| *code != "hidden-far-right").collect();
        assert_eq!(codes, [rule.code()]);
        assert!(checked.report.iter().all(|f| f.help.is_some()));
    }
    let with = |kind| Folder {
        entries: vec![FolderEntry { path: "references/style.md".to_owned(), kind }],
        ..Folder::new("SKILL.md")
    };
    let near = b"---\nname: pdf\ndescription: Use for PDFs.\n---\n# Steps\n";
    for kind in [EntryKind::Link { inside: true }, EntryKind::Directory] {
        assert!(check(near, Some(&with(kind)), &options).report.is_empty());
    }
}

fn all_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder_of_cases()).unwrap() {
        let path = entry.unwrap().path();
        cases.extend(
            CaseFile::parse(&path, &std::fs::read_to_string(&path).unwrap()).unwrap().cases,
        );
    }
    cases
}

#[test]
fn every_rule_is_found_in_some_case() {
    let mut found: BTreeSet<Rule> = unwritable().into_iter().map(|(rule, ..)| rule).collect();
    for case in all_cases() {
        for line in case.findings.into_iter().flatten() {
            let code = line.split_once('[').unwrap().1.split_once(']').unwrap().0;
            found.insert(code.parse().unwrap());
        }
    }
    let silent: Vec<_> =
        Rule::ALL.iter().filter(|rule| !found.contains(rule)).map(|rule| rule.code()).collect();
    assert!(silent.is_empty(), "no case shows {silent:?}");
}

/// What the documentation promises about fixes is what the cases show.
#[test]
fn rules_mend_what_their_documentation_says_they_mend() {
    let mut mended = BTreeSet::new();
    for case in all_cases() {
        for (finding, _) in findings(&case) {
            assert!(finding.help.is_some(), "{}: {finding}: no help", case.name);
            mended.extend(finding.fix.map(|_| finding.rule));
        }
    }
    for rule in Rule::ALL {
        let promised = rule.docs().contains("`metier check --fix`");
        assert_eq!(mended.contains(rule), promised, "{rule}");
    }
}
