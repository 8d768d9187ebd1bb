//! Turns a git command into its output: hardened, timed, measured, and without anyone to ask.
#![expect(
    clippy::disallowed_methods,
    reason = "the one program that installing runs is git, and this is the place that runs it"
)]

use super::{GitError, GitNotice, plain};
use crate::disk;
use crate::install::git_url::{GitUrl, Transport};
use crate::install::invalid_reference::without_credentials;
use crate::install::progress::{Progress, Received};
use std::ffi::{OsStr, OsString};
use std::io::{BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often the size of what was received is looked at.
const TICK: Duration = Duration::from_millis(100);

/// The most that is read of what git answers, beyond what it stores.
const MAX_OUTPUT: u64 = 256 * 1024 * 1024;

/// The most that is kept of what git complains about.
const MAX_WORDS: usize = 64 * 1024;

/// When nobody has said how much of the whole is here.
const UNKNOWN: u8 = u8::MAX;

/// What holds for every command, whatever the user has configured (security G03, G08, G15, G16).
const HARDENED: [&str; 19] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "core.attributesFile=/dev/null",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "transfer.fsckObjects=true",
    "transfer.bundleURI=false",
    "fetch.unpackLimit=1",
    // We have nothing that a server could build upon: what is asked for is sent.
    "fetch.negotiationAlgorithm=noop",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "credential.interactive=false",
    "http.followRedirects=initial",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=20",
    "advice.detachedHead=false",
];

/// A git with a repository to work in.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) environment: Vec<(OsString, OsString)>,
    /// The bare repository.
    pub(super) folder: PathBuf,
    /// Whom it talks to.
    pub(super) url: GitUrl,
    pub(super) timeout: Duration,
    pub(super) max_bytes: u64,
    /// What the user has configured about hosts. It may hold secrets, so it is never an argument.
    pub(super) config: Vec<(String, String)>,
    /// Who hears how far a fetch is.
    pub(super) progress: Progress,
}

/// What a command wrote.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) stdout: Vec<u8>,
    pub(super) notices: Vec<GitNotice>,
}

/// Whose configuration a command sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Configuration {
    /// Ours alone.
    Own,
    /// The user's too, to read what hosts need.
    User,
}

/// Whether a variable reaches git: not those that lead it elsewhere or let it ask (security G17).
pub(super) fn is_passed_on(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    !name.starts_with("GIT_") && !name.starts_with("SSH_ASKPASS")
}

impl Program {
    /// Runs a command in the repository.
    pub(super) fn run(
        &self,
        doing: &'static str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Output, GitError> {
        self.run_as(Configuration::Own, doing, arguments, input)
    }

    pub(super) fn run_as(
        &self,
        configuration: Configuration,
        doing: &'static str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Output, GitError> {
        let mut command = self.command(configuration);
        command.args(arguments);
        let mut child = command.spawn().map_err(|error| GitError::NoGit {
            program: self.path.clone(),
            reason: error.kind().to_string(),
        })?;
        let (stdout, words) = match self.watch(&mut child, input) {
            Ok(output) => output,
            Err(error) => {
                kill(&mut child);
                // It was killed; how it ended is known.
                let _ = child.wait();
                return Err(error);
            }
        };
        let ended = child.wait().is_ok_and(|status| status.success());
        let words = String::from_utf8_lossy(&words);
        if !ended {
            return Err(self.complaint(doing, &words));
        }
        Ok(Output { stdout, notices: redirects(&words) })
    }

