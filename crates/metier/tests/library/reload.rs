//! Turns edits into new snapshots, beside those who read the old ones.

#![expect(clippy::disallowed_methods, reason = "skills go away, and time goes by")]

use crate::changing::{Changing, one, skill};
use metier::{
    Blocking, BlockingSource, CatalogEntry, Changes, Files, Folder, Listing, Memory, ReadOptions,
    Registry, RegistryError, Resource, ResourcePath, SourceError, block_on, parse,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use testing::Fixture;

const BROKEN: &str = "---\nname: pdf\n  description: [\n---\n";

fn changes(
    added: &[&str],
    changed: &[&str],
    removed: &[&str],
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let owned = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
    (owned(added), owned(changed), owned(removed))
}

fn parts(changes: Changes) -> (Vec<String>, Vec<String>, Vec<String>) {
    (changes.added, changes.changed, changes.removed)
}

#[test]
fn says_what_was_added_changed_and_removed() {
    let source = Changing::new("s");
    for name in ["a", "b", "c"] {
        source.put(name, skill(name, "Use it.", ""));
    }
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    let before = registry.catalog();
    source.put("b", skill("b", "Use it for more.", ""));
    source.remove("c");
    source.put("d", skill("d", "Use it.", ""));
    assert_eq!(parts(registry.reload_blocking()), changes(&["d"], &["b"], &["c"]));
    assert!(registry.reload_blocking().is_empty());
    // Who held the old snapshot still has all of it.
    assert_eq!(before.iter().map(CatalogEntry::name).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(before.get("b").unwrap().description(), "Use it.");
    assert_eq!(registry.get("b").unwrap().description(), "Use it for more.");
}

/// Edits are seen at the next load, without a reload (spec assertion 101).
#[test]
fn a_load_reads_anew() {
    let source = Changing::new("s");
    source.put("pdf", skill("pdf", "Use it.", "one"));
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    let first = registry.load_blocking("pdf").unwrap();
    source.put("pdf", skill("pdf", "Use it.", "two"));
    let second = registry.load_blocking("pdf").unwrap();
    assert_eq!((first.body(), second.body()), ("one", "two"));
    assert_eq!(registry.digest("pdf"), Some(second.digest()));
    assert_ne!(first.digest(), second.digest());
    // The body of a skill in use changed: the next reload tells, once, though someone saw it before.
    assert_eq!(parts(registry.reload_blocking()), changes(&[], &["pdf"], &[]));
    assert!(registry.reload_blocking().is_empty());
    source.put("pdf", skill("pdf", "Use it.", "three"));
    assert_eq!(parts(registry.reload_blocking()), changes(&[], &["pdf"], &[]));
}

#[test]
fn a_broken_edit_keeps_the_last_good_version_and_is_reported() {
    let source = Changing::new("s");
    source.put("pdf", skill("pdf", "Use it.", "good"));
    source.put("zip", skill("zip", "Use it.", "good"));
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    registry.load_blocking("pdf").unwrap();
    source.put("pdf", BROKEN);
    source.put("zip", BROKEN);

    // Before the reload: loading reports, and answers with what it has.
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "good");
    assert_eq!(registry.problems().len(), 1);
    assert!(registry.problems()[0].help.as_ref().unwrap().contains("last good version"));
    // One that was never loaded has no good version to give.
    assert!(matches!(registry.load_blocking("zip"), Err(RegistryError::Broken { .. })));

    for _ in 0..2 {
        registry.reload_blocking();
        let entry = registry.get("pdf").unwrap();
        assert!(entry.stale);
        assert_eq!(entry.description(), "Use it.");
        assert_eq!(registry.load_blocking("pdf").unwrap().body(), "good");
        let problems = registry.problems();
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems.iter().all(|p| p.help.as_ref().unwrap().contains("last good version")));
    }

    source.put("pdf", skill("pdf", "Use it again.", "mended"));
    source.remove("zip");
    assert_eq!(parts(registry.reload_blocking()), changes(&[], &["pdf"], &["zip"]));
    assert!(!registry.get("pdf").unwrap().stale);
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "mended");
    assert!(registry.problems().is_empty());
}

#[test]
fn a_source_that_fails_keeps_what_it_listed() {
    let source = Changing::new("web");
    source.put("pdf", skill("pdf", "Use it.", "good"));
    let registry = Registry::builder()
        .source(Blocking(source.clone()))
        .source(Blocking(one("a", "zip")))
        .open();
    registry.load_blocking("pdf").unwrap();
    source.fail(true);
    let told = registry.reload_blocking();
    assert_eq!((told.added.len(), told.removed.len()), (0, 0));
    assert!(registry.get("pdf").unwrap().stale && !registry.get("zip").unwrap().stale);
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "good");
    assert!(block_on(registry.try_reload()).is_err());
    source.fail(false);
    registry.reload_blocking();
    assert!(!registry.get("pdf").unwrap().stale);
    assert!(registry.problems().is_empty());
}

