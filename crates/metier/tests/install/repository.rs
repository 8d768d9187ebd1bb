//! Turns a few calls into a real git repository, served from disk or over HTTP on this machine.

use metier::install::{Git, GitOptions, GitUrl};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use testing::Fixture;

/// A working repository below a fixture.
pub(crate) struct Repo {
    pub(crate) fixture: Fixture,
}

/// The git of this system, without the configuration of whoever runs the tests.
pub(crate) fn git_command() -> Command {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_CONFIG_PARAMETERS"] {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "a")
        .env("GIT_AUTHOR_EMAIL", "a@h.example")
        .env("GIT_COMMITTER_NAME", "a")
        .env("GIT_COMMITTER_EMAIL", "a@h.example")
        .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
    command
}

pub(crate) fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Use this for {name} in tests.\n---\n{body}\n")
}

impl Repo {
    pub(crate) fn new() -> Self {
        let repo = Self { fixture: Fixture::new().dir("work") };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        // As a forge has it.
        repo.git(&["config", "uploadpack.allowFilter", "true"]);
        repo
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.fixture.join("work")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_with(arguments, b"")
    }

    pub(crate) fn git_with(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut command = git_command();
        command.args(arguments).current_dir(self.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("git runs");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?} failed");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn skill(&self, folder: &str, body: &str) -> &Self {
        let name = folder.rsplit('/').next().unwrap();
        self.file(&format!("{folder}/SKILL.md"), &skill(name, body))
    }

    /// Commits everything and says which commit that is.
    pub(crate) fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Commits a tree of `mode id TAB path` lines as it is, whatever the file system thinks of it.
    pub(crate) fn commit_tree(&self, entries: &[(&str, &[u8], &[u8])]) -> String {
        let mut lines = Vec::new();
        for (mode, path, contents) in entries {
            let id = match *mode {
                "160000" | "040000" => String::from_utf8_lossy(contents).into_owned(),
                _ => self.git_with(&["hash-object", "-w", "--stdin"], contents),
            };
            let kind = match *mode {
                "160000" => "commit",
                "040000" => "tree",
                _ => "blob",
            };
            lines.extend(format!("{mode} {kind} {id}\t").into_bytes());
            lines.extend(*path);
            lines.push(0);
        }
        self.git_with(&["mktree", "-z", "--missing"], &lines)
    }

    /// Puts a branch on a commit of a tree.
    pub(crate) fn branch_at(&self, branch: &str, tree: &str) -> String {
        let commit = self.git(&["commit-tree", "-m", "x", tree]);
        self.git(&["update-ref", &format!("refs/heads/{branch}"), &commit]);
        commit
    }

    pub(crate) fn url(&self) -> GitUrl {
        format!("file://{}", self.path().display()).parse().unwrap()
    }
}

/// A git for the library, which may read from this machine.
pub(crate) fn git(fixture: &Fixture) -> Git {
    git_with(fixture, &GitOptions::default())
}

pub(crate) fn git_with(fixture: &Fixture, options: &GitOptions) -> Git {
    let path = std::env::var_os("PATH").unwrap();
    let program = Git::find(&path).expect("the tests need git");
    let options = GitOptions { allow_file: true, allow_loopback_http: true, ..options.clone() };
    let environment = [("PATH".into(), path), ("HOME".into(), fixture.join("home").into())];
    Git::new(program, environment, fixture.join("temporary"), options)
}

/// A smart HTTP server in front of `git http-backend`.
pub(crate) struct HttpServer {
    port: u16,
    sent: Arc<AtomicU64>,
}

impl HttpServer {
    /// Serves the repositories below `root`.
    pub(crate) fn new(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = Arc::new(AtomicU64::new(0));
        let (root, counter) = (root.to_owned(), Arc::clone(&sent));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (root, counter) = (root.clone(), Arc::clone(&counter));
                thread::spawn(move || answer(stream, &root, &counter));
            }
        });
        Self { port, sent }
    }

    pub(crate) fn url(&self, path: &str) -> GitUrl {
        format!("http://127.0.0.1:{}{path}", self.port).parse().unwrap()
    }

    /// How many bytes were sent since the last time this was asked.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.swap(0, Ordering::SeqCst)
    }
}

fn answer(mut stream: TcpStream, root: &Path, counter: &AtomicU64) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut command = git_command();
    command.arg("http-backend").env("GIT_PROJECT_ROOT", root).env("GIT_HTTP_EXPORT_ALL", "1");
    command.env("REQUEST_METHOD", method).env("QUERY_STRING", query).env("PATH_INFO", path);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "content-type" => drop(command.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(command.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(command.env("GIT_PROTOCOL", value)),
            _ => {}
        }
    }
    if path.starts_with("/moved/") {
        let to = target.replacen("/moved", "", 1);
        let head = format!("HTTP/1.1 301 x\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
        return stream.write_all(head.as_bytes()).ok();
    }
    if path.starts_with("/private/") {
        let head = "HTTP/1.1 401 x\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
        return stream.write_all(head.as_bytes()).ok();
    }
    if path.starts_with("/silent/") {
        // Until the client has had enough.
        return stream.read(&mut [0]).ok().map(drop);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    command.env("CONTENT_LENGTH", length.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take()?.write_all(&body).ok()?;
    let output = child.wait_with_output().ok()?.stdout;
    let end = output.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&output[..end]);
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let contents = &output[end + 4..];
    counter.fetch_add(contents.len() as u64, Ordering::SeqCst);
    let length = contents.len();
    let reply = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{head}\r\n\r\n"
    );
    stream.write_all(reply.as_bytes()).ok()?;
    stream.write_all(contents).ok()
}
