//! Turns locks into text and back, and broken, newer and tampered ones into errors with a way out.

use crate::place::Place;
use crate::repository::{Repo, skill};
use metier::install::{
    InstallError, Lock, LockError, Network, Requests, RequestsError, Store, SyncMode, migrate,
};
use proptest::prelude::*;

/// Whether an error is the one that is expected.
type Wrong = fn(&LockError) -> bool;

fn locked() -> (Place, String) {
    let place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    place.write("../pdf/a \"quoted\" name.md", "x");
    place.write("../review/SKILL.md", &skill("review", "x"));
    place.add("../review").unwrap();
    place.add("../pdf").unwrap();
    let text = place.read("skills.lock");
    (place, text)
}

#[test]
fn a_lock_is_sorted_commented_and_the_same_after_a_round_trip() {
    let (_place, text) = locked();
    assert!(text.starts_with("# What was installed"));
    assert!(text.find("name = \"pdf\"") < text.find("name = \"review\""));
    let lock = Lock::parse(&text).unwrap();
    assert_eq!(lock.to_toml(), text);
    assert_eq!(Lock::parse(&lock.to_toml()).unwrap(), lock);
    assert_eq!(Lock::parse(&Lock::default().to_toml()).unwrap(), Lock::default());
}

/// Security L09, and the third defect: a lock that cannot be read is not an empty one.
#[test]
fn a_lock_that_cannot_be_used_is_an_error_and_stays_as_it_is() {
    let (place, text) = locked();
    let entry = text.split("\n[[skill]]").nth(1).unwrap();
    place.write("../third/SKILL.md", &skill("third", "x"));
    let cases: [(String, Wrong); 8] = [
        ("{broken".to_owned(), |it| matches!(it, LockError::Syntax { .. })),
        (String::new(), |it| matches!(it, LockError::Syntax { .. })),
        (format!("<<<<<<< ours\n{text}"), |it| matches!(it, LockError::Conflict { line: 1 })),
        (text.replace("version = 1", "version = 99"), |it| {
            matches!(it, LockError::Newer { version: 99 })
        }),
        (format!("{text}\n[[skill]]{entry}"), |it| matches!(it, LockError::Twice { .. })),
        (text.replace("size = 1,", "size = 2,"), |it| matches!(it, LockError::Tampered { .. })),
        (text.replace("name = \"pdf\"", "name = \"../pdf\""), |it| {
            matches!(it, LockError::Syntax { .. })
        }),
        (text.replace("name = \"pdf\"", "name = \"pdf\"\nextra = 1"), |it| {
            matches!(it, LockError::Syntax { .. })
        }),
    ];
    for (text, is_expected) in cases {
        place.write("skills.lock", &text);
        let error = place.add("../third").unwrap_err();
        let InstallError::Lock { error: why, .. } = &error else { panic!("{error:?}") };
        assert!(is_expected(why), "{why:?}");
        assert!(error.help().is_some());
        assert!(place.with(|installer| installer.sync(SyncMode::Follow)).is_err());
        assert_eq!(place.read("skills.lock"), text, "it is not written over");
        assert!(!place.fixture.join("project/.agents/skills/third").exists());
    }
}

/// The fourth defect: parallel runs lost entries. Each of ten processes has its own lock on the
/// file, and each thread here opens it anew, which is the same to the system.
#[test]
fn ten_at_once_lose_nothing() {
    let place = Place::new();
    for number in 0..10 {
        place.write(&format!("../s{number}/SKILL.md"), &skill(&format!("s{number}"), "x"));
    }
    std::thread::scope(|scope| {
        for number in 0..10 {
            let place = &place;
            scope.spawn(move || place.add(&format!("../s{number}")).unwrap());
        }
    });
    let lock = place.lock();
    assert_eq!(lock.skills().len(), 10);
    let requests = place.with(|installer| installer.requests().unwrap().unwrap());
    assert_eq!(requests.entries().len(), 10);
    assert!(place.status().iter().all(|it| it.state.as_str() == "sound"));
}

