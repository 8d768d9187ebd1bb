//! Turns the ways to a repository, and what happens on them, into what a caller hears and what is left behind.

use crate::place::Place;
use crate::place::plan;
use crate::repository::{HttpServer, Repo, git, git_with, skill};
use metier::install::{
    Git, GitError, GitOptions, OverHttp, Progress, Received, Repositories, Resolved, Web as _,
};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use testing::Fixture;

fn heard() -> (Progress, Arc<Mutex<Vec<Received>>>) {
    let news: Arc<Mutex<Vec<Received>>> = Arc::default();
    let kept = Arc::clone(&news);
    (Progress::new(move |received| kept.lock().unwrap().push(received)), news)
}

/// Something that does not compress.
fn noise(bytes: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'!' + u8::try_from(state % 90).unwrap())
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn a_clone_says_how_far_it_is() {
    let repo = Repo::new();
    repo.skill("pdf", "x").file("pdf/assets/large.txt", &noise(300_000)).commit();
    let server = HttpServer::new(repo.fixture.path());
    let (progress, news) = heard();
    let git = git(&repo.fixture).progress(progress);
    let url = server.url("/work");
    let resolved = git.resolve(&url, None).unwrap();
    let repository = git.open(&url, &resolved).unwrap();
    let pdf = "pdf".parse().unwrap();
    repository.tree(Some(&pdf), &metier::install::PackageLimits::default()).unwrap();
    let news = news.lock().unwrap();
    let last = news.last().unwrap();
    assert!(last.bytes > 200_000, "{last:?}");
    assert_eq!((last.percent, last.total), (Some(100), None), "git counts objects");
    assert!(news.iter().zip(news.iter().skip(1)).all(|(a, b)| a.bytes <= b.bytes), "{news:?}");
    // And what it says stays out of what is told when something goes wrong.
    let error = git.open(&url, &Resolved::commit("1".repeat(40))).err().unwrap();
    assert!(!error.to_string().contains("objects"), "{error}");
}

#[test]
fn a_download_says_how_far_it_is_and_of_how_much() {
    let body = noise(200_000);
    let server = crate::web::Served::new(&[("/x.zip", body.as_bytes())]);
    let (progress, news) = heard();
    let options = metier::HttpOptions { allow_loopback_http: true, ..Default::default() };
    let web = OverHttp { options, progress };
    assert_eq!(web.download(&server.url("/x.zip"), 1 << 20).unwrap().len(), 200_000);
    let news = news.lock().unwrap();
    assert!(news.len() > 1, "{news:?}");
    let last = news.last().unwrap();
    assert_eq!((last.bytes, last.total, last.percent), (200_000, Some(200_000), Some(100)));
}

/// A clone that was killed leaves its folder; one that goes on keeps it.
#[test]
fn what_a_killed_clone_left_is_removed_by_the_next() {
    let repo = Repo::new();
    repo.skill("pdf", "x").commit();
    let git = git(&repo.fixture);
    let left = repo.fixture.join("temporary/.metier-git-killed/objects");
    std::fs::create_dir_all(&left).unwrap();
    let resolved = git.resolve(&repo.url(), None).unwrap();
    assert!(!left.exists());
    let open = git.open(&repo.url(), &resolved).unwrap();
    git.resolve(&repo.url(), None).unwrap();
    let limits = metier::install::PackageLimits::default();
    open.tree(Some(&"pdf".parse().unwrap()), &limits).unwrap();
    drop(open);
    let names: Vec<_> = std::fs::read_dir(repo.fixture.join("temporary"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["lock"], "nothing of it stays");
}

/// Says to the child where it is, and whom to ask.
const ROOT: &str = "METIER_CLONE_ROOT";
const URL: &str = "METIER_CLONE_URL";

/// Not a test: the process that the next one kills.
#[test]
#[ignore = "it is started by the test of killed clones"]
fn child() {
    let (Some(root), Ok(url)) = (std::env::var_os(ROOT), std::env::var(URL)) else { return };
    let git = Git::new(
        Git::find(&std::env::var_os("PATH").unwrap()).unwrap(),
        std::env::vars_os(),
        std::path::Path::new(&root).join("temporary"),
        GitOptions { allow_loopback_http: true, ..GitOptions::default() },
    );
    let _ = git.resolve(&url.parse().unwrap(), None);
}

#[test]
fn a_clone_that_is_killed_is_cleaned_up_after() {
    let repo = Repo::new();
    repo.skill("pdf", "x").commit();
    let server = HttpServer::new(repo.fixture.path());
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "transport::child", "--ignored"])
        .env(ROOT, repo.fixture.path())
        .env(URL, server.url("/silent/x").to_string())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let temporary = repo.fixture.join("temporary");
    let clones = || {
        let entries = std::fs::read_dir(&temporary).into_iter().flatten().flatten();
        entries.filter(|it| it.file_name().to_string_lossy().starts_with(".metier-git-")).count()
    };
    while clones() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let git = git(&repo.fixture);
    git.resolve(&repo.url(), None).unwrap();
    assert_eq!(clones(), 1, "what a living process holds is left alone");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(clones(), 1, "nobody could clean up");
    git.resolve(&repo.url(), None).unwrap();
    assert_eq!(clones(), 0);
}

