//! Turns the name of a tag or a branch into the commit that a repository has for it.

use super::process::Program;
use super::{GitError, GitNotice, Resolved};
use crate::install::revision::{Revision, is_object_id};

/// The commit that `revision` means; without one, that of the branch a repository shows first.
pub(super) fn resolve(
    program: &Program,
    revision: Option<&Revision>,
) -> Result<Resolved, GitError> {
    let Some(revision) = revision else { return resolve_head(program) };
    let (tag, branch) = (format!("refs/tags/{revision}"), format!("refs/heads/{revision}"));
    let peeled = format!("{tag}^{{}}");
    let listed = list(program, &[&tag, &peeled, &branch, revision.as_str()])?;
    // An annotated tag is an object of its own; what it is put on stands after it.
    let find = |name: &str| listed.iter().find(|(_, listed)| listed == name);
    let whole = revision.as_str();
    let found = [(peeled.as_str(), &*tag), (&tag, &tag), (&branch, &branch), (whole, whole)]
        .into_iter()
        .find_map(|(listed, name)| find(listed).map(|(commit, _)| (commit, name)));
    match found {
        Some((commit, name)) => {
            let both = name == tag && find(&branch).is_some();
            let notice = GitNotice::TagAndBranch { name: revision.to_string() };
            Ok(Resolved {
                reference: Some(name.to_owned()),
                commit: commit.clone(),
                notices: both.then_some(notice).into_iter().collect(),
            })
        }
        None => Err(GitError::UnknownRevision {
            url: program.url.clone(),
            revision: revision.to_string(),
        }),
    }
}

fn resolve_head(program: &Program) -> Result<Resolved, GitError> {
    let arguments = ["ls-remote", "--quiet", "--symref", "--", "origin", "HEAD"];
    let output = program.run("ask", &arguments, &[])?;
    let text = String::from_utf8_lossy(&output.stdout);
    let branch = text.lines().find_map(|line| line.strip_prefix("ref: ")?.strip_suffix("\tHEAD"));
    let commit = parse(&text).into_iter().find(|(_, name)| name == "HEAD");
    match commit {
        Some((commit, _)) => {
            let reference = branch.map(str::to_owned);
            Ok(Resolved { reference, commit, notices: output.notices })
        }
        None => Err(GitError::Empty { url: program.url.clone() }),
    }
}

fn list(program: &Program, patterns: &[&str]) -> Result<Vec<(String, String)>, GitError> {
    let mut arguments = vec!["ls-remote", "--quiet", "--", "origin"];
    arguments.extend(patterns);
    let output = program.run("ask", &arguments, &[])?.stdout;
    Ok(parse(&String::from_utf8_lossy(&output)))
}

/// Reads lines of an id and a name.
fn parse(text: &str) -> Vec<(String, String)> {
    text.lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(id, _)| is_object_id(id))
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .collect()
}
