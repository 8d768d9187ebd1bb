//! Turns sources into what a registry answers.

use crate::changing::{Changing, one, skill};
use metier::{
    Blocking, CatalogEntry, Discovery, Folder, Layer, Layers, Memory, MissingRoot, OnProblem,
    Precedence, ReadOptions, Registry, RegistryError, Severity, ShadowReason, Snapshot, Source,
    SourceError, Trust, block_on, parse,
};
use std::sync::Arc;
use testing::Fixture;

fn ids(entries: &[CatalogEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.id).collect()
}

fn of(sources: impl IntoIterator<Item = Memory>) -> Registry {
    let sources = sources.into_iter().map(|source| Arc::new(Blocking(source)) as Arc<dyn Source>);
    Registry::with(sources).open()
}

fn messages(registry: &Registry) -> Vec<String> {
    registry.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn can_be_shared_and_sent() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    fn sent<T: Send>(future: T) -> T {
        future
    }
    let registry = of([one("a", "pdf")]);
    shared(&registry);
    shared(&registry.catalog());
    shared(&registry.get("pdf"));
    shared(&Layers::new("l").layer(Layer::new(Blocking(one("a", "pdf")))));
    shared::<Option<RegistryError>>(&None);
    let options = ReadOptions::default();
    block_on(sent(registry.load("pdf"))).unwrap();
    block_on(sent(registry.files("pdf"))).unwrap();
    block_on(sent(registry.read("pdf", "SKILL.md", &options))).unwrap();
    block_on(sent(registry.reload()));
    block_on(sent(registry.register(Blocking(one("b", "zip")))));
    block_on(sent(Registry::builder().load()));
}

#[test]
fn folders_open_in_one_call_and_what_is_wrong_is_kept() {
    let fixture = Fixture::new()
        .skill("one/pdf", &skill("pdf", "Use for PDFs.", "Body.\n"))
        .file("one/pdf/scripts/fill.py", "print()\n")
        .skill("one/bad", "no frontmatter")
        .skill("two/zip", &skill("zip", "Use for archives.", ""));
    let registry = Registry::open([fixture.join("one"), fixture.join("none"), fixture.join("two")]);
    assert_eq!(ids(&registry.list()), ["pdf", "zip"]);
    let problems = registry.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|p| p.location.ends_with("SKILL.md") && p.report.is_some()));
    assert!(problems.iter().any(|p| p.location.ends_with("none") && p.severity == Severity::Note));

    let loaded = registry.load_blocking("pdf").unwrap();
    assert_eq!(loaded.body(), "Body.\n");
    assert_eq!(loaded.path(), Some(&*fixture.join("one/pdf/SKILL.md")));
    assert_eq!(registry.digest("pdf"), Some(loaded.digest()));
    assert_eq!(registry.digest("zip"), None);
    let files = registry.files_blocking("pdf").unwrap();
    assert_eq!(files.scripts[0].as_str(), "scripts/fill.py");
    let part = ReadOptions { range: Some(0..5), ..ReadOptions::default() };
    let read = registry.read_blocking("pdf", "./scripts/fill.py", &part).unwrap();
    assert_eq!(read.text(), Some("print"));
    for dir in [fixture.join("one"), fixture.join("one/pdf"), fixture.join("two/../one")] {
        assert_eq!(ids(&registry.list_for_dir(dir)), ["pdf"]);
    }
    assert!(registry.list_for_dir(fixture.join("one/pd")).is_empty());
}

#[test]
fn asks_for_what_is_not_there_fail_with_a_name() {
    let registry = of([one("a", "pdf")]);
    assert!(registry.has("pdf") && !registry.has("zip") && registry.get("zip").is_none());
    let error = registry.load_blocking("zip\u{1b}").unwrap_err();
    assert_eq!(error.to_string(), "there is no skill `zip\\u{1b}`");
    let read = |path: &str| registry.read_blocking("pdf", path, &ReadOptions::default());
    assert!(matches!(read("../x").unwrap_err(), RegistryError::Path(_)));
    assert!(matches!(read("/etc/passwd").unwrap_err(), RegistryError::Path(_)));
    assert!(matches!(
        read("nope").unwrap_err(),
        RegistryError::Source(SourceError::NoSuchFile { .. })
    ));
    assert!(registry.unregister("zip").is_err());
    let error = of([]).load_blocking("pdf").unwrap_err();
    assert_eq!(error.help(), "list the skills");
}

