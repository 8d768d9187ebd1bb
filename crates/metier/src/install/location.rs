//! Turns a project or a home into the places where its skills, its lock and its requests are.

use super::install_error::InstallError;
use super::installer::read_text;
use super::lock::Lock;
use crate::disk::file_lock::FileLock;
use crate::disk::staging::standing;
use crate::disk::{self, Kind};
use crate::{Scope, Trust};
use metier_core::ResourcePath;
use std::path::{Path, PathBuf};

/// Where skills usually stand, below a project or a home.
pub(crate) const USUAL: &str = ".agents/skills";

/// Where metier keeps what is its own, below a project or a home.
const OWN: &str = ".agents/.metier";

/// Whose skills they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// A project's.
    Project,
    /// A user's.
    User,
}

impl Level {
    /// `project` or `user`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// A project or a home that skills are installed in.
///
/// ```
/// use metier::install::Location;
/// use std::path::Path;
///
/// let project = Location::project("/work/app");
/// assert_eq!(project.skills(), Path::new("/work/app/.agents/skills"));
/// assert_eq!(project.lock_file(), Path::new("/work/app/skills.lock"));
/// let user = Location::user("/home/me");
/// assert_eq!(user.lock_file(), Path::new("/home/me/.agents/skills.lock"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    level: Level,
    root: PathBuf,
}

impl Location {
    /// A project, by the folder that its lock is in.
    pub fn project(root: impl Into<PathBuf>) -> Self {
        Self { level: Level::Project, root: root.into() }
    }

    /// The project that a folder is in: the nearest one with a lock or with requests, up to the root
    /// of the repository; else that root; else the folder itself. A home is no project.
    pub fn project_of(folder: &Path, home: Option<&Path>) -> Self {
        let there = |path: &Path, name: &str| matches!(standing(&path.join(name)), Ok(Some(_)));
        let above: Vec<&Path> = folder.ancestors().collect();
        let root = above.iter().position(|path| there(path, ".git"));
        let inside = &above[..=root.unwrap_or(0)];
        let written =
            inside.iter().find(|path| there(path, "skills.toml") || there(path, "skills.lock"));
        let root = inside.last().filter(|path| home != Some(**path));
        Self::project(*written.or(root).unwrap_or(&folder))
    }

    /// The project or the home whose lock speaks of a standard scope; none for the search path.
    pub fn of_scope(scope: &Scope, home: Option<&Path>) -> Option<Self> {
        let root = scope.root.as_deref()?;
        Some(match scope.trust {
            Trust::Trusted => Self::user(root),
            Trust::Untrusted => Self::project_of(root, home),
        })
    }

    /// A user, by the home.
    pub fn user(home: impl Into<PathBuf>) -> Self {
        Self { level: Level::User, root: home.into() }
    }

    /// Whose skills they are.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The project or the home.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where skills usually stand.
    pub fn skills(&self) -> PathBuf {
        self.root.join(USUAL)
    }

    /// The lock.
    pub fn lock_file(&self) -> PathBuf {
        self.files().join("skills.lock")
    }

    /// What is locked here; nothing when there is no lock yet.
    pub(crate) fn lock(&self) -> Result<Lock, InstallError> {
        let path = self.lock_file();
        match read_text(&path)? {
            None => Ok(Lock::default()),
            Some(text) => Lock::parse(&text).map_err(|error| InstallError::Lock { path, error }),
        }
    }

    /// What people ask for.
    pub fn requests_file(&self) -> PathBuf {
        self.files().join("skills.toml")
    }

    /// A home is full of other things, so a user's files stand with the skills.
    fn files(&self) -> PathBuf {
        match self.level {
            Level::Project => self.root.clone(),
            Level::User => self.root.join(".agents"),
        }
    }

    /// The folder that the folders of skills stand in.
    pub fn folder(&self, into: Option<&ResourcePath>) -> PathBuf {
        self.root.join(into.map_or(USUAL, ResourcePath::as_str))
    }

    /// What is metier's own: the lock that one run at a time holds, and files on their way.
    pub(crate) fn own_folder(&self) -> PathBuf {
        self.root.join(OWN)
    }

    /// What metier itself has put into the skills' folders.
    pub(crate) fn owned_file(&self) -> PathBuf {
        self.own_folder().join("owned.toml")
    }

    /// Waits for the one lock of this place (security L06).
    pub(crate) fn hold(&self) -> Result<FileLock, InstallError> {
        let own = self.own_folder();
        self.confine(&own)?;
        disk::make_folders(&own).map_err(InstallError::Write)?;
        self.confine(&own)?;
        let path = own.join("lock");
        let held =
            FileLock::hold(&path).map_err(|source| InstallError::io("lock", &path, &source))?;
        let ignore = own.join(".gitignore");
        if disk::kind(&ignore).is_err() {
            crate::write_atomically(&ignore, b"*\n").map_err(InstallError::Write)?;
        }
        Ok(held)
    }

    /// Refuses a folder that a link on the way leads out of a project: whoever wrote the project has
    /// put the link there (security L02, L03). A home is the user's own.
    pub(crate) fn confine(&self, folder: &Path) -> Result<(), InstallError> {
        if self.level == Level::User {
            return Ok(());
        }
        let below = folder.strip_prefix(&self.root).unwrap_or(folder);
        let mut path = self.root.clone();
        for component in below.components() {
            path.push(component);
            match standing(&path).map_err(|source| InstallError::io("look at", &path, &source))? {
                None => break,
                Some(Kind::Directory) => {}
                Some(Kind::Link) => {
                    let (Ok(real), Ok(root)) =
                        (disk::real_path(&path), disk::real_path(&self.root))
                    else {
                        return Err(InstallError::LinkOut { path });
                    };
                    if !real.starts_with(&root) {
                        return Err(InstallError::LinkOut { path });
                    }
                }
                Some(Kind::File | Kind::Special) => {
                    return Err(InstallError::NotAFolder { path });
                }
            }
        }
        Ok(())
    }
}
