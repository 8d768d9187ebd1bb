//! Turns real repositories, from disk and over HTTP, into commits and trees; hostile ones into named errors.

use crate::repository::{HttpServer, Repo, git, git_with, skill};
use metier::ResourcePath;
use metier::install::{
    FileTree, Git, GitEntryKind, GitError, GitNotice, GitOptions, GitUrl, PackageLimits,
    Repositories, Resolved, Revision, TreeError,
};
use std::fmt::Write as _;
use std::time::Duration;
use testing::Fixture;

fn revision(text: &str) -> Revision {
    text.parse().unwrap()
}

fn folder(text: &str) -> ResourcePath {
    text.parse().unwrap()
}

fn tree(git: &Git, url: &GitUrl, name: &str, path: Option<&str>) -> Result<FileTree, GitError> {
    let resolved = git.resolve(url, Some(&revision(name)))?;
    let path = path.map(folder);
    git.open(url, &resolved)?.tree(path.as_ref(), &PackageLimits::default())
}

fn paths(tree: &FileTree) -> Vec<&str> {
    tree.records().map(|record| record.path.as_str()).collect()
}

/// Text that does not compress well.
fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed;
    let mut text = String::new();
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
        let _ = write!(text, "{:08x}", state >> 32);
    }
    text
}

/// Every repository in the temporary folder of a git: there is none when nothing is open.
fn left_behind(fixture: &Fixture) -> usize {
    let Ok(entries) = std::fs::read_dir(fixture.join("temporary")) else { return 0 };
    entries.filter(|entry| entry.as_ref().unwrap().file_name() != "lock").count()
}

#[test]
fn tags_branches_and_commits_from_disk_and_over_http() {
    let repo = Repo::new();
    repo.skill("skills/pdf", "one").file("skills/pdf/scripts/x.sh", "#!").commit();
    repo.git(&["update-index", "--chmod=+x", "skills/pdf/scripts/x.sh"]);
    repo.git(&["commit", "--quiet", "--amend", "--message=x"]);
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["tag", "v1"]);
    repo.git(&["tag", "--annotate", "--message=x", "v1-annotated"]);
    repo.git(&["branch", "feature/x"]);
    let second = repo.skill("skills/pdf", "two").commit();
    let server = HttpServer::new(repo.fixture.path());
    let here = Fixture::new();
    let git = git(&here);
    for url in [repo.url(), server.url("/work/.git")] {
        let resolve = |name: &str| git.resolve(&url, Some(&revision(name))).unwrap();
        let head = git.resolve(&url, None).unwrap();
        assert_eq!(head.reference.as_deref(), Some("refs/heads/main"));
        assert_eq!(head.commit, second);
        for (name, reference) in [
            ("v1", "refs/tags/v1"),
            ("v1-annotated", "refs/tags/v1-annotated"),
            ("feature/x", "refs/heads/feature/x"),
            ("refs/tags/v1", "refs/tags/v1"),
        ] {
            let resolved = resolve(name);
            assert_eq!(resolved.reference.as_deref(), Some(reference));
            assert_eq!(resolved.commit, first, "{name}");
        }
        assert_eq!(resolve(&first), Resolved::commit(first.clone()));
        let files = tree(&git, &url, "v1-annotated", Some("skills/pdf")).unwrap();
        assert_eq!(paths(&files), ["SKILL.md", "scripts/x.sh"]);
        assert_eq!(&*files.files()[0].bytes, skill("pdf", "one").as_bytes());
        assert!(files.files()[1].record.executable);
        let by_commit = tree(&git, &url, &first, Some("skills/pdf")).unwrap();
        assert_eq!(by_commit.digest(), files.digest());
        let whole = git.open(&url, &head).unwrap();
        assert_eq!(whole.entries().len(), 2);
        assert_eq!(
            paths(&whole.tree(None, &PackageLimits::default()).unwrap())[0],
            "skills/pdf/SKILL.md"
        );
        drop(whole);

        let unknown = git.resolve(&url, Some(&revision("none"))).unwrap_err();
        assert!(matches!(unknown, GitError::UnknownRevision { .. }), "{unknown}");
        let absent = Resolved::commit("0".repeat(39) + "1");
        let gone = git.open(&url, &absent).map(|_| ()).unwrap_err();
        assert!(matches!(gone, GitError::CommitGone { .. }), "{gone}");
        let none = tree(&git, &url, "main", Some("skills/none")).unwrap_err();
        assert_eq!(none, GitError::NoFolder { path: folder("skills/none") });
        let part = tree(&git, &url, "main", Some("skills/pd")).unwrap_err();
        assert!(matches!(part, GitError::NoFolder { .. }), "{part}");
    }
    assert_eq!(left_behind(&here), 0, "a temporary repository is left");
}

