//! Turns what PromptKit's `runtime/skills` promises its users into tests: mounts, preloads, all or nothing.

#![allow(clippy::unwrap_used, reason = "what tests share fails like a test")]

#[path = "promptkit/choosing.rs"]
mod choosing;
#[path = "promptkit/executor.rs"]
mod executor;
#[cfg(feature = "install")]
#[path = "promptkit/installing.rs"]
mod installing;
#[path = "promptkit/rendering.rs"]
mod rendering;
mod shared;

use metier::{
    BelowSkills, Blocking, CatalogEntry, Discovery, FileName, Folder, InvalidMount, Layer, Layers,
    Links, Memory, MissingRoot, Mode, OnProblem, ParseOptions, PathProblem, ReadOptions, Registry,
    RegistryError, Severity, SourceError, discover, parse, parse_with,
};
use shared::{ids, keys, names, text};
use testing::Fixture;

/// Every folder at any depth, below skills too; the first thing that is wrong ends the scan.
fn promptkit() -> Discovery {
    Discovery {
        file_name: FileName::Exact("SKILL.md".to_owned()),
        depth: usize::MAX,
        skip_prefixes: Vec::new(),
        skip_names: Vec::new(),
        below_skills: BelowSkills::Descend,
        linked_directories: Links::Never,
        linked_files: Links::Never,
        on_problem: OnProblem::Abort,
        missing_root: MissingRoot::Abort,
        ..Discovery::default()
    }
}

fn folder(fixture: &Fixture, path: &str) -> Folder {
    Folder::new(fixture.join(path)).label(path).discovery(promptkit())
}

fn layer(fixture: &Fixture, path: &str) -> Layer {
    Layer::new(Blocking(folder(fixture, path)))
}

fn paths(entries: &[CatalogEntry]) -> Vec<&str> {
    entries.iter().map(CatalogEntry::name).collect()
}

fn virtual_path(registry: &Registry, id: &str) -> String {
    registry.get(id).unwrap().listed.virtual_path.clone().unwrap().into()
}

// Parsing.

#[test]
fn parses_what_all_systems_parse() {
    shared::check_what_all_parsers_agree_on();
}

#[test]
fn blank_lines_before_the_frontmatter_are_fine() {
    let skill = parse(&format!("\n\n{}", text("pdf", "one"))).skill.unwrap();
    assert_eq!((skill.name(), skill.instructions()), ("pdf", "Body of one."));
}

#[test]
fn what_is_wrong_is_an_error_in_strict_mode() {
    let options = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    for (text, part) in [
        (String::new(), "frontmatter"),
        ("---\nname: a\ndescription: d\n".to_owned(), "not closed"),
        ("---\ndescription: d\n---\n".to_owned(), "`name`"),
        ("---\nname: a\n---\n".to_owned(), "`description`"),
        (text("A_b", "d"), "name"),
        (text(&"a".repeat(65), "d"), "64"),
        (text("a", &"d".repeat(1025)), "1024"),
        ("---\nname: a\nname: b\ndescription: d\n---\n".to_owned(), "twice"),
    ] {
        let report = parse_with(&text, &options).into_result().unwrap_err();
        let messages: Vec<_> = report.iter().map(|finding| finding.message.clone()).collect();
        assert!(messages.iter().any(|message| message.contains(part)), "{part}: {messages:?}");
    }
}

#[test]
fn allowed_tools_are_a_list() {
    let skill = parse("---\nname: a\ndescription: d\nallowed-tools:\n  - refund\n  - pay\n---\n");
    let skill = skill.skill.unwrap();
    assert_eq!(skill.manifest().allowed_tools.as_ref().unwrap().tools(), ["refund", "pay"]);
}

#[test]
fn metadata_keeps_its_text() {
    let skill =
        parse("---\nname: a\ndescription: d\nmetadata:\n  v: 1.0\n  n: 007\n  on: true\n---\n");
    let skill = skill.skill.unwrap();
    let metadata: Vec<_> =
        skill.manifest().metadata_text().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(metadata, ["v=1.0", "n=007", "on=true"]);
}

#[test]
fn a_name_need_not_be_that_of_the_folder() {
    let fixture = Fixture::new().skill("r/folder", &text("pdf", "one"));
    let registry = Registry::builder().source(Blocking(folder(&fixture, "r"))).try_open().unwrap();
    assert_eq!(ids(&registry), ["pdf"]);
}

// Discovery.

