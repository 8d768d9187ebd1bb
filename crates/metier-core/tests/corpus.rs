//! Turns the shared corpus of real skills into proof: every file against what PyYAML and skills-ref
//! made of it. Says so, and passes, where the corpus is absent.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test reads its data and says what it counted"
)]

use metier_core::{Mode, ParseOptions, Parsed, Rule, Severity, parse_with};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct RealFile {
    path: String,
    bytes: Vec<u8>,
    oracle: Value,
}

impl RealFile {
    fn options(&self, mode: Mode) -> ParseOptions {
        let directory = Path::new(&self.path).parent().and_then(Path::file_name);
        let directory = directory.map(|name| name.to_string_lossy().into_owned());
        ParseOptions { mode, directory, ..ParseOptions::default() }
    }

    fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    fn parse(&self, mode: Mode) -> Option<Parsed> {
        Some(parse_with(self.text()?, &self.options(mode)))
    }
}

fn corpus() -> Vec<RealFile> {
    let Some(root) = testing::shared_data().map(|data| data.join("corpus")) else {
        println!("the shared corpus is absent: nothing to compare with");
        return Vec::new();
    };
    let oracle = std::fs::read_to_string(root.join("ORACLE.jsonl")).unwrap();
    oracle
        .lines()
        .map(|line| {
            let oracle: Value = serde_json::from_str(line).unwrap();
            let path = oracle["path"].as_str().unwrap().to_owned();
            let bytes = std::fs::read(PathBuf::from(&root).join(&path)).unwrap();
            RealFile { path, bytes, oracle }
        })
        .collect()
}

fn banned(parsed: &Parsed) -> bool {
    parsed.report.iter().any(|f| {
        matches!(
            f.rule,
            Rule::YamlAnchor | Rule::YamlTag | Rule::DuplicateKey | Rule::SecondDocument
        )
    })
}

/// Must-show 1: what PyYAML reads, we read alike.
#[test]
fn names_and_descriptions_are_those_of_pyyaml() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for file in corpus() {
        let yaml = &file.oracle["pyyaml"];
        let Some(parsed) = file.parse(Mode::Lenient) else { continue };
        if yaml["ok"] != true || banned(&parsed) {
            continue;
        }
        compared += 1;
        let ours = parsed
            .skill
            .as_ref()
            .map(|s| (s.manifest().name.clone().map(String::from), s.description().to_owned()));
        let name = yaml["name"].as_str().map(|n| n.trim().to_owned()).filter(|n| !n.is_empty());
        let description = yaml["description"].as_str().unwrap_or_default().trim().to_owned();
        let theirs = (!description.is_empty()).then_some((name, description));
        // The oracle keeps text only: a name such as `8004` is missing there.
        let unnamed = yaml["name"].is_null();
        let ours = ours.map(|(name, text)| (name.filter(|_| !unnamed), text));
        if ours != theirs {
            wrong.push(format!("{}\n  ours   {ours:?}\n  theirs {theirs:?}", file.path));
        }
    }
    println!("{compared} files compared with PyYAML");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Must-show 1: a file loads, or an error says where it does not.
#[test]
fn what_does_not_load_has_an_error_with_a_place() {
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut loaded = 0;
    for file in corpus() {
        let Some(parsed) = file.parse(Mode::Lenient) else { continue };
        if parsed.skill.is_some() {
            assert!(!parsed.report.has_errors(), "{}: loaded with errors", file.path);
            loaded += 1;
            continue;
        }
        let errors: Vec<_> =
            parsed.report.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(!errors.is_empty(), "{}: dropped silently", file.path);
        assert!(errors.iter().all(|f| f.span.is_some()), "{}: no place: {errors:?}", file.path);
        refused.entry(errors[0].rule.code().to_owned()).or_default().push(file.path.clone());
    }
    println!("{loaded} files load");
    for (rule, files) in refused {
        println!("{:5} refused for {rule}", files.len());
        for file in files {
            println!("      {file}");
        }
    }
}

/// Where skills-ref judges differently, and is wrong or silent; `docs/strict.md` says why. Everything
/// else must agree.
fn class(file: &RealFile, parsed: &Parsed, theirs: &[&str]) -> Option<&'static str> {
    let ours: Vec<_> =
        parsed.report.iter().filter(|f| f.severity == Severity::Error).map(|f| f.rule).collect();
    let says = |words: &str| theirs.iter().any(|error| error.contains(words));
    let text = file.text()?;
    let only = |rules: &[Rule]| !ours.is_empty() && ours.iter().all(|rule| rules.contains(rule));
    if ours.is_empty() {
        return match () {
            () if says("JSONesque") => Some("flow style is YAML, skills-ref refuses it"),
            () if says("'\\t' that cannot start any token") => {
                Some("a tab inside a value is YAML 1.2, skills-ref refuses it")
            }
            () if text.split("---").nth(1).is_some_and(|f| !f.ends_with(['\n', '\r'])) => {
                Some("`---` inside a value closes nothing, skills-ref cuts there")
            }
            () => None,
        };
    }
    match () {
        () if !theirs.is_empty() => None,
        () if only(&[Rule::MetadataType, Rule::FieldType, Rule::CompatibilityLength]) => {
            Some("wrong types and empty fields (L1, C1, M1, A1), skills-ref does not look")
        }
        () if only(&[Rule::LateFence]) => {
            Some("`---text` closes nothing, skills-ref ends the frontmatter there")
        }
        () if only(&[Rule::ControlCharacter]) => {
            Some("U+0085 and U+2028 are line breaks to some readers (Y23), skills-ref keeps them")
        }
        () if only(&[Rule::MissingName, Rule::MissingDescription]) => {
            Some("`null` and `~` are no text (Y17), skills-ref takes them for some")
        }
        () => None,
    }
}

