//! Turns the address of a repository and a revision into a commit, its entries and the files below a folder.

mod blobs;
mod config;
mod entries;
mod history;
mod process;
mod refs;
mod workspace;

pub use entries::{GitEntry, GitEntryKind};
pub use history::History;

use super::git_url::GitUrl;
use super::package_limits::PackageLimits;
use super::progress::Progress;
use super::revision::Revision;
use super::tree::{FileTree, TreeError};
use crate::visible;
use metier_core::ResourcePath;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use workspace::Workspace;

/// How repositories are reached. A host that has its own way implements this.
pub trait Repositories {
    /// The commit that a revision means now; without one, what the repository shows first.
    fn resolve(&self, url: &GitUrl, revision: Option<&Revision>) -> Result<Resolved, GitError>;

    /// The repository as of one commit.
    fn open(&self, url: &GitUrl, at: &Resolved) -> Result<Box<dyn Repository>, GitError>;

    /// Where one commit stands seen from an earlier choice, as far as that can be told.
    fn history(&self, _url: &GitUrl, _locked: &str, _now: &str) -> Result<History, GitError> {
        Ok(History::Unknown)
    }
}

/// A repository as of one commit.
pub trait Repository {
    /// Everything in it, sorted by path.
    fn entries(&self) -> &[GitEntry];

    /// The files below a folder; all of them without one. Only these are fetched.
    fn tree(
        &self,
        folder: Option<&ResourcePath>,
        limits: &PackageLimits,
    ) -> Result<FileTree, GitError>;

    /// What is worth knowing, such as a redirect.
    fn notices(&self) -> &[GitNotice];
}

/// What a revision means.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolved {
    /// The whole name of the tag or branch: `refs/tags/v1`. `None` for a commit.
    pub reference: Option<String>,
    /// The id of the commit.
    pub commit: String,
    /// What is worth knowing about the choice.
    pub notices: Vec<GitNotice>,
}

impl Resolved {
    /// A commit that is known by its id.
    pub fn commit(id: impl Into<String>) -> Self {
        Self { reference: None, commit: id.into(), notices: Vec::new() }
    }
}

/// Something that a caller should hear about a repository that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitNotice {
    /// The server sent us to another address (security G14).
    Redirected {
        /// The address.
        to: String,
    },
    /// A submodule stands in the skill, and was left out (security G07).
    Submodule {
        /// Its path in the repository.
        path: String,
    },
    /// A tag and a branch have the name; the tag was taken.
    TagAndBranch {
        /// The name.
        name: String,
    },
}

impl fmt::Display for GitNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Redirected { to } => write!(f, "the repository has moved to `{}`", visible(to)),
            Self::Submodule { path } => {
                write!(f, "`{}` is another repository, and was left out", visible(path))
            }
            Self::TagAndBranch { name } => {
                write!(f, "`{}` is a tag and a branch, the tag was taken", visible(name))
            }
        }
    }
}

/// Why a repository could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// There is no git to run.
    #[error("`{}` cannot be run: {reason}", visible(&program.to_string_lossy()))]
    NoGit {
        /// The program.
        program: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The way to the repository is not open to this caller.
    #[error("`{url}` is reached by a transport that is not allowed here")]
    Transport {
        /// The address.
        url: GitUrl,
    },
    /// The server wants to know who is asking, and nobody may be asked (security G16).
    #[error("`{url}` needs credentials: {message}")]
    Credentials {
        /// The address.
        url: GitUrl,
        /// What git said.
        message: String,
    },
    /// Git could not do it.
    #[error("git cannot {doing} `{url}`: {message}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// The address.
        url: GitUrl,
        /// What git said.
        message: String,
    },
    /// It took too long (security G15).
    #[error("`{url}` took longer than {} seconds", limit.as_secs())]
    Slow {
        /// The address.
        url: GitUrl,
        /// How long it may take.
        limit: Duration,
    },
    /// The server sent too much (security G15).
    #[error("`{url}` sends more than {limit} bytes")]
    TooLarge {
        /// The address.
        url: GitUrl,
        /// How much it may send.
        limit: u64,
    },
    /// There is no such tag, branch or commit.
    #[error("`{url}` has no tag, branch or commit `{revision}`")]
    UnknownRevision {
        /// The address.
        url: GitUrl,
        /// What was asked for.
        revision: String,
    },
    /// The repository has no commit at all.
    #[error("`{url}` has no commit")]
    Empty {
        /// The address.
        url: GitUrl,
    },
    /// The server does not give out this commit.
    #[error("`{url}` does not have the commit `{commit}` any more, or does not give it out")]
    CommitGone {
        /// The address.
        url: GitUrl,
        /// The commit.
        commit: String,
    },
    /// There is no such folder.
    #[error("there is no folder `{path}` in the repository")]
    NoFolder {
        /// The folder.
        path: ResourcePath,
    },
    /// A link stands in the skill (security G09).
    #[error("`{}` is a link, and links are not installed", visible(path))]
    Link {
        /// Its path in the repository.
        path: String,
    },
    /// A submodule stands in the skill (security G07).
    #[error("`{}` is another repository, and those are not installed", visible(path))]
    Submodule {
        /// Its path in the repository.
        path: String,
    },
    /// A path is not UTF-8 (security G11).
    #[error("the path `{}` is not UTF-8", visible(path))]
    NotUtf8 {
        /// The path, with marks for what could not be read.
        path: String,
    },
    /// The files are not a tree that can be installed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A temporary folder could not be made or read.
    #[error("cannot use `{}`: {reason}", visible(&path.to_string_lossy()))]
    Temporary {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// What the system's git may do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct GitOptions {
    /// Whether `file:` repositories are read.
    pub allow_file: bool,
    /// Whether `http:` is fine when the server is on this very machine.
    pub allow_loopback_http: bool,
    /// How long one step may take.
    pub timeout: Duration,
    /// How much a server may send.
    pub max_bytes: u64,
}

