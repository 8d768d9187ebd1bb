//! Turns two commits of a repository into which of them came first.

use super::GitError;
use super::process::Program;

/// How far back the two are followed. A thousand commits without their files are a few hundred
/// kilobytes.
const DEPTH: &str = "--depth=1000";

/// What they may come to. A server that sends files with them, which nobody has asked for, is not
/// listened to for longer.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Where a commit stands, seen from the one that is locked (security L12).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum History {
    /// It came later.
    Newer,
    /// It came earlier: the tag or branch was moved back.
    Older,
    /// Neither leads to the other: the history was rewritten, or is longer than was looked at.
    Rewritten,
    /// Nobody can tell.
    #[default]
    Unknown,
}

impl History {
    /// One word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newer => "newer",
            Self::Older => "older",
            Self::Rewritten => "rewritten",
            Self::Unknown => "unknown",
        }
    }
}

/// Fetches the commits alone, no folders and no files, and counts those that only one side has.
pub(super) fn compare(program: &mut Program, locked: &str, now: &str) -> Result<History, GitError> {
    program.max_bytes = program.max_bytes.min(MAX_BYTES);
    let (a, b) = (format!("+{now}:refs/metier/now"), format!("+{locked}:refs/metier/locked"));
    let arguments = [
        "fetch",
        "--no-progress",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--filter=tree:0",
        DEPTH,
        "--",
        "origin",
        &a,
        &b,
    ];
    // A server that does not give out the locked commit any more has forgotten it; and one that takes
    // too long over it is no reason to leave the skill alone.
    if program.run("fetch", &arguments, &[]).is_err() {
        return Ok(History::Unknown);
    }
    let range = "refs/metier/now...refs/metier/locked";
    let output = program.run("read", &["rev-list", "--left-right", "--count", range], &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut counts = text.split_whitespace().map(str::parse::<u64>);
    Ok(match (counts.next(), counts.next()) {
        (Some(Ok(0)), Some(Ok(0))) => History::Unknown,
        (Some(Ok(_)), Some(Ok(0))) => History::Newer,
        (Some(Ok(0)), Some(Ok(_))) => History::Older,
        (Some(Ok(_)), Some(Ok(_))) => History::Rewritten,
        _ => History::Unknown,
    })
}