#[test]
fn every_folder_counts_at_any_depth_below_skills_and_the_root_too() {
    let deep = format!("{}deep", "d/".repeat(20));
    let fixture = Fixture::new()
        .skill("r", &text("r", "root"))
        .skill("r/.hidden", &text("hidden", "one"))
        .skill("r/a", &text("a", "two"))
        .skill("r/a/inner", &text("inner", "three"))
        .skill(&format!("r/{deep}"), &text("deep", "four"))
        .file("r/lower/skill.md", &text("lower", "five"));
    let listing = discover(&fixture.join("r"), &promptkit(), &|_| {}).unwrap();
    assert_eq!(keys(&listing), ["a", deep.as_str(), ".hidden", "a/inner", "."]);
}

#[test]
fn a_bad_file_ends_the_discovery() {
    let fixture = Fixture::new()
        .skill("good/a", &text("a", "one"))
        .skill("bad/b", &text("b", "two"))
        .skill("bad/broken", "no frontmatter\n");
    let builder = || {
        Registry::builder()
            .source(Blocking(folder(&fixture, "good")))
            .source(Blocking(folder(&fixture, "bad")))
    };
    let error = builder().try_open().unwrap_err();
    let SourceError::Aborted { problem } = error else { panic!("{error}") };
    assert_eq!(problem.location, fixture.join("bad/broken/SKILL.md").to_str().unwrap());
    // What the sources before it gave stays, for those who go on.
    let registry = builder().open();
    assert_eq!(ids(&registry), ["a"]);
    assert_eq!(registry.problems().len(), 1);
}

#[test]
fn a_missing_folder_ends_the_discovery() {
    let fixture = Fixture::new().skill("r/a", &text("a", "one"));
    let builder = Registry::builder()
        .source(Blocking(folder(&fixture, "r")))
        .source(Blocking(folder(&fixture, "missing")));
    let error = builder.try_open().unwrap_err();
    assert!(matches!(error, SourceError::Unavailable { .. }), "{error}");
}

#[test]
fn the_first_source_wins() {
    let fixture =
        Fixture::new().skill("one/pdf", &text("pdf", "one")).skill("two/pdf", &text("pdf", "two"));
    let registry = Registry::builder()
        .source(Blocking(folder(&fixture, "one")))
        .source(Blocking(folder(&fixture, "two")))
        .try_open()
        .unwrap();
    assert_eq!(registry.get("pdf").unwrap().description(), "one");
    let skill = registry.load_blocking("pdf").unwrap();
    assert_eq!(skill.path(), Some(fixture.join("one/pdf/SKILL.md").as_path()));
}

#[test]
fn preload_marks_are_combined_and_never_taken_back() {
    let fixture = Fixture::new()
        .skill("one/pdf", &text("pdf", "one"))
        .skill("two/pdf", &text("pdf", "two"))
        .skill("two/web", &text("web", "two"));
    let registry = Registry::builder()
        .source(Blocking(folder(&fixture, "one")))
        .source(Blocking(folder(&fixture, "two").preload()))
        .source(Blocking(Memory::new("inline").inline("web", "inline", "Go.")))
        .open();
    assert_eq!(paths(&registry.preloaded()), ["pdf", "web"]);
    assert_eq!(registry.get("pdf").unwrap().description(), "one");
    let inline = Memory::new("inline").inline("chat", "Talks.", "Talk.").preload("chat");
    registry.register_blocking(Blocking(inline));
    assert_eq!(paths(&registry.preloaded()), ["chat", "pdf", "web"]);
}

#[test]
fn preloaded_skills_come_by_name_and_an_unreadable_one_stops_none() {
    let fixture = Fixture::new()
        .skill("r/b", &text("b", "two"))
        .skill("r/a", &text("a", "one"))
        .skill("r/gone", &text("gone", "three"));
    let source = Blocking(folder(&fixture, "r").preload());
    let registry = Registry::builder().source(source).open();
    let fixture = fixture.remove("r/gone");
    let loaded = metier::block_on(registry.load_preloaded());
    let outcomes: Vec<_> =
        loaded.iter().map(|(entry, skill)| (entry.name(), skill.is_ok())).collect();
    assert_eq!(outcomes, [("a", true), ("b", true), ("gone", false)]);
    drop(fixture);
}

#[test]
fn inline_skills_are_not_judged() {
    let table = Memory::new("inline")
        .inline("Bad Name", "Does it.", "  Go.\n\n")
        .inline("mute", "", "Hush.");
    let registry = Registry::builder().source(Blocking(table)).open();
    assert_eq!(ids(&registry), ["Bad Name", "mute"]);
    assert_eq!(registry.load_blocking("Bad Name").unwrap().body(), "  Go.\n\n");
    assert_eq!(registry.load_blocking("mute").unwrap().body(), "Hush.");
}

