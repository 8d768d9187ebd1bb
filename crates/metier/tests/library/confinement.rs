//! Turns folders that change under the walk, or are mounted from elsewhere, into listings of what stands inside.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "mounts are made by a command, in a test of their own"
)]

use metier::{
    BlockingSource as _, Discovery, Folder, Links, Listing, Mounts, ReadOptions, SourceError,
    discover,
};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use testing::Fixture;

fn text(name: &str, place: &str) -> String {
    format!("---\nname: {name}\ndescription: Stands {place}. Use for {name}.\n---\nBody {place}.\n")
}

/// Forty skills `group/deep/..` below `a` in the root, and the same ones `outside`, behind a link.
fn swappable() -> Fixture {
    let mut fixture = Fixture::new();
    for number in 0..40 {
        let name = format!("skill-{number}");
        fixture = fixture
            .skill(&format!("root/a/group/deep/{name}"), &text(&name, "inside"))
            .skill(&format!("outside/group/deep/{name}"), &text(&name, "outside"));
    }
    fixture
        .link("root/.link", "../outside")
        .link("root/linked", "a/group/deep")
        .link("root/file/SKILL.md", "../a/group/deep/skill-0/SKILL.md")
}

/// What is found in a second while another thread puts a link in the place of a folder and back.
fn listings_while_swapping(root: &Path, options: &Discovery) -> Vec<Listing> {
    let (place, link) = (root.join("a"), root.join(".link"));
    let stop = AtomicBool::new(false);
    let mut listings = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &place, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) {
            listings.push(discover(root, options, &|_| {}).unwrap());
        }
        stop.store(true, Ordering::Relaxed);
    });
    listings
}

/// Security R13, R14, for listings: a frontmatter from outside is in none of them, whichever folder
/// above it, or above what a link leads to, becomes a link at whichever moment.
#[test]
fn an_ancestor_that_becomes_a_link_leaks_no_frontmatter() {
    let fixture = swappable();
    let root = fixture.join("root");
    for links in [Links::Inside, Links::Never] {
        let options = Discovery {
            linked_directories: links,
            linked_files: links,
            threads: 2,
            ..Discovery::default()
        };
        let listings = listings_while_swapping(&root, &options);
        let (mut full, mut lacking) = (0, 0);
        for listing in &listings {
            for skill in &listing.skills {
                assert!(skill.description().starts_with("Stands inside"), "{skill:?}");
            }
            match listing.skills.len() {
                40.. => full += 1,
                _ => lacking += 1,
            }
        }
        assert!(full > 0 && lacking > 0, "the race did not take place: {full}, {lacking}");
    }
}

/// Says to the test below that it runs where something is mounted, and where.
const MOUNTED: &str = "METIER_TEST_MOUNTED";

/// Security R26, with a real mount: in a space of mounts of its own, which ends with the command.
#[test]
fn r26_what_is_mounted_from_elsewhere_is_refused_when_asked() {
    if let Some(root) = std::env::var_os(MOUNTED) {
        return mounts_are_refused(Path::new(&root));
    }
    let fixture = Fixture::new()
        .skill("root/own", &text("own", "inside"))
        .file("root/own/references/a.md", "inside\n")
        .file("root/own/notes.md", "inside\n")
        .skill("elsewhere/other", &text("other", "outside"))
        .file("elsewhere/secret.md", "outside\n")
        .file("root/group/.keep", "");
    let root = fixture.join("root");
    let script = r#"mount --bind "$1/elsewhere" "$1/root/own/references" &&
        mount --bind "$1/elsewhere/secret.md" "$1/root/own/notes.md" &&
        mount --bind "$1/elsewhere" "$1/root/group" && exec "$0" --exact "$2""#;
    let name = "confinement::r26_what_is_mounted_from_elsewhere_is_refused_when_asked";
    let ran = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(fixture.path())
        .arg(name)
        .env(MOUNTED, &root)
        .output();
    let said = |output: &[u8]| String::from_utf8_lossy(output).into_owned();
    match ran {
        Ok(output) if said(&output.stdout).contains("running 1 test") => {
            assert!(output.status.success(), "{}", said(&output.stdout));
        }
        refused => eprintln!("nothing can be mounted here, so nothing was tested: {refused:?}"),
    }
}

fn mounts_are_refused(root: &Path) {
    let read = |folder: &Folder, path: &str| {
        let read = folder.read("own", &path.parse().unwrap(), &ReadOptions::default());
        read.map(|resource| resource.text_lossy().into_owned())
    };
    let crossing = Folder::new(root);
    let names = |listing: &Listing| -> Vec<String> {
        listing.skills.iter().map(|skill| skill.name.to_string()).collect()
    };
    assert_eq!(names(&crossing.list().unwrap()), ["other", "own"]);
    assert_eq!(read(&crossing, "references/secret.md").unwrap(), "outside\n");
    assert_eq!(read(&crossing, "notes.md").unwrap(), "outside\n");

    let options = Discovery { mounts: Mounts::Refuse, ..Discovery::default() };
    let staying = Folder::new(root).discovery(options);
    let listing = staying.list().unwrap();
    assert_eq!(names(&listing), ["own"]);
    let said: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
    let group = root.join("group");
    assert_eq!(said, [format!("error: {}: it is mounted from elsewhere", group.display())]);
    for path in ["references/secret.md", "notes.md"] {
        let error = read(&staying, path).unwrap_err();
        let SourceError::Refused { reason, .. } = &error else { panic!("{path}: {error}") };
        assert_eq!(*reason, "it is mounted from elsewhere", "{path}");
    }
    assert_eq!(read(&staying, "SKILL.md").unwrap(), text("own", "inside"));
    let files = staying.files("own").unwrap();
    assert!(files.references.is_empty(), "{files:?}");
}
