//! Turns a program, its arguments and a folder into what a caller sees: exit code, stdout, stderr.

use crate::escape;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long a command may take before it counts as hung.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Runs the built `metier` in a fixture's folder and snapshots exit code, stdout and stderr.
///
/// The fixture's path shows as `[ROOT]`; on Windows `\` shows as `/`. The environment is scrubbed,
/// see [`Command`]. Invisible characters show as [`escape`](crate::escape()) shows them, so no stray
/// colour can hide, and a stream without a newline at its end ends with `␄`. Answers with the
/// [`Output`], for what a snapshot should not pin.
///
/// ```ignore
/// let fixture = Fixture::new().skill("pdf", "---\nname: pdf\n---\n");
/// command_snapshot!(fixture, ["check", "pdf"], @r"
/// exit_code: 1
/// ----- stdout -----
/// ...
/// ----- stderr -----
/// ");
/// ```
///
/// Anything but plain arguments goes through [`Fixture::command`](crate::Fixture::command):
///
/// ```ignore
/// let check = fixture.command(env!("CARGO_BIN_EXE_metier"), ["check", "-"]).stdin("---\n");
/// command_snapshot!(check, @"");
/// ```
#[macro_export]
macro_rules! command_snapshot {
    ($fixture:expr, [$($arg:expr),* $(,)?], @$snapshot:literal $(,)?) => {{
        let args: ::std::vec::Vec<::std::ffi::OsString> =
            ::std::vec![$(::std::ffi::OsString::from($arg)),*];
        let command = $fixture.command(env!("CARGO_BIN_EXE_metier"), args);
        $crate::command_snapshot!(command, @$snapshot)
    }};
    ($command:expr, @$snapshot:literal $(,)?) => {{
        let output = $command.run();
        $crate::insta::assert_snapshot!(output, @$snapshot);
        output
    }};
}

/// A program that is about to run in a folder, with nothing from the environment of the test.
///
/// It sees `PATH`, `TERM=dumb`, `COLUMNS=100` and a home that is the folder itself, so that no
/// test reads the skills of who runs it. `NO_COLOR` is not set: what is no terminal gets no colour.
#[derive(Debug, Clone)]
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    root: PathBuf,
    folder: PathBuf,
    stdin: Vec<u8>,
    environment: BTreeMap<OsString, OsString>,
    timeout: Duration,
}

impl Command {
    /// A program to run in `root`, which is its home and shows as `[ROOT]`.
    pub fn new(program: impl AsRef<OsStr>, root: &Path) -> Self {
        let mut environment = BTreeMap::from([
            ("HOME".into(), root.into()),
            ("TERM".into(), "dumb".into()),
            ("COLUMNS".into(), "100".into()),
        ]);
        if cfg!(windows) {
            environment.insert("USERPROFILE".into(), root.into());
        }
        // Programs on Windows do not start without `SystemRoot`.
        for kept in ["PATH", "SystemRoot"] {
            if let Some(value) = env::var_os(kept) {
                environment.insert(kept.into(), value);
            }
        }
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            root: root.to_owned(),
            folder: root.to_owned(),
            stdin: Vec::new(),
            environment,
            timeout: TIMEOUT,
        }
    }

    /// Adds arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// What the command reads on stdin; nothing unless given.
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().into();
        self
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.into(), value.as_ref().to_owned());
        self
    }

    /// Runs in a folder below the root.
    pub fn folder(mut self, path: &str) -> Self {
        self.folder = path.split('/').fold(self.root.clone(), |joined, part| joined.join(part));
        self
    }

    /// How long the command may take; 20 seconds unless given.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs the command to its end; panics when it cannot start or takes too long.
    pub fn run(&self) -> Output {
        let deadline = Instant::now() + self.timeout;
        let mut child = process::Command::new(&self.program)
            .args(&self.args)
            .current_dir(&self.folder)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot run {self}: {error}"));
        feed(&mut child, self.stdin.clone());
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        // The streams are awaited with the clock, not joined: a grandchild may hold them open.
        let streams = receive(&stdout, deadline).zip(receive(&stderr, deadline));
        let Some((stdout, stderr)) = streams else { self.hung(&mut child) };
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
                Ok(None) => self.hung(&mut child),
                Err(error) => panic!("cannot wait for {self}: {error}"),
            }
        };
        Output { exit_code: status.code(), stdout, stderr, root: self.root.clone() }
    }

    /// Ends the child, then the test.
    fn hung(&self, child: &mut Child) -> ! {
        let ended = child.kill().and_then(|()| child.wait());
        let note =
            ended.map_or_else(|error| format!(" and cannot be killed: {error}"), |_| String::new());
        panic!("{self} did not end within {:?}{note}", self.timeout)
    }
}

/// As a person would type it: the program's name, then its arguments.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = Path::new(&self.program).file_stem().unwrap_or(&self.program);
        write!(f, "`{}", program.to_string_lossy())?;
        for arg in &self.args {
            write!(f, " {}", arg.to_string_lossy())?;
        }
        f.write_str("`")
    }
}

