//! Turns outcomes and failures into exit codes: the one place that knows them.

use metier::install::InstallError;
use metier::{FindError, ReadError, RegistryError, SourceError, WriteError};
use std::io;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done, and nothing to complain about.
    Ok,
    /// Done, and something was found.
    Findings,
    /// Not done: the arguments make no sense.
    Usage,
    /// Not done, or not all of it: a file could not be read or written.
    Fault,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Fault => 3,
        })
    }
}

/// Why a command could not go on, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Failure {
    /// The arguments make no sense.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), help: Some(help.into()) }
    }

    /// Something in the world is not as it must be.
    pub(crate) fn fault(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { exit: Exit::Fault, message: message.into(), help: Some(help.into()) }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Self::fault(error.to_string(), error.help())
    }
}

impl From<FindError> for Failure {
    fn from(error: FindError) -> Self {
        Self::fault(error.to_string(), error.help())
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::fault(error.to_string(), error.help())
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        Self::fault(error.to_string(), error.help())
    }
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        // What differs is a finding; what could not be done is a fault.
        let exit = match error {
            InstallError::Frozen { .. } => Exit::Findings,
            _ => Exit::Fault,
        };
        Self { exit, message: error.to_string(), help: error.help() }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let help = match error.source.kind() {
            io::ErrorKind::AlreadyExists => "choose another name, or remove it first",
            io::ErrorKind::PermissionDenied => {
                "change the permissions of the file or of its folder"
            }
            _ => "check the disk and the path",
        };
        Self::fault(error.to_string(), help)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { exit: Exit::Fault, message: format!("cannot write the output: {error}"), help: None }
    }
}