/// Project before user, both paths named (spec assertion 77, security D11).
#[test]
fn the_first_source_wins_and_the_others_stay_reachable() {
    let registry = of([one("project", "deploy"), one("user", "deploy"), one("user", "deploy")]);
    assert_eq!(ids(&registry.list()), ["deploy"]);
    assert_eq!(registry.get("deploy").unwrap().source(), "project");
    for (id, body) in [
        ("deploy", "project"),
        ("project:deploy", "project"),
        ("user:deploy", "user"),
        ("user-2:deploy", "user"),
    ] {
        assert_eq!(registry.load_blocking(id).unwrap().body(), body, "{id}");
    }
    let shadowed = registry.shadowed();
    assert_eq!(shadowed.len(), 2);
    assert_eq!(&*shadowed[0].entry.id, "user:deploy");
    assert_eq!(shadowed[0].by.source(), "project");
    assert_eq!(shadowed[0].reason, ShadowReason::Source);
    let words = shadowed[0].to_string();
    assert_eq!(words.matches("sha256:").count(), 2, "{words}");
    assert!(words.starts_with("`deploy` (user:deploy, sha256:"), "{words}");
    assert!(
        messages(&registry)
            .contains(&"warning: user:deploy: `deploy` is shadowed by `project:deploy`".to_owned())
    );
}

#[test]
fn the_last_source_wins_when_asked_to() {
    let registry = Registry::builder()
        .source(Blocking(one("a", "pdf").skill("2/zip", skill("zip", "Second.", "second"))))
        .source(Blocking(one("b", "pdf")))
        .source(Blocking(
            Memory::new("c")
                .skill("1", skill("x", "One.", "1"))
                .skill("2", skill("x", "Two.", "2")),
        ))
        .precedence(Precedence::Last)
        .open();
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "b");
    assert_eq!(registry.load_blocking("a:pdf").unwrap().body(), "a");
    assert_eq!(registry.load_blocking("x").unwrap().body(), "2");
    assert_eq!(registry.load_blocking("c:1").unwrap().body(), "1");
}

/// The same winner on every file system (spec assertion 78).
#[test]
fn inside_a_source_the_first_path_wins_and_keys_name_the_others() {
    let table = ["b/pdf", "a/pdf", "c/pdf"]
        .into_iter()
        .fold(Memory::new("m"), |t, key| t.skill(key, skill("pdf", "Use it.", key)));
    let registry = of([table]);
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "a/pdf");
    assert_eq!(registry.len(), 1);
    let shadowed = registry.shadowed();
    let found: Vec<_> = shadowed.iter().map(|s| (&*s.entry.id, s.reason)).collect();
    assert_eq!(found, [("m:b/pdf", ShadowReason::Key), ("m:c/pdf", ShadowReason::Key)]);
    for key in ["a/pdf", "b/pdf", "c/pdf"] {
        assert_eq!(registry.load_blocking(&format!("m:{key}")).unwrap().body(), key);
    }
}

#[test]
fn copies_are_counted_once_and_noted() {
    let text = skill("pdf", "Use it.", "same");
    let registry = of([
        Memory::new("a").skill("pdf", text.clone()),
        Memory::new("b").skill("pdf", text.clone()),
        Memory::new("c").skill("pdf", format!("{text} not")),
    ]);
    assert_eq!(registry.len(), 1);
    let shadowed = registry.shadowed();
    assert_eq!(shadowed.len(), 1);
    assert_eq!(&*shadowed[0].entry.id, "c:pdf");
    let copy = "note: b:pdf: this is the same `SKILL.md` as `a:pdf`, counted once".to_owned();
    assert!(messages(&registry).contains(&copy), "{:?}", messages(&registry));
    assert_eq!(registry.get("b:pdf").unwrap().source(), "b");
}

/// One folder as two roots is one skill (spec assertion 88).
#[test]
fn a_folder_that_is_two_roots_counts_once() {
    let fixture = Fixture::new().skill("s/pdf", &skill("pdf", "Use it.", ""));
    let registry = Registry::open([fixture.join("s"), fixture.join("s/pdf")]);
    assert_eq!((registry.len(), registry.shadowed().len()), (1, 0));
}

