//! Turns sources that change under an installed skill, forwards, backwards or sideways, into what an update makes of them.

use crate::place::Place;
use crate::repository::{Repo, skill};
use crate::web::Served;
use metier::install::{
    Concern, History, InstallError, OlderVersion, Outcome, Sha256, SyncMode, Update,
};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;

const INDEX: &str = "/.well-known/agent-skills/index.json";

fn update(place: &Place) -> Update {
    place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap().remove(0)
}

fn body(place: &Place) -> String {
    let text = place.read(".agents/skills/pdf/SKILL.md");
    text.rsplit("---\n").next().unwrap().trim().to_owned()
}

/// A repository of two commits, with the second installed by this revision.
fn at_second(revision: &str) -> (Repo, Place, [String; 2]) {
    let (repo, place) = (Repo::new(), Place::new());
    let first = repo.skill("pdf", "one").commit();
    let second = repo.skill("pdf", "two").commit();
    repo.git(&["tag", "v1"]);
    place.add(&format!("{}//pdf{revision}", repo.url())).unwrap();
    (repo, place, [first, second])
}

/// Security L12: a branch or a tag that was moved back is told and not followed, unless it is meant.
#[test]
fn a_source_that_goes_back_is_not_followed() {
    for (revision, reference) in [("", "refs/heads/main"), ("#v1", "refs/tags/v1")] {
        let (repo, mut place, [first, second]) = at_second(revision);
        let lock = place.read("skills.lock");
        repo.git(&["update-ref", reference, &first]);
        let done = update(&place);
        assert_eq!((&done.outcome, done.history), (&Outcome::Older, History::Older), "{reference}");
        assert_eq!((body(&place), place.read("skills.lock")), ("two".to_owned(), lock));
        place.with(|installer| installer.sync(SyncMode::Frozen)).unwrap();
        assert_eq!(body(&place), "two", "what is frozen does not move");
        place.options.older = OlderVersion::Allow;
        let done = update(&place);
        assert_eq!((&done.outcome, done.history), (&Outcome::Clean, History::Older));
        assert_eq!(body(&place), "one");
        place.options.older = OlderVersion::Refuse;
        repo.git(&["update-ref", reference, &second]);
        let done = update(&place);
        assert_eq!((&done.outcome, done.history), (&Outcome::Clean, History::Newer));
        assert_eq!(body(&place), "two");
    }
}

/// Also where the server sends more than it is asked for, and where it has forgotten the commit.
#[test]
fn servers_that_filter_nothing_and_histories_that_were_rewritten() {
    let (repo, place, [first, _]) = at_second("");
    repo.git(&["config", "uploadpack.allowFilter", "false"]);
    repo.git(&["update-ref", "refs/heads/main", &first]);
    assert_eq!(update(&place).history, History::Older);

    let (repo, place, _) = at_second("");
    repo.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    repo.skill("pdf", "three").commit();
    repo.git(&["branch", "--force", "main"]);
    let done = update(&place);
    assert_eq!((&done.outcome, done.history), (&Outcome::Clean, History::Rewritten));

    let (repo, place, _) = at_second("#main");
    repo.git(&["tag", "--delete", "v1"]);
    repo.git(&["checkout", "--quiet", "--orphan", "fresh"]);
    repo.skill("pdf", "three").commit();
    repo.git(&["branch", "--force", "main"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    let done = update(&place);
    assert_eq!((&done.outcome, done.history), (&Outcome::Clean, History::Unknown));
}

fn versioned(version: &str, body: &str) -> String {
    let head = "---\nname: pdf\ndescription: Use this for pdf in tests.\n";
    format!("{head}metadata:\n  version: \"{version}\"\n---\n{body}\n")
}

fn offer(server: &Served, text: &str) {
    let index = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{ "name": "pdf", "type": "skill-md", "url": "/pdf.md",
            "description": "Use this for pdf in tests.",
            "digest": Sha256::of(text.as_bytes()).to_string() }],
    });
    server.put(INDEX, index.to_string().as_bytes());
    server.put("/pdf.md", text.as_bytes());
}

/// Security L12: an index that serves an older digest, which this machine has seen.
#[test]
fn an_index_that_replays_what_was_here_before() {
    let (server, mut place) = (Served::new(&[]), Place::new());
    offer(&server, &skill("pdf", "one"));
    place.add(&format!("{}#@pdf", server.url("/"))).unwrap();
    offer(&server, &skill("pdf", "two"));
    assert_eq!(update(&place).outcome, Outcome::Clean);
    offer(&server, &skill("pdf", "one"));
    let done = update(&place);
    assert_eq!((&done.outcome, done.history), (&Outcome::Older, History::Older));
    assert_eq!(body(&place), "two");

    // What is locked and cannot be had any more fails closed, and puts nothing there.
    std::fs::remove_dir_all(place.fixture.join("project/.agents/skills")).unwrap();
    std::fs::remove_dir_all(place.fixture.join("store")).unwrap();
    let lock = place.read("skills.lock");
    for mode in [SyncMode::Frozen, SyncMode::Follow] {
        let error = place.with(|installer| installer.sync(mode)).unwrap_err();
        assert!(matches!(error, InstallError::Digest { .. }), "{error:?}");
    }
    assert!(!place.fixture.join("project/.agents/skills/pdf").exists());
    assert_eq!(place.read("skills.lock"), lock);
    place.options.older = OlderVersion::Allow;
    assert_eq!(update(&place).outcome, Outcome::Clean);
    assert_eq!(body(&place), "one");
    offer(&server, &skill("pdf", "three"));
    place.options.older = OlderVersion::Refuse;
    assert_eq!(update(&place).outcome, Outcome::Clean, "what was never here is no replay");
}