/// Security L06: two runs for one name end in one skill, and in an error that says so.
#[test]
fn two_at_once_for_one_name() {
    let place = Place::new();
    for folder in ["one", "two"] {
        place.write(&format!("../{folder}/pdf/SKILL.md"), &skill("pdf", folder));
    }
    let results = std::thread::scope(|scope| {
        let runs = ["../one", "../two"].map(|it| {
            let place = &place;
            scope.spawn(move || place.add(it))
        });
        runs.map(|run| run.join().unwrap())
    });
    let errors: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(matches!(errors[..], [InstallError::OtherSource { .. }]), "{errors:?}");
    assert_eq!(place.status()[0].state.as_str(), "sound");
}

#[test]
fn what_is_asked_for_is_changed_without_touching_the_rest() {
    let text = "# by hand\n[skills]\n# a note\npdf = 'acme/pdf#v1' # pinned\nmine = { source = \"./mine\", into = \"a/b\" }\n";
    let mut requests = Requests::parse(text).unwrap();
    assert_eq!(requests.entries()[1].into.as_ref().unwrap().as_str(), "a/b");
    let pdf = "pdf".parse().unwrap();
    requests.set(&pdf, &"acme/pdf#v2".parse().unwrap(), None);
    assert_eq!(requests.to_toml(), text.replace("'acme/pdf#v1'", "\"acme/pdf#v2\""));
    assert!(requests.remove(&"mine".parse().unwrap()));
    assert!(!requests.remove(&"mine".parse().unwrap()));
    assert_eq!(requests.entries().len(), 1);
    assert_eq!(Requests::parse(&requests.to_toml()).unwrap().entries(), requests.entries());
    for (text, part) in [
        ("[skill]\n", "the only table is `[skills]`"),
        ("[skills]\nPDF = 'a/b'\n", "`PDF` is not understood"),
        ("[skills]\npdf = 1\n", "must be a reference"),
        ("[skills]\npdf = { source = 'a/b', ref = 'x' }\n", "`ref`"),
        ("[skills]\npdf = 'https://me:t0ken@h.example/x.git'\n", "credentials"),
        ("[skills]\npdf = { source = 'a/b', into = '../x' }\n", "`..`"),
        ("[skills\n", "line 1"),
    ] {
        let error = Requests::parse(text).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(!error.to_string().contains("t0ken"));
    }
    assert!(matches!(Requests::parse("="), Err(RequestsError::Syntax { .. })));
}

#[test]
fn the_store_gives_back_what_was_put_in_and_nothing_damaged() {
    let place = Place::new();
    let long = format!("{}/{}", "x".repeat(120), "é".repeat(60));
    place.write("../pdf/SKILL.md", &skill("pdf", "x"));
    place.write(&format!("../pdf/{long}.md"), "long");
    let tree = place.add("../pdf").unwrap().remove(0).skill.fetched.tree;
    let store = Store::new(place.fixture.join("store"));
    let limits = place.options.limits.clone();
    assert_eq!(store.get(&tree.digest(), &limits), Some(tree.clone()));
    let file = place.fixture.join("store").join(format!("{}.tar", tree.digest().hex()));
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[520] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(store.get(&tree.digest(), &limits), None);
    // As a run leaves it that is killed while it writes.
    let left = place.fixture.join("store/.metier-left.tmp");
    std::fs::write(&left, "half").unwrap();
    store.put(&tree, &limits).unwrap();
    assert_eq!(store.get(&tree.digest(), &limits), Some(tree), "and it is put in again");
    assert!(!left.exists());
}