/// A script in the place of `ssh`: it notes how it was called, and runs what the other side would.
fn with_ssh(repo: &Repo) -> Git {
    let script = repo.fixture.join("ssh.sh");
    let log = repo.fixture.join("ssh.log");
    let text = format!(
        "#!/bin/sh\necho \"$*\" >> {}\nfor last; do :; done\nexec sh -c \"$last\"\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let home = repo.fixture.join("home");
    std::fs::create_dir_all(&home).unwrap();
    let config = format!("[core]\n\tsshCommand = {}\n[ssh]\n\tvariant = ssh\n", script.display());
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    git_with(&repo.fixture, &GitOptions::default())
}

/// Both spellings of an ssh address go through git's own ssh transport, with the user's own command.
#[test]
fn ssh_is_the_users_and_goes_through_git() {
    let repo = Repo::new();
    repo.skill("skills/pdf", "over ssh").commit();
    repo.git(&["tag", "v1"]);
    let git = with_ssh(&repo);
    let path = repo.path().display().to_string();
    let place = Place::new();
    for reference in
        [format!("ssh://git@h.example{path}//skills/pdf#v1"), format!("git@h.example:{path}@pdf")]
    {
        let placed = place.with(|installer| {
            let over_ssh = metier::install::Installer {
                location: installer.location.clone(),
                store: None,
                base: installer.base.clone(),
                home: None,
                options: metier::install::InstallOptions {
                    existing: metier::install::Existing::Replace,
                    ..Default::default()
                },
                repositories: &git,
                ..*installer
            };
            over_ssh.add(&plan(&reference))
        });
        placed.unwrap_or_else(|error| panic!("{reference}: {error}"));
        assert_eq!(place.read(".agents/skills/pdf/SKILL.md"), skill("pdf", "over ssh"));
    }
    let log = repo.fixture.read("ssh.log");
    let calls: Vec<&str> = log.lines().collect();
    assert!(calls.len() >= 4, "{log}");
    assert!(calls.iter().all(|call| call.contains("git@h.example git-upload-pack '")), "{log}");
    let lock = place.read("skills.lock");
    assert!(lock.contains("git@h.example"), "{lock}");
}

/// Without a command of the user's, ssh itself is run, and asks nobody (security G16).
#[test]
fn ssh_asks_nobody() {
    let here = Fixture::new().dir("home").dir("bin");
    let log = here.join("log");
    let script = here.join("bin/ssh");
    std::fs::write(&script, format!("#!/bin/sh\necho \"$*\" > {}\nexit 255\n", log.display()))
        .unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = Git::find(&std::env::var_os("PATH").unwrap()).unwrap();
    let path = format!("{}:{}", here.join("bin").display(), std::env::var("PATH").unwrap());
    let environment = [
        ("PATH".into(), path.into()),
        ("HOME".into(), here.join("home").into()),
        // Not passed on: a variable would decide which program runs (security G17).
        ("GIT_SSH_COMMAND".into(), "/no/such/ssh".into()),
    ];
    let git = Git::new(program, environment, here.join("temporary"), GitOptions::default());
    let error = git.resolve(&"git@h.example:x.git".parse().unwrap(), None).unwrap_err();
    assert!(matches!(error, GitError::Failed { .. }), "{error}");
    let called = here.read("log");
    assert!(called.contains("-o BatchMode=yes"), "{called}");
}