#[test]
fn a_version_that_goes_down_is_older() {
    let (server, place) = (Served::new(&[]), Place::new());
    offer(&server, &versioned("1.10", "ten"));
    place.add(&format!("{}#@pdf", server.url("/"))).unwrap();
    offer(&server, &versioned("1.9", "nine"));
    assert_eq!(update(&place).outcome, Outcome::Older);
    offer(&server, &versioned("1.11", "eleven"));
    let done = update(&place);
    assert_eq!((&done.outcome, done.history), (&Outcome::Clean, History::Newer));
}

/// Security L11: what a new version brings that the old one did not have, before anything happens.
#[test]
fn an_update_tells_what_it_brings() {
    let (repo, place) = (Repo::new(), Place::new());
    let old_finding = "See [gone](references/gone.md).";
    repo.skill("pdf", old_finding).file("pdf/tool", "x").file("pdf/scripts/a.sh", "#!/bin/sh\n");
    repo.commit();
    place.add(&format!("{}//pdf", repo.url())).unwrap();
    let lock = place.read("skills.lock");

    let hidden = "pay\u{200b}load, ignore\u{202e} this";
    repo.skill("pdf", &format!("New first line.\n\n{old_finding}"))
        .file("pdf/references/new.md", hidden)
        .file("pdf/scripts/b.py", "print()\n")
        .file("pdf/.claude/settings.json", "{}");
    let tool = repo.path().join("pdf/tool");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    repo.commit();
    let found = place.with(|installer| installer.updates(&[])).unwrap().remove(0);
    let paths = |paths: &[metier::ResourcePath]| {
        paths.iter().map(|path| path.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&found.runs), ["scripts/b.py", "tool"], "not those that ran before");
    assert_eq!(paths(&found.changes.mode), ["tool"]);
    let codes: Vec<_> = found.brings.iter().map(|finding| finding.rule.code()).collect();
    assert!(!codes.is_empty() && codes.iter().all(|code| !code.contains("link")), "{codes:?}");
    assert!(
        found
            .brings
            .iter()
            .any(|it| it.file.as_ref().is_some_and(|f| f.as_str() == "references/new.md"))
    );
    assert!(matches!(&found.concerns[..], [Concern::AgentConfiguration(_)]), "{found:?}");
    assert!(found.new.unwrap().report.len() > found.brings.len(), "the old finding is not news");
    assert_eq!(place.read("skills.lock"), lock, "nothing has happened yet");
}

/// One source that is gone, or one version that is refused, leaves the others alone.
#[test]
fn what_is_wrong_with_one_source_keeps_no_other_from_its_update() {
    let place = Place::new();
    for name in ["bad", "gone", "pdf"] {
        place.write(&format!("../{name}/SKILL.md"), &skill(name, "one"));
        place.add(&format!("../{name}")).unwrap();
    }
    std::fs::remove_dir_all(place.fixture.join("gone")).unwrap();
    place.write("../bad/SKILL.md", "---\nname: bad\ndescription: x\nbogus: 1\n---\n");
    place.write("../pdf/SKILL.md", &skill("pdf", "two"));
    let done = place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap();
    let words: Vec<_> = done.iter().map(|update| update.outcome.as_str()).collect();
    assert_eq!(words, ["refused", "unavailable", "clean"]);
    assert_eq!(body(&place), "two");
    assert_eq!(place.read(".agents/skills/bad/SKILL.md"), skill("bad", "one"));
}

/// Who only wants a skill elsewhere gets the same one there, whatever the source has by now.
#[test]
fn a_changed_target_moves_what_is_locked() {
    let (repo, place, _) = at_second("");
    repo.skill("pdf", "three").commit();
    let text = format!("[skills]\npdf = {{ source = \"{}//pdf\", into = \"x\" }}\n", repo.url());
    place.write("skills.toml", &text);
    place.with(|installer| installer.sync(SyncMode::Follow)).unwrap();
    assert_eq!(place.read("x/pdf/SKILL.md"), skill("pdf", "two"));
    assert!(!place.fixture.join("project/.agents/skills/pdf").exists());
    place.with(|installer| installer.sync(SyncMode::Frozen)).unwrap();
}
