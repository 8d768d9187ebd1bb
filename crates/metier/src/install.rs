//! Turns references into verified skills on disk: reference, plan, fetch, verify, place, lock.
//!
//! Each stage is a value of its own, which can be printed and tested before the next one runs.

mod add;
mod age;
mod agent;
mod archive;
mod candidates;
mod differences;
mod file_record;
mod foreign_lock;
mod git;
mod git_url;
mod install_error;
mod installer;
mod invalid_reference;
mod local;
mod local_path;
mod location;
mod lock;
mod merge;
mod origin;
mod owned;
mod package_limits;
mod placement;
mod plan;
mod progress;
mod reference;
mod requests;
mod revision;
mod sealed_folder;
mod sha256;
mod status;
mod store;
mod sync;
mod tree;
mod trust;
mod update;
mod verified;
mod web;

pub use agent::agents;
pub use archive::{ArchiveError, ArchiveFormat, unpack};
pub use differences::Differences;
pub use file_record::FileRecord;
pub use foreign_lock::{MigrateError, Migrated, TakenOver, migrate};
pub use git::{
    Git, GitEntry, GitEntryKind, GitError, GitNotice, GitOptions, History, Repositories,
    Repository, Resolved,
};
pub use git_url::{GitUrl, InvalidGitUrl, Transport};
pub use install_error::InstallError;
pub use installer::{Existing, InstallOptions, Installer, Network, OlderVersion, Step, Wrapper};
pub use invalid_reference::{InvalidReference, ReferenceProblem};
pub use local::{LocalError, read_folder};
pub use local_path::{LocalPath, NoHome};
pub use location::{Level, Location};
pub use lock::{LinkMode, Lock, LockError, LockedSkill};
pub use origin::Origin;
pub use package_limits::PackageLimits;
pub use placement::{Change, Placement};
pub use plan::{Plan, PlannedFetch, Selection};
pub use progress::{Progress, Received};
pub use reference::Reference;
pub use requests::{Request, Requests, RequestsError};
pub use revision::{InvalidRevision, Revision};
pub use sealed_folder::SealedFolder;
pub use sha256::{InvalidSha256, Sha256};
pub use status::{State, Status, resolve};
pub use store::Store;
pub use sync::{SyncMode, Synced};
pub use tree::{FileTree, TreeBuilder, TreeError, TreeFile};
pub use trust::{Judgement, TrustRecord};
pub use update::{Outcome, Update};
pub use verified::{Concern, Fetched, Findings, Verified};
pub use web::{OverHttp, Web, WebError};
