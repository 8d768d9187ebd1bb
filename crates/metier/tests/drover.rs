//! Turns what `@drover/skills` promises its users into tests: depth 3, exact names, first wins.

#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

#[path = "drover/rendering.rs"]
mod rendering;
mod shared;
#[path = "drover/tools.rs"]
mod tools;

use metier::{
    BelowSkills, Blocking, CatalogFilter, CheckOptions, Discovery, FileName, Files, Folder, Links,
    Mode, OnProblem, ParseOptions, PathProblem, ReadOptions, Registry, RegistryError, Resource,
    ResourcePath, Severity, SourceError, check_path, discover, parse, parse_with,
};
use shared::{ids, keys, names, text};
use std::sync::Mutex;
use testing::Fixture;

/// Depth 3, `SKILL.md` and nothing else, no dotted, underscored or package folders, no links.
fn drover() -> Discovery {
    Discovery {
        file_name: FileName::Exact("SKILL.md".to_owned()),
        depth: 3,
        skip_prefixes: [".", "_", "node_modules"].map(str::to_owned).to_vec(),
        skip_names: Vec::new(),
        below_skills: BelowSkills::DescendBroken,
        linked_directories: Links::Never,
        ..Discovery::default()
    }
}

/// The same, where the first bad file ends the scan.
fn strict() -> Discovery {
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    Discovery { parse, on_problem: OnProblem::Abort, ..drover() }
}

fn found(fixture: &Fixture) -> Vec<String> {
    let listing = discover(fixture.path(), &drover(), &|_| {}).unwrap();
    listing.skills.into_iter().map(|skill| skill.key.into()).collect()
}

fn open<const N: usize>(fixture: &Fixture, roots: [&str; N]) -> Registry {
    let folder = |root| Folder::new(fixture.join(root)).label(root).discovery(drover());
    let builder = roots
        .into_iter()
        .fold(Registry::builder(), |builder, root| builder.source(Blocking(folder(root))));
    builder.open()
}

fn read(registry: &Registry, path: &str) -> Result<Resource, RegistryError> {
    registry.read_blocking("pdf", path, &ReadOptions::default())
}

fn listed(paths: &[ResourcePath]) -> Vec<&str> {
    paths.iter().map(ResourcePath::as_str).collect()
}

// Parsing.

#[test]
fn parses_what_all_systems_parse() {
    shared::check_what_all_parsers_agree_on();
}

#[test]
fn fences_may_carry_blanks() {
    let skill = parse("--- \t\nname: pdf\ndescription: d\n---  \nbody\n").skill.unwrap();
    assert_eq!(skill.body(), "body\n");
}

#[test]
fn what_is_no_mapping_does_not_load_in_either_mode() {
    for text in ["---\n---\n", "---\n\n---\n", "---\n- a\n---\n", "body\n", "---\nname: [\n---\n"] {
        for mode in [Mode::Lenient, Mode::Strict] {
            let parsed = parse_with(text, &ParseOptions { mode, ..ParseOptions::default() });
            assert!(parsed.skill.is_none() && parsed.report.has_errors(), "{text:?}");
        }
    }
}

#[test]
fn all_issues_are_collected() {
    let fixture = Fixture::new().skill("x", "---\nname: BadName\ndescription: ''\n---\n");
    let options = CheckOptions { parse: strict().parse, ..CheckOptions::default() };
    let report = check_path(&fixture.join("x/SKILL.md"), &options).unwrap().report;
    let messages: Vec<_> = report.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(report.count(Severity::Error), 3, "{messages:?}");
    let directory = messages.iter().find(|m| m.contains("directory")).unwrap();
    assert!(directory.contains("BadName") && directory.contains('x'), "{directory}");
}

#[test]
fn names_may_start_with_a_digit_and_end_at_64() {
    for (name, is_fine) in
        [("3d-tool".to_owned(), true), ("a--b".to_owned(), false), ("a".repeat(65), false)]
    {
        let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
        let parsed = parse_with(&text(&name, "Does it. Use it."), &options);
        assert_eq!(parsed.into_result().is_ok(), is_fine, "{name}");
    }
}

