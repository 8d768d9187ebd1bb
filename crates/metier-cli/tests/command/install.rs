//! Turns the day of someone who installs skills into a transcript: add, sync, verify, update, remove.

#![expect(clippy::disallowed_methods, reason = "the tests make real files and repositories")]

use crate::metier;
use serde_json::Value;
use std::process::Command;
use testing::{Fixture, Output, command_snapshot};

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Use this for {name} in tests.\n---\n\n# {body}\n")
}

/// Runs git in a folder of the fixture.
fn git(fixture: &Fixture, folder: &str, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@h.example"])
        .args(arguments)
        .current_dir(fixture.join(folder))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .status()
        .expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

fn commit(fixture: &Fixture, folder: &str) {
    git(fixture, folder, &["add", "--all"]);
    git(fixture, folder, &["commit", "--quiet", "--message=x"]);
}

/// A repository of two skills, and an empty project.
fn project() -> (Fixture, String) {
    let fixture = Fixture::new()
        .skill("repo/skills/pdf", &skill("pdf", "one"))
        .file("repo/skills/pdf/references/forms.md", "one\n")
        .skill("repo/skills/review", &skill("review", "one"))
        .dir("work/.git");
    git(&fixture, "repo", &["init", "--quiet", "--initial-branch=main"]);
    commit(&fixture, "repo");
    let url = format!("file://{}", fixture.join("repo").display());
    (fixture, url)
}

fn run(fixture: &Fixture, arguments: &[&str]) -> Output {
    fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work").run()
}

fn json(fixture: &Fixture, arguments: &[&str]) -> Value {
    let output = run(fixture, arguments);
    serde_json::from_str(output.stdout()).unwrap_or_else(|error| panic!("{error}: {output}"))
}

fn code(output: &Output) -> i32 {
    output.exit_code().expect("it ends by itself")
}

/// As a new user would: install, commit the lock, clone elsewhere, sync, edit, verify, update.
#[test]
fn a_day_with_a_lock() {
    let (fixture, url) = project();
    let work = |arguments: &[&str]| {
        fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work")
    };
    let pdf = format!("{url}//skills/pdf");
    let added = run(&fixture, &["add", &pdf]);
    assert_eq!(code(&added), 0, "{added}");
    assert!(added.stdout().starts_with("installed pdf from file://"), "{added}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    command_snapshot!(work(&["verify"]), @"
    exit_code: 0
    ----- stdout -----
    ----- stderr -----
    1 skill as locked
    ");

    let fixture = fixture.dir("other/.git").file("repo/skills/pdf/references/forms.md", "two\n");
    commit(&fixture, "repo");
    for file in ["skills.lock", "skills.toml"] {
        let text = fixture.read(&format!("work/{file}"));
        std::fs::write(fixture.join(&format!("other/{file}")), text).unwrap();
    }
    let other = fixture
        .command(env!("CARGO_BIN_EXE_metier"), ["sync", "--frozen"])
        .env("XDG_CACHE_HOME", fixture.join("elsewhere"))
        .folder("other");
    command_snapshot!(other, @"
    exit_code: 0
    ----- stdout -----
    installed pdf
    ----- stderr -----
    1 skill as locked
    note: no model sees what is new in a project before you have looked and run `metier trust`
    ");
    assert_eq!(fixture.read("other/.agents/skills/pdf/references/forms.md"), "one\n");

    let fixture = fixture.file("work/.agents/skills/pdf/SKILL.md", &skill("pdf", "mine"));
    let work = |arguments: &[&str]| {
        fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work")
    };
    command_snapshot!(work(&["verify"]), @"
    exit_code: 1
    ----- stdout -----
    pdf: changed since install
      modified SKILL.md
    ----- stderr -----
      help: `metier sync --force` restores what is locked, `metier trust` keeps your changes
    0 skills as locked, 1 not
    ");
    let refused = run(&fixture, &["update"]);
    assert_eq!(code(&refused), 1, "nobody was asked: {refused}");
    assert!(refused.stderr().contains("modified references/forms.md"), "{refused}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/references/forms.md"), "one\n");
    let updated = run(&fixture, &["update", "--yes"]);
    assert_eq!(code(&updated), 0, "{updated}");
    assert!(updated.stdout().contains("your changes stay in SKILL.md"), "{updated}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/references/forms.md"), "two\n");
    assert_eq!(fixture.read("work/.agents/skills/pdf/SKILL.md"), skill("pdf", "mine"));
    let frozen = run(&fixture, &["sync", "--frozen"]);
    assert_eq!(code(&frozen), 1, "{frozen}");
    let removed = run(&fixture, &["remove", "pdf"]);
    assert_eq!(code(&removed), 3, "it was changed by hand: {removed}");
    command_snapshot!(work(&["remove", "pdf", "--force"]), @"
    exit_code: 0
    ----- stdout -----
    removed pdf
    ----- stderr -----
    ");
    assert!(!fixture.join("work/.agents/skills/pdf").exists());
}

#[test]
fn every_command_answers_in_json() {
    let (fixture, url) = project();
    let pdf = format!("{url}//skills/pdf");
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let preview = json(&fixture, &["add", &pdf, "--dry-run", "--json"]);
    assert_eq!(preview[0]["change"], "new");
    assert!(!fixture.join("work/.agents/skills").exists());
    let added = json(&fixture, &["add", &pdf, "--link", "claude", "--json"]);
    assert_eq!(
        keys(&added[0]),
        [
            "name",
            "change",
            "requested",
            "source",
            "version",
            "digest",
            "folder",
            "files",
            "findings",
            "concerns",
            "notices"
        ]
    );
    let installed = json(&fixture, &["installed", "--json"]);
    assert_eq!(
        keys(&installed[0]),
        ["org", "name", "location", "path", "source", "version", "digest", "state"]
    );
    assert_eq!(installed[0]["location"], "project");
    let verified = json(&fixture, &["verify", "--json"]);
    assert_eq!(
        keys(&verified[0]),
        ["name", "state", "message", "path", "modified", "added", "removed", "mode"]
    );
    let why = json(&fixture, &["why", "pdf", "--json"]);
    assert_eq!(why["source"]["kind"], "git");
    assert_eq!(why["links"]["claude"], "link");
    let synced = json(&fixture, &["sync", "--json"]);
    assert_eq!(keys(&synced), ["installed", "unchanged", "locked", "pruned", "kept"]);
    assert_eq!(json(&fixture, &["outdated", "--json"]), Value::Array(Vec::new()));
    let fixture = fixture.file("repo/skills/pdf/new.md", "x");
    commit(&fixture, "repo");
    let outdated = run(&fixture, &["outdated", "--json"]);
    assert_eq!(code(&outdated), 1);
    let outdated: Value = serde_json::from_str(outdated.stdout()).unwrap();
    assert_eq!(
        keys(&outdated[0]),
        [
            "name",
            "outcome",
            "source",
            "from",
            "to",
            "history",
            "changes",
            "runs",
            "kept",
            "conflicts",
            "findings",
            "brings",
            "notices",
            "reason"
        ]
    );
    assert_eq!(outdated[0]["changes"]["added"][0], "new.md");
    let unasked = run(&fixture, &["update", "--json"]);
    assert_eq!(code(&unasked), 1, "{unasked}");
    assert_eq!(serde_json::from_str::<Value>(unasked.stdout()).unwrap(), outdated);
    assert_eq!(json(&fixture, &["update", "--yes", "--json"])[0]["outcome"], "clean");
    assert_eq!(json(&fixture, &["remove", "pdf", "--json"])[0]["name"], "pdf");
    assert!(!fixture.join("work/.claude/skills/pdf").exists());
}

#[test]
fn what_is_wrong_is_told_with_the_way_out() {
    let (fixture, url) = project();
    let work = |arguments: &[&str]| {
        fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work")
    };
    command_snapshot!(work(&["add", "pdf"]), @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `pdf` is not a reference to a skill: a single word says not where the skill is
      help: write `./folder`, `owner/repo`, `@org/name` or an address instead
    ");
    command_snapshot!(work(&["add", "https://me:t0ken@h.example/x.git"]), @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `https://h.example/x.git` is not a reference to a skill: credentials do not belong into a reference
      help: let git ask its credential helper, or use ssh
    ");
    let many = run(&fixture, &["add", &url]);
    assert_eq!(code(&many), 3);
    assert!(many.stderr().contains("there are 2 skills in"), "{many}");
    assert!(many.stderr().contains("help: name one with `@skill`"), "{many}");
    command_snapshot!(work(&["remove", "nope"]), @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `nope` is not installed
      help: `metier installed` shows what is
    ");
    let chosen = run(&fixture, &["add", &url, "--skill", "pdf"]);
    assert_eq!(code(&chosen), 0, "{chosen}");
    command_snapshot!(work(&["why", "pfd"]), @"
    exit_code: 3
    ----- stdout -----
    ----- stderr -----
    error: `pfd` is not installed
      help: did you mean `pdf`?
    ");
    command_snapshot!(work(&["add", "../repo/skills/review", "--into", "../elsewhere"]), @"
    exit_code: 2
    ----- stdout -----
    ----- stderr -----
    error: `[ROOT]/elsewhere` is not inside the project `[ROOT]/work`
      help: a lock speaks of its own project; run metier in the other one
    ");
    let wrong = run(&fixture, &["add", "../repo/skills/review", "--link", "nobody"]);
    assert_eq!(code(&wrong), 2, "{wrong}");
    let fixture = fixture.file("work/skills.lock", "{broken");
    let broken = fixture
        .command(env!("CARGO_BIN_EXE_metier"), ["add", "../repo/skills/review"])
        .folder("work");
    let broken = broken.run();
    assert_eq!(code(&broken), 3, "{broken}");
    assert!(broken.stderr().contains("help: take `skills.lock` from version control"), "{broken}");
    assert_eq!(fixture.read("work/skills.lock"), "{broken");
}

#[test]
fn sources_are_written_down_from_the_root_of_the_project() {
    let (fixture, _) = project();
    let fixture = fixture.dir("work/deep/er");
    let added = fixture
        .command(env!("CARGO_BIN_EXE_metier"), ["add", "../../../repo/skills/pdf"])
        .folder("work/deep/er")
        .run();
    assert_eq!(code(&added), 0, "{added}");
    assert!(fixture.read("work/skills.toml").ends_with("pdf = \"../repo/skills/pdf\"\n"));
    assert!(fixture.join("work/.agents/skills/pdf/SKILL.md").exists());
    let sound = fixture.command(env!("CARGO_BIN_EXE_metier"), ["verify"]).folder("work/deep").run();
    assert_eq!(code(&sound), 0, "{sound}");
}

#[test]
fn the_lock_of_another_installer_is_taken_over() {
    let (fixture, url) = project();
    let lock = format!(
        r#"{{"version": 1, "skills": {{
            "pdf": {{"source": "x", "sourceUrl": "{url}", "sourceType": "git", "skillPath": "skills/pdf/SKILL.md", "computedHash": "0"}},
            "Bad": {{"source": "x"}}
        }}}}"#
    );
    let fixture = fixture.file("work/skills-lock.json", &lock);
    let synced = run(&fixture, &["sync"]);
    assert_eq!(code(&synced), 0, "{synced}");
    assert!(synced.stderr().contains("took over 1 skill from"), "{synced}");
    assert!(synced.stderr().contains("`Bad` was not taken over"), "{synced}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    assert!(
        fixture.join("work/skills.lock").exists() && fixture.join("work/skills-lock.json").exists()
    );
}

/// The fourth defect, with processes as people start them.
#[test]
fn ten_commands_at_once_lose_nothing() {
    let names: Vec<String> = (0..10).map(|number| format!("s{number}")).collect();
    let fixture = names.iter().fold(Fixture::new().dir("work/.git"), |fixture, name| {
        fixture.skill(&format!("source/{name}"), &skill(name, "one"))
    });
    std::thread::scope(|scope| {
        for name in &names {
            let fixture = &fixture;
            scope.spawn(move || {
                let added = run(fixture, &["add", &format!("../source/{name}")]);
                assert_eq!(code(&added), 0, "{added}");
            });
        }
    });
    let installed = json(&fixture, &["installed", "--json"]);
    let found: Vec<&str> =
        installed.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(found, names);
    assert_eq!(code(&run(&fixture, &["sync", "--frozen"])), 0);
}

#[test]
fn the_users_lock_of_another_installer_is_taken_over() {
    let (fixture, url) = project();
    let lock = format!(
        r#"{{"version": 3, "skills": {{
            "pdf": {{"source": "x", "sourceType": "git", "sourceUrl": "{url}",
                "skillPath": "skills/pdf/SKILL.md", "skillFolderHash": "0", "installedAt": "t", "updatedAt": "t"}}
        }}, "dismissed": {{}}}}"#
    );
    let fixture = fixture.file(".agents/.skill-lock.json", &lock);
    let synced = run(&fixture, &["sync", "--user"]);
    assert_eq!(code(&synced), 0, "{synced}");
    assert!(synced.stderr().contains("took over 1 skill from"), "{synced}");
    assert_eq!(fixture.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "one"));
    assert!(fixture.join(".agents/skills.lock").exists());
    assert_eq!(fixture.read(".agents/.skill-lock.json"), lock);
    let again = run(&fixture, &["sync", "--user", "--json"]);
    assert!(!again.stderr().contains("took over"), "{again}");
}

