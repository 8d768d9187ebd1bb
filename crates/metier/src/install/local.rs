//! Turns a folder on this machine into a tree of files, and never into anything outside of it.

use super::package_limits::PackageLimits;
use super::tree::{FileTree, TreeBuilder, TreeError};
use crate::discover::confined::{Confined, Refusal};
use crate::disk::Kind;
use crate::visible;
use metier_core::twin_key;
use std::path::{Path, PathBuf};

/// Folders of version control. A folder that someone works in has one, and it is left out.
const LEFT_OUT: [&str; 4] = [".git", ".hg", ".svn", ".bzr"];

/// Why a folder is not a tree that can be installed (security L18).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// There is no such folder.
    #[error("there is no folder `{}`", visible(&path.to_string_lossy()))]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// A link stands in it.
    #[error("`{}` is a link, and links are not installed", visible(path))]
    Link {
        /// Its path in the folder.
        path: String,
    },
    /// A pipe, a socket or a device stands in it.
    #[error("`{}` is neither a file nor a folder", visible(path))]
    Special {
        /// Its path in the folder.
        path: String,
    },
    /// A name is not Unicode.
    #[error("the name `{}` is not Unicode", visible(path))]
    NotUnicode {
        /// Its path in the folder, with marks for what could not be read.
        path: String,
    },
    /// Something could not be read.
    #[error("cannot read `{}`: {reason}", visible(path))]
    Unreadable {
        /// Its path in the folder, or the folder.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// The files are not a tree that can be installed.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// Reads every file of a folder through one open handle. Links, pipes and devices refuse the whole,
/// and folders of version control are left out.
///
/// ```no_run
/// use metier::install::{PackageLimits, read_folder};
/// use std::path::Path;
///
/// let tree = read_folder(Path::new("skills/pdf"), &PackageLimits::default())?;
/// println!("{} files, {}", tree.files().len(), tree.digest());
/// # Ok::<(), metier::install::LocalError>(())
/// ```
pub fn read_folder(folder: &Path, limits: &PackageLimits) -> Result<FileTree, LocalError> {
    let open = Confined::open(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            LocalError::Missing { path: folder.to_owned() }
        }
        _ => LocalError::Unreadable {
            path: folder.to_string_lossy().into_owned(),
            reason: error.to_string(),
        },
    })?;
    let mut tree = FileTree::builder(limits);
    add_folder(&open, "", limits, &mut tree)?;
    Ok(tree.finish()?)
}

fn add_folder(
    open: &Confined,
    prefix: &str,
    limits: &PackageLimits,
    tree: &mut TreeBuilder,
) -> Result<(), LocalError> {
    let here = if prefix.is_empty() { "." } else { prefix };
    let unreadable = |reason: String| LocalError::Unreadable { path: here.to_owned(), reason };
    let entries = open.all_entries(Path::new(here)).map_err(|it| unreadable(it.to_string()))?;
    for (name, kind) in entries {
        let Some(name) = name.to_str() else {
            return Err(LocalError::NotUnicode {
                path: format!("{prefix}{}", name.to_string_lossy()),
            });
        };
        let path = format!("{prefix}{name}");
        match kind {
            Kind::Link => return Err(LocalError::Link { path }),
            Kind::Special => return Err(LocalError::Special { path }),
            // A file of that name is a work tree of a repository elsewhere.
            _ if LEFT_OUT.contains(&twin_key(name).as_str()) => {}
            Kind::Directory => {
                tree.add_folder(&path)?;
                add_folder(open, &format!("{path}/"), limits, tree)?;
            }
            Kind::File => {
                let (bytes, executable) = open
                    .read_whole(Path::new(&path), limits.file_bytes)
                    .map_err(|refusal| refused(&path, refusal, limits))?;
                tree.add_file(&path, bytes, executable)?;
            }
        }
    }
    Ok(())
}

fn refused(path: &str, refusal: Refusal, limits: &PackageLimits) -> LocalError {
    let path = path.to_owned();
    match refusal {
        Refusal::TooLarge { size } => {
            TreeError::FileTooLarge { path, size, limit: limits.file_bytes }.into()
        }
        Refusal::Missing => LocalError::Unreadable { path, reason: "it is gone".to_owned() },
        Refusal::Forbidden(reason) => LocalError::Unreadable { path, reason: reason.to_owned() },
        Refusal::Failed(error) => LocalError::Unreadable { path, reason: error.to_string() },
    }
}
