//! Turns a script and its interpreter into a process, and waits for its end within limits.

use super::ProcessOptions;
use super::interpreter;
use crate::discover::confined::{Confined, Refusal};
use crate::session::runner::{RunError, RunOutput, RunRequest};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How much of a script is read to see what runs it.
const HEAD: u64 = 512;
/// How long what was killed may take to let go of its outputs.
const GRACE: Duration = Duration::from_secs(2);

/// What ends the wait for a script.
#[derive(Debug)]
pub(super) enum Event {
    /// It ended by itself.
    Exited,
    /// Nobody wants the result any more.
    GivenUp,
}

/// Runs a script to its end, and ends it when it takes too long.
pub(super) fn execute(
    request: &RunRequest,
    options: &ProcessOptions,
    events: &Receiver<Event>,
    on_exit: Sender<Event>,
) -> Result<RunOutput, RunError> {
    let head = read_head(request)?;
    let interpreter = interpreter::find(&request.script, &head, options)?;
    let mut command = command(request, options, &interpreter);
    let failed = |error: io::Error| RunError::Failed {
        script: request.script.clone(),
        message: error.to_string(),
    };
    let mut child = command.spawn().map_err(failed)?;
    let pid = Pid::from_child(&child);
    feed(&mut child, &request.input);
    let stdout = Kept::reading(child.stdout.take(), options.max_output);
    let stderr = Kept::reading(child.stderr.take(), options.max_output);
    // The process stays a zombie until it is reaped below: as long as it is one, nobody else gets its
    // number, and killing its group cannot hit a stranger.
    let is_watched = thread::Builder::new().spawn(move || {
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), ended));
        let _ = on_exit.send(Event::Exited);
    });
    let event = match is_watched {
        Ok(_) => events.recv_timeout(options.timeout).ok(),
        Err(_) => None,
    };
    // The whole group, whether or not the script has ended: what it left behind goes too.
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait().map_err(failed)?;
    let (stdout, is_cut) = stdout.text();
    let (stderr, is_cut_too) = stderr.text();
    let mut output = RunOutput::new(status.code(), stdout, stderr);
    output.truncated = is_cut || is_cut_too;
    match event {
        Some(Event::Exited) => Ok(output),
        Some(Event::GivenUp) | None => Err(RunError::TimedOut {
            script: request.script.clone(),
            seconds: options.timeout.as_secs(),
            output: Box::new(output),
        }),
    }
}

/// The start of the script, read through the skill's directory, so that no link leads out of it.
fn read_head(request: &RunRequest) -> Result<Vec<u8>, RunError> {
    let refused = |reason: String| RunError::Refused { script: request.script.clone(), reason };
    let skill = Confined::open(&request.directory).map_err(|error| refused(error.to_string()))?;
    let script = Path::new(request.script.as_str());
    match skill.read(script, HEAD as usize, Some(&(0..HEAD))) {
        Ok((head, _)) => Ok(head),
        Err(Refusal::Missing) => Err(refused("the skill has no such file".to_owned())),
        Err(Refusal::Forbidden(reason)) => Err(refused(reason.to_owned())),
        Err(Refusal::TooLarge { size }) => Err(refused(format!("it has {size} bytes"))),
        Err(Refusal::Failed(error)) => Err(refused(error.to_string())),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one room that runs what a host allows")]
fn command(
    request: &RunRequest,
    options: &ProcessOptions,
    interpreter: &interpreter::Interpreter,
) -> Command {
    let mut command = Command::new(&interpreter.program);
    command
        .args(&interpreter.arguments)
        // From the skill's directory, where the process starts; never mistaken for an option.
        .arg(Path::new(".").join(request.script.as_str()))
        .args(&request.arguments)
        .current_dir(&request.directory)
        .env_clear()
        .envs(&options.environment)
        .env("PATH", &options.path)
        .env("CLAUDE_SKILL_DIR", &request.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command
}

/// Gives the script its input, on a thread: it may not read all of it, or only after it wrote.
fn feed(child: &mut Child, input: &str) {
    let Some(mut stdin) = child.stdin.take() else { return };
    if input.is_empty() {
        return;
    }
    let input = input.to_owned();
    // Without a thread the script reads nothing, and sees the end of its input.
    let _ = thread::Builder::new().spawn(move || stdin.write_all(input.as_bytes()));
}

/// What a script writes, read on a thread, kept up to a limit.
struct Kept {
    bytes: Arc<Mutex<Bytes>>,
    ended: Receiver<()>,
}

#[derive(Default)]
struct Bytes {
    kept: Vec<u8>,
    is_cut: bool,
}

impl Kept {
    fn reading(stream: Option<impl Read + Send + 'static>, limit: usize) -> Self {
        let bytes = Arc::new(Mutex::new(Bytes::default()));
        let (sender, ended) = mpsc::channel();
        let ours = bytes.clone();
        if let Some(mut stream) = stream {
            // Without a thread nothing is kept, and the script meets a closed output.
            let _ = thread::Builder::new().spawn(move || {
                let mut chunk = [0; 8192];
                while let Ok(count @ 1..) = stream.read(&mut chunk) {
                    let mut bytes = ours.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = limit - bytes.kept.len();
                    bytes.kept.extend_from_slice(&chunk[..count.min(room)]);
                    bytes.is_cut |= count > room;
                }
                let _ = sender.send(());
            });
        }
        Self { bytes, ended }
    }

    /// What was kept, as text, and whether there was more. Waits for the end of the stream, but not
    /// for a process that left the group and keeps it open.
    fn text(self) -> (String, bool) {
        let _ = self.ended.recv_timeout(GRACE);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = &bytes.kept[..];
        // A cut may go through a character.
        if bytes.is_cut
            && let Err(error) = std::str::from_utf8(kept)
            && error.error_len().is_none()
        {
            kept = &kept[..error.valid_up_to()];
        }
        (String::from_utf8_lossy(kept).into_owned(), bytes.is_cut)
    }
}