/// Of a repository with ten thousand other files only the skill is sent.
#[test]
fn only_the_subtree_is_fetched() {
    let repo = Repo::new();
    repo.skill("skills/pdf", "one");
    // Contents that do not compress, a kilobyte each.
    for number in 0..10_000 {
        let text = noise(number, 1024);
        repo.file(&format!("src/{}/{number}.txt", number % 100), &text);
    }
    repo.commit();
    let server = HttpServer::new(repo.fixture.path());
    let url = server.url("/work/.git");
    let here = Fixture::new();
    let git = git(&here);
    let resolved = git.resolve(&url, None).unwrap();
    let repository = git.open(&url, &resolved).unwrap();
    let for_folders = server.sent();
    let files = repository.tree(Some(&folder("skills/pdf")), &PackageLimits::default()).unwrap();
    let for_files = server.sent();
    assert_eq!(paths(&files), ["SKILL.md"]);
    assert_eq!(repository.entries().len(), 10_001);
    println!(
        "10 000 other files of 1 KiB: {for_folders} bytes for folders, {for_files} for the skill"
    );
    assert!(for_folders < 1_000_000, "{for_folders} bytes before any file was asked for");
    assert!(for_files < 4_096, "{for_files} bytes for one small file");
}

/// A branch, and the mode, name and contents of what is refused in it, and how.
type Case<'c> = (&'c str, &'c str, &'c [u8], &'c [u8], &'c str);

/// Security G07, G09, G11: what a tree may hold, and how each of it ends.
#[test]
fn entries_that_are_refused_by_name() {
    let repo = Repo::new();
    repo.skill("x", "x").commit();
    let text = skill("a", "x");
    let file: (&str, &[u8], &[u8]) = ("100644", b"SKILL.md", text.as_bytes());
    let empty = repo.git_with(&["hash-object", "-t", "tree", "-w", "--stdin"], b"");
    let here = Fixture::new();
    let git = git(&here);
    let commit = "1".repeat(40);
    let cases: [Case<'_>; 9] = [
        ("link", "120000", b"link", b"/etc/passwd", "Link"),
        ("case", "100644", b"Skill.md", b"x", "Tree(Collision"),
        ("twin", "100644", "\u{17f}KILL.md".as_bytes(), b"x", "Tree(Collision"),
        ("backslash", "100644", b"a\\b", b"x", "Tree(Path"),
        ("device", "100644", b"aux.md", b"x", "Tree(Path"),
        ("bytes", "100644", b"\xff", b"x", "NotUtf8"),
        ("hidden", "100644", "a\u{202e}b".as_bytes(), b"x", "Tree(Hidden"),
        ("newline", "100644", b"a\nb", b"x", "Tree(Path"),
        ("svn", "100644", b".svn", b"x", "Tree(VersionControl"),
    ];
    for (branch, mode, path, contents, expected) in cases {
        let root = repo.commit_tree(&[file, (mode, path, contents)]);
        let top = repo.commit_tree(&[("040000", b"a", root.as_bytes()), file]);
        repo.branch_at(branch, &top);
        let error = tree(&git, &repo.url(), branch, Some("a")).unwrap_err();
        assert!(format!("{error:?}").starts_with(expected), "{branch}: {error:?}");
    }
    // What git itself refuses to transfer, because it can do harm to whoever checks it out.
    for (branch, path) in [("dotgit", &b".git"[..]), ("dotdot", b".."), ("ntfs", b"GIT~1")] {
        let root = repo.commit_tree(&[file, ("040000", path, empty.as_bytes())]);
        repo.branch_at(branch, &root);
        let error = tree(&git, &repo.url(), branch, None).unwrap_err();
        assert!(matches!(error, GitError::Failed { .. } | GitError::Tree(_)), "{error:?}");
    }
    // A submodule is not fetched, and the skill beside it is installed without it.
    let root = repo.commit_tree(&[file, ("160000", b"sub", commit.as_bytes())]);
    repo.branch_at("submodule", &root);
    let files = tree(&git, &repo.url(), "submodule", None).unwrap();
    assert_eq!(paths(&files), ["SKILL.md"]);
    let resolved = git.resolve(&repo.url(), Some(&revision("submodule"))).unwrap();
    let repository = git.open(&repo.url(), &resolved).unwrap();
    let kinds: Vec<_> = repository.entries().iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [GitEntryKind::File, GitEntryKind::Submodule]);
    assert!(matches!(
        repository.tree(Some(&folder("sub")), &PackageLimits::default()),
        Err(GitError::Submodule { .. })
    ));
    drop(repository);
    assert_eq!(left_behind(&here), 0);
}

