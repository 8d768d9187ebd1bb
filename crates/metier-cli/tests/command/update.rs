//! Turns new versions, good and bad, into what a person sees before they agree, and what happens when nobody does.

#![expect(clippy::disallowed_methods, reason = "the tests make real repositories")]

use std::process::Command;
use testing::{Fixture, Output};

const SKILL: &str = "---\nname: pdf\ndescription: Use this for pdf in tests.\n---\n\n# PDF\n";

fn git(fixture: &Fixture, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@h.example"])
        .args(arguments)
        .current_dir(fixture.join("repo"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .status()
        .expect("git runs");
    assert!(status.success(), "git {arguments:?}");
}

fn commit(fixture: &Fixture) {
    git(fixture, &["add", "--all"]);
    git(fixture, &["commit", "--quiet", "--message=x"]);
}

fn run(fixture: &Fixture, arguments: &[&str]) -> Output {
    fixture.command(env!("CARGO_BIN_EXE_metier"), arguments).folder("work").run()
}

/// A project with a skill from a repository.
fn installed() -> Fixture {
    let fixture = Fixture::new().dir("work/.git").skill("repo", SKILL).file("repo/tool", "x\n");
    git(&fixture, &["init", "--quiet", "--initial-branch=main"]);
    commit(&fixture);
    let url = format!("file://{}", fixture.join("repo").display());
    let added = run(&fixture, &["add", &url]);
    assert_eq!(added.exit_code(), Some(0), "{added}");
    fixture
}

/// The lines about a skill, without the commits, which differ with the time.
fn lines(text: &str) -> Vec<String> {
    let without = |line: &str| match line.split_once(" -> ") {
        Some((name, rest)) => {
            let name = name.split(' ').next().unwrap_or_default();
            format!("{name}{}", &rest[rest.find(':').unwrap_or_default()..])
        }
        None => line.to_owned(),
    };
    text.lines().map(without).collect()
}

/// Security L11: the files, what of them can be run, and what is found in them, before anything is
/// taken; and without a person nothing is.
#[test]
fn a_new_version_shows_what_it_brings() {
    let fixture = installed()
        .file("repo/scripts/x.sh", "echo\n")
        .executable("repo/tool", "x\n")
        .file("repo/references/a.md", "c\u{200b}url it\n")
        .file("repo/.mcp.json", "{}\n");
    commit(&fixture);
    let refused = run(&fixture, &["update"]);
    assert_eq!(refused.exit_code(), Some(1), "{refused}");
    assert_eq!(
        lines(refused.stderr()),
        [
            "pdf: new version",
            "  added .mcp.json",
            "  added references/a.md",
            "  added scripts/x.sh",
            "  mode of tool",
            "  can be run: scripts/x.sh, tool",
            "  new: warning[hidden-characters]: a zero-width character stands here: U+200B (in references/a.md)",
            "  new: `.mcp.json` looks like settings of an agent",
            "note: nothing is changed without a person to ask; `--yes` says yes",
        ],
        "{refused}"
    );
    assert!(!fixture.join("work/.agents/skills/pdf/scripts").exists());
    let shown = run(&fixture, &["update", "--dry-run"]);
    assert_eq!(shown.exit_code(), Some(0), "{shown}");
    assert!(!fixture.join("work/.agents/skills/pdf/scripts").exists());
    let taken = run(&fixture, &["update", "--yes"]);
    assert_eq!(taken.exit_code(), Some(0), "{taken}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/scripts/x.sh"), "echo\n");
}

/// Security L12.
#[test]
fn a_source_that_went_back_is_told_and_not_followed() {
    let fixture = installed().skill("repo", &format!("{SKILL}\nNewer.\n"));
    commit(&fixture);
    assert_eq!(run(&fixture, &["update", "--yes"]).exit_code(), Some(0));
    git(&fixture, &["reset", "--quiet", "--hard", "HEAD~1"]);
    for arguments in [["outdated"].as_slice(), &["update", "--yes"]] {
        let output = run(&fixture, arguments);
        assert_eq!(output.exit_code(), Some(1), "{output}");
        assert_eq!(
            lines(output.stdout())[..2],
            [
                "pdf: left alone: the source has gone back to something older; `--allow-older` takes it",
                "  older than what is locked",
            ]
        );
    }
    assert!(fixture.read("work/.agents/skills/pdf/SKILL.md").ends_with("Newer.\n"));
    let taken = run(&fixture, &["update", "--yes", "--allow-older"]);
    assert_eq!(taken.exit_code(), Some(0), "{taken}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/SKILL.md"), SKILL);
}

#[test]
fn a_version_with_errors_is_refused_and_a_source_that_is_gone_is_a_fault() {
    let fixture = installed().skill("repo", "---\nname: pdf\nbogus: 1\n---\n");
    commit(&fixture);
    let refused = run(&fixture, &["update", "--yes"]);
    assert_eq!(refused.exit_code(), Some(1), "{refused}");
    assert!(refused.stdout().contains("pdf: refused: error["), "{refused}");
    assert_eq!(fixture.read("work/.agents/skills/pdf/SKILL.md"), SKILL);
    let fixture = fixture.remove("repo");
    let gone = run(&fixture, &["update", "--yes"]);
    assert_eq!(gone.exit_code(), Some(3), "{gone}");
    assert!(gone.stdout().contains("pdf: cannot be asked for: git cannot ask"), "{gone}");
}

/// A bar is for people: on a terminal, and gone when it is done.
#[test]
fn a_bar_is_shown_on_a_terminal_only() {
    let fixture = installed();
    let url = format!("file://{}", fixture.join("repo").display());
    let plain = run(&fixture, &["add", &url]);
    assert!(!plain.stderr().contains(['\r', '\u{1b}']), "{plain}");
    let command = format!("{} add {url}", env!("CARGO_BIN_EXE_metier"));
    let terminal = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(fixture.join("work"))
        .env("HOME", fixture.path())
        .env("TERM", "xterm")
        .output();
    let Ok(terminal) = terminal else {
        eprintln!("no `script` here: there was no terminal to show a bar on");
        return;
    };
    let shown = String::from_utf8_lossy(&terminal.stdout);
    assert!(shown.contains("\rfetching file://"), "{shown:?}");
    assert!(shown.contains("100%"), "{shown:?}");
    let (_, after) = shown.rsplit_once("\r\u{1b}[K").expect("it is cleared");
    assert!(!after.contains('%') && after.contains("unchanged"), "{shown:?}");
}