    fn command(&self, configuration: Configuration) -> Command {
        let mut command = Command::new(&self.path);
        command.env_clear().envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.folder);
        for setting in HARDENED {
            command.args(["-c", setting]);
        }
        let allowed = match self.url.transport() {
            // A user may have one rewritten into the other.
            Transport::Https | Transport::Ssh => "https:ssh",
            Transport::File => "file",
            Transport::LoopbackHttp => "http",
        };
        command.arg("-c").arg("protocol.allow=never");
        for protocol in allowed.split(':') {
            command.arg("-c").arg(format!("protocol.{protocol}.allow=always"));
        }
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(plain(&self.folder));
        command.arg(git_dir);
        command.env("GIT_ALLOW_PROTOCOL", allowed);
        command.env("GIT_PROTOCOL_FROM_USER", "0");
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_LFS_SKIP_SMUDGE", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GCM_INTERACTIVE", "never"),
            ("SSH_ASKPASS_REQUIRE", "never"),
            // What git says is read by this program.
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        let mut config = vec![("remote.origin.url".to_owned(), self.url.as_str().to_owned())];
        if configuration == Configuration::Own {
            command.env("GIT_CONFIG_NOSYSTEM", "1");
            command.env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" });
            config.extend(self.config.iter().cloned());
            if !self.config.iter().any(|(key, _)| key == "core.sshcommand") {
                command.env("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=20");
            }
        }
        command.env("GIT_CONFIG_COUNT", config.len().to_string());
        for (at, (key, value)) in config.iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{at}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // So that what git starts can be ended with it.
            command.process_group(0);
        }
        command
    }

    /// Feeds a command and reads what it writes, for as long and as much as it may take.
    fn watch(&self, child: &mut Child, input: &[u8]) -> Result<(Vec<u8>, Vec<u8>), GitError> {
        let (done, finished) = mpsc::channel();
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_vec();
            // A command that has heard enough closes its end, and that is no failure.
            thread::spawn(move || stdin.write_all(&input));
        }
        let percent = Arc::new(AtomicU8::new(UNKNOWN));
        read_apart(child.stdout.take(), MAX_OUTPUT, 0, &done);
        read_words(child.stderr.take(), &percent, 1, &done);
        drop(done);
        let mut read = [None, None];
        let mut waited = Duration::ZERO;
        while read.iter().any(Option::is_none) {
            match finished.recv_timeout(TICK) {
                Ok((at, bytes)) => read[at] = Some(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    waited += TICK;
                    if waited > self.timeout {
                        let (url, limit) = (self.url.clone(), self.timeout);
                        return Err(GitError::Slow { url, limit });
                    }
                    self.check_size(&percent)?;
                }
            }
        }
        self.check_size(&percent)?;
        let [stdout, stderr] = read.map(Option::unwrap_or_default);
        Ok((stdout, stderr))
    }

    /// Whether what was received is within its limit. Whoever hears how far it is hears it here.
    fn check_size(&self, percent: &AtomicU8) -> Result<(), GitError> {
        let received = disk::folder_size(&self.folder.join("objects").join("pack"));
        let percent = Some(percent.load(Ordering::Relaxed)).filter(|percent| *percent <= 100);
        if percent.is_some() {
            self.progress.tell(Received { bytes: received, total: None, percent });
        }
        if received <= self.max_bytes {
            return Ok(());
        }
        Err(GitError::TooLarge { url: self.url.clone(), limit: self.max_bytes })
    }

    /// What git said, as an error.
    fn complaint(&self, doing: &'static str, words: &str) -> GitError {
        let url = self.url.clone();
        let message = short(words);
        let denied = [
            "could not read Username",
            "could not read Password",
            "unable to get password",
            "Permission denied",
            "Authentication failed",
            "terminal prompts disabled",
            "Host key verification",
        ];
        if denied.iter().any(|text| words.contains(text)) {
            return GitError::Credentials { url, message };
        }
        GitError::Failed { doing, url, message }
    }
}

fn read_apart(
    pipe: Option<impl Read + Send + 'static>,
    limit: u64,
    at: usize,
    done: &mpsc::Sender<(usize, Vec<u8>)>,
) {
    let done = done.clone();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is what there is.
            let _ = pipe.by_ref().take(limit).read_to_end(&mut bytes);
            // A pipe that is full would stop the command for ever.
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // Nobody listens any more when the command took too long.
        let _ = done.send((at, bytes));
    });
}

/// Keeps what a command complains about. How far it is it says on lines of their own, which end in a
/// carriage return while they go on.
fn read_words(
    pipe: Option<impl Read + Send + 'static>,
    percent: &Arc<AtomicU8>,
    at: usize,
    done: &mpsc::Sender<(usize, Vec<u8>)>,
) {
    let (done, percent) = (done.clone(), Arc::clone(percent));
    thread::spawn(move || {
        let mut words = Vec::new();
        let mut line = Vec::new();
        for byte in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).bytes()) {
            let Ok(byte) = byte else { break };
            if !matches!(byte, b'\r' | b'\n') {
                if line.len() < MAX_WORDS {
                    line.push(byte);
                }
                continue;
            }
            match Said::by(&String::from_utf8_lossy(&line)) {
                Said::Words if words.len() + line.len() < MAX_WORDS => {
                    words.extend(&line);
                    words.push(b'\n');
                }
                Said::Words | Said::Step => {}
                Said::Percent(now) => percent.store(now, Ordering::Relaxed),
            }
            line.clear();
        }
        words.extend(line);
        // Nobody listens any more when the command took too long.
        let _ = done.send((at, words));
    });
}

