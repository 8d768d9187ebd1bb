//! Turns the eight defects that were reproduced in the most used installer into tests that pass here.

use crate::place::{Place, plan};
use crate::repository::{Repo, skill};
use metier::install::{FileTree, GitOptions, InstallError, Outcome, PackageLimits, SyncMode};
use std::fs;

fn sync(place: &Place, mode: SyncMode) {
    place.with(|installer| installer.sync(mode)).unwrap();
}

#[test]
fn first_a_lock_that_does_not_lock() {
    let (repo, place) = (Repo::new(), Place::new());
    repo.skill("alpha", "v1").commit();
    let mut planned = plan(&format!("{}//alpha", repo.url()));
    planned.fetches[0].links = vec!["claude".to_owned()];
    place.with(|installer| installer.add(&planned)).unwrap();
    let lock = place.read("skills.lock");
    repo.skill("alpha", "v2").commit();
    for folder in [".agents", ".claude"] {
        fs::remove_dir_all(place.fixture.join("project").join(folder)).unwrap();
    }
    // Not from what happens to be kept here either.
    fs::remove_dir_all(place.fixture.join("store")).unwrap();
    sync(&place, SyncMode::Follow);
    assert_eq!(place.read(".agents/skills/alpha/SKILL.md"), skill("alpha", "v1"));
    assert_eq!(place.read(".claude/skills/alpha/SKILL.md"), skill("alpha", "v1"));
    assert_eq!(place.read("skills.lock"), lock, "and it is not rewritten");
}

#[test]
fn second_two_trees_with_one_hash() {
    let digest = |name: &str, text: &str| {
        let mut tree = FileTree::builder(&PackageLimits::default());
        tree.add_file("SKILL.md", b"x".as_slice(), false).unwrap();
        tree.add_file(name, text.as_bytes(), false).unwrap();
        tree.finish().unwrap().digest()
    };
    assert_ne!(digest("a", "bc"), digest("ab", "c"));
}

#[test]
fn third_a_broken_lock_is_taken_for_an_empty_one() {
    let place = Place::new();
    place.write("../beta/SKILL.md", &skill("beta", "x"));
    place.write("skills.lock", "{broken");
    let error = place.add("../beta").unwrap_err();
    assert!(matches!(error, InstallError::Lock { .. }), "{error:?}");
    assert_eq!(place.read("skills.lock"), "{broken");
}

#[test]
fn fourth_runs_at_the_same_time_lose_entries() {
    let place = Place::new();
    let names: Vec<String> = (0..6).map(|number| format!("skill-{number}")).collect();
    for name in &names {
        place.write(&format!("../{name}/SKILL.md"), &skill(name, "x"));
    }
    std::thread::scope(|scope| {
        for name in &names {
            let place = &place;
            scope.spawn(move || place.add(&format!("../{name}")).unwrap());
        }
    });
    let locked: Vec<_> = place.lock().skills().map(|it| it.name.as_str().to_owned()).collect();
    assert_eq!(locked, names);
}

#[test]
fn fifth_a_skill_of_the_same_name_is_overwritten() {
    let place = Place::new();
    for source in ["one", "two"] {
        place.write(&format!("../{source}/alpha/SKILL.md"), &skill("alpha", source));
    }
    place.add("../one").unwrap();
    place.write(".agents/skills/alpha/NOTES.md", "mine");
    let error = place.add("../two").unwrap_err();
    assert!(matches!(error, InstallError::OtherSource { .. }), "{error:?}");
    assert_eq!(place.read(".agents/skills/alpha/SKILL.md"), skill("alpha", "one"));
    assert_eq!(place.read(".agents/skills/alpha/NOTES.md"), "mine");
}

#[test]
fn sixth_an_update_deletes_what_people_wrote() {
    let (repo, place) = (Repo::new(), Place::new());
    repo.skill("alpha", "v1").file("alpha/a.md", "1").commit();
    place.add(&format!("{}//alpha", repo.url())).unwrap();
    place.write(".agents/skills/alpha/a.md", "edited");
    place.write(".agents/skills/alpha/NOTES.md", "mine");
    repo.skill("alpha", "v2").commit();
    let updated = place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap();
    assert!(matches!(&updated[0].outcome, Outcome::Merged(kept) if kept.len() == 2));
    assert_eq!(place.read(".agents/skills/alpha/SKILL.md"), skill("alpha", "v2"));
    assert_eq!(place.read(".agents/skills/alpha/a.md"), "edited");
    assert_eq!(place.read(".agents/skills/alpha/NOTES.md"), "mine");
}

/// Removing what is not there is an error, and a repository whose address does not end in `.git`
/// comes back from the lock.
#[test]
fn seventh_removing_nothing_succeeds_and_restoring_fails() {
    let (repo, place) = (Repo::new(), Place::new());
    let removed = place.with(|installer| installer.remove(&["nope".parse().unwrap()]));
    assert!(matches!(removed, Err(InstallError::NotInstalled { .. })));
    repo.skill("skills/alpha", "v1").commit();
    assert!(!repo.url().as_str().contains(".git"));
    place.add(&format!("{}@alpha", repo.url())).unwrap();
    fs::remove_dir_all(place.fixture.join("project/.agents")).unwrap();
    fs::remove_dir_all(place.fixture.join("store")).unwrap();
    sync(&place, SyncMode::Frozen);
    assert_eq!(place.read(".agents/skills/alpha/SKILL.md"), skill("alpha", "v1"));
}

/// It crashed where the runtime of its language was a year old. This one needs no runtime, and no
/// other program but git: without any, everything but repositories works.
#[test]
fn eighth_it_needs_what_is_not_there() {
    let place = Place::new();
    place.write("../alpha/SKILL.md", &skill("alpha", "x"));
    let nothing =
        metier::install::Git::new("/no/git", [], place.fixture.join("t"), GitOptions::default());
    place.with(|installer| {
        let without = metier::install::Installer {
            location: installer.location.clone(),
            store: None,
            base: installer.base.clone(),
            home: None,
            options: installer.options.clone(),
            repositories: &nothing,
            ..*installer
        };
        without.add(&plan("../alpha")).unwrap();
        without.sync(SyncMode::Frozen).unwrap();
        let error = without.add(&plan("acme/skills")).unwrap_err();
        assert!(error.help().unwrap().contains("install git"));
    });
}