impl Default for GitOptions {
    fn default() -> Self {
        Self {
            allow_file: false,
            allow_loopback_http: false,
            timeout: Duration::from_secs(120),
            max_bytes: 200 * 1024 * 1024,
        }
    }
}

/// The git of this system, run so that a repository is data and nothing else.
///
/// A bare, shallow clone without file contents is made in a temporary folder, and read with
/// `ls-tree` and `cat-file`. There is never a working tree, so nothing in a repository (links,
/// submodules, filters, hooks) can come to life (security G07 to G10). Of the user's own
/// configuration git sees what says how hosts are reached: credentials, proxies, certificates,
/// rewritten addresses and the ssh command.
///
/// ```no_run
/// use metier::install::{Git, GitOptions, Repositories};
///
/// let git = Git::new("/usr/bin/git", std::env::vars_os(), "/var/cache/metier", GitOptions::default());
/// let url = "https://github.com/anthropics/skills".parse().unwrap();
/// let resolved = git.resolve(&url, None)?;
/// println!("{}", resolved.commit);
/// # Ok::<(), metier::install::GitError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    temporary: PathBuf,
    options: GitOptions,
    progress: Progress,
}

impl Git {
    /// A git at `program`, in this environment, with temporary folders below `temporary`.
    ///
    /// Variables whose names start with `GIT_` are not passed on (security G17).
    pub fn new(
        program: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        temporary: impl Into<PathBuf>,
        options: GitOptions,
    ) -> Self {
        let environment =
            environment.into_iter().filter(|(name, _)| process::is_passed_on(name)).collect();
        let (program, temporary) = (program.into(), temporary.into());
        Self { program, environment, temporary, options, progress: Progress::default() }
    }

    /// The first `git` of a search path. Relative folders do not count: they mean another program
    /// in every working directory.
    pub fn find(search_path: &OsStr) -> Option<PathBuf> {
        let name = format!("git{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(search_path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|path| crate::disk::kind(path).is_ok_and(|kind| kind == crate::disk::Kind::File))
    }

    /// Lets someone hear how far a fetch is.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }
}

impl Repositories for Git {
    fn resolve(&self, url: &GitUrl, revision: Option<&Revision>) -> Result<Resolved, GitError> {
        if let Some(revision) = revision.filter(|revision| revision.is_commit()) {
            return Ok(Resolved::commit(revision.as_str()));
        }
        let workspace = Workspace::open(self, url)?;
        refs::resolve(&workspace.program, revision)
    }

    fn open(&self, url: &GitUrl, at: &Resolved) -> Result<Box<dyn Repository>, GitError> {
        let workspace = Workspace::open(self, url)?;
        let program = &workspace.program;
        let mut notices = at.notices.clone();
        notices.extend(blobs::fetch_commit(program, at)?);
        let listed =
            program.run("list", &["ls-tree", "-r", "-z", "--full-tree", &at.commit], &[])?.stdout;
        let entries = GitEntry::parse_all(&listed);
        Ok(Box::new(Bare { workspace, entries, notices }))
    }

    fn history(&self, url: &GitUrl, locked: &str, now: &str) -> Result<History, GitError> {
        let mut workspace = Workspace::open(self, url)?;
        history::compare(&mut workspace.program, locked, now)
    }
}

/// A bare repository whose files are fetched when they are asked for.
#[derive(Debug)]
struct Bare {
    workspace: Workspace,
    entries: Vec<GitEntry>,
    notices: Vec<GitNotice>,
}

impl Repository for Bare {
    fn entries(&self) -> &[GitEntry] {
        &self.entries
    }

    fn tree(
        &self,
        folder: Option<&ResourcePath>,
        limits: &PackageLimits,
    ) -> Result<FileTree, GitError> {
        let wanted = entries::below(&self.entries, folder)?;
        // Names are judged before anything is fetched for them.
        let mut names = FileTree::builder(limits);
        for file in &wanted {
            names.add_file(&file.path, b"".as_slice(), false)?;
        }
        let mut tree = FileTree::builder(limits);
        let sizes = blobs::fetch(&self.workspace.program, &wanted)?;
        for (file, size) in wanted.iter().zip(sizes) {
            tree.announce(&file.path, size)?;
        }
        let contents = blobs::read(&self.workspace.program, &wanted)?;
        for (file, bytes) in wanted.iter().zip(contents) {
            tree.add_file(&file.path, bytes, file.executable)?;
        }
        Ok(tree.finish()?)
    }

    fn notices(&self) -> &[GitNotice] {
        &self.notices
    }
}

/// A path of this process as text for git, which wants it without the prefix that Windows adds.
fn plain(path: &Path) -> OsString {
    let text = path.as_os_str();
    match text.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) => rest.into(),
        None => text.to_owned(),
    }
}