#[test]
fn an_id_never_means_two_skills() {
    // A layer's prefix makes a name that looks like a qualified id.
    let prefixed = Layers::new("layers").layer(Layer::new(Blocking(one("p", "pdf"))).prefix("b"));
    let registry = Registry::builder()
        .source(prefixed)
        .source(Blocking(one("a", "pdf")))
        .source(Blocking(one("b", "pdf")))
        .open();
    assert_eq!(ids(&registry.list()), ["b:pdf", "pdf"]);
    assert_eq!(registry.load_blocking("b:pdf").unwrap().body(), "p");
    let other = &registry.shadowed()[0].entry;
    assert_eq!(&*other.id, "b:pdf#2");
    assert_eq!(registry.load_blocking("b:pdf#2").unwrap().body(), "b");
}

#[test]
fn names_are_compared_in_their_normal_form_and_case_twins_are_noted() {
    let registry = of([one("a", "\u{ff50}df"), one("b", "pdf"), one("c", "PDF"), one("d", "Pdf")]);
    assert_eq!(registry.len(), 3);
    assert_eq!(registry.get("pdf").unwrap().source(), "a");
    assert_eq!(registry.get("\u{ff30}DF").unwrap().source(), "c");
    assert_eq!(registry.load_blocking("b:pdf").unwrap().body(), "b");
    let notes = messages(&registry);
    assert_eq!(notes.iter().filter(|n| n.contains("differ in case only")).count(), 2, "{notes:?}");
}

/// What a model may not see must hide nothing from it (security D12).
#[test]
fn trusted_skills_go_before_untrusted_ones() {
    let registry = of([one("project", "deploy").trust(Trust::Untrusted), one("user", "deploy")]);
    assert_eq!(registry.get("deploy").unwrap().source(), "user");
    assert_eq!(registry.shadowed()[0].reason, ShadowReason::Untrusted);
    assert_eq!(registry.load_blocking("project:deploy").unwrap().body(), "project");
}

/// Hidden from the model, there for the user (spec assertion 87).
#[test]
fn skills_the_author_withholds_are_not_offered() {
    let withheld = "---\nname: b\ndescription: Use it.\ndisable-model-invocation: true\n---\n";
    let registry =
        of([one("m", "a").skill("b", withheld), one("project", "c").trust(Trust::Untrusted)]);
    assert_eq!(ids(&registry.list()), ["a", "b", "c"]);
    let catalog = registry.catalog();
    assert_eq!(catalog.offered().map(CatalogEntry::name).collect::<Vec<_>>(), ["a"]);
    assert!(registry.load_blocking("b").is_ok() && registry.load_blocking("c").is_ok());
}

#[test]
fn preload_marks_of_all_copies_count() {
    let registry = of([one("a", "pdf"), one("b", "pdf").preload("pdf"), one("c", "zip")]);
    assert_eq!(ids(&registry.preloaded()), ["pdf"]);
    let loaded = block_on(registry.load_preloaded());
    assert_eq!(loaded.len(), 1);
    assert_eq!(loaded[0].1.as_ref().unwrap().body(), "a");
}

#[test]
fn virtual_paths_count_for_directories() {
    let fixture = Fixture::new()
        .skill("real/refund", &skill("refund", "Use it.", ""))
        .skill("real/deep/invoice", &skill("invoice", "Use it.", ""));
    let mounted =
        Layer::new(Blocking(Folder::new(fixture.join("real")))).mount_as("skills/billing").unwrap();
    let registry = Registry::builder()
        .source(Layers::new("l").layer(mounted))
        .source(Blocking(one("inline", "greet")))
        .base("/work")
        .open();
    for (dir, expected) in [
        ("", vec!["greet", "invoice", "refund"]),
        ("skills/billing", vec!["invoice", "refund"]),
        ("/work/skills/billing/", vec!["invoice", "refund"]),
        ("skills/billing/deep", vec!["invoice"]),
        ("skills/bill", vec![]),
        ("./skills/x/../billing/refund", vec!["refund"]),
        ("/elsewhere", vec![]),
    ] {
        assert_eq!(ids(&registry.list_for_dir(dir)), expected, "{dir}");
    }
    assert!(registry.list_for_dir(fixture.join("real")).is_empty());
    assert!(registry.load_blocking("refund").is_ok());
}

