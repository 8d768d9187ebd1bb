//! Turns what zerodep's `skills` promises its users into tests: flat and recursive discovery, overrides.

#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

#[path = "zerodep/choosing.rs"]
mod choosing;
#[path = "zerodep/rendering.rs"]
mod rendering;
mod shared;

use metier::{
    Blocking, CatalogEntry, CheckOptions, Discovery, Folder, FromJsonError, Links, Listing, Memory,
    Mode, ParseOptions, Precedence, ReadOptions, Registry, RegistryError, RootSkill, Rule, Skill,
    SourceError, check_path, discover, manifest_of, parse, parse_with, read_capped,
};
use serde_json::json;
use shared::{ids, keys, names, text};
use std::path::Path;
use testing::Fixture;

/// The folders in the root, and links to folders; nothing below them.
fn flat() -> Discovery {
    Discovery {
        depth: 1,
        skip_prefixes: Vec::new(),
        skip_names: Vec::new(),
        root_skill: RootSkill::Ignored,
        linked_directories: Links::Anywhere,
        linked_files: Links::Anywhere,
        ..Discovery::default()
    }
}

/// Every folder at any depth, but none below a skill, and no links.
fn recursive() -> Discovery {
    Discovery {
        depth: usize::MAX,
        linked_directories: Links::Never,
        linked_files: Links::Never,
        ..flat()
    }
}

fn find(fixture: &Fixture, options: &Discovery) -> Listing {
    discover(fixture.path(), options, &|_| {}).unwrap()
}

fn source(fixture: &Fixture, path: &str) -> Blocking<Folder> {
    Blocking(Folder::new(fixture.join(path)).label(path).discovery(flat()))
}

/// Loads one skill from its folder or its file.
fn load(path: &Path) -> Skill {
    let options = ParseOptions::default();
    let bytes = read_capped(&manifest_of(path).unwrap(), options.limits.file_bytes).unwrap();
    parse(std::str::from_utf8(&bytes).unwrap()).skill.unwrap()
}

fn judge(fixture: &Fixture, directory: &str) -> Vec<String> {
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    let options = CheckOptions { parse, ..CheckOptions::default() };
    let file = manifest_of(&fixture.join(directory)).unwrap();
    let report = check_path(&file, &options).unwrap().report;
    let errors = report.iter().filter(|finding| finding.severity == metier::Severity::Error);
    errors.map(|finding| finding.message.clone()).collect()
}

// Parsing.

#[test]
fn parses_what_all_systems_parse() {
    shared::check_what_all_parsers_agree_on();
}

#[test]
fn a_skill_loads_from_its_folder_or_its_file() {
    let fixture = Fixture::new()
        .skill("pdf", &text("pdf", "one"))
        .file("lower/skill.md", &text("lower", "two"))
        .dir("empty");
    assert_eq!(load(&fixture.join("pdf")).name(), "pdf");
    assert_eq!(load(&fixture.join("pdf/SKILL.md")).name(), "pdf");
    assert_eq!(load(&fixture.join("lower")).name(), "lower");
    let error = manifest_of(&fixture.join("empty")).unwrap_err();
    assert!(error.to_string().contains("SKILL.md"), "{error}");
}

#[test]
fn loading_does_not_judge_names_or_lengths() {
    for name in ["n".repeat(65), "A-b".to_owned(), "a b".to_owned()] {
        assert_eq!(parse(&text(&name, "one")).skill.unwrap().name(), name);
    }
}

