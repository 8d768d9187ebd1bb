//! Turns a process that is killed at every step into what it left behind, and into what the next run makes of it.

use crate::place::Place;
use crate::repository::skill;
use metier::install::{
    FileTree, InstallOptions, Installer, Location, Lock, OverHttp, PackageLimits, Step, Store,
    SyncMode, read_folder,
};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says to the child where it is, what to do, and at which step to die.
const ROOT: &str = "METIER_CRASH_ROOT";
const ACT: &str = "METIER_CRASH_ACT";
const STEP: &str = "METIER_CRASH_STEP";

/// No repository is reached here.
struct Nowhere;

impl metier::install::Repositories for Nowhere {
    fn resolve(
        &self,
        url: &metier::install::GitUrl,
        _: Option<&metier::install::Revision>,
    ) -> Result<metier::install::Resolved, metier::install::GitError> {
        Err(metier::install::GitError::Transport { url: url.clone() })
    }

    fn open(
        &self,
        url: &metier::install::GitUrl,
        _: &metier::install::Resolved,
    ) -> Result<Box<dyn metier::install::Repository>, metier::install::GitError> {
        Err(metier::install::GitError::Transport { url: url.clone() })
    }
}

fn act(root: &Path, act: &str, progress: &dyn Fn(Step<'_>)) {
    let installer = Installer {
        location: Location::project(root.join("project")),
        repositories: &Nowhere,
        web: &OverHttp::default(),
        store: Some(Store::new(root.join("store"))),
        base: root.join("project"),
        home: None,
        options: InstallOptions::default(),
        progress,
    };
    match act {
        "add" => drop(installer.add(&crate::place::plan("../pdf")).unwrap()),
        "link" => {
            let mut planned = crate::place::plan("../pdf");
            planned.fetches[0].links = vec!["claude".to_owned()];
            installer.add(&planned).unwrap();
            assert!(root.join("project/.claude/skills/pdf/SKILL.md").exists());
        }
        "update" => drop(installer.apply(installer.updates(&[]).unwrap()).unwrap()),
        "sync" => drop(installer.sync(SyncMode::Follow).unwrap()),
        "remove" => match installer.remove(&["pdf".parse().unwrap()]) {
            Ok(_) | Err(metier::install::InstallError::NotInstalled { .. }) => {}
            Err(error) => panic!("{error}"),
        },
        other => panic!("{other}"),
    }
}

/// Not a test: the process that the others start, and that kills itself.
#[test]
#[ignore = "it is started by the tests of crashes"]
fn child() {
    let (Some(root), Ok(what)) = (std::env::var_os(ROOT), std::env::var(ACT)) else { return };
    let last: usize = std::env::var(STEP).unwrap().parse().unwrap();
    let steps = Cell::new(0);
    act(&PathBuf::from(root), &what, &|_| {
        steps.set(steps.get() + 1);
        if steps.get() == last {
            let me = std::process::id().to_string();
            let _ = Command::new("kill").args(["-9", &me]).status();
            loop {
                std::thread::park();
            }
        }
    });
}

/// Whether the child got to the end.
fn run_child(root: &Path, what: &str, step: usize) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--ignored"])
        .env(ROOT, root)
        .env(ACT, what)
        .env(STEP, step.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    let killed = std::os::unix::process::ExitStatusExt::signal(&status) == Some(9);
    assert!(killed || status.success(), "{what} {step}: {status}");
    !killed
}

fn installed(place: &Place) -> Option<FileTree> {
    let folder = place.fixture.join("project/.agents/skills/pdf");
    folder.exists().then(|| read_folder(&folder, &PackageLimits::default()).unwrap())
}

fn sources(place: &Place, body: &str) -> FileTree {
    place.write("../pdf/SKILL.md", &skill("pdf", body));
    place.write("../pdf/references/a.md", body);
    place.write(&format!("../pdf/{body}.md"), body);
    read_folder(&place.fixture.join("pdf"), &PackageLimits::default()).unwrap()
}

/// What is temporary: folders beside skills, and files on their way.
fn leftovers(place: &Place) -> Vec<String> {
    let paths = place.fixture.tree().into_iter();
    paths.filter(|path| path.contains("/.metier-")).collect()
}

/// Kills a run at its first step, then at its second, until one gets to its end.
fn at_every_step(
    what: &str,
    start: impl Fn() -> (Place, Option<FileTree>, Option<FileTree>),
) -> usize {
    for step in 1.. {
        let (place, old, new) = start();
        let finished = run_child(place.fixture.path(), what, step);
        let there = installed(&place);
        assert!(there == old || there == new, "{what} {step}: neither old nor new");
        if let Ok(text) = std::fs::read_to_string(place.fixture.join("project/skills.lock")) {
            Lock::parse(&text).unwrap_or_else(|error| panic!("{what} {step}: {error}"));
        }
        act(place.fixture.path(), what, &|_| {});
        assert_eq!(installed(&place), new, "{what} {step}: the second run");
        let lock = place.lock();
        let locked = lock.skills().next().map(|skill| skill.digest);
        assert_eq!(locked, new.as_ref().map(FileTree::digest), "{what} {step}");
        assert_eq!(leftovers(&place), [""; 0], "{what} {step}");
        if finished {
            return step - 1;
        }
    }
    unreachable!("there is a last step")
}

/// Security L01.
#[test]
fn killed_while_adding() {
    let steps = at_every_step("add", || {
        let place = Place::new();
        let new = sources(&place, "new");
        (place, None, Some(new))
    });
    assert!(steps >= 8, "{steps}");
}

#[test]
fn killed_while_adding_for_an_agent() {
    let steps = at_every_step("link", || {
        let place = Place::new();
        let new = sources(&place, "new");
        (place, None, Some(new))
    });
    assert!(steps >= 9, "{steps}");
}

#[test]
fn killed_while_updating() {
    let steps = at_every_step("update", || {
        let place = Place::new();
        let old = sources(&place, "old");
        place.add("../pdf").unwrap();
        std::fs::remove_file(place.fixture.join("pdf/old.md")).unwrap();
        let new = sources(&place, "new");
        (place, Some(old), Some(new))
    });
    assert!(steps >= 8, "{steps}");
}

#[test]
fn killed_while_syncing() {
    let steps = at_every_step("sync", || {
        let place = Place::new();
        let new = sources(&place, "new");
        place.add("../pdf").unwrap();
        std::fs::remove_dir_all(place.fixture.join("project/.agents")).unwrap();
        (place, None, Some(new))
    });
    assert!(steps >= 6, "{steps}");
}

#[test]
fn killed_while_removing() {
    let steps = at_every_step("remove", || {
        let place = Place::new();
        let old = sources(&place, "old");
        place.add("../pdf").unwrap();
        (place, Some(old), None)
    });
    assert!(steps >= 3, "{steps}");
}