#[test]
fn descriptions_are_stored_trimmed() {
    let skill = parse("---\nname: pdf\ndescription: '  hi  '\n---\n").skill.unwrap();
    assert_eq!(skill.description(), "hi");
}

#[test]
fn optional_fields_of_the_wrong_kind_are_issues() {
    for field in ["compatibility: ''", "metadata: text", "metadata: [a]"] {
        let parsed = parse(&format!("---\nname: pdf\ndescription: d\n{field}\n---\n"));
        assert!(parsed.skill.is_some() && !parsed.report.is_empty(), "{field}");
    }
    let long = "c".repeat(501);
    let parsed = parse(&format!("---\nname: pdf\ndescription: d\ncompatibility: {long}\n---\n"));
    assert_eq!(parsed.report.len(), 1);
}

#[test]
fn allowed_tools_are_split_outside_parentheses() {
    for (value, expected) in [
        ("Bash(git add:*), Read", vec!["Bash(git add:*)", "Read"]),
        ("Bash(a(b) c) X", vec!["Bash(a(b) c)", "X"]),
        ("\n- Read\n- Write", vec!["Read", "Write"]),
        ("[]", vec![]),
        ("a\u{a0}b", vec!["a\u{a0}b"]),
    ] {
        let parsed =
            parse(&format!("---\nname: pdf\ndescription: d\nallowed-tools: {value}\n---\n"));
        let tools = parsed.skill.unwrap().manifest().allowed_tools.clone().unwrap_or_default();
        let tools: Vec<_> = tools.iter().map(ToString::to_string).collect();
        assert_eq!(tools, expected, "{value:?}");
    }
}

#[test]
fn other_keys_are_kept_as_extra() {
    let skill = parse("---\nname: pdf\ndescription: d\nversion: 1.10\ntags: [x, y]\n---\n");
    let skill = skill.skill.unwrap();
    let extra = skill.manifest().extra();
    let extra: Vec<_> = extra.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(extra, ["version", "tags"]);
    assert_eq!(skill.manifest().tags(), ["x", "y"]);
}

#[test]
fn instructions_are_trimmed_and_the_directory_is_known() {
    let fixture = Fixture::new().skill("r/pdf", "---\nname: pdf\ndescription: d\n---\n\n go \n\n");
    let skill = open(&fixture, ["r"]).load_blocking("pdf").unwrap();
    assert_eq!(skill.instructions(), "go");
    assert_eq!(skill.dir(), Some(fixture.join("r/pdf").as_path()));
}

// Scanning.

#[test]
fn depth_counts_the_root_as_zero() {
    let fixture =
        Fixture::new().skill("x/y/d3", &text("d3", "three")).skill("x/y/z/d4", &text("d4", "four"));
    assert_eq!(found(&fixture), ["x/y/d3"]);
}

#[test]
fn the_root_itself_may_be_a_skill() {
    let fixture = Fixture::new().skill("pdf", &text("pdf", "one"));
    let listing = discover(&fixture.join("pdf"), &drover(), &|_| {}).unwrap();
    assert_eq!(names(&listing), ["pdf"]);
    assert_eq!(keys(&listing), ["."]);
}

#[test]
fn a_skill_ends_the_descent() {
    let fixture =
        Fixture::new().skill("a", &text("a", "one")).skill("a/inner", &text("inner", "two"));
    assert_eq!(found(&fixture), ["a"]);
}

#[test]
fn a_malformed_skill_does_not_end_the_descent() {
    let fixture = Fixture::new().skill("a", "broken\n").skill("a/inner", &text("inner", "two"));
    assert_eq!(found(&fixture), ["a/inner"]);
    let listing = discover(fixture.path(), &Discovery::default(), &|_| {}).unwrap();
    assert!(listing.skills.is_empty(), "by default, what stands below is a resource");
}