#[test]
fn a_source_that_fails_is_alone_in_that_unless_nothing_may_fail() {
    let failing = Changing::new("web");
    failing.fail(true);
    let registry = Registry::builder()
        .source(Blocking(failing.clone()))
        .source(Blocking(one("a", "pdf")))
        .open();
    assert_eq!(registry.len(), 1);
    assert_eq!(messages(&registry), ["error: web: `web` cannot be read: it is out"]);
    let error = Registry::builder().source(Blocking(failing)).try_open().unwrap_err();
    assert_eq!(error.to_string(), "`web` cannot be read: it is out");

    // PromptKit's rule: any bad file or missing folder ends it.
    let fixture = Fixture::new().skill("s/bad", "no frontmatter");
    let strict = |path: &str| {
        let discovery = Discovery {
            on_problem: OnProblem::Abort,
            missing_root: MissingRoot::Abort,
            ..Discovery::default()
        };
        let folder = Folder::new(fixture.join(path)).discovery(discovery);
        Registry::builder().source(Blocking(folder)).try_open()
    };
    assert!(matches!(strict("s").unwrap_err(), SourceError::Aborted { .. }));
    assert!(matches!(strict("none").unwrap_err(), SourceError::Unavailable { .. }));
}

#[test]
fn skills_and_sources_are_registered_and_unregistered() {
    let registry = of([one("a", "pdf")]);
    let zip = parse(&skill("zip", "Use it.", "mine")).skill.unwrap();
    assert_eq!(registry.register_skill(&zip).unwrap().source(), "registered");
    let error = registry.register_skill(&zip).unwrap_err();
    assert_eq!(error.to_string(), "there is a skill `zip` already, at `registered:zip`");
    let pdf = parse(&skill("pdf", "Use it.", "mine")).skill.unwrap();
    assert!(matches!(
        registry.register_skill(&pdf).unwrap_err(),
        RegistryError::AlreadyRegistered { .. }
    ));

    let changes =
        registry.register_blocking(Blocking(one("b", "pdf").skill("x", skill("x", "Use it.", ""))));
    assert_eq!((changes.added.as_slice(), changes.changed.len()), (&["x".to_owned()][..], 0));
    assert_eq!(registry.load_blocking("b:pdf").unwrap().body(), "b");

    // What it shadowed takes its place, and a reload brings nothing back.
    assert_eq!(registry.unregister("pdf").unwrap().source(), "a");
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "b");
    assert!(registry.shadowed().is_empty());
    registry.unregister("zip").unwrap();
    registry.reload_blocking();
    assert_eq!(ids(&registry.list()), ["pdf", "x"]);
    assert_eq!(registry.get("pdf").unwrap().source(), "b");

    // A name that is free again can be taken again, and survives reloads.
    registry.register_skill(&zip).unwrap();
    registry.reload_blocking();
    assert_eq!(registry.load_blocking("zip").unwrap().body(), "mine");
}

#[test]
fn a_snapshot_outlives_what_it_shows() {
    let registry = of([one("a", "pdf")]);
    let held = registry.catalog();
    registry.unregister("pdf").unwrap();
    assert!(registry.is_empty());
    assert_eq!(held.get("pdf").unwrap().description(), "Use the one of a.");
}

#[test]
fn generations_rise_with_every_new_snapshot() {
    let registry = of([one("a", "pdf")]);
    let numbers = |registry: &Registry| registry.catalog().generation();
    assert_eq!(numbers(&registry), 1);
    registry.reload_blocking();
    registry.unregister("pdf").unwrap();
    assert_eq!(numbers(&registry), 3);
    assert_eq!(Snapshot::default().generation(), 0);
    assert_eq!((&registry).into_iter().count(), registry.clone().iter().len());
}

#[test]
fn ten_thousand_skills_are_no_trouble() {
    let table = (0..10_000).fold(Memory::new("m"), |table, number| {
        let name = format!("skill-{number:05}");
        let text = skill(&name, "Does something. Use it for something.", "Body.\n");
        table.skill(name, text)
    });
    let registry = of([table.clone(), Memory::new("n").skill("x", skill("x", "Use it.", ""))]);
    assert_eq!(registry.len(), 10_001);
    for number in 0..10_000 {
        assert!(registry.has(&format!("skill-{number:05}")));
    }
    assert!(registry.problems().is_empty());
    // The same ten thousand again: every one is read to see that it is a copy.
    registry.register_blocking(Blocking(table));
    assert_eq!((registry.len(), registry.shadowed().len()), (10_001, 0));
    assert_eq!(registry.problems().len(), 10_000);
}