/// Security G15, and the limits of a package.
#[test]
fn what_is_too_large_or_too_slow_is_ended() {
    let repo = Repo::new();
    repo.skill("a", "x").file("a/big.txt", &noise(1, 3_000_000)).commit();
    let server = HttpServer::new(repo.fixture.path());
    let here = Fixture::new();
    let small = git_with(&here, &GitOptions { max_bytes: 100_000, ..GitOptions::default() });
    let error = tree(&small, &server.url("/work/.git"), "main", Some("a")).unwrap_err();
    assert!(matches!(error, GitError::TooLarge { limit: 100_000, .. }), "{error:?}");
    let limits = PackageLimits { file_bytes: 1_000_000, ..PackageLimits::default() };
    let git = git(&here);
    let resolved = git.resolve(&repo.url(), None).unwrap();
    let error = git.open(&repo.url(), &resolved).unwrap().tree(Some(&folder("a")), &limits);
    assert!(matches!(error, Err(GitError::Tree(TreeError::FileTooLarge { .. }))), "{error:?}");
    let quick = git_with(
        &here,
        &GitOptions { timeout: Duration::from_millis(300), ..GitOptions::default() },
    );
    let error = quick.resolve(&server.url("/silent/x"), None).unwrap_err();
    assert!(matches!(error, GitError::Slow { .. }), "{error:?}");
    assert_eq!(left_behind(&here), 0);
}

/// Security G14, G16.
#[test]
fn redirects_are_told_and_nobody_is_asked() {
    let repo = Repo::new();
    repo.skill("a", "x").commit();
    let server = HttpServer::new(repo.fixture.path());
    let here = Fixture::new();
    let git = git(&here);
    let url = server.url("/moved/work/.git");
    let resolved = git.resolve(&url, None).unwrap();
    let repository = git.open(&url, &resolved).unwrap();
    assert!(
        matches!(&repository.notices()[0], GitNotice::Redirected { to } if to.contains("/work/")),
        "{:?}",
        repository.notices()
    );
    let error = git.resolve(&server.url("/private/x"), None).unwrap_err();
    assert!(matches!(error, GitError::Credentials { .. }), "{error:?}");
    let error = git.resolve(&server.url("/work/none"), None).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error:?}");
    repo.git(&["tag", "both"]);
    repo.git(&["branch", "both"]);
    let resolved = git.resolve(&repo.url(), Some(&revision("both"))).unwrap();
    let repository = git.open(&repo.url(), &resolved).unwrap();
    let name = "both".to_owned();
    assert_eq!(repository.notices(), [GitNotice::TagAndBranch { name }]);
}

#[test]
fn a_transport_that_was_not_allowed_is_refused_before_git_runs() {
    let here = Fixture::new();
    let git = Git::new("/no/such/git", [], here.join("temporary"), GitOptions::default());
    for url in ["file:///srv/x", "http://127.0.0.1/x"] {
        let error = git.resolve(&url.parse().unwrap(), None).unwrap_err();
        assert!(matches!(error, GitError::Transport { .. }), "{error:?}");
    }
    let error = git.resolve(&"https://h.example/x".parse().unwrap(), None).unwrap_err();
    assert!(matches!(error, GitError::NoGit { .. }), "{error:?}");
    let relative = std::env::join_paths(["bin", "."]).unwrap();
    assert_eq!(Git::find(&relative), None, "a relative folder is another one everywhere");
}

