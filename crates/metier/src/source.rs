//! Turns a place that skills come from into listings, files and bytes: the trait every source implements.

pub(crate) mod blocking;
pub(crate) mod folder_source;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod layers;
pub(crate) mod listed;
pub(crate) mod memory;
pub(crate) mod resource;
pub(crate) mod scopes;
#[cfg(feature = "watch")]
pub(crate) mod watch;

pub use listed::Listed;
pub(crate) use listed::skill_file;

use crate::{Files, Resource};
use metier_core::{Report, ResourcePath, Severity};
use std::fmt;
use std::future::{Future, ready};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

/// A future that can be kept in a list with others.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A place that skills come from.
///
/// A resource that a source lists is read through that source, never by joining paths. Plain
/// functions implement [`BlockingSource`](crate::BlockingSource) instead, and wait for nothing.
pub trait Source: fmt::Debug + Send + Sync {
    /// What people call the source: `project`, `user`, a folder, a host.
    fn label(&self) -> &str;

    /// Whether what the source holds may reach a model without being asked about.
    fn trust(&self) -> Trust {
        Trust::Trusted
    }

    /// Whether its skills give way to skills of the same name from any other source that is trusted as
    /// much, whatever the order: so it is with skills of other servers (SEP-2640).
    fn gives_way(&self) -> bool {
        false
    }

    /// Whether nothing of a skill is fetched before somebody asks for that skill, as it must be with
    /// skills of other servers (SEP-2640). Such skills are found by their frontmatter: their bodies are
    /// neither indexed nor compared.
    fn is_lazy(&self) -> bool {
        false
    }

    /// Every skill, without its body, and everything that kept others from being listed.
    fn list(&self) -> BoxFuture<'_, Result<Listing, SourceError>>;

    /// The bytes of a file of the skill that was listed under `key`; its own file too.
    fn read<'a>(
        &'a self,
        key: &'a str,
        path: &'a ResourcePath,
        options: &'a ReadOptions,
    ) -> BoxFuture<'a, Result<Resource, SourceError>>;

    /// The files of a skill beside its own.
    fn files<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Files, SourceError>>;

    /// Whether a skill is still what it must be, before a script of it runs. A source that knows what
    /// its skills must be says no with the file that differs; by default there is nothing to differ
    /// from.
    fn verify<'a>(&'a self, _key: &'a str) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(ready(Ok(())))
    }

    /// The keys of the skills that fit a query best, the best first, from a source that can search by
    /// itself; `None` leaves the search to us.
    ///
    /// Whether there is an answer must not depend on the query. The bodies of a source that searches
    /// are not read for the index of a registry; its order of its own skills is kept, and what they say
    /// in their frontmatter decides where they stand among those of other sources.
    fn search<'a>(
        &'a self,
        _query: &'a str,
        _limit: usize,
    ) -> Option<BoxFuture<'a, Result<Vec<String>, SourceError>>> {
        None
    }
}

/// A source that several hold is a source.
impl<S: Source + ?Sized> Source for Arc<S> {
    fn label(&self) -> &str {
        (**self).label()
    }

    fn trust(&self) -> Trust {
        (**self).trust()
    }

    fn gives_way(&self) -> bool {
        (**self).gives_way()
    }

    fn is_lazy(&self) -> bool {
        (**self).is_lazy()
    }

    fn list(&self) -> BoxFuture<'_, Result<Listing, SourceError>> {
        (**self).list()
    }

    fn read<'a>(
        &'a self,
        key: &'a str,
        path: &'a ResourcePath,
        options: &'a ReadOptions,
    ) -> BoxFuture<'a, Result<Resource, SourceError>> {
        (**self).read(key, path, options)
    }

    fn files<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Files, SourceError>> {
        (**self).files(key)
    }

    fn verify<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), SourceError>> {
        (**self).verify(key)
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
    ) -> Option<BoxFuture<'a, Result<Vec<String>, SourceError>>> {
        (**self).search(query, limit)
    }
}

/// Whether skills of a source may reach a model without a person having agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Trust {
    /// They may.
    #[default]
    Trusted,
    /// They are listed and can be looked at, but a host asks before a model sees them.
    Untrusted,
}

/// How much of a file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct ReadOptions {
    /// More than this is refused, with the size and the way to read a part.
    pub limit: usize,
    /// These bytes only, cut at the end of the file.
    pub range: Option<Range<u64>>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { limit: 1024 * 1024, range: None }
    }
}

/// What a source holds.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The skills, by name and then by key.
    pub skills: Vec<Listed>,
    /// What was found on the way: skills that do not load, folders that cannot be read, limits.
    pub problems: Vec<Problem>,
}

