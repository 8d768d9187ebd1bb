//! Turns text that is no reference into the reason why, without repeating what must stay secret.

use super::git_url::InvalidGitUrl;
use super::revision::InvalidRevision;
use crate::visible;
use metier_core::{NameProblem, PathProblem};
use std::fmt;

/// One way in which text is not a reference to skills.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceProblem {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// It is longer than any reference has to be.
    #[error("it has {bytes} bytes, the limit is {limit}")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// It starts with `-` and could be taken for an option (security G01).
    #[error("it starts with `-`")]
    Option,
    /// It holds a character that cannot be seen.
    #[error("it holds the character `{}`", .0.escape_unicode())]
    Hidden(char),
    /// It starts or ends with a blank.
    #[error("it starts or ends with a blank")]
    Blank,
    /// The address of a repository is none.
    #[error("{0}")]
    Git(#[from] InvalidGitUrl),
    /// The address of a web site or an archive is none.
    #[error("it is not an address: {0}")]
    Address(String),
    /// A user name or a password stands in the address (security G06, H14).
    #[error("credentials do not belong into a reference")]
    Credentials,
    /// The address has a query, which may hold a secret and would end up in the lock.
    #[error("an address with a `?` in it is refused")]
    Query,
    /// `@org/name` lacks one of the two.
    #[error("it is not spelt `@org/name` or `@org/name@version`")]
    Named,
    /// There is an `@` and no version after it.
    #[error("there is no version after the `@`")]
    EmptyVersion,
    /// The owner or organisation is none.
    #[error("`{}` is not the name of an owner", visible(.0))]
    Owner(String),
    /// The repository is none.
    #[error("`{}` is not the name of a repository", visible(.0))]
    Repository(String),
    /// The path inside the repository leaves it, or is not portable (security G13).
    #[error("the path in the repository cannot be used: {0}")]
    Path(PathProblem),
    /// The tag, branch or commit is none (security G02).
    #[error("the revision `{}` cannot be used: {problem}", visible(revision))]
    Revision {
        /// The text after the `#`.
        revision: String,
        /// What is wrong with it.
        problem: InvalidRevision,
    },
    /// The name of the skill is none.
    #[error("`{}` is not the name of a skill: {}", visible(name), words(problems))]
    Skill {
        /// The text after the `@`.
        name: String,
        /// What is wrong with it.
        problems: Vec<NameProblem>,
    },
    /// What follows the `#` of an archive is not a digest.
    #[error("what follows the `#` of an archive is its digest, `sha256:` and 64 digits")]
    Digest,
    /// A web site has no revisions.
    #[error("a web site has no revision; a skill of it is `#@name`")]
    SiteRevision,
    /// `~someone/x`, the home of another user.
    #[error("only `~/` is understood, not the home of another user")]
    OtherHome,
    /// A single word: it could be a folder, a skill or a repository.
    #[error("a single word says not where the skill is")]
    Word,
    /// The name of an archive without a place.
    #[error("an archive on this machine is written with its folder")]
    BareArchive,
}

fn words(problems: &[NameProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Text that is not a reference to skills, and the first reason why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidReference {
    /// The text, without the credentials that may have stood in it.
    pub reference: String,
    /// What is wrong with it.
    pub problem: ReferenceProblem,
}

impl InvalidReference {
    pub(crate) fn new(text: &str, problem: ReferenceProblem) -> Self {
        Self { reference: without_credentials(text), problem }
    }

    /// What to write instead.
    pub fn help(&self) -> &'static str {
        match &self.problem {
            ReferenceProblem::Credentials | ReferenceProblem::Git(InvalidGitUrl::Credentials) => {
                "let git ask its credential helper, or use ssh"
            }
            ReferenceProblem::Query => "download it, and give the file",
            ReferenceProblem::BareArchive => "write `./` before its name",
            ReferenceProblem::Word => {
                "write `./folder`, `owner/repo`, `@org/name` or an address instead"
            }
            ReferenceProblem::Git(InvalidGitUrl::Plain(_)) => "use `https:` or `ssh:`",
            ReferenceProblem::Named | ReferenceProblem::EmptyVersion => {
                "write `@org/name`, or `@org/name@v1.0.0`"
            }
            ReferenceProblem::Skill { .. } => "a revision stands after `#`, a skill after `@`",
            ReferenceProblem::OtherHome => "write the whole path",
            _ => "see `docs/installing.md` for what a reference looks like",
        }
    }
}

/// The text without what stands between `//` and an `@` before the next slash.
pub(crate) fn without_credentials(text: &str) -> String {
    let Some(start) = text.find("//").map(|at| at + 2) else {
        // `user:password@host:path` is no form of ours, but someone may write it.
        return match text.split_once('@') {
            Some((user, rest)) if user.contains(':') && !user.contains('/') => rest.to_owned(),
            _ => text.to_owned(),
        };
    };
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |at| start + at);
    match text[start..end].rfind('@') {
        Some(at) => format!("{}{}", &text[..start], &text[start + at + 1..]),
        None => text.to_owned(),
    }
}

impl fmt::Display for InvalidReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More of a text than this hides what is wrong with it.
        const SHOWN: usize = 200;
        let text: String = self.reference.chars().take(SHOWN).collect();
        let cut = if text.len() < self.reference.len() { "…" } else { "" };
        write!(f, "`{}{cut}` is not a reference to a skill: {}", visible(&text), self.problem)
    }
}

impl std::error::Error for InvalidReference {}
