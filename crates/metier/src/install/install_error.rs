//! Turns everything that can keep a skill from being installed into a reason and a way out.

use super::archive::ArchiveError;
use super::differences::Differences;
use super::foreign_lock::MigrateError;
use super::git::GitError;
use super::local::LocalError;
use super::local_path::NoHome;
use super::lock::LockError;
use super::requests::RequestsError;
use super::sha256::Sha256;
use super::web::WebError;
use crate::{ReadError, WriteError, visible};
use metier_core::{Report, ResourcePath};
use std::io;
use std::path::{Path, PathBuf};

/// Why a skill is not installed, updated or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// A repository could not be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A folder could not be read.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// The web could not be reached.
    #[error(transparent)]
    Web(#[from] WebError),
    /// An archive is refused.
    #[error("`{}` is refused: {error}", visible(location))]
    Archive {
        /// Its path or its address.
        location: String,
        /// Why.
        error: Box<ArchiveError>,
    },
    /// The home is not known.
    #[error(transparent)]
    Home(#[from] NoHome),
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A file could not be written.
    #[error(transparent)]
    Write(WriteError),
    /// The system failed.
    #[error("cannot {doing} `{}`: {reason}", visible(&path.to_string_lossy()))]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The lock cannot be used.
    #[error("`{}`: {error}", visible(&path.to_string_lossy()))]
    Lock {
        /// The lock.
        path: PathBuf,
        /// Why.
        error: LockError,
    },
    /// What people ask for cannot be read.
    #[error("`{}`: {error}", visible(&path.to_string_lossy()))]
    Requests {
        /// The file.
        path: PathBuf,
        /// Why.
        error: Box<RequestsError>,
    },
    /// The lock of another installer cannot be taken over.
    #[error("`{}`: {error}", visible(&path.to_string_lossy()))]
    Foreign {
        /// The lock.
        path: PathBuf,
        /// Why.
        error: MigrateError,
    },
    /// There is no skill at all.
    #[error("there is no `SKILL.md` in `{}`", visible(place))]
    NoSkill {
        /// Where it was looked for.
        place: String,
    },
    /// There are several, and none was chosen.
    #[error("there are {} skills in `{}`: {}", names.len(), visible(place), list(names))]
    ManySkills {
        /// Where they are.
        place: String,
        /// Their folders.
        names: Vec<String>,
    },
    /// There are skills, but not this one.
    #[error("there is no skill `{}` in `{}`", visible(name), visible(place))]
    UnknownSkill {
        /// Where it was looked for.
        place: String,
        /// The name.
        name: String,
        /// What there is.
        names: Vec<String>,
    },
    /// The `SKILL.md` of an archive is not at its root (security Z18).
    #[error("`{}` has no `SKILL.md` at its root", visible(location))]
    NotAtRoot {
        /// The archive.
        location: String,
        /// The one folder that everything is in.
        wrapper: Option<ResourcePath>,
    },
    /// A skill has no name that a folder can have.
    #[error("the skill in `{}` has no usable name: {reason}", visible(place))]
    Name {
        /// Where it is.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The `SKILL.md` is none, whatever is allowed.
    #[error("the skill in `{}` does not load: {}", visible(place), reasons.join("; "))]
    NotASkill {
        /// Where it is.
        place: String,
        /// What is wrong with it, in words.
        reasons: Vec<String>,
    },
    /// The skill has errors, or something that nobody can look into.
    #[error("`{name}` is refused: {}", reasons.join("; "))]
    Refused {
        /// The skill.
        name: String,
        /// What was found, in words.
        reasons: Vec<String>,
        /// The findings.
        report: Report,
    },
    /// Something else stands where the skill would go (security L07).
    #[error("`{}` is there already, and metier did not put it there", visible(&path.to_string_lossy()))]
    Unmanaged {
        /// The folder.
        path: PathBuf,
    },
    /// A skill of that name is installed from elsewhere.
    #[error("`{name}` is installed from `{}`, not from `{}`", visible(installed), visible(wanted))]
    OtherSource {
        /// The name.
        name: String,
        /// Where the installed one is from.
        installed: String,
        /// Where the other one is from.
        wanted: String,
    },
    /// Another installed name differs only in what some systems ignore (security N10).
    #[error("`{name}` and `{}` are one folder to some systems", visible(other))]
    Twin {
        /// The name.
        name: String,
        /// What is there.
        other: String,
    },
    /// The installed files were changed by hand.
    #[error("`{name}` was changed since it was installed: {differences}")]
    Edited {
        /// The name.
        name: String,
        /// What was changed.
        differences: Box<Differences>,
    },
    /// The installed files cannot be read as a skill any more.
    #[error("`{name}` was changed since it was installed: {reason}")]
    Odd {
        /// The name.
        name: String,
        /// What is odd.
        reason: String,
    },
    /// A link stands where the skill would go (security L02).
    #[error("`{}` is a link, and nothing is written through it", visible(&path.to_string_lossy()))]
    LinkThere {
        /// The link.
        path: PathBuf,
    },
    /// A folder on the way leads out of the project (security L03).
    #[error("`{}` leads out of the project", visible(&path.to_string_lossy()))]
    LinkOut {
        /// The link.
        path: PathBuf,
    },
    /// A file stands where a folder should be.
    #[error("`{}` is not a folder", visible(&path.to_string_lossy()))]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// What was fetched is not what was locked (security G14).
    #[error("`{name}` is not what was locked: its digest is {found}, the lock has {expected}")]
    Digest {
        /// The skill, or the archive.
        name: String,
        /// What was locked.
        expected: Sha256,
        /// What came.
        found: Sha256,
    },
    /// It would have to be fetched, and nothing may be.
    #[error("`{}` is not in the store, and nothing is fetched when offline", visible(what))]
    Offline {
        /// The skill or the reference.
        what: String,
    },
    /// No such skill is installed.
    #[error("`{}` is not installed", visible(name))]
    NotInstalled {
        /// The name.
        name: String,
    },
    /// The lock, what is asked for and what is there differ, and nothing may be changed.
    #[error("the lock is not up to date: {}", differences.join("; "))]
    Frozen {
        /// What differs, in words.
        differences: Vec<String>,
    },
    /// No such agent is known.
    #[error("`{}` is not an agent whose folder is known", visible(agent))]
    UnknownAgent {
        /// The name.
        agent: String,
    },
}

fn list(names: &[String]) -> String {
    /// More than this is a number.
    const SHOWN: usize = 12;
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("`{}`", visible(name))).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl InstallError {
    pub(crate) fn io(doing: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), reason: error.to_string() }
    }

    /// Whether it is about the place that a skill comes from, and not about the one it goes to.
    pub(crate) fn is_about_source(&self) -> bool {
        matches!(
            self,
            Self::Git(_)
                | Self::Local(_)
                | Self::Web(_)
                | Self::Archive { .. }
                | Self::Read(_)
                | Self::NoSkill { .. }
                | Self::ManySkills { .. }
                | Self::UnknownSkill { .. }
                | Self::NotAtRoot { .. }
                | Self::Name { .. }
                | Self::Offline { .. }
        )
    }

    /// What to do about it, where that can be said.
    pub fn help(&self) -> Option<String> {
        let text = match self {
            Self::Git(GitError::NoGit { .. }) => "install git, or check PATH",
            Self::Git(GitError::Credentials { .. }) => {
                "check that `git clone` works without asking: a credential helper, or a key in ssh-agent"
            }
            Self::Git(GitError::Transport { .. }) => "use `https:` or `ssh:`",
            Self::Lock { error, .. } => error.help(),
            Self::Requests { .. } => "mend the file; `docs/installing.md` describes it",
            Self::Foreign { .. } => "install what it lists with `metier add`",
            Self::ManySkills { .. } => "name one with `@skill`, or take them all with `--all`",
            Self::UnknownSkill { names, .. } => {
                return (!names.is_empty()).then(|| format!("there are {}", list(names)));
            }
            Self::NotAtRoot { wrapper: Some(wrapper), .. } => {
                return Some(format!("take what is in `{wrapper}` with `--wrapped`"));
            }
            Self::Refused { .. } => "look at it first; `--allow-findings` installs it all the same",
            Self::NotASkill { .. } => "nothing but its author can mend that",
            Self::Unmanaged { .. } | Self::OtherSource { .. } => {
                "`--force` replaces it; another `--into` keeps both"
            }
            Self::Edited { .. } | Self::Odd { .. } => {
                "`metier update` keeps your changes; `--force` drops them"
            }
            Self::LinkThere { .. } => "remove the link first",
            Self::Twin { .. } => "remove the other one first",
            Self::Digest { .. } => "if the change is meant, `metier update` takes it",
            Self::Offline { .. } => "run it once without `--offline`",
            Self::NotInstalled { .. } => "`metier installed` shows what is",
            Self::Frozen { .. } => {
                "run `metier sync`, and commit `skills.lock`; `metier sync --force` drops changes by hand"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }
}
