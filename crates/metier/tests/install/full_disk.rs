//! Turns a disk that is full into an error, with the old version untouched and nothing half-done beside it.

use crate::place::Place;
use crate::repository::skill;
use metier::install::{InstallError, Installer};
use std::path::Path;
use std::process::Command;
use testing::Fixture;

/// Says to the child where the versions of the skill are.
const SOURCE: &str = "METIER_DISK_SOURCE";

/// A file that does not fit.
const LARGE: usize = 2 * 1024 * 1024;

/// Everything below a folder that is on its way somewhere.
fn temporary(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".metier-") {
            found.push(name);
        } else if entry.file_type().unwrap().is_dir() {
            found.extend(temporary(&entry.path()));
        }
    }
    found
}

/// Installs a skill on a disk that has room for it, and then a version that there is no room for.
fn fill(source: &Path) {
    // Temporary folders are on the full disk, what is installed is not.
    let place = Place::new();
    let now = source.join("now");
    let offer = |version: &str| {
        let _ = std::fs::remove_file(&now);
        std::os::unix::fs::symlink(version, &now).unwrap();
    };
    offer("one");
    place.add(&now.display().to_string()).unwrap();
    let before = (place.tree(), place.read("skills.lock"), place.read("skills.toml"));
    offer("large");
    for with_store in [true, false] {
        let error = place.with(|installer| {
            let here = Installer {
                location: installer.location.clone(),
                store: installer.store.clone().filter(|_| with_store),
                base: installer.base.clone(),
                home: None,
                options: installer.options.clone(),
                ..*installer
            };
            here.apply(here.updates(&[]).unwrap()).unwrap_err()
        });
        let full = matches!(&error, InstallError::Io { .. } | InstallError::Write(_));
        assert!(full, "{error:?}");
        let message = error.to_string();
        assert!(message.contains("os error 28") || message.contains("os error 27"), "{message}");
        let after = (place.tree(), place.read("skills.lock"), place.read("skills.toml"));
        assert_eq!(after, before);
        assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
        assert_eq!(temporary(place.fixture.path()), [""; 0]);
    }
    offer("small");
    place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "small"));
}

/// Not a test: the process that the others start, with a disk of its own.
#[test]
#[ignore = "it is started by the tests of full disks"]
fn child() {
    if let Some(source) = std::env::var_os(SOURCE) {
        fill(Path::new(&source));
    }
}

/// Runs the child by a script, which gets its command as arguments.
fn run(script: &str) -> bool {
    let here = Fixture::new()
        .dir("disk")
        .skill("one", &skill("pdf", "one"))
        .skill("large", &skill("pdf", "large"))
        .file("large/assets/large.txt", &"x".repeat(LARGE))
        .skill("small", &skill("pdf", "small"));
    let status = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full_disk::child", "--ignored"])
        .env(SOURCE, here.path())
        .env("TMPDIR", here.join("disk"))
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    // Said by the scripts when the system does not let them.
    assert!(status.success() || status.code() == Some(77), "{status}");
    status.success()
}

/// Security L13: no file may grow beyond a limit, which needs no rights and no mount.
#[test]
fn a_file_that_may_not_grow_is_a_clean_error() {
    assert!(run("trap '' XFSZ; ulimit -f 1024 || exit 77; exec \"$@\""));
}

/// Security L13: a disk of one megabyte.
#[test]
fn a_full_disk_is_a_clean_error() {
    let script = "unshare -rm true 2>/dev/null || exit 77; exec unshare -rm sh -c \
        'mount -t tmpfs -o size=1m tmpfs \"$TMPDIR\" 2>/dev/null || exit 77; exec \"$@\"' sh \"$@\"";
    if !run(script) {
        eprintln!("no disk of our own may be mounted here: what ENOSPC does was not seen");
    }
}
