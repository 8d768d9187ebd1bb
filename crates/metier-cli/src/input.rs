//! Turns the surroundings of the command into arguments for the library: stdin, folder, threads.

use crate::exit::Failure;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Whether the paths are `-` alone, which means stdin.
pub(crate) fn is_stdin(paths: &[PathBuf]) -> Result<bool, Failure> {
    let dash = Path::new("-");
    match paths {
        [only] => Ok(only == dash),
        several if several.iter().any(|path| path == dash) => Err(Failure::usage(
            "`-` cannot be combined with other paths",
            "give `-` alone, or the paths alone",
        )),
        _ => Ok(false),
    }
}

/// Reads stdin up to one byte past `limit`, so that the caller can tell that it is too long.
pub(crate) fn stdin(limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    match std::io::stdin().take(limit as u64 + 1).read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::fault(format!("cannot read stdin: {error}"), "check the pipe")),
    }
}

/// Reads stdin as text of at most `limit` bytes.
pub(crate) fn stdin_text(limit: usize) -> Result<String, Failure> {
    text(stdin(limit)?, limit)
}

/// Takes what came from stdin for text; refuses it when it was cut at the limit, so that nobody
/// writes back half a file.
pub(crate) fn text(bytes: Vec<u8>, limit: usize) -> Result<String, Failure> {
    if bytes.len() > limit {
        return Err(Failure::fault(
            format!("stdin holds more than {limit} bytes"),
            "give one `SKILL.md`",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::fault("stdin is not UTF-8 text", "convert it to UTF-8"))
}

/// The folder the command was started in.
#[expect(clippy::disallowed_methods, reason = "the command asks for the working directory")]
pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::fault(
            format!("the working directory cannot be read: {error}"),
            "change to a folder that exists",
        )
    })
}

/// How many threads to use.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
