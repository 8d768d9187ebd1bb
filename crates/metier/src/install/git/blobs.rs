//! Turns the ids of a commit and of its files into what they stand for, fetching no more than that.

use super::entries::Wanted;
use super::process::Program;
use super::{GitError, GitNotice, Resolved};
use std::collections::BTreeSet;

/// Where the commit is kept in our own repository.
const PLACE: &str = "refs/metier/commit";

/// Fetches one commit with its folders, and no file contents where the server can do that.
pub(super) fn fetch_commit(program: &Program, at: &Resolved) -> Result<Vec<GitNotice>, GitError> {
    match fetch_name(program, &at.commit) {
        Ok(notices) => Ok(notices),
        // A server that gives out only what has a name is asked for the name.
        Err(error @ GitError::Failed { .. }) => {
            let Some(name) = &at.reference else { return Err(gone(program, at, error)) };
            let notices = fetch_name(program, name)?;
            let found = commit_at(program)?;
            if found == at.commit { Ok(notices) } else { Err(gone(program, at, error)) }
        }
        Err(error) => Err(error),
    }
}

/// The error for a commit that a server does not have, or the error there was.
fn gone(program: &Program, at: &Resolved, error: GitError) -> GitError {
    let refusals = ["not our ref", "couldn't find remote ref", "unadvertised object"];
    match &error {
        GitError::Failed { message, .. } if refusals.iter().any(|it| message.contains(it)) => {
            GitError::CommitGone { url: program.url.clone(), commit: at.commit.clone() }
        }
        _ => error,
    }
}

fn fetch_name(program: &Program, name: &str) -> Result<Vec<GitNotice>, GitError> {
    let refspec = format!("+{name}:{PLACE}");
    let mut arguments = fetch_arguments(program);
    arguments.extend(["--depth=1", "--", "origin", &refspec]);
    Ok(program.run("fetch", &arguments, &[])?.notices)
}

/// Not quiet, because then git would not say where it was sent (security G14).
fn fetch_arguments(program: &Program) -> Vec<&'static str> {
    let progress = if program.progress.is_heard() { "--progress" } else { "--no-progress" };
    vec![
        "fetch",
        progress,
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        "--filter=blob:none",
    ]
}

fn commit_at(program: &Program) -> Result<String, GitError> {
    let name = format!("{PLACE}^{{commit}}");
    let output = program.run("read", &["rev-parse", "--verify", "--end-of-options", &name], &[])?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Fetches the contents that are not there yet, all at once, and says how large each file is.
pub(super) fn fetch(program: &Program, wanted: &[Wanted]) -> Result<Vec<u64>, GitError> {
    let sizes = sizes(program, wanted)?;
    let missing: BTreeSet<&str> = wanted
        .iter()
        .zip(&sizes)
        .filter(|(_, size)| size.is_none())
        .map(|(wanted, _)| wanted.id.as_str())
        .collect();
    let sizes = if missing.is_empty() {
        sizes
    } else {
        let mut arguments = fetch_arguments(program);
        arguments.extend(["--stdin", "--", "origin"]);
        let lines = missing.into_iter().collect::<Vec<_>>().join("\n");
        program.run("fetch from", &arguments, lines.as_bytes())?;
        self::sizes(program, wanted)?
    };
    sizes
        .into_iter()
        .zip(wanted)
        .map(|(size, wanted)| size.ok_or_else(|| unreadable(program, &wanted.path)))
        .collect()
}

/// How large each file is; `None` for what was not fetched.
fn sizes(program: &Program, wanted: &[Wanted]) -> Result<Vec<Option<u64>>, GitError> {
    let format = "--batch-check=%(objectname) %(objecttype) %(objectsize)";
    let output = program.run("read", &["cat-file", format], &ids(wanted))?.stdout;
    let text = String::from_utf8_lossy(&output);
    let mut lines = text.lines();
    let size = |wanted: &Wanted| {
        let line = lines.next()?;
        line.strip_prefix(&wanted.id)?.strip_prefix(" blob ")?.parse().ok()
    };
    Ok(wanted.iter().map(size).collect())
}

/// The contents of each file.
pub(super) fn read(program: &Program, wanted: &[Wanted]) -> Result<Vec<Vec<u8>>, GitError> {
    let output = program.run("read", &["cat-file", "--batch"], &ids(wanted))?.stdout;
    let mut rest = output.as_slice();
    let mut contents = Vec::new();
    for wanted in wanted {
        let bytes = next(&mut rest, &wanted.id);
        contents.push(bytes.ok_or_else(|| unreadable(program, &wanted.path))?.to_vec());
    }
    Ok(contents)
}

/// Takes `id blob size LF contents LF` from the front.
fn next<'b>(rest: &mut &'b [u8], id: &str) -> Option<&'b [u8]> {
    let line_end = rest.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&rest[..line_end]).ok()?;
    let size: usize = line.strip_prefix(id)?.strip_prefix(" blob ")?.parse().ok()?;
    let start = line_end + 1;
    let bytes = rest.get(start..start.checked_add(size)?)?;
    *rest = rest[start + size..].strip_prefix(b"\n")?;
    Some(bytes)
}

fn ids(wanted: &[Wanted]) -> Vec<u8> {
    wanted.iter().flat_map(|wanted| [wanted.id.as_bytes(), b"\n"].concat()).collect()
}

fn unreadable(program: &Program, path: &str) -> GitError {
    let message = format!("the contents of `{}` were not sent", crate::visible(path));
    GitError::Failed { doing: "read", url: program.url.clone(), message }
}