/// Runs a program in a folder with the scrubbed environment of [`Command`].
///
/// ```
/// # #[cfg(unix)] {
/// let fixture = testing::Fixture::new();
/// let output = testing::run("sh", ["-c", "cat; exit 3"], fixture.path(), "text");
/// assert_eq!((output.exit_code(), output.stdout()), (Some(3), "text"));
/// # }
/// ```
pub fn run<A: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    args: impl IntoIterator<Item = A>,
    folder: &Path,
    stdin: impl AsRef<[u8]>,
) -> Output {
    Command::new(program, folder).args(args).stdin(stdin).run()
}

/// What a command left behind.
///
/// Written out, it is the text of a snapshot: see [`command_snapshot!`].
#[derive(Debug, Clone)]
pub struct Output {
    exit_code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    root: PathBuf,
}

impl Output {
    /// The exit code; `None` when a signal ended the command.
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    /// What the command wrote to stdout; panics when that is not UTF-8.
    pub fn stdout(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("stdout is not UTF-8: use `stdout_bytes`")
    }

    /// What the command wrote to stderr; panics when that is not UTF-8.
    pub fn stderr(&self) -> &str {
        std::str::from_utf8(&self.stderr).expect("stderr is not UTF-8")
    }

    /// What the command wrote to stdout, of whatever kind.
    pub fn stdout_bytes(&self) -> &[u8] {
        &self.stdout
    }

    /// A stream as it stands in a snapshot.
    fn shown(&self, stream: &[u8]) -> String {
        escape(&neutral(&String::from_utf8_lossy(stream), &self.root.to_string_lossy()))
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exit_code {
            Some(code) => writeln!(f, "exit_code: {code}")?,
            None => writeln!(f, "exit_code: none, ended by a signal")?,
        }
        write!(f, "----- stdout -----\n{}", self.shown(&self.stdout))?;
        write!(f, "----- stderr -----\n{}", self.shown(&self.stderr))
    }
}

/// The text as it would be on every machine: no temporary path, one kind of slash.
fn neutral(text: &str, root: &str) -> String {
    if cfg!(windows) {
        // In JSON each `\` of a path is written twice.
        let slashed = text.replace("\\\\", "/").replace('\\', "/");
        slashed.replace(&root.replace('\\', "/"), "[ROOT]").replace("metier.exe", "metier")
    } else {
        text.replace(root, "[ROOT]")
    }
}

/// Writes `bytes` to the child and closes its stdin, without waiting for it to read them.
fn feed(child: &mut Child, bytes: Vec<u8>) {
    if let Some(mut stdin) = child.stdin.take() {
        // A command that ends before it has read all of its stdin is none of our business.
        thread::spawn(move || stdin.write_all(&bytes).ok());
    }
}

/// Reads a stream to its end, apart from the test.
fn drain(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            stream.read_to_end(&mut bytes).expect("a pipe can be read");
        }
        // Nobody listens any more when the command has hung.
        sender.send(bytes).ok();
    });
    receiver
}

/// What a stream held, unless it is still open at the deadline.
fn receive(stream: &Receiver<Vec<u8>>, deadline: Instant) -> Option<Vec<u8>> {
    stream.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use crate::{Fixture, run};
    use std::time::{Duration, Instant};

    #[test]
    fn the_environment_is_the_same_everywhere() {
        let fixture = Fixture::new();
        let output = run("env", ["-u", "PATH"], fixture.path(), "");
        let mut lines: Vec<_> = output.stdout().lines().collect();
        lines.sort_unstable();
        let home = format!("HOME={}", fixture.path().display());
        assert_eq!(lines, ["COLUMNS=100", &home, "TERM=dumb"]);
    }

    #[test]
    fn a_hang_is_a_failure_that_names_the_command() {
        let fixture = Fixture::new();
        let hang = fixture.command("sh", ["-c", "sleep 5 & wait"]);
        let before = Instant::now();
        let panic = std::panic::catch_unwind(|| hang.timeout(Duration::from_millis(100)).run());
        let message = panic.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(*message, "`sh -c sleep 5 & wait` did not end within 100ms");
        // The grandchild still holds the streams; whoever waits for them waits five seconds.
        assert!(before.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn more_output_than_a_pipe_holds_does_not_block() {
        let fixture = Fixture::new();
        let text = "line\n".repeat(100_000);
        let output = run("sh", ["-c", "cat >&2; yes | head -n 100000"], fixture.path(), &text);
        assert_eq!(output.stderr(), text);
        assert_eq!(output.stdout().len(), 200_000);
    }

    #[test]
    fn a_command_that_reads_nothing_is_no_failure() {
        let fixture = Fixture::new();
        let output = run("true", [""; 0], fixture.path(), vec![b'x'; 1 << 20]);
        assert_eq!(output.exit_code(), Some(0));
    }

    #[test]
    fn a_signal_is_not_an_exit_code() {
        let fixture = Fixture::new();
        let output = run("sh", ["-c", "kill -9 $$"], fixture.path(), "");
        assert_eq!(output.exit_code(), None);
        assert!(output.to_string().starts_with("exit_code: none, ended by a signal\n"));
    }
}