#[test]
fn a_skill_needs_frontmatter_that_is_a_mapping_with_a_description() {
    for text in ["body\n", "---\nname: a\n", "---\n---\n", "---\n- a\n---\n", "---\nname: a\n---\n"]
    {
        assert!(parse(text).skill.is_none(), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_is_stripped() {
    assert_eq!(parse(&format!("\u{feff}{}", text("pdf", "one"))).skill.unwrap().name(), "pdf");
}

#[test]
fn validation_lists_every_problem() {
    let long = "d".repeat(1025);
    let fixture = Fixture::new()
        .skill("x", &format!("---\nname: Bad_Name\ndescription: {long}\nodd: 1\n---\n"))
        .skill("good", &text("good", "Does it. Use it when asked."));
    let problems = judge(&fixture, "x").join("\n");
    for part in ["odd", "lower case", "`x`", "1024"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    assert!(judge(&fixture, "good").is_empty());
}

#[test]
fn skills_are_written_and_read_back_the_same() {
    let json = json!({
        "name": "pdf",
        "description": "Foo: bar",
        "license": "MIT",
        "compatibility": "any",
        "allowed-tools": "Read Bash(git add:*)",
        "metadata": { "version": "1.0", "on": "True" },
        "body": "Go.\n",
    });
    let skill = Skill::from_json(&json).unwrap();
    let again = parse(&skill.to_markdown()).skill.unwrap();
    assert_eq!(again.manifest(), skill.manifest());
    assert_eq!(again.body(), "Go.\n");
    assert_eq!(again.to_json(), skill.to_json());
    let markdown = skill.to_markdown();
    let order = ["name:", "description:", "license:", "compatibility:", "allowed-tools:"];
    let places: Vec<_> = order.iter().map(|key| markdown.find(key).unwrap()).collect();
    assert!(places.is_sorted(), "{markdown}");
    assert!(markdown.find("metadata:").unwrap() > places[0]);
}

#[test]
fn absent_fields_are_not_written() {
    let skill = Skill::from_json(&json!({ "name": "pdf", "description": "d" })).unwrap();
    for key in ["license", "compatibility", "allowed-tools", "metadata"] {
        assert!(!skill.to_markdown().contains(key), "{key}");
        assert!(skill.to_json().get(key).is_none_or(serde_json::Value::is_null), "{key}");
    }
}

#[test]
fn a_skill_from_parts_needs_a_name_and_a_description() {
    for parts in [json!({ "description": "d" }), json!({ "name": "pdf" })] {
        let error: FromJsonError = Skill::from_json(&parts).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
}

// Discovery.

#[test]
fn flat_discovery_sees_the_folders_in_the_root_sorted() {
    let fixture = Fixture::new()
        .skill(".", &text("root", "root"))
        .skill("b", &text("b", "two"))
        .skill("a", &text("a", "one"))
        .skill(".hidden", &text("hidden", "three"))
        .skill("deep/down", &text("down", "four"));
    assert_eq!(names(&find(&fixture, &flat())), ["a", "b", "hidden"]);
}

#[cfg(unix)]
#[test]
fn flat_discovery_follows_links_to_folders() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one")).dir("root");
    let (pdf, root) = (fixture.join("real/pdf"), fixture.join("root"));
    let fixture = fixture.link("root/pdf", pdf).link("linked", root);
    for root in ["root", "linked"] {
        let listing = discover(&fixture.join(root), &flat(), &|_| {}).unwrap();
        assert_eq!(names(&listing), ["pdf"], "{root}");
    }
    let listing = discover(&fixture.join("root"), &recursive(), &|_| {}).unwrap();
    assert!(listing.skills.is_empty(), "recursive discovery does not");
}

#[test]
fn recursive_discovery_goes_down_to_the_first_skill_of_a_branch() {
    let path = format!("{}pdf", "d/".repeat(20));
    let fixture = Fixture::new()
        .skill("a", &text("a", "one"))
        .skill("a/inner", &text("inner", "two"))
        .skill("x/.y/b", &text("b", "three"))
        .skill(&path, &text("pdf", "four"));
    assert_eq!(keys(&find(&fixture, &recursive())), ["a", "x/.y/b", path.as_str()]);
}

#[test]
fn both_spellings_of_the_file_are_found() {
    let fixture = Fixture::new()
        .skill("a", &text("a", "one"))
        .file("b/skill.md", &text("b", "two"))
        .file("c/skill.md", &text("c", "lower"))
        .file("c/SKILL.md", &text("c", "upper"));
    let listing = find(&fixture, &flat());
    assert_eq!(names(&listing), ["a", "b", "c"]);
    assert_eq!(listing.skills[2].description(), "upper");
}

#[test]
fn a_missing_path_is_skipped() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one")).file("file", "");
    let registry = Registry::builder()
        .source(source(&fixture, "missing"))
        .source(source(&fixture, "file"))
        .source(source(&fixture, "r"))
        .open();
    assert_eq!(ids(&registry), ["pdf"]);
}

#[test]
fn discovering_tells_what_is_new_and_nothing_the_second_time() {
    let fixture = Fixture::new().skill("r/a", &text("a", "one")).skill("r/b", &text("b", "two"));
    let registry = Registry::builder().open();
    assert_eq!(registry.register_blocking(source(&fixture, "r")).added, ["a", "b"]);
    assert!(registry.reload_blocking().is_empty());
    let fixture = fixture.skill("r/c", &text("c", "three"));
    assert_eq!(registry.reload_blocking().added, ["c"]);
    drop(fixture);
}

#[test]
fn the_first_discovered_wins_unless_the_last_overrides() {
    let fixture =
        Fixture::new().skill("one/pdf", &text("pdf", "one")).skill("two/pdf", &text("pdf", "two"));
    for (precedence, expected) in [(Precedence::First, "one"), (Precedence::Last, "two")] {
        let registry = Registry::builder().precedence(precedence).open();
        assert_eq!(registry.register_blocking(source(&fixture, "one")).added, ["pdf"]);
        let changes = registry.register_blocking(source(&fixture, "two"));
        assert!(changes.added.is_empty());
        assert_eq!(changes.changed.len(), usize::from(precedence == Precedence::Last));
        assert_eq!(registry.len(), 1);
        assert_eq!(registry.get("pdf").unwrap().description(), expected);
        assert_eq!(registry.load_blocking("pdf").unwrap().description(), expected);
    }
}

// Registry.

#[test]
fn skills_are_registered_once_and_unregistered() {
    let registry = Registry::builder().open();
    let skill = parse(&text("pdf", "one")).skill.unwrap();
    assert_eq!(registry.register_skill(&skill).unwrap().name(), "pdf");
    assert!(registry.has("pdf") && registry.len() == 1);
    let error = registry.register_skill(&skill).unwrap_err();
    assert!(matches!(error, RegistryError::AlreadyRegistered { .. }), "{error}");
    assert_eq!(registry.unregister("pdf").unwrap().name(), "pdf");
    assert!(!registry.has("pdf") && registry.is_empty());
    assert!(registry.get("pdf").is_none());
    let error = registry.unregister("pdf").unwrap_err();
    assert!(matches!(error, RegistryError::UnknownSkill { .. }), "{error}");
    registry.register_skill(&skill).unwrap();
    assert_eq!(registry.load_blocking("pdf").unwrap().description(), "one");
}

#[test]
fn a_registry_is_walked_over() {
    let table = Memory::new("t").skill("b", text("b", "two")).skill("a", text("a", "one"));
    let registry = Registry::builder().source(Blocking(table)).open();
    let mut seen = Vec::new();
    for entry in &registry {
        seen.push(entry.name().to_owned());
    }
    assert_eq!(seen, ["a", "b"]);
    assert_eq!(
        registry.iter().map(|entry: CatalogEntry| entry.id.to_string()).collect::<Vec<_>>(),
        seen
    );
}

// Defects that are not repeated.

#[test]
fn not_in_the_order_of_the_operating_system() {
    let fixture = ["z", "m", "a", "q"].into_iter().fold(Fixture::new(), |fixture, folder| {
        fixture.skill(&format!("{folder}/pdf"), &text("pdf", folder))
    });
    let folder = || Blocking(Folder::new(fixture.path()).label("r").discovery(recursive()));
    for _ in 0..5 {
        let registry = Registry::builder().source(folder()).open();
        assert_eq!(registry.get("pdf").unwrap().description(), "a");
        let shadowed: Vec<_> =
            registry.shadowed().iter().map(|s| s.entry.description().to_owned()).collect();
        assert_eq!(shadowed, ["m", "q", "z"]);
    }
}

#[test]
fn not_aborted_by_a_file_that_is_not_utf_8() {
    let fixture = Fixture::new()
        .bytes("a/SKILL.md", b"---\nname: a\ndescription: caf\xe9\n---\n")
        .skill("b", &text("b", "two"));
    for options in [flat(), recursive()] {
        let listing = find(&fixture, &options);
        assert_eq!(names(&listing), ["b"]);
        let report = listing.problems[0].report.as_ref().unwrap();
        assert_eq!(report.iter().next().unwrap().rule, Rule::NotUtf8);
    }
}

#[test]
fn not_losing_the_keys_after_a_long_value_or_a_list() {
    let skill = parse(concat!(
        "---\nname: pdf\ndescription: one\n  two\nlicense: \"a\n  b\"\nallowed-tools:\n- Read\n",
        "compatibility: any\nmetadata:\n  a: b\n---\n",
    ));
    let skill = skill.skill.unwrap();
    let manifest = skill.manifest();
    assert_eq!(manifest.description.as_deref(), Some("one two"));
    assert_eq!(manifest.license.as_deref(), Some("a b"));
    assert_eq!(manifest.allowed_tools.as_ref().unwrap().tools(), ["Read"]);
    assert_eq!(manifest.compatibility.as_deref(), Some("any"));
    assert_eq!(manifest.metadata_text().count(), 1);
}

#[test]
fn not_losing_a_folder_over_the_case_of_a_file_name() {
    let fixture = Fixture::new().file("a/Skill.md", &text("a", "one"));
    let listing = find(&fixture, &recursive());
    assert_eq!(names(&listing), ["a"]);
    assert_eq!(listing.problems.len(), 1);
}

#[test]
fn not_silent_about_files_that_do_not_load() {
    let fixture = Fixture::new().skill("a", "broken\n").skill("b", &text("b", "two"));
    assert_eq!(find(&fixture, &flat()).problems.len(), 1);
}

#[test]
fn not_turning_lists_into_the_text_of_a_program() {
    let skill = parse("---\nname: pdf\ndescription: d\nallowed-tools: [Read, Write]\n---\n");
    let skill = skill.skill.unwrap();
    assert_eq!(skill.manifest().allowed_tools.as_ref().unwrap().tools(), ["Read", "Write"]);
}

#[test]
fn not_refusing_names_that_yaml_once_took_for_booleans() {
    for name in ["yes", "on", "no"] {
        assert_eq!(parse(&text(name, "one")).skill.unwrap().name(), name);
    }
}

#[test]
fn not_refusing_a_name_that_starts_with_a_digit() {
    let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    assert!(parse_with(&text("3d-tool", "one"), &options).into_result().is_ok());
}

#[cfg(unix)]
#[test]
fn not_reading_through_a_link_that_leaves_the_skill() {
    let fixture = Fixture::new()
        .skill("r/pdf", &text("pdf", "one"))
        .file("secret.txt", "secret\n")
        .link("r/pdf/references/notes.txt", "../../../secret.txt");
    let registry = Registry::builder().source(source(&fixture, "r")).open();
    let read = registry.read_blocking("pdf", "references/notes.txt", &ReadOptions::default());
    let error = read.unwrap_err();
    assert!(matches!(error, RegistryError::Source(SourceError::Refused { .. })), "{error}");
    assert!(registry.files_blocking("pdf").unwrap().is_empty());
}

#[test]
fn not_stale_when_names_stay_and_contents_change() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one"));
    let registry = Registry::builder().source(source(&fixture, "r")).open();
    let before = registry.catalog();
    let fixture = fixture.skill("r/pdf", &text("pdf", "two"));
    assert_eq!(registry.load_blocking("pdf").unwrap().description(), "two");
    assert_eq!(registry.reload_blocking().changed, ["pdf"]);
    assert_eq!(registry.get("pdf").unwrap().description(), "two");
    assert_eq!(before.get("pdf").unwrap().description(), "one");
    drop(fixture);
}
