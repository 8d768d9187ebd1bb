//! Turns what Fizeau's package `skill` promises its users into tests: any case, any depth, last wins.

#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

#[path = "fizeau/rendering.rs"]
mod rendering;
mod shared;
#[path = "fizeau/tools.rs"]
mod tools;

use metier::{
    BelowSkills, Blocking, Discovery, FileName, Folder, Head, Limits, Links, Listing, MatcherKind,
    MissingRoot, Mode, ParseOptions, Precedence, ReadOptions, Registry, RegistryError, Rule,
    SelectOptions, Severity, discover, parse, parse_with,
};
use shared::{ids, keys, names, text};
use testing::Fixture;

/// Every folder at any depth, below skills too; the file name in any case.
fn fizeau() -> Discovery {
    Discovery {
        file_name: FileName::AnyCase,
        depth: usize::MAX,
        skip_prefixes: Vec::new(),
        skip_names: Vec::new(),
        below_skills: BelowSkills::Descend,
        linked_directories: Links::Never,
        linked_files: Links::Never,
        missing_root: MissingRoot::NoteAbsent,
        ..Discovery::default()
    }
}

fn scan(fixture: &Fixture) -> Listing {
    discover(fixture.path(), &fizeau(), &|_| {}).unwrap()
}

fn open(fixture: &Fixture) -> Registry {
    let folder = Folder::new(fixture.path()).label("skills").discovery(fizeau());
    Registry::builder().source(Blocking(folder)).precedence(Precedence::Last).open()
}

fn rules(text: &str) -> Vec<Rule> {
    parse(text).report.iter().map(|finding| finding.rule).collect()
}

// Parsing.

#[test]
fn parses_what_all_systems_parse() {
    shared::check_what_all_parsers_agree_on();
}

#[test]
fn no_frontmatter_and_an_unterminated_one_are_told_apart() {
    for none in ["", "body\n"] {
        assert_eq!(rules(none), [Rule::MissingFrontmatter], "{none:?}");
    }
    let unterminated = "---\nname: pdf\ndescription: d\n";
    assert!(parse(unterminated).skill.is_none());
    assert_ne!(rules(unterminated), [Rule::MissingFrontmatter]);
}

#[test]
fn the_offset_is_the_byte_after_the_closer() {
    for text in [
        "---\nname: pdf\ndescription: d\n---\nbody\n",
        "---\r\nname: pdf\r\ndescription: d\r\n---\r\nbody\n",
    ] {
        let skill = parse(text).skill.unwrap();
        assert_eq!(&text[skill.body_offset()..], "body\n");
    }
    let ends = "---\nname: pdf\ndescription: d\n---";
    assert_eq!(parse(ends).skill.unwrap().body_offset(), ends.len());
}

#[test]
fn the_body_is_raw_to_the_byte() {
    let fixture =
        Fixture::new().skill("pdf", "---\nname: pdf\ndescription: d\n---\n\r\n  raw \t\r\n\n");
    let skill = open(&fixture).load_blocking("pdf").unwrap();
    assert_eq!(skill.body(), "\r\n  raw \t\r\n\n");
}

