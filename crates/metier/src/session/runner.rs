//! Turns a model's wish to run a script of a skill into a request that a host can grant or refuse.

use crate::source::BoxFuture;
use metier_core::ResourcePath;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// What runs the scripts of skills, if the host has such a thing. Nothing runs without one.
pub trait Runner: fmt::Debug + Send + Sync {
    /// Runs a script and waits for it, or says why not.
    fn run<'a>(&'a self, request: &'a RunRequest) -> BoxFuture<'a, Result<RunOutput, RunError>>;
}

/// A script of an active skill, and what it is to be given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRequest {
    /// The id of the skill.
    pub skill: String,
    /// The directory of the skill.
    pub directory: PathBuf,
    /// The script, one of the skill's own files.
    pub script: ResourcePath,
    /// The arguments, each one as it is: no shell reads them.
    pub arguments: Vec<String>,
    /// What the script reads from its standard input.
    pub input: String,
}

impl RunRequest {
    /// A request without arguments.
    pub fn new(
        skill: impl Into<String>,
        directory: impl Into<PathBuf>,
        script: ResourcePath,
    ) -> Self {
        let (skill, directory) = (skill.into(), directory.into());
        Self { skill, directory, script, arguments: Vec::new(), input: String::new() }
    }
}

/// What a script did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct RunOutput {
    /// The exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Whether it wrote more than is kept here.
    pub truncated: bool,
}

impl RunOutput {
    /// An output; nothing was cut.
    pub fn new(
        exit_code: Option<i32>,
        stdout: impl Into<String>,
        stderr: impl Into<String>,
    ) -> Self {
        let (stdout, stderr) = (stdout.into(), stderr.into());
        Self { exit_code, stdout, stderr, truncated: false }
    }

    /// Says that the script wrote more than is kept here.
    pub fn cut(mut self) -> Self {
        self.truncated = true;
        self
    }
}

/// Whether a script may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Decision {
    /// It may.
    Allow,
    /// Not before a person agreed: the call fails with that reason, and can be made again.
    Ask,
    /// It may not.
    Deny,
}

/// Why a script was not run, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The policy says no.
    #[error("running `{script}` is not allowed")]
    Denied {
        /// The script.
        script: ResourcePath,
    },
    /// The policy wants a person to agree first.
    #[error("running `{script}` needs the user's agreement")]
    NeedsApproval {
        /// The script.
        script: ResourcePath,
    },
    /// Nothing says which program runs the script.
    #[error("`{script}` does not say what runs it: it has no `#!` line, and {reason}")]
    NoInterpreter {
        /// The script.
        script: ResourcePath,
        /// What else was looked at.
        reason: &'static str,
    },
    /// The program that runs the script is not there.
    #[error("`{interpreter}`, which runs `{script}`, is not installed")]
    MissingInterpreter {
        /// The script.
        script: ResourcePath,
        /// The program.
        interpreter: String,
    },
    /// The script is no file of the skill.
    #[error("`{script}` cannot be run: {reason}")]
    Refused {
        /// The script.
        script: ResourcePath,
        /// Why, in words.
        reason: String,
    },
    /// The script took too long, and was ended with everything that it had started.
    #[error("`{script}` was ended after {seconds} seconds")]
    TimedOut {
        /// The script.
        script: ResourcePath,
        /// How long it ran.
        seconds: u64,
        /// What it had written.
        output: Box<RunOutput>,
    },
    /// The system did not start it.
    #[error("`{script}` cannot be started: {message}")]
    Failed {
        /// The script.
        script: ResourcePath,
        /// What the system says.
        message: String,
    },
}

impl RunError {
    /// What can be done about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Denied { .. } => "go on without it, or ask the user to run it",
            Self::NeedsApproval { .. } => "ask the user, then call the tool again",
            Self::NoInterpreter { .. } => "read the file, and run it with a tool of your own",
            Self::MissingInterpreter { .. } => "tell the user what is missing",
            Self::Refused { .. } => "list the files of the skill",
            Self::TimedOut { .. } => "give it less to do",
            Self::Failed { .. } => "tell the user",
        }
    }

    /// The reason, for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Denied { .. } => "denied",
            Self::NeedsApproval { .. } => "needs_approval",
            Self::NoInterpreter { .. } => "no_interpreter",
            Self::MissingInterpreter { .. } => "missing_interpreter",
            Self::Refused { .. } => "refused",
            Self::TimedOut { .. } => "timed_out",
            Self::Failed { .. } => "failed",
        }
    }
}