// Mounts.

#[test]
fn mounts_give_skills_another_path() {
    let fixture = Fixture::new()
        .skill("r", &text("r", "root"))
        .skill("r/a/deep", &text("deep", "one"))
        .file("r/a/deep/notes.md", "notes\n");
    for (mount, expected) in [
        ("skills/billing", ["skills/billing", "skills/billing/a/deep"]),
        ("skills/billing/", ["skills/billing", "skills/billing/a/deep"]),
        ("/abs", ["/abs", "/abs/a/deep"]),
        ("a..b", ["a..b", "a..b/a/deep"]),
    ] {
        let layers = Layers::new("all").layer(layer(&fixture, "r").mount_as(mount).unwrap());
        let registry = Registry::builder().source(layers).open();
        assert_eq!(virtual_path(&registry, "r"), expected[0]);
        assert_eq!(virtual_path(&registry, "deep"), expected[1]);
        let notes = registry.read_blocking("deep", "notes.md", &ReadOptions::default()).unwrap();
        assert_eq!(notes.text(), Some("notes\n"), "files are read from where they are");
    }
}

#[test]
fn mounts_with_wildcards_or_parents_are_refused() {
    let mount = |path: &str| Layer::new(Blocking(Memory::new("m"))).mount_as(path);
    for path in ["a*", "a?", "[a"] {
        assert!(matches!(mount(path), Err(InvalidMount::Wildcard { .. })), "{path}");
    }
    for path in ["..", "a/../b", "../a"] {
        assert!(matches!(mount(path), Err(InvalidMount::Parent { .. })), "{path}");
    }
    assert!(mount("a]").is_ok());
}

#[test]
fn skills_are_listed_for_a_folder_by_whole_components() {
    let fixture = Fixture::new()
        .skill("one/b", &text("b", "one"))
        .skill("one/a", &text("a", "two"))
        .skill("two/c", &text("c", "three"))
        .skill("three/d", &text("d", "four"));
    let layers = Layers::new("all")
        .layer(layer(&fixture, "one").mount_as("skills/billing").unwrap())
        .layer(layer(&fixture, "two").mount_as("skills/orders").unwrap())
        .layer(layer(&fixture, "three"))
        .layer(Layer::new(Blocking(Memory::new("inline").inline("chat", "Talks.", "Talk."))));
    let registry = Registry::builder().source(layers).base(fixture.path()).open();
    for (dir, expected) in [
        ("skills/billing", &["a", "b"][..]),
        ("./skills/billing/", &["a", "b"]),
        ("skills", &["a", "b", "c"]),
        ("skills/bill", &[]),
        ("one", &[]),
        ("three", &["d"]),
        ("", &["a", "b", "c", "chat", "d"]),
    ] {
        assert_eq!(paths(&registry.list_for_dir(dir)), expected, "{dir}");
    }
    let absolute = registry.list_for_dir(fixture.join("skills/billing"));
    assert_eq!(paths(&absolute), ["a", "b"]);
}

// Resources.

fn with_files() -> Fixture {
    Fixture::new()
        .skill("r/pdf", &text("pdf", "one"))
        .file("r/pdf/refs/d", "d\n")
        .skill("r/web", &text("web", "two"))
        .file("r/web/secret.txt", "secret\n")
}

fn open(fixture: &Fixture) -> Registry {
    Registry::builder().source(Blocking(folder(fixture, "r"))).try_open().unwrap()
}