#[test]
fn only_the_head_of_a_file_is_read_for_the_catalog() {
    let file = "---\nname: pdf\ndescription: d\n---\n".to_owned() + &"x".repeat(1 << 20);
    let head = Head::read(&mut file.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(head.body_offset(), 33);
    assert!(head.as_bytes().len() < 64);
}

#[test]
fn scalars_are_text_and_versions_keep_their_digits() {
    let skill = parse("---\nname: 123\ndescription: yes\nversion: 1.10\ntags: [a, b]\n---\n");
    let skill = skill.skill.unwrap();
    assert_eq!((skill.name(), skill.description()), ("123", "yes"));
    assert_eq!(skill.manifest().version().as_deref(), Some("1.10"));
    assert_eq!(skill.manifest().tags(), ["a", "b"]);
}

#[test]
fn nul_and_bad_utf_8_are_errors_of_their_file() {
    let fixture = Fixture::new()
        .bytes("nul/SKILL.md", b"---\nname: nul\ndescription: d\0\n---\n")
        .bytes("latin/SKILL.md", b"---\nname: latin\ndescription: caf\xe9\n---\n")
        .skill("good", &text("good", "one"));
    let listing = scan(&fixture);
    assert_eq!(names(&listing), ["good"]);
    assert_eq!(listing.problems.len(), 2, "{:?}", listing.problems);
    assert!(listing.problems.iter().all(|problem| problem.severity == Severity::Error));
}

#[test]
fn duplicate_keys_are_an_error_in_strict_mode_and_said_in_any() {
    let text = "---\nname: a\nname: b\ndescription: d\n---\n";
    assert_eq!(rules(text), [Rule::DuplicateKey]);
    let strict = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    assert!(parse_with(text, &strict).into_result().is_err());
}

#[test]
fn names_with_underscores_load() {
    let fixture =
        Fixture::new().skill("a_b", &text("a_b", "one")).skill("c--d", &text("c--d", "x"));
    assert_eq!(ids(&open(&fixture)), ["a_b", "c--d"]);
}

#[test]
fn a_skill_needs_a_description() {
    let listing = scan(&Fixture::new().skill("pdf", "---\nname: pdf\n---\n"));
    assert!(listing.skills.is_empty());
    assert!(listing.problems[0].message.contains("description"), "{}", listing.problems[0]);
}

// Scanning.

#[test]
fn a_missing_folder_is_an_empty_catalog() {
    let fixture = Fixture::new();
    let listing = discover(&fixture.join("missing"), &fizeau(), &|_| {}).unwrap();
    assert!(listing.skills.is_empty());
    assert_eq!(listing.problems[0].severity, Severity::Note);
}

#[test]
fn a_file_for_a_folder_is_an_error() {
    let fixture = Fixture::new().file("file", "");
    let error = discover(&fixture.join("file"), &fizeau(), &|_| {}).unwrap_err();
    assert!(error.to_string().ends_with("it is not a directory"), "{error}");
}

#[test]
fn the_depth_has_no_limit() {
    let path = format!("{}pdf", "d/".repeat(40));
    let fixture = Fixture::new().skill(&path, &text("pdf", "one"));
    assert_eq!(keys(&scan(&fixture)), [path]);
}

#[test]
fn the_file_name_counts_in_any_case() {
    let fixture = Fixture::new()
        .file("a/skill.md", &text("a", "one"))
        .file("b/Skill.md", &text("b", "two"))
        .file("c/SKILL.MD", &text("c", "three"))
        .file("d/SKILL.md", &text("d", "four"));
    let listing = scan(&fixture);
    assert_eq!(names(&listing), ["a", "b", "c", "d"]);
    assert!(listing.problems.is_empty(), "{:?}", listing.problems);
    let registry = open(&fixture);
    assert_eq!(registry.load_blocking("b").unwrap().description(), "two");
}

#[test]
fn hidden_folders_count() {
    let fixture = Fixture::new()
        .skill(".hidden/a", &text("a", "one"))
        .skill("_b", &text("_b", "two"))
        .skill("node_modules/c", &text("c", "three"));
    assert_eq!(scan(&fixture).skills.len(), 3);
}

#[test]
fn skills_inside_skills_and_the_root_itself_are_found() {
    let fixture = Fixture::new()
        .skill("r", &text("r", "root"))
        .skill("r/a", &text("a", "one"))
        .skill("r/a/deep/b", &text("b", "two"));
    let listing = discover(&fixture.join("r"), &fizeau(), &|_| {}).unwrap();
    assert_eq!(keys(&listing), ["a", "a/deep/b", "."]);
}

#[cfg(unix)]
#[test]
fn linked_folders_are_not_followed() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one")).dir("root");
    let pdf = fixture.join("real/pdf");
    let fixture = fixture.link("root/pdf", pdf);
    let listing = discover(&fixture.join("root"), &fizeau(), &|_| {}).unwrap();
    assert!(listing.skills.is_empty());
}

#[test]
fn each_bad_file_is_one_warning_and_the_scan_goes_on() {
    let fixture = Fixture::new()
        .skill("a", "broken\n")
        .skill("b", "---\nname: b\n---\n")
        .skill("c", &text("c", "three"));
    let listing = scan(&fixture);
    assert_eq!(names(&listing), ["c"]);
    let places: Vec<_> = listing.problems.iter().map(|p| p.location.clone()).collect();
    let expected = ["a/SKILL.md", "b/SKILL.md"].map(|path| fixture.join(path));
    assert_eq!(places, expected.map(|path| path.to_str().unwrap().to_owned()));
    assert!(listing.problems[0].to_string().contains(&places[0]));
}

// Catalog.

#[test]
fn the_last_path_wins_and_the_catalog_is_sorted_by_name() {
    let fixture = Fixture::new()
        .skill("a", "---\nname: pdf\ndescription: a\n---\n")
        .skill("b", "---\nname: pdf\ndescription: b\n---\nof b\n")
        .skill("0", &text("zip", "zip"));
    let registry = open(&fixture);
    assert_eq!(ids(&registry), ["pdf", "zip"]);
    assert_eq!(registry.get("pdf").unwrap().description(), "b");
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "of b\n");
}