#[test]
fn the_users_skills_come_after_the_projects() {
    let (fixture, url) = project();
    for arguments in
        [vec!["add", "--user", "../repo/skills/pdf"], vec!["add", "../repo/skills/pdf"]]
    {
        let added = run(&fixture, &arguments);
        assert_eq!(code(&added), 0, "{added}");
    }
    drop(url);
    let installed = json(&fixture, &["installed", "--json"]);
    let rows: Vec<(&str, &str)> = installed
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["org"].as_str().unwrap(), row["location"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("local", "project"), ("local", "user")]);
    let listed = metier(&fixture, &["list"]);
    assert!(listed.stdout().contains("pdf"), "{listed}");
}

/// Security D12, D13: what a project brings reaches a model only once someone has looked at it, and
/// only as long as it stays what it was.
#[test]
fn a_project_is_trusted_by_its_contents() {
    let fixture =
        Fixture::new().dir("work/.git").skill("work/.agents/skills/pdf", &skill("pdf", "one"));
    let offered = |fixture: &Fixture| run(fixture, &["tools"]).stdout().contains("load_skill");
    assert!(!offered(&fixture));
    let trusted = json(&fixture, &["trust", "--json"]);
    assert_eq!(
        (&trusted[0]["state"], &trusted[0]["skills"][0]),
        (&"trusted".into(), &"pdf".into())
    );
    assert!(offered(&fixture));
    let fixture = fixture.file("work/.agents/skills/pdf/scripts/x.sh", "#!/bin/sh\n");
    assert!(!offered(&fixture), "a file that is new is not trusted");
    let listed = run(&fixture, &["trust", "--list", "--json"]);
    assert_eq!(code(&listed), 1, "{listed}");
    assert!(listed.stdout().contains("\"changed\""), "{listed}");
    assert_eq!(code(&run(&fixture, &["trust"])), 0);
    assert!(offered(&fixture));
    assert_eq!(code(&run(&fixture, &["trust", "--revoke"])), 0);
    assert!(!offered(&fixture));
}

/// The eighth defect of the most used installer: it needs what is not there.
#[test]
fn no_other_program_is_needed() {
    let (fixture, url) = project();
    let bare = |arguments: &[&str]| {
        let command = fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work");
        command.env("PATH", "").run()
    };
    assert_eq!(code(&bare(&["add", "../repo/skills/pdf"])), 0);
    assert_eq!(code(&bare(&["verify"])), 0);
    let without = bare(&["add", &url, "--skill", "review"]);
    assert_eq!(code(&without), 3, "{without}");
    assert!(without.stderr().contains("help: install git, or check PATH"), "{without}");
}
