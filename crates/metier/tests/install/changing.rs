//! Turns edits, new versions and changed requests into what sync, update and status make of them.

use crate::place::{Place, plan};
use crate::repository::{Repo, skill};
use metier::install::{Existing, InstallError, Outcome, State, SyncMode, Synced, Update};

fn sync(place: &Place, mode: SyncMode) -> Result<Synced, InstallError> {
    place.with(|installer| installer.sync(mode))
}

fn update(place: &Place) -> Vec<Update> {
    place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap()
}

fn state(place: &Place) -> State {
    place.status().remove(0).state
}

fn names(skills: &[metier::SkillName]) -> Vec<&str> {
    skills.iter().map(metier::SkillName::as_str).collect()
}

fn installed() -> (Repo, Place) {
    let (repo, place) = (Repo::new(), Place::new());
    repo.skill("pdf", "one").file("pdf/a.md", "1").file("pdf/b.md", "1").file("pdf/c.md", "1");
    repo.commit();
    place.add(&format!("{}//pdf", repo.url())).unwrap();
    (repo, place)
}

/// Security L08.
#[test]
fn every_kind_of_change_by_hand_is_told() {
    let (_repo, place) = installed();
    assert_eq!(state(&place), State::Sound);
    place.write(".agents/skills/pdf/a.md", "2");
    place.write(".agents/skills/pdf/new.md", "x");
    std::fs::remove_file(place.fixture.join("project/.agents/skills/pdf/b.md")).unwrap();
    let path = place.fixture.join("project/.agents/skills/pdf/c.md");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let State::Changed(changed) = state(&place) else { panic!() };
    assert_eq!(
        changed.to_string(),
        "modified `a.md`, added `new.md`, removed `b.md`, mode of `c.md`"
    );
    std::os::unix::fs::symlink("/etc/passwd", path.with_file_name("link")).unwrap();
    assert!(matches!(state(&place), State::Odd(reason) if reason.contains("`link` is a link")));
    std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
    assert_eq!(state(&place), State::Missing);
}

/// The sixth defect: an update deleted what people had changed.
#[test]
fn an_update_keeps_changes_by_hand_and_reports_conflicts() {
    let (repo, place) = installed();
    assert!(matches!(update(&place)[0].outcome, Outcome::Current));
    place.write(".agents/skills/pdf/a.md", "mine");
    place.write(".agents/skills/pdf/NOTES.md", "mine");
    repo.file("pdf/b.md", "2").file("pdf/d.md", "new").commit();
    std::fs::remove_file(repo.path().join("pdf/c.md")).unwrap();
    repo.commit();
    let done = update(&place);
    let kept = ["NOTES.md", "a.md"].map(|path| path.parse().unwrap()).to_vec();
    assert_eq!(done[0].outcome, Outcome::Merged(kept));
    assert_eq!(done[0].changes.to_string(), "modified `b.md`, added `d.md`, removed `c.md`");
    let read = |file: &str| place.read(&format!(".agents/skills/pdf/{file}"));
    assert_eq!(
        (read("a.md"), read("b.md"), read("d.md")),
        ("mine".into(), "2".into(), "new".into())
    );
    assert_eq!(read("NOTES.md"), "mine");
    assert!(!place.fixture.join("project/.agents/skills/pdf/c.md").exists());
    // The lock has what the author has; what is different here is told.
    assert!(matches!(state(&place), State::Changed(changed) if changed.len() == 2));
    assert!(matches!(update(&place)[0].outcome, Outcome::Current));

    repo.file("pdf/a.md", "theirs").commit();
    let lock = place.read("skills.lock");
    let done = update(&place);
    assert_eq!(done[0].outcome, Outcome::Conflict(vec!["a.md".parse().unwrap()]));
    assert_eq!((read("a.md"), place.read("skills.lock")), ("mine".to_owned(), lock));
    let mut forced = place;
    forced.options.existing = Existing::Replace;
    assert_eq!(update(&forced)[0].outcome, Outcome::Clean);
    assert_eq!(forced.read(".agents/skills/pdf/a.md"), "theirs");
    assert_eq!(state(&forced), State::Sound);
}

#[test]
fn a_pinned_skill_has_no_updates_and_an_unknown_one_is_an_error() {
    let (repo, place) = (Repo::new(), Place::new());
    repo.skill("pdf", "one").commit();
    repo.git(&["tag", "v1"]);
    place.add(&format!("{}//pdf#v1", repo.url())).unwrap();
    repo.skill("pdf", "two").commit();
    assert!(matches!(update(&place)[0].outcome, Outcome::Current));
    let error = place.with(|installer| installer.updates(&["nope".parse().unwrap()])).unwrap_err();
    assert!(matches!(error, InstallError::NotInstalled { .. }));
    // A tag that was moved is an update like any other, and `sync` does not take it.
    repo.git(&["tag", "--force", "v1"]);
    sync(&place, SyncMode::Frozen).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    assert_eq!(update(&place)[0].outcome, Outcome::Clean);
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "two"));
}