#[test]
fn hidden_private_and_package_folders_are_skipped_by_prefix() {
    let fixture = Fixture::new()
        .skill(".git/a", &text("a", "a"))
        .skill("_drafts/b", &text("b", "b"))
        .skill("node_modules/c", &text("c", "c"))
        .skill("node_modules_x/d", &text("d", "d"))
        .skill("e", &text("e", "e"));
    assert_eq!(found(&fixture), ["e"]);
}

#[test]
fn skips_do_not_apply_to_the_root() {
    let fixture = Fixture::new().skill("_private/.skills/pdf", &text("pdf", "one"));
    let listing = discover(&fixture.join("_private/.skills"), &drover(), &|_| {}).unwrap();
    assert_eq!(names(&listing), ["pdf"]);
}

#[test]
fn the_file_name_is_exact_and_can_be_set() {
    let fixture = Fixture::new()
        .file("a/skill.md", &text("a", "one"))
        .file("b/SKILL.MD", &text("b", "two"))
        .file("c/AGENT.md", &text("c", "three"));
    assert!(found(&fixture).is_empty());
    let options = Discovery { file_name: FileName::Exact("AGENT.md".to_owned()), ..drover() };
    let listing = discover(fixture.path(), &options, &|_| {}).unwrap();
    assert_eq!(names(&listing), ["c"]);
    assert_eq!(listing.skills[0].file.as_str(), "AGENT.md");
}

#[cfg(unix)]
#[test]
fn linked_folders_are_not_followed_and_a_linked_root_is() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one")).dir("root");
    let (root, pdf) = (fixture.join("real"), fixture.join("real/pdf"));
    let fixture = fixture.link("linked", root).link("root/pdf", pdf);
    assert_eq!(ids(&open(&fixture, ["linked"])), ["pdf"]);
    assert!(open(&fixture, ["root"]).is_empty());
}

#[cfg(unix)]
#[test]
fn a_linked_skill_file_is_followed() {
    let fixture = Fixture::new().file("shared.md", &text("pdf", "one")).dir("pdf");
    let fixture = fixture.link("pdf/SKILL.md", "../shared.md");
    assert_eq!(names(&discover(fixture.path(), &drover(), &|_| {}).unwrap()), ["pdf"]);
}

#[test]
fn a_folder_called_skill_md_is_descended_into() {
    let fixture = Fixture::new().skill("a/SKILL.md/inner", &text("inner", "one"));
    assert_eq!(found(&fixture), ["a/SKILL.md/inner"]);
}

#[test]
fn a_root_that_is_missing_or_a_file_holds_nothing() {
    let fixture = Fixture::new().file("file", "");
    for root in ["missing", "file"] {
        let listing = discover(&fixture.join(root), &drover(), &|_| {}).unwrap();
        assert!(listing.skills.is_empty());
        assert_eq!(listing.problems[0].severity, Severity::Note);
    }
}

#[test]
fn a_strict_scan_ends_at_the_first_bad_file() {
    let fixture = Fixture::new()
        .skill("good", &text("good", "Does it. Use it."))
        .skill("other", &text("BadName", "Does it. Use it."));
    let error = discover(fixture.path(), &strict(), &|_| {}).unwrap_err();
    let SourceError::Aborted { problem } = error else { panic!("{error}") };
    assert_eq!(problem.location, fixture.join("other/SKILL.md").to_str().unwrap());
    let fixture = fixture.remove("other");
    assert_eq!(names(&discover(fixture.path(), &strict(), &|_| {}).unwrap()), ["good"]);
}

#[test]
fn a_lenient_scan_tells_each_offending_file_once_and_keeps_the_skill() {
    let fixture = Fixture::new()
        .skill("x", "---\nname: BadName\ndescription: d\nlicense: ''\n---\n")
        .skill("broken", "no frontmatter\n")
        .skill("good", &text("good", "Does it. Use it."));
    let told = Mutex::new(Vec::new());
    let listing = discover(fixture.path(), &drover(), &|problem| {
        told.lock().unwrap().push(problem.location.clone());
    });
    assert_eq!(names(&listing.unwrap()), ["BadName", "good"]);
    let mut told = told.into_inner().unwrap();
    told.sort();
    let expected = ["broken/SKILL.md", "x/SKILL.md"].map(|path| fixture.join(path));
    assert_eq!(told, expected.map(|path| path.to_str().unwrap().to_owned()));
}