/// Security G08, G17, G19: a repository and an environment full of programs, and none of them runs.
#[test]
fn nothing_of_the_repository_or_the_environment_is_run() {
    let repo = Repo::new();
    let trap = repo.fixture.join("trap.sh");
    let sprung = repo.fixture.join("sprung");
    std::fs::write(&trap, format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", sprung.display()))
        .unwrap();
    let trap_text = trap.display().to_string();
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
        for hook in ["post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"] {
            std::fs::create_dir_all(repo.path().join(".git/hooks")).unwrap();
            std::fs::copy(&trap, repo.path().join(".git/hooks").join(hook)).unwrap();
        }
    }
    repo.skill("a", "x").file(".gitattributes", "* filter=evil diff=evil\n");
    repo.file("a/package.json", r#"{"scripts":{"postinstall":"touch /tmp/x"}}"#);
    repo.file("a/setup.py", "raise SystemExit");
    // The hooks run for the one who commits here; that is not what is tested.
    repo.git(&["-c", "core.hooksPath=/dev/null", "add", "--all"]);
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--message=x"]);
    for (key, value) in [
        ("filter.evil.smudge", trap_text.as_str()),
        ("filter.evil.clean", &trap_text),
        ("core.fsmonitor", &trap_text),
        ("core.sshCommand", &trap_text),
        ("uploadpack.packObjectsHook", &trap_text),
        ("core.pager", &trap_text),
    ] {
        repo.git(&[
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "config",
            key,
            value,
        ]);
    }
    let _ = std::fs::remove_file(&sprung);
    let here = Fixture::new().dir("home").file(
        "home/.gitconfig",
        &format!(
            "[core]\n\thooksPath = {0}\n\tfsmonitor = {1}\n\tpager = {1}\n\tattributesFile = /x\n\
             [filter \"evil\"]\n\tsmudge = {1}\n\tprocess = {1}\n[init]\n\ttemplateDir = {0}\n\
             [alias]\n\tfetch = !{1}\n[uploadpack]\n\tpackObjectsHook = {1}\n",
            repo.path().join(".git/hooks").display(),
            trap_text
        ),
    );
    let path = std::env::var_os("PATH").unwrap();
    let victim = here.join("victim");
    let environment = [
        ("PATH", path.clone()),
        ("HOME", here.join("home").into()),
        ("GIT_DIR", victim.clone().into()),
        ("GIT_EXEC_PATH", here.join("evil").into()),
        ("GIT_SSH_COMMAND", trap_text.clone().into()),
        ("GIT_TEMPLATE_DIR", repo.path().join(".git").into()),
        ("GIT_CONFIG_COUNT", "1".into()),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor".into()),
        ("GIT_CONFIG_VALUE_0", trap_text.clone().into()),
        ("GIT_ASKPASS", trap_text.into()),
    ];
    let environment = environment.map(|(name, value)| (name.into(), value));
    let options = GitOptions { allow_file: true, ..GitOptions::default() };
    let git = Git::new(Git::find(&path).unwrap(), environment, here.join("temporary"), options);
    let files = tree(&git, &repo.url(), "main", Some("a")).unwrap();
    assert_eq!(paths(&files), ["SKILL.md", "package.json", "setup.py"]);
    assert!(!sprung.exists(), "{}", std::fs::read_to_string(&sprung).unwrap_or_default());
    assert!(!victim.exists());
}

/// Security G08, L17: the test above once more, with the system watching what is started.
#[test]
fn no_program_but_git_and_its_transport_is_run() {
    let here = Fixture::new();
    let traced = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=execve", "-s", "400", "-o"])
        .arg(here.join("log"))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "git::nothing_of_the_repository_or_the_environment_is_run"])
        .stdout(std::process::Stdio::null())
        .status();
    let Ok(status) = traced else {
        eprintln!("no `strace` here: what is started was not watched");
        return;
    };
    assert!(status.success(), "{status}");
    let log = here.read("log");
    let mut programs = std::collections::BTreeSet::new();
    for line in log.lines().filter(|line| line.contains("execve(") && line.ends_with("= 0")) {
        let program = line.split('"').nth(1).unwrap();
        let name = program.rsplit('/').next().unwrap();
        // Git reaches a repository on this machine through the shell, with one command.
        let transport = line.contains(r#"["/bin/sh", "-c", "git-upload-pack '"#);
        let known = name.starts_with("git") || name.starts_with("install-") || transport;
        assert!(known, "{line}");
        programs.insert(name.to_owned());
    }
    assert!(programs.contains("git"), "nothing was watched: {programs:?}");
}