/// A skill whose `SKILL.md` an edit broke had its other files refused as those of an unknown skill.
#[test]
fn the_files_of_a_broken_skill_are_still_read() {
    let fixture = Fixture::new()
        .skill("s/pdf", &skill("pdf", "Use it.", "good"))
        .file("s/pdf/references/forms.md", "forms");
    let registry = Registry::open([fixture.join("s")]);
    registry.load_blocking("pdf").unwrap();
    let fixture = fixture.skill("s/pdf", BROKEN).skill("s/new", BROKEN);
    for _ in 0..2 {
        registry.reload_blocking();
        assert!(registry.get("pdf").unwrap().stale);
        let files = registry.files_blocking("pdf").unwrap();
        assert_eq!(files.references[0].as_str(), "references/forms.md");
        let options = ReadOptions::default();
        let forms = registry.read_blocking("pdf", "references/forms.md", &options).unwrap();
        assert_eq!(forms.text(), Some("forms"));
        // One that was never good stays unknown.
        assert!(registry.files_blocking("new").is_err());
    }
    std::fs::remove_file(fixture.join("s/pdf/SKILL.md")).unwrap();
    registry.reload_blocking();
    assert!(registry.files_blocking("pdf").is_err());
}

#[test]
fn folders_reload_too() {
    let fixture = Fixture::new()
        .skill("s/pdf", &skill("pdf", "Use it.", "good"))
        .skill("s/zip", &skill("zip", "Use it.", ""));
    let registry = Registry::open([fixture.join("s")]);
    registry.load_blocking("pdf").unwrap();
    let fixture = fixture.skill("s/pdf", BROKEN).skill("s/new", &skill("new", "Use it.", ""));
    std::fs::remove_dir_all(fixture.join("s/zip")).unwrap();
    assert_eq!(parts(registry.reload_blocking()), changes(&["new"], &["pdf"], &["zip"]));
    assert!(registry.get("pdf").unwrap().stale);
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "good");
    let _fixture = fixture.skill("s/pdf", &skill("pdf", "Use it.", "mended"));
    assert_eq!(parts(registry.reload_blocking()), changes(&[], &["pdf"], &[]));
    assert_eq!(registry.load_blocking("pdf").unwrap().body(), "mended");
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
}

/// Answers when a test says so, with what it held when it was asked.
#[derive(Debug)]
struct Slow {
    table: Mutex<Memory>,
    waits: AtomicBool,
    asked: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
}

impl Slow {
    /// The source, the end that hears when it was asked, and the end that lets it go on.
    fn new(table: Memory) -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let ((asked, was_asked), (let_go, go)) = (channel(), channel());
        let (table, asked, go) = (Mutex::new(table), Mutex::new(asked), Mutex::new(go));
        (Arc::new(Self { table, waits: AtomicBool::new(false), asked, go }), was_asked, let_go)
    }

    fn slowly<T>(&self, answer: T) -> T {
        if self.waits.swap(false, Ordering::SeqCst) {
            self.asked.lock().unwrap().send(()).unwrap();
            self.go.lock().unwrap().recv().unwrap();
        }
        answer
    }
}

impl BlockingSource for Slow {
    fn label(&self) -> &'static str {
        "slow"
    }

    fn list(&self) -> Result<Listing, SourceError> {
        let listing = self.table.lock().unwrap().list();
        self.slowly(listing)
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        let resource = self.table.lock().unwrap().read(key, path, options);
        self.slowly(resource)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.table.lock().unwrap().files(key)
    }
}

#[test]
fn a_skill_that_is_unregistered_while_it_is_read_is_read_to_the_end() {
    let table = one("slow", "pdf").resource("pdf", "x.txt", "all of it");
    let (source, was_asked, let_go) = Slow::new(table);
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    source.waits.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let reading =
            scope.spawn(|| registry.read_blocking("pdf", "x.txt", &ReadOptions::default()));
        was_asked.recv().unwrap();
        registry.unregister("pdf").unwrap();
        assert!(!registry.has("pdf"));
        let_go.send(()).unwrap();
        assert_eq!(reading.join().unwrap().unwrap().text(), Some("all of it"));
    });
    assert!(registry.read_blocking("pdf", "x.txt", &ReadOptions::default()).is_err());
}