impl Listing {
    /// Puts skills and problems in an order that is the same everywhere.
    pub fn sort(&mut self) {
        self.skills.sort_by(Listed::order);
        self.problems.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    }
}

/// Something that kept a skill from being listed, or is worth knowing about one that was.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem {
    /// What it is about: a path or an address.
    pub location: String,
    /// An error when something is missing because of it.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What can be done about it.
    pub help: Option<String>,
    /// The findings, when it is about the text of a skill.
    pub report: Option<Report>,
}

impl Problem {
    /// A problem that is not about the text of a skill.
    pub fn new(
        location: impl Into<String>,
        severity: Severity,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            location: location.into(),
            severity,
            message: message.into(),
            help: Some(help.into()),
            report: None,
        }
    }

    /// What a report says of the skill at `location`; `None` when it says nothing.
    pub fn of_skill(location: impl Into<String>, report: Report) -> Option<Self> {
        let worst = report.iter().map(|finding| finding.severity).max()?;
        let first = report.iter().find(|finding| finding.severity == worst)?;
        let more = report.len() - 1;
        let and_more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
        Some(Self {
            location: location.into(),
            severity: worst,
            message: format!("{}{and_more}", first.message),
            help: first.help.clone(),
            report: Some(report),
        })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (location, message) = (crate::visible(&self.location), crate::visible(&self.message));
        write!(f, "{}: {location}: {message}", self.severity)
    }
}

/// Why a source gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source has no skill under this key.
    #[error("`{label}` has no skill `{}`", crate::visible(key))]
    UnknownSkill {
        /// The source.
        label: String,
        /// The key that was asked for.
        key: String,
    },
    /// The skill has no such file.
    #[error("the skill `{}` has no file `{path}`", crate::visible(key))]
    NoSuchFile {
        /// The key of the skill.
        key: String,
        /// The file that was asked for.
        path: ResourcePath,
    },
    /// The file is there, but it is not one that may be read.
    #[error("`{path}` of the skill `{}` is refused: {reason}", crate::visible(key))]
    Refused {
        /// The key of the skill.
        key: String,
        /// The file that was asked for.
        path: ResourcePath,
        /// Why, in words: it is a pipe, it leads out of the skill.
        reason: &'static str,
    },
    /// The file is larger than the limit.
    #[error(
        "`{path}` of the skill `{}` has {size} bytes, the limit is {limit}",
        crate::visible(key)
    )]
    TooLarge {
        /// The key of the skill.
        key: String,
        /// The file that was asked for.
        path: ResourcePath,
        /// How large it is.
        size: u64,
        /// How much may be read at once.
        limit: usize,
    },
    /// The file is not what was installed, or not what someone trusted (security R15).
    #[error(
        "`{path}` of the skill `{}` was changed since {since}: it was {expected}, it is {found}",
        crate::visible(key)
    )]
    Changed {
        /// The key of the skill.
        key: String,
        /// The file that was asked for.
        path: ResourcePath,
        /// Since when: `install` or `trust`.
        since: &'static str,
        /// The digest that it had then.
        expected: String,
        /// The digest that it has.
        found: String,
    },
    /// The file was not there when the skill was installed, or trusted (security R24).
    #[error(
        "`{path}` of the skill `{}` is not in its manifest: it came after {since}",
        crate::visible(key)
    )]
    NotInManifest {
        /// The key of the skill.
        key: String,
        /// The file that was asked for.
        path: ResourcePath,
        /// After what: `install` or `trust`.
        since: &'static str,
    },
    /// The source itself cannot be read.
    #[error("`{}` cannot be read: {message}", crate::visible(location))]
    Unavailable {
        /// The folder or address.
        location: String,
        /// What went wrong.
        message: String,
    },
    /// A problem was met, and the options say that one is enough to stop.
    #[error("{problem}")]
    Aborted {
        /// The problem.
        problem: Box<Problem>,
    },
}

impl SourceError {
    /// What can be done about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::UnknownSkill { .. } => "list the source again: the skill may be gone",
            Self::NoSuchFile { .. } => "list the files of the skill",
            Self::Refused { .. } => "only regular files inside the skill are read",
            Self::TooLarge { .. } => "read a range of it",
            Self::Changed { .. } | Self::NotInManifest { .. } => {
                "`metier verify` shows what differs; `metier sync --force` restores it, `metier trust` keeps it"
            }
            Self::Unavailable { .. } => "check the place and try again",
            Self::Aborted { .. } => "mend it, or let problems be reported instead",
        }
    }
}