/// What a line of git is about.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    /// Something to be told.
    Words,
    /// What goes on, and nothing that counts bytes.
    Step,
    /// How much has arrived, in per cent.
    Percent(u8),
}

impl Said {
    fn by(line: &str) -> Self {
        let told = line.strip_prefix("remote: ").unwrap_or(line).trim_start();
        if let Some(rest) = told.strip_prefix("Receiving objects:") {
            let percent = rest.split('%').next().and_then(|number| number.trim().parse().ok());
            return percent.map_or(Self::Step, Self::Percent);
        }
        let steps = [
            "Enumerating objects:",
            "Counting objects:",
            "Compressing objects:",
            "Resolving deltas:",
            "Total ",
        ];
        if steps.iter().any(|step| told.starts_with(step)) { Self::Step } else { Self::Words }
    }
}

/// Ends a command and whatever it has started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let _ = child.kill();
}

/// Where the server has sent git instead (security G14).
fn redirects(words: &str) -> Vec<GitNotice> {
    let targets = words.lines().filter_map(|line| line.strip_prefix("warning: redirecting to "));
    targets.map(|to| GitNotice::Redirected { to: without_credentials(to.trim()) }).collect()
}

/// The lines that say what is wrong, as one, without what must stay secret (security G06).
fn short(words: &str) -> String {
    let marks = ["fatal: ", "error: ", "remote: "];
    let told = |line: &&str| marks.iter().any(|mark| line.starts_with(mark)) || line.contains(": ");
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let chosen: Vec<&str> = lines.iter().copied().filter(told).take(3).collect();
    let chosen = if chosen.is_empty() { lines.into_iter().take(3).collect() } else { chosen };
    let text = chosen.join("; ");
    let words: Vec<String> = text.split(' ').map(without_credentials).collect();
    let text: String = words.join(" ").chars().take(400).collect();
    crate::visible(text.trim_start_matches("fatal: ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_is_short_and_holds_no_secret() {
        let said = "Cloning into bare repository...\n\
                    warning: redirecting to https://me:t0ken@h.example/y\n\
                    fatal: unable to access 'https://me:t0ken@h.example/x': not found\u{1b}[2J\n";
        let message = short(said);
        assert!(!message.contains("t0ken") && !message.contains('\u{1b}'), "{message}");
        assert!(message.contains("unable to access"), "{message}");
        let to = "https://h.example/y".to_owned();
        assert_eq!(redirects(said), [GitNotice::Redirected { to }]);
    }

    #[test]
    fn how_far_a_fetch_is_stands_on_lines_of_its_own() {
        for (line, expected) in [
            ("Receiving objects:  45% (450/1000), 1.20 MiB | 2.00 MiB/s", Said::Percent(45)),
            ("Receiving objects: 100% (3/3), done.", Said::Percent(100)),
            ("Receiving objects: ", Said::Step),
            ("remote: Counting objects:  50% (1/2)\u{1b}[K", Said::Step),
            ("remote: Enumerating objects: 5, done.", Said::Step),
            ("Resolving deltas: 100% (1/1), done.", Said::Step),
            ("remote: Repository not found.", Said::Words),
            ("fatal: early EOF", Said::Words),
        ] {
            assert_eq!(Said::by(line), expected, "{line}");
        }
    }

    /// Security G17.
    #[test]
    fn variables_of_git_are_not_passed_on() {
        for name in ["GIT_DIR", "GIT_SSH_COMMAND", "git_exec_path", "SSH_ASKPASS"] {
            assert!(!is_passed_on(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "https_proxy", "SSH_AUTH_SOCK"] {
            assert!(is_passed_on(OsStr::new(name)), "{name}");
        }
    }
}