#[test]
fn locks_of_the_installer_that_most_people_use_are_taken_over() {
    let project = r#"{"version": 1, "skills": {
        "pdf": {"source": "acme/skills", "sourceType": "github", "ref": "v1",
                "skillPath": "skills/pdf/SKILL.md", "computedHash": "204a9a06"},
        "own": {"source": "./own", "sourceType": "local", "computedHash": "00"},
        "any": {"source": "x", "sourceUrl": "https://h.example/x.git", "sourceType": "git",
                "skillPath": "a/SKILL.md", "computedHash": "00"},
        "web": {"source": "h.example", "sourceUrl": "https://h.example", "sourceType": "well-known"},
        "Bad Name": {"source": "acme/skills"},
        "bad": {"source": "--upload-pack=x"}
    }}"#;
    let migrated = migrate(project).unwrap();
    let entries: Vec<_> = migrated
        .requests
        .entries()
        .iter()
        .map(|it| (it.name.as_str().to_owned(), it.reference.to_string()))
        .collect();
    let expected = [
        ("pdf", "acme/skills/skills/pdf#v1"),
        ("own", "./own"),
        ("any", "https://h.example/x.git//a"),
        ("web", "https://h.example/#@web"),
    ];
    assert_eq!(entries, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let skipped: Vec<_> = migrated.skipped.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(skipped, ["Bad Name", "bad"]);
    let global = r#"{"version": 3, "skills": {"pdf": {"source": "acme/skills", "sourceType": "github",
        "sourceUrl": "https://github.com/acme/skills", "skillPath": "pdf/SKILL.md",
        "skillFolderHash": "x", "installedAt": "t", "updatedAt": "t"}}, "dismissed": {}}"#;
    assert_eq!(
        migrate(global).unwrap().requests.entries()[0].reference.to_string(),
        "acme/skills/pdf"
    );
    assert!(migrate(r#"{"version": 2, "skills": {}}"#).is_err());
    assert!(migrate("{broken").is_err());
}

/// The first defect: a lock that locks. The same bytes for everyone, whatever was pushed since.
#[test]
fn another_machine_gets_the_same_bytes_from_the_lock() {
    let repo = Repo::new();
    repo.skill("pdf", "one").file("pdf/scripts/x.sh", "#!/bin/sh\n").commit();
    let place = Place::new();
    let mut planned = crate::place::plan(&format!("{}//pdf", repo.url()));
    planned.fetches[0].links = vec!["claude".to_owned()];
    place.with(|installer| installer.add(&planned)).unwrap();
    let lock = place.read("skills.lock");
    repo.skill("pdf", "two").commit();

    let other = Place::new();
    other.write("skills.lock", &lock);
    other.write("skills.toml", &place.read("skills.toml"));
    let synced = other.with(|installer| installer.sync(SyncMode::Frozen)).unwrap();
    assert_eq!(synced.installed.len(), 1);
    assert_eq!(other.tree(), place.tree(), "links too");
    for file in ["pdf/SKILL.md", "pdf/scripts/x.sh"] {
        let path = format!(".agents/skills/{file}");
        assert_eq!(other.read(&path), place.read(&path));
    }
    assert_eq!(other.read("skills.lock"), lock);
    let again = other.with(|installer| installer.sync(SyncMode::Frozen)).unwrap();
    assert_eq!((again.installed.len(), again.unchanged.len()), (0, 1));
}

/// Security G14, G18: what a server sends instead of what was locked is refused.
#[test]
fn what_does_not_have_the_locked_digest_is_not_installed() {
    let mut place = Place::new();
    place.write("../pdf/SKILL.md", &skill("pdf", "one"));
    place.add("../pdf").unwrap();
    place.write("../pdf/SKILL.md", &skill("pdf", "two"));
    std::fs::remove_dir_all(place.fixture.join("project/.agents")).unwrap();
    std::fs::remove_dir_all(place.fixture.join("store")).unwrap();
    let sync = |place: &Place| place.with(|installer| installer.sync(SyncMode::Frozen));
    assert!(matches!(sync(&place), Err(InstallError::Digest { .. })));
    assert!(!place.fixture.join("project/.agents/skills/pdf").exists());
    place.options.network = Network::Offline;
    assert!(
        matches!(sync(&place), Err(InstallError::Digest { .. })),
        "a folder here is no network"
    );
}

proptest! {
    #[test]
    fn any_text_is_a_lock_or_an_error_that_can_be_shown(text in ".{0,200}|(version = 1\n)?(\\[\\[skill\\]\\]\nname = \"a\"\n){0,2}") {
        if let Err(error) = Lock::parse(&text) {
            prop_assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }
}