// Registry.

#[test]
fn the_first_root_wins_by_name() {
    let fixture = Fixture::new()
        .skill("one/pdf", &text("pdf", "one"))
        .skill("two/pdf", &text("pdf", "two"))
        .skill("two/web", &text("web", "two"));
    let registry = open(&fixture, ["one", "two"]);
    assert_eq!(ids(&registry), ["pdf", "web"]);
    assert_eq!(registry.get("pdf").unwrap().description(), "one");
    assert_eq!(registry.shadowed()[0].entry.description(), "two");
    assert!(registry.get("absent").is_none());
}

#[test]
fn in_one_root_the_first_path_wins() {
    let fixture = Fixture::new()
        .skill("r/b", "---\nname: pdf\ndescription: b\n---\n")
        .skill("r/a", "---\nname: pdf\ndescription: a\n---\n");
    assert_eq!(open(&fixture, ["r"]).get("pdf").unwrap().description(), "a");
}

#[test]
fn an_agent_has_the_skills_that_it_is_allowed() {
    let fixture = Fixture::new()
        .skill("r/a", &text("a", "one"))
        .skill("r/b", &text("b", "two"))
        .skill("r/c", &text("c", "three"));
    let registry = Registry::open([fixture.join("r")]);
    let allowed = |allow: &[&str], deny: &[&str]| {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let filter =
            CatalogFilter { allow: list(allow), deny: list(deny), ..CatalogFilter::default() };
        let catalog = registry.catalog();
        filter.apply(catalog.iter()).map(|entry| entry.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(allowed(&["c", "a", "unheard-of"], &[]), ["a", "c"]);
    assert_eq!(allowed(&["c", "a"], &["c"]), ["a"]);
    assert!(allowed(&["unheard-of"], &[]).is_empty());
}

// Resources.

fn with_files() -> Fixture {
    Fixture::new()
        .skill("r/pdf", &text("pdf", "one"))
        .file("r/pdf/scripts/run.sh", "echo\n")
        .file("r/pdf/scripts/.hidden", "")
        .file("r/pdf/scripts/lib/deep.sh", "deep\n")
        .file("r/pdf/references/b.md", "b\n")
        .file("r/pdf/references/a.md", "a\n")
        .bytes("r/pdf/assets/logo.bin", &[0xff, 0])
        .file("r/pdf/README.md", "readme\n")
        .file("r/pdf/docs/more.md", "more\n")
}

#[test]
fn files_are_listed_in_four_groups_sorted_without_dotfiles() {
    let fixture = with_files();
    let registry = open(&fixture, ["r"]);
    let Files { scripts, references, assets, other, .. } = registry.files_blocking("pdf").unwrap();
    assert_eq!(listed(&scripts), ["scripts/lib/deep.sh", "scripts/run.sh"]);
    assert_eq!(listed(&references), ["references/a.md", "references/b.md"]);
    assert_eq!(listed(&assets), ["assets/logo.bin"]);
    assert_eq!(listed(&other), ["README.md", "docs/more.md"]);
}

#[test]
fn a_skill_without_files_has_four_empty_groups() {
    let fixture = Fixture::new().skill("r/pdf", &text("pdf", "one"));
    assert!(open(&fixture, ["r"]).files_blocking("pdf").unwrap().is_empty());
}

#[test]
fn resources_are_read_by_relative_path() {
    let fixture = with_files();
    let registry = open(&fixture, ["r"]);
    assert_eq!(read(&registry, "scripts/run.sh").unwrap().text(), Some("echo\n"));
    assert_eq!(read(&registry, "./scripts//run.sh").unwrap().text(), Some("echo\n"));
    let logo = read(&registry, "assets/logo.bin").unwrap();
    assert_eq!((logo.bytes.as_slice(), logo.text()), (&[0xff, 0][..], None));
}

#[test]
fn resources_outside_and_folders_are_refused() {
    let fixture = with_files();
    let registry = open(&fixture, ["r"]);
    for (path, problem) in [
        ("/etc/hostname", PathProblem::Absolute),
        ("../secret", PathProblem::Parent),
        ("scripts/../../secret", PathProblem::Parent),
        ("", PathProblem::Empty),
    ] {
        let error = read(&registry, path).unwrap_err();
        assert!(
            matches!(&error, RegistryError::Path(e) if e.problem == problem),
            "{path}: {error}"
        );
    }
    let error = read(&registry, "scripts").unwrap_err();
    assert!(matches!(error, RegistryError::Source(SourceError::Refused { .. })), "{error}");
}

#[test]
fn resources_over_the_limit_are_refused_whole_and_equal_ones_read() {
    let fixture = with_files()
        .file("r/pdf/equal.txt", &"x".repeat(65_536))
        .file("r/pdf/over.txt", &"x".repeat(65_537));
    let registry = open(&fixture, ["r"]);
    let options = ReadOptions { limit: 65_536, range: None };
    assert!(registry.read_blocking("pdf", "equal.txt", &options).is_ok());
    let error = registry.read_blocking("pdf", "over.txt", &options).unwrap_err();
    assert!(error.to_string().contains("65537"), "{error}");
}

// Defects that are not repeated.

#[test]
fn not_refused_because_a_name_starts_with_two_dots() {
    let fixture = with_files().file("r/pdf/..notes.md", "fine\n");
    assert_eq!(read(&open(&fixture, ["r"]), "..notes.md").unwrap().text(), Some("fine\n"));
}

#[test]
fn not_closed_in_silence_by_a_line_that_merely_starts_like_a_fence() {
    for closer in ["---more", "----"] {
        let text = format!("---\nname: pdf\ndescription: d\n{closer}\nbody\n");
        assert!(parse_with(&text, &strict().parse).into_result().is_err(), "{closer}");
        assert!(!parse(&text).report.is_empty(), "{closer}");
    }
}

#[test]
fn not_named_by_nothing_when_the_name_is_no_text() {
    let fixture = Fixture::new().skill("pdf", "---\nname: [a]\ndescription: d\n---\n");
    let listing = discover(fixture.path(), &drover(), &|_| {}).unwrap();
    assert!(listing.skills.iter().all(|skill| !skill.name.is_empty()));
    assert_eq!(listing.problems.len(), 1);
}

#[cfg(unix)]
#[test]
fn not_reading_through_a_link_that_leaves_the_skill() {
    let fixture = with_files().file("secret.txt", "secret\n").dir("other");
    let (secret, other) = (fixture.join("secret.txt"), fixture.join("other"));
    let fixture = fixture
        .link("r/pdf/absolute.txt", secret)
        .link("r/pdf/relative.txt", "../../secret.txt")
        .link("r/pdf/folder", other)
        .link("r/pdf/inside.txt", "README.md")
        .file("other/x.txt", "secret\n");
    let registry = open(&fixture, ["r"]);
    for path in ["absolute.txt", "relative.txt", "folder/x.txt"] {
        let error = read(&registry, path).unwrap_err();
        let is_refused = matches!(error, RegistryError::Source(SourceError::Refused { .. }));
        assert!(is_refused && !error.to_string().contains("secret"), "{error}");
    }
    assert_eq!(read(&registry, "inside.txt").unwrap().text(), Some("readme\n"));
    let files = registry.files_blocking("pdf").unwrap();
    assert_eq!(listed(&files.other), ["README.md", "docs/more.md", "inside.txt"]);
}

#[test]
fn not_silent_about_what_was_left_out() {
    let fixture = Fixture::new().skill("r/x/y/z/d4", &text("d4", "four")).skill("r/a", "broken\n");
    let registry = open(&fixture, ["r", "missing"]);
    let problems = registry.problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
}
