//! Turns references into verified skills on disk: reference, plan, fetch, verify, place, lock.
//!
//! Each stage is a value of its own, which can be printed and tested before the next one runs.

mod archive;
mod file_record;
mod git;
mod git_url;
mod invalid_reference;
mod local_path;
mod package_limits;
mod reference;
mod revision;
mod sha256;
mod tree;

pub use archive::{ArchiveError, ArchiveFormat, unpack};
pub use file_record::FileRecord;
pub use git::{
    Git, GitEntry, GitEntryKind, GitError, GitNotice, GitOptions, Repositories, Repository,
    Resolved,
};
pub use git_url::{GitUrl, InvalidGitUrl, Transport};
pub use invalid_reference::{InvalidReference, ReferenceProblem};
pub use local_path::{LocalPath, NoHome};
pub use package_limits::PackageLimits;
pub use reference::Reference;
pub use revision::{InvalidRevision, Revision};
pub use sha256::{InvalidSha256, Sha256};
pub use tree::{FileTree, TreeBuilder, TreeError, TreeFile};
