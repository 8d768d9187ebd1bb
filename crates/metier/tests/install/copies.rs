//! Turns a system without links into copies for agents, which are kept as carefully as the skill itself.

use crate::place::{Place, plan};
use crate::repository::skill;
use metier::install::{InstallError, LinkMode, State, SyncMode};

/// Says to the child that it has no links.
const CHILD: &str = "METIER_NO_LINKS";

const COPY: &str = ".claude/skills/pdf/SKILL.md";

/// Not a test: the process that the other one starts, in which no link can be made.
#[test]
#[ignore = "it is started by the test of copies"]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let place = Place::new();
    let refused = std::os::unix::fs::symlink("x", place.fixture.join("link")).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied, "links fail here");
    place.write("../pdf/SKILL.md", &skill("pdf", "one"));
    let mut planned = plan("../pdf");
    planned.fetches[0].links = vec!["claude".to_owned()];
    place.with(|installer| installer.add(&planned)).unwrap();
    let lock = place.lock();
    assert_eq!(lock.skills().next().unwrap().links.get("claude"), Some(&LinkMode::Copy));
    assert_eq!(place.read(COPY), skill("pdf", "one"));
    assert_eq!(place.status()[0].state, State::Sound);

    place.write("../pdf/SKILL.md", &skill("pdf", "two"));
    place.with(|installer| installer.apply(installer.updates(&[]).unwrap())).unwrap();
    assert_eq!(place.read(COPY), skill("pdf", "two"), "a copy is updated with the skill");
    std::fs::remove_dir_all(place.fixture.join("project/.claude")).unwrap();
    assert_eq!(place.status()[0].state, State::Unlinked("claude".to_owned()));
    place.with(|installer| installer.sync(SyncMode::Frozen)).unwrap();
    assert_eq!(place.read(COPY), skill("pdf", "two"));

    place.write(COPY, "by hand");
    assert_eq!(place.status()[0].state, State::Unlinked("claude".to_owned()));
    let remove = || place.with(|installer| installer.remove(&["pdf".parse().unwrap()]));
    assert!(matches!(remove(), Err(InstallError::Edited { .. })));
    assert_eq!(place.read(COPY), "by hand", "nobody's work is lost");
    place.write(COPY, &skill("pdf", "two"));
    remove().unwrap();
    assert_eq!(place.tree(), ["project/skills.lock", "project/skills.toml"]);
}

/// `--link AGENT` copies where links fail.
#[test]
fn where_links_fail_agents_get_copies() {
    let here = testing::Fixture::new();
    let status = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=symlink,symlinkat"])
        .args(["-e", "inject=symlink,symlinkat:error=EPERM", "-o"])
        .arg(here.join("log"))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "copies::child", "--ignored"])
        .env(CHILD, "1")
        .stdout(std::process::Stdio::null())
        .status();
    match status {
        Ok(status) => assert!(status.success(), "{status}"),
        Err(_) => eprintln!("no `strace` here: a system without links was not tried"),
    }
}