/// While one reload is under way with an old listing, everything else happens: none of it is lost.
#[test]
fn a_slow_reload_undoes_nothing_that_came_after_it() {
    let (source, was_asked, let_go) =
        Slow::new(one("slow", "old").skill("doomed", skill("doomed", "Use it.", "")));
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    source.waits.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let slow = scope.spawn(|| registry.reload_blocking());
        was_asked.recv().unwrap();
        *source.table.lock().unwrap() =
            one("slow", "new").skill("doomed", skill("doomed", "Use it.", ""));
        let told = registry.reload_blocking();
        assert_eq!(parts(told), changes(&["new"], &[], &["old"]));
        registry.unregister("doomed").unwrap();
        registry.register_skill(&parse(&skill("mine", "Use it.", "")).skill.unwrap()).unwrap();
        registry.register_blocking(Blocking(one("late", "more")));
        let_go.send(()).unwrap();
        assert!(slow.join().unwrap().is_empty());
    });
    let names: Vec<_> = registry.iter().map(|entry| entry.name().to_owned()).collect();
    assert_eq!(names, ["mine", "more", "new"]);
}

#[test]
fn skills_registered_from_many_threads_are_all_there() {
    let registry = Registry::builder().open();
    thread::scope(|scope| {
        for thread in 0..8 {
            let registry = &registry;
            scope.spawn(move || {
                for number in 0..20 {
                    let text = skill(&format!("s-{thread}-{number}"), "Use it.", "");
                    registry.register_skill(&parse(&text).skill.unwrap()).unwrap();
                    if number % 5 == 0 {
                        registry.reload_blocking();
                    }
                }
            });
        }
    });
    assert_eq!(registry.len(), 160);
}

/// Lets readers stop when the writer does, also when it fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Every version says the same number in all skills, in frontmatter and body. A
/// snapshot that mixes two versions, or a body that belongs to no version, is a torn state.
#[test]
fn readers_see_whole_snapshots_while_a_writer_edits_breaks_and_mends() {
    const SKILLS: usize = 20;
    /// All skills of one version at once, as a source that answers from one moment does.
    fn fill(version: usize, broken: Option<usize>) -> Memory {
        (0..SKILLS).fold(Memory::new("s"), |table, number| {
            let name = format!("skill-{number:02}");
            let text = if broken == Some(number) {
                BROKEN.to_owned()
            } else {
                skill(&name, &format!("Version {version}."), &format!("Body {version}."))
            };
            table.skill(name, text)
        })
    }
    let source = Arc::new(Whole(Mutex::new(fill(0, None))));
    let registry = Registry::builder().source(Blocking(source.clone())).open();
    for entry in &registry {
        registry.load_blocking(&entry.id).unwrap();
    }
    let (done, seen, loads) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for reader in 0..3 {
            let (registry, done, seen, loads) = (&registry, &done, &seen, &loads);
            scope.spawn(move || {
                let mut last = 0;
                let mut turn = reader;
                while !done.load(Ordering::SeqCst) {
                    let snapshot = registry.catalog();
                    assert!(snapshot.generation() >= last, "a snapshot went back");
                    seen.fetch_add(usize::from(snapshot.generation() > last), Ordering::SeqCst);
                    last = snapshot.generation();
                    assert_eq!(snapshot.len(), SKILLS, "a skill was lost");
                    let whole: std::collections::BTreeSet<_> = snapshot
                        .iter()
                        .filter(|entry| !entry.stale)
                        .map(|entry| entry.description().to_owned())
                        .collect();
                    assert_eq!(whole.len(), 1, "two versions in one snapshot: {whole:?}");
                    let id = format!("skill-{:02}", turn % SKILLS);
                    turn += 1;
                    let skill = registry.load_blocking(&id).unwrap();
                    let version = skill.description().strip_prefix("Version ").unwrap();
                    assert_eq!(skill.body(), format!("Body {version}"), "a torn skill");
                    loads.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let _done = Done(&done);
        for version in 1..=40 {
            let broken = (version % 2 == 0).then_some(version % SKILLS);
            *source.0.lock().unwrap() = fill(version, broken);
            registry.reload_blocking();
            let errors = registry.problems().len();
            assert_eq!(errors, usize::from(broken.is_some()), "{:?}", registry.problems());
            thread::sleep(Duration::from_millis(20));
        }
    });
    let (seen, loads) = (seen.into_inner(), loads.into_inner());
    assert!(seen > 10 && loads > 100, "the readers saw too little: {seen} {loads}");
    assert!(registry.iter().filter(|entry| !entry.stale).all(|e| e.description() == "Version 40."));
    *source.0.lock().unwrap() = fill(41, None);
    registry.reload_blocking();
    assert!(registry.problems().is_empty());
    assert!(registry.iter().all(|entry| !entry.stale && entry.description() == "Version 41."));
}

/// A table that is replaced whole.
#[derive(Debug)]
struct Whole(Mutex<Memory>);

impl BlockingSource for Whole {
    fn label(&self) -> &'static str {
        "s"
    }

    fn list(&self) -> Result<Listing, SourceError> {
        self.0.lock().unwrap().list()
    }

    fn read(
        &self,
        key: &str,
        path: &ResourcePath,
        options: &ReadOptions,
    ) -> Result<Resource, SourceError> {
        self.0.lock().unwrap().read(key, path, options)
    }

    fn files(&self, key: &str) -> Result<Files, SourceError> {
        self.0.lock().unwrap().files(key)
    }
}

/// The same with real files, some of which come and go while they are read.
#[test]
fn files_that_are_written_while_they_are_read_never_come_out_torn() {
    let text = |version: usize| skill("pdf", "Use it.", &format!("{version}\n").repeat(2_000));
    let fixture =
        Fixture::new().skill("s/pdf", &text(0)).skill("s/zip", &skill("zip", "Use it.", "zip"));
    let folder = Folder::new(fixture.join("s")).label("s");
    let registry = Registry::builder().source(Blocking(folder)).open();
    registry.load_blocking("pdf").unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let loaded = registry.load_blocking("pdf").unwrap();
                    let first = loaded.body().lines().next().unwrap();
                    assert!(loaded.body().lines().all(|line| line == first), "a torn body");
                    assert!(registry.has("pdf"));
                }
            });
        }
        let _done = Done(&done);
        for version in 1..=60 {
            let place = fixture.join("s/pdf/SKILL.md");
            let bytes = if version % 3 == 0 { BROKEN.to_owned() } else { text(version) };
            metier::write_atomically(&place, bytes.as_bytes()).unwrap();
            let told = registry.reload_blocking();
            assert!(told.added.is_empty() && told.removed.is_empty(), "{told:?}");
        }
    });
}