#[test]
fn resources_are_read_inside_the_skill() {
    let fixture = with_files();
    let registry = open(&fixture);
    let read = |path: &str| registry.read_blocking("pdf", path, &ReadOptions::default());
    for path in ["refs/d", "refs//d", "./refs/d"] {
        assert_eq!(read(path).unwrap().text(), Some("d\n"), "{path}");
    }
    let error = read("refs/absent").unwrap_err();
    assert!(matches!(error, RegistryError::Source(SourceError::NoSuchFile { .. })), "{error}");
    let error = read("refs").unwrap_err();
    assert!(error.to_string().contains("it is a directory"), "{error}");
    let error = registry.read_blocking("x", "refs/d", &ReadOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no skill `x`");
}

#[test]
fn resources_that_leave_the_skill_are_refused() {
    let fixture = with_files();
    let registry = open(&fixture);
    for path in ["../web/secret.txt", "refs/../../web/secret.txt", "refs/sub/../d"] {
        let error = registry.read_blocking("pdf", path, &ReadOptions::default()).unwrap_err();
        let is_parent = |e: &metier::InvalidPath| e.problem == PathProblem::Parent;
        assert!(matches!(&error, RegistryError::Path(e) if is_parent(e)), "{path}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_a_sibling_skill_is_refused() {
    let fixture = with_files().link("r/pdf/notes.txt", "../web/secret.txt");
    let read = open(&fixture).read_blocking("pdf", "notes.txt", &ReadOptions::default());
    let error = read.unwrap_err();
    assert!(matches!(error, RegistryError::Source(SourceError::Refused { .. })), "{error}");
}

#[test]
fn an_inline_skill_has_no_files() {
    let table = Memory::new("inline").inline("chat", "Talks.", "Talk.");
    let registry = Registry::builder().source(Blocking(table)).open();
    assert!(registry.get("chat").unwrap().listed.directory().is_none());
    assert!(registry.files_blocking("chat").unwrap().is_empty());
    assert!(registry.read_blocking("chat", "refs/d", &ReadOptions::default()).is_err());
}

// Concurrency.

#[test]
fn every_method_can_be_called_at_once() {
    let fixture = with_files();
    let registry = open(&fixture);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(registry.list_for_dir("").len(), 2);
                    assert_eq!(registry.load_blocking("pdf").unwrap().name(), "pdf");
                    assert!(registry.reload_blocking().is_empty());
                }
            });
        }
    });
}

// Defects that are not repeated.

#[test]
fn not_losing_what_was_found_when_one_file_is_bad() {
    let fixture = Fixture::new()
        .skill("r/a", &text("a", "one"))
        .skill("r/broken", "no frontmatter\n")
        .skill("r/z", &text("z", "two"));
    let registry = Registry::open([fixture.join("r"), fixture.join("missing")]);
    assert_eq!(ids(&registry), ["a", "z"]);
    let problems = registry.problems();
    let severities: Vec<_> = problems.iter().map(|problem| problem.severity).collect();
    assert_eq!(severities, [Severity::Error, Severity::Note]);
}

#[test]
fn not_losing_the_last_catalog_when_a_reload_aborts() {
    let fixture = Fixture::new().skill("r/a", &text("a", "one"));
    let registry = open(&fixture);
    let fixture = fixture.skill("r/broken", "no frontmatter\n");
    assert!(metier::block_on(registry.try_reload()).is_err());
    assert_eq!(ids(&registry), ["a"]);
    registry.reload_blocking();
    assert_eq!(ids(&registry), ["a"]);
    assert!(registry.get("a").unwrap().stale);
    let fixture = fixture.remove("r/broken");
    registry.reload_blocking();
    assert!(!registry.get("a").unwrap().stale);
    drop(fixture);
}

#[cfg(unix)]
#[test]
fn not_empty_because_the_root_is_a_link() {
    let fixture = Fixture::new().skill("real/pdf", &text("pdf", "one"));
    let real = fixture.join("real");
    let fixture = fixture.link("linked", real);
    let listing = discover(&fixture.join("linked"), &promptkit(), &|_| {}).unwrap();
    assert_eq!(names(&listing), ["pdf"]);
}

#[test]
fn not_refusing_the_form_of_allowed_tools_that_the_specification_has() {
    let skill = parse("---\nname: a\ndescription: d\nallowed-tools: refund process_payment\n---\n");
    let skill = skill.skill.unwrap();
    let tools = skill.manifest().allowed_tools.as_ref().unwrap();
    assert_eq!(tools.tools(), ["refund", "process_payment"]);
}

#[test]
fn not_silent_about_a_root_that_is_a_file() {
    let fixture = Fixture::new().file("r", "");
    let error = discover(&fixture.join("r"), &promptkit(), &|_| {}).unwrap_err();
    assert!(error.to_string().ends_with("it is not a directory"), "{error}");
}

#[test]
fn not_reading_an_absolute_path_as_a_relative_one() {
    let fixture = with_files();
    let error = open(&fixture).read_blocking("pdf", "/refs/d", &ReadOptions::default());
    let error = error.unwrap_err();
    let is_absolute = |e: &metier::InvalidPath| e.problem == PathProblem::Absolute;
    assert!(matches!(&error, RegistryError::Path(e) if is_absolute(e)), "{error}");
}

// Later: `@org/name` with its installer.