#[test]
fn lists_are_copies() {
    let registry = open(&Fixture::new().skill("pdf", &text("pdf", "one")));
    let mut list = registry.list();
    list.clear();
    assert_eq!(registry.len(), 1);
}

#[test]
fn an_empty_catalog_is_safe() {
    let registry = open(&Fixture::new());
    assert!(registry.is_empty() && ids(&registry).is_empty());
    assert!(registry.get("pdf").is_none());
}

#[test]
fn unknown_skills_are_named() {
    let error = open(&Fixture::new()).load_blocking("x").unwrap_err();
    assert_eq!(error.to_string(), "there is no skill `x`");
}

#[test]
fn bodies_are_read_anew_each_time() {
    let fixture = Fixture::new().skill("pdf", "---\nname: pdf\ndescription: d\n---\none\n");
    let registry = open(&fixture);
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "one\n");
    let fixture = fixture.skill("pdf", "---\nname: pdf\ndescription: d\n---\ntwo\n");
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "two\n");
    drop(fixture);
}

#[test]
fn a_file_that_shrank_below_its_body_is_an_error() {
    let fixture = Fixture::new().skill("pdf", "---\nname: pdf\ndescription: d\n---\nbody\n");
    let registry = open(&fixture);
    let fixture = fixture.skill("pdf", "---\n");
    let error = registry.load_blocking("pdf").unwrap_err();
    assert!(matches!(error, RegistryError::Broken { .. }), "{error}");
    drop(fixture);
}

#[test]
fn a_catalog_is_shown_whole_and_by_name() {
    let fixture = Fixture::new().skill("r/b", &text("b", "two")).skill("r/a", &text("a", "one"));
    let registry = Registry::open([fixture.join("r")]);
    let matcher = MatcherKind::Everything;
    let options = SelectOptions { matcher, top_k: usize::MAX, ..SelectOptions::default() };
    let hits = registry.select_blocking("", &options).hits;
    assert_eq!(hits.iter().map(|hit| &*hit.id).collect::<Vec<_>>(), ["a", "b"]);
}

// Defects that are not repeated.

#[cfg(unix)]
#[test]
fn not_empty_because_the_root_is_a_link() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one"));
    let real = fixture.join("real");
    let fixture = fixture.link("linked", real);
    let listing = discover(&fixture.join("linked"), &fizeau(), &|_| {}).unwrap();
    assert_eq!(names(&listing), ["pdf"]);
    let folder = Folder::new(fixture.join("linked")).discovery(fizeau());
    let registry = Registry::builder().source(Blocking(folder)).open();
    let file = registry.read_blocking("pdf", "SKILL.md", &ReadOptions::default()).unwrap();
    assert_eq!(file.text(), Some(text("pdf", "one").as_str()));
}

#[test]
fn not_silent_about_the_ones_that_lost() {
    let fixture = Fixture::new()
        .skill("a", "---\nname: pdf\ndescription: a\n---\n")
        .skill("b", "---\nname: pdf\ndescription: b\n---\n");
    let registry = open(&fixture);
    let shadowed = registry.shadowed();
    assert_eq!(shadowed.len(), 1);
    let id = &shadowed[0].entry.id;
    assert_eq!(registry.load_blocking(id).unwrap().description(), "a");
}

#[test]
fn not_counting_bytes_for_characters() {
    let skill = text("pdf", &"é".repeat(1024));
    assert!(!rules(&skill).contains(&Rule::DescriptionTooLong));
    assert!(rules(&text("pdf", &"é".repeat(1025))).contains(&Rule::DescriptionTooLong));
}

#[test]
fn not_stale_after_the_frontmatter_grew() {
    let fixture = Fixture::new().skill("pdf", "---\nname: pdf\ndescription: d\n---\nbody\n");
    let registry = open(&fixture);
    let fixture = fixture.skill("pdf", "---\nname: pdf\ndescription: much longer now\n---\nbody\n");
    let skill = registry.load_blocking("pdf").unwrap();
    assert_eq!((skill.description(), skill.body()), ("much longer now", "body\n"));
    assert_eq!(registry.reload_blocking().changed, ["pdf"]);
    assert_eq!(registry.get("pdf").unwrap().description(), "much longer now");
    drop(fixture);
}

// The folder from the environment is for the host to pass on: the library reads no environment.