#[cfg(feature = "watch")]
mod watch {
    use super::*;
    use metier::Watch;

    /// Waits until what was told contains all of this; generous, for slow machines.
    fn wait_for(told: &Receiver<Changes>, is_it: impl Fn(&Changes) -> bool) {
        loop {
            let changes = told.recv_timeout(Duration::from_secs(30)).expect("no reload in time");
            if is_it(&changes) {
                return;
            }
        }
    }

    #[test]
    fn file_events_reload_until_the_watch_is_dropped() {
        let fixture = Fixture::new().skill("s/pdf", &skill("pdf", "Use it.", "good"));
        let registry = Registry::open([fixture.join("s")]);
        registry.load_blocking("pdf").unwrap();
        let (tell, told) = channel();
        let roots = [fixture.join("s"), fixture.join("none")];
        let watch = Watch::start(&registry, roots, move |changes| {
            let _ = tell.send(changes.clone());
        })
        .unwrap();
        assert_eq!(watch.problems().len(), 1);
        assert!(watch.problems()[0].location.ends_with("none"));

        let fixture = fixture.skill("s/zip", &skill("zip", "Use it.", ""));
        wait_for(&told, |changes| changes.added == ["zip"]);
        assert!(registry.has("zip"));

        let fixture = fixture.skill("s/pdf", BROKEN);
        wait_for(&told, |changes| changes.changed == ["pdf"]);
        assert!(registry.get("pdf").unwrap().stale);
        assert_eq!(registry.load_blocking("pdf").unwrap().body(), "good");
        assert_eq!(registry.problems().len(), 1);

        let fixture = fixture.skill("s/pdf", &skill("pdf", "Use it.", "mended"));
        wait_for(&told, |_| registry.get("pdf").is_some_and(|entry| !entry.stale));
        assert_eq!(registry.load_blocking("pdf").unwrap().body(), "mended");

        std::fs::remove_dir_all(fixture.join("s/zip")).unwrap();
        wait_for(&told, |changes| changes.removed == ["zip"]);

        // Reading is no change: with nothing written, nothing is reloaded for ever.
        thread::sleep(Duration::from_millis(500));
        while told.try_recv().is_ok() {}
        let generation = registry.catalog().generation();
        registry.load_blocking("pdf").unwrap();
        thread::sleep(Duration::from_millis(500));
        assert_eq!(registry.catalog().generation(), generation);

        drop(watch);
        assert!(told.recv().is_err(), "the thread ended, and its end of the channel with it");
        let _fixture = fixture.skill("s/late", &skill("late", "Use it.", ""));
        thread::sleep(Duration::from_millis(300));
        assert!(!registry.has("late"));
    }
}