#[test]
fn sync_follows_what_is_asked_for_and_prunes_what_is_not() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(&format!("../{name}/SKILL.md"), &skill(name, "x"));
    }
    place.add("../a").unwrap();
    place.add("../b").unwrap();
    place.write(".agents/skills/by-hand/SKILL.md", &skill("by-hand", "x"));
    place.write("skills.toml", "[skills]\na = \"../a\"\nc = \"../c\" # new\n");
    let error = sync(&place, SyncMode::Frozen).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the lock is not up to date: `c` is asked for and not locked; `b` is locked and not asked for"
    );
    assert!(place.fixture.join("project/.agents/skills/b").exists(), "nothing happened");
    let synced = sync(&place, SyncMode::Follow).unwrap();
    assert_eq!((names(&synced.locked), names(&synced.pruned)), (vec!["c"], vec!["b"]));
    assert!(!place.fixture.join("project/.agents/skills/b").exists());
    assert!(place.fixture.join("project/.agents/skills/by-hand/SKILL.md").exists());
    assert_eq!(place.read("skills.toml"), "[skills]\na = \"../a\"\nc = \"../c\" # new\n");
    sync(&place, SyncMode::Frozen).unwrap();

    // A lock from elsewhere that has one skill less: what we have installed for it goes.
    let lock = place.read("skills.lock");
    let without = lock.split("\n[[skill]]").take(2).collect::<Vec<_>>().join("\n[[skill]]");
    place.write("skills.lock", &without);
    place.write("skills.toml", "[skills]\na = \"../a\"\n");
    let synced = sync(&place, SyncMode::Follow).unwrap();
    assert_eq!(names(&synced.pruned), ["c"]);
}

#[test]
fn what_was_changed_by_hand_is_not_pruned() {
    let place = Place::new();
    place.write("../a/SKILL.md", &skill("a", "x"));
    place.add("../a").unwrap();
    place.write(".agents/skills/a/NOTES.md", "mine");
    place.write("skills.toml", "[skills]\n");
    let synced = sync(&place, SyncMode::Follow).unwrap();
    assert_eq!((synced.pruned.len(), synced.kept.len()), (0, 1));
    assert_eq!(place.read(".agents/skills/a/NOTES.md"), "mine");
}

#[test]
fn sync_leaves_changes_by_hand_alone() {
    let (_repo, mut place) = installed();
    place.write(".agents/skills/pdf/a.md", "mine");
    let error = sync(&place, SyncMode::Frozen).unwrap_err();
    assert_eq!(error.to_string(), "the lock is not up to date: `pdf` was changed: modified `a.md`");
    let synced = sync(&place, SyncMode::Follow).unwrap();
    assert_eq!(synced.kept[0].1, "modified `a.md`");
    assert_eq!(place.read(".agents/skills/pdf/a.md"), "mine");
    place.options.existing = Existing::Replace;
    sync(&place, SyncMode::Follow).unwrap();
    assert_eq!(place.read(".agents/skills/pdf/a.md"), "1");
}

#[test]
fn a_changed_request_moves_the_skill() {
    let place = Place::new();
    for folder in ["one", "two"] {
        place.write(&format!("../{folder}/pdf/SKILL.md"), &skill("pdf", folder));
    }
    place.add("../one/pdf").unwrap();
    place.write(
        "skills.toml",
        "[skills]\npdf = { source = \"../two/pdf\", into = \"elsewhere\" }\n",
    );
    let synced = sync(&place, SyncMode::Follow).unwrap();
    assert_eq!(names(&synced.locked), ["pdf"]);
    assert_eq!(place.read("elsewhere/pdf/SKILL.md"), skill("pdf", "two"));
    assert!(!place.fixture.join("project/.agents/skills/pdf").exists());
}

#[test]
fn a_plan_and_what_it_would_do_can_be_printed() {
    let place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    let planned = plan("../pdf");
    assert_eq!(planned.to_string(), "fetch ../pdf into .agents/skills\n");
    let preview = place.with(|installer| installer.preview(&planned)).unwrap();
    assert_eq!(preview[0].to_string(), "install `pdf` from ../pdf");
    assert!(place.tree().is_empty());
    place.add("../pdf").unwrap();
    place.write("../pdf/SKILL.md", &skill("pdf", "y"));
    let preview = place.with(|installer| installer.preview(&planned)).unwrap();
    assert_eq!(preview[0].to_string(), "replace `pdf` with that from ../pdf: modified `SKILL.md`");
    assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "x"));
}
