//! Turns a request to run a script into a process: decided, bounded, and ended with all that it started.

mod execute;
mod interpreter;

use crate::session::runner::{Decision, RunError, RunOutput, RunRequest, Runner};
use crate::source::BoxFuture;
use execute::{Event, execute};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::future::poll_fn;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

/// Runs scripts as processes of this machine (feature `run`, on Unix).
///
/// 1. The policy decides first; nothing runs that it does not allow.
/// 2. The script must be a regular file inside the skill, links followed.
/// 3. It is run by the program that its `#!` line names, whether or not it may be executed; without
///    such a line by its extension, see [`ProcessOptions::interpreters`]. No shell reads anything.
/// 4. It starts in the skill's directory, with the environment of the options and nothing of ours.
/// 5. What it writes is kept up to a limit, and the rest is read and dropped.
/// 6. When it ends, or the time is up, or nobody waits any more, its process group is killed: what it
///    started goes with it.
///
/// This is not a sandbox: a script can do what the user can. A script that starts a session of its
/// own leaves the group, and is not waited for.
///
/// ```
/// use metier::{Decision, Process, SessionOptions};
/// use std::sync::Arc;
///
/// let process = Process::new(|request| match request.skill.as_str() {
///     "csv-inspector" => Decision::Allow,
///     _ => Decision::Ask,
/// });
/// let options = SessionOptions { runner: Some(Arc::new(process)), ..SessionOptions::default() };
/// # drop(options);
/// ```
pub struct Process {
    policy: Box<Policy>,
    options: Arc<ProcessOptions>,
}

type Policy = dyn Fn(&RunRequest) -> Decision + Send + Sync;

/// How scripts are run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ProcessOptions {
    /// How long a script may run; one minute by default.
    pub timeout: Duration,
    /// How many bytes of each of its two outputs are kept; 64 KiB by default.
    pub max_output: usize,
    /// Where programs are looked for, and the script's `PATH`: the usual folders by default.
    pub path: OsString,
    /// What else the script finds in its environment; by default `LANG=C.UTF-8`, and what keeps Python
    /// from writing beside the script. `PATH` and `CLAUDE_SKILL_DIR`, the skill's directory, are added.
    pub environment: BTreeMap<OsString, OsString>,
    /// What runs a script without a `#!` line, by its extension. By default: `py` `python3`, `sh`
    /// `sh`, `bash` `bash`, `js`, `mjs` and `cjs` `node`, `rb` `ruby`, `pl` `perl`.
    pub interpreters: BTreeMap<String, String>,
}

impl Default for ProcessOptions {
    fn default() -> Self {
        let interpreters = [
            ("bash", "bash"),
            ("cjs", "node"),
            ("js", "node"),
            ("mjs", "node"),
            ("pl", "perl"),
            ("py", "python3"),
            ("rb", "ruby"),
            ("sh", "sh"),
        ];
        Self {
            timeout: Duration::from_secs(60),
            max_output: 64 * 1024,
            path: "/usr/local/bin:/usr/bin:/bin".into(),
            environment: BTreeMap::from([
                ("LANG".into(), "C.UTF-8".into()),
                // A skill is not changed by being used: what lies beside a script is loaded by it.
                ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
            ]),
            interpreters: interpreters.map(|(a, b)| (a.to_owned(), b.to_owned())).into(),
        }
    }
}

impl Process {
    /// Runs what a policy allows, with the default options.
    pub fn new(policy: impl Fn(&RunRequest) -> Decision + Send + Sync + 'static) -> Self {
        Self { policy: Box::new(policy), options: Arc::default() }
    }

    /// Sets the options.
    pub fn options(mut self, options: ProcessOptions) -> Self {
        self.options = Arc::new(options);
        self
    }

    fn decide(&self, request: &RunRequest) -> Result<(), RunError> {
        let script = request.script.clone();
        match (self.policy)(request) {
            Decision::Allow => Ok(()),
            Decision::Ask => Err(RunError::NeedsApproval { script }),
            Decision::Deny => Err(RunError::Denied { script }),
        }
    }
}

impl Runner for Process {
    fn run<'a>(&'a self, request: &'a RunRequest) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(async move {
            self.decide(request)?;
            let (sender, events) = mpsc::channel();
            let slot = Arc::new(Mutex::new(Slot::default()));
            let (request, options) = (request.clone(), self.options.clone());
            let script = request.script.clone();
            let (done, on_exit) = (slot.clone(), sender.clone());
            // A thread of its own waits, so that whoever polls does not.
            let started = thread::Builder::new().spawn(move || {
                let result = execute(&request, &options, &events, on_exit);
                let mut slot = done.lock().unwrap_or_else(PoisonError::into_inner);
                slot.result = Some(result);
                if let Some(waker) = slot.waker.take() {
                    waker.wake();
                }
            });
            if let Err(error) = started {
                return Err(RunError::Failed { script, message: error.to_string() });
            }
            let _given_up = GivenUp(sender);
            poll_fn(|context| {
                let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(result) = slot.result.take() {
                    return Poll::Ready(result);
                }
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            })
            .await
        })
    }
}

/// Where the thread that waits leaves the result for whoever asked.
#[derive(Default)]
struct Slot {
    result: Option<Result<RunOutput, RunError>>,
    waker: Option<Waker>,
}

/// Tells the thread that waits that nobody wants the result any more.
struct GivenUp(Sender<Event>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        // Without a receiver the script has ended already.
        let _ = self.0.send(Event::GivenUp);
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("options", &self.options).finish_non_exhaustive()
    }
}