/// Must-show 1: strict mode and skills-ref give the same verdict, but for named classes.
#[test]
fn strict_verdicts_are_those_of_skills_ref() {
    let mut compared = 0;
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for file in corpus() {
        let Some(theirs) = file.oracle["skills_ref_errors"].as_array() else { continue };
        let theirs: Vec<&str> = theirs.iter().filter_map(Value::as_str).collect();
        let Some(parsed) = file.parse(Mode::Strict) else { continue };
        compared += 1;
        if parsed.report.has_errors() != theirs.is_empty() {
            continue;
        }
        match class(&file, &parsed, &theirs) {
            Some(class) => *classes.entry(class).or_default() += 1,
            None => unexplained.push(format!(
                "{}\n  ours   {:?}\n  theirs {theirs:?}",
                file.path,
                parsed
                    .report
                    .iter()
                    .filter(|f| f.severity == Severity::Error)
                    .map(ToString::to_string)
                    .collect::<Vec<_>>(),
            )),
        }
    }
    println!("{compared} verdicts compared with skills-ref");
    for (class, count) in classes {
        println!("{count:5} {class}");
    }
    assert!(
        unexplained.is_empty(),
        "{} unexplained:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
}

/// Must-show 3, without the disk: fixing ends, leaves nothing fixable, and can be done again.
#[test]
fn fixes_leave_nothing_to_fix() {
    let mut fixed_files = 0;
    let mut wrong = Vec::new();
    for file in corpus() {
        for mode in [Mode::Strict, Mode::Lenient] {
            let Some(text) = file.text() else { continue };
            let options = file.options(mode);
            let before = parse_with(text, &options);
            let mut fixed = text.to_owned();
            for _ in 0..16 {
                let next = parse_with(&fixed, &options).report.apply_fixes(&fixed);
                if next == fixed {
                    break;
                }
                fixed = next;
            }
            let after = parse_with(&fixed, &options);
            let left: Vec<_> =
                after.report.iter().filter(|f| f.fix.is_some()).map(ToString::to_string).collect();
            if !left.is_empty() {
                wrong.push(format!("{}: left {left:?}", file.path));
            }
            if let (Some(was), Some(is)) = (&before.skill, &after.skill) {
                if was.description() != is.description()
                    || was.body().trim() != is.body().trim()
                        && !before.report.iter().any(|f| f.rule == Rule::LeadingContent)
                {
                    wrong.push(format!(
                        "{}:\n  was {:?}\n  is  {:?}",
                        file.path,
                        was.description(),
                        is.description()
                    ));
                }
            } else if before.skill.is_some() {
                wrong.push(format!("{}: lost", file.path));
            }
            fixed_files += usize::from(fixed != text);
        }
    }
    println!("{fixed_files} files fixed");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Must-show 3: formatting keeps the skill, and formatting twice is formatting once.
#[test]
fn formatting_keeps_the_skill() {
    let mut formatted_files = 0;
    let mut wrong = Vec::new();
    for file in corpus() {
        let Some(text) = file.text() else { continue };
        let Ok(formatted) = metier_core::format(text) else { continue };
        formatted_files += 1;
        if metier_core::format(&formatted).as_deref() != Ok(&formatted) {
            wrong.push(format!("{}: formatting again changes it", file.path));
        }
        let (was, is) = (metier_core::parse(text).skill, metier_core::parse(&formatted).skill);
        if was != is {
            wrong.push(format!(
                "{}:\n  was {:?}\n  is  {:?}",
                file.path,
                was.map(|s| s.manifest().clone()),
                is.map(|s| s.manifest().clone())
            ));
        }
    }
    println!("{formatted_files} files formatted");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A skill survives being written as Markdown and as JSON.
#[test]
fn skills_survive_writing() {
    for file in corpus() {
        let Some(skill) = file.parse(Mode::Lenient).and_then(|parsed| parsed.skill) else {
            continue;
        };
        let markdown = skill.to_markdown();
        let again = metier_core::parse(&markdown).skill;
        assert_eq!(again.as_ref(), Some(&skill), "{}\n{markdown}", file.path);
        let again = metier_core::Skill::from_json(&skill.to_json()).unwrap();
        assert_eq!(again.name(), skill.name(), "{}", file.path);
        assert_eq!(again.description(), skill.description(), "{}", file.path);
        assert_eq!(again.body(), skill.body(), "{}", file.path);
    }
}
