//! Turns a working directory, a home and a search path into the folders that skills are looked for in.

use crate::disk::{self, Kind};
use crate::source::Trust;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders below a project or a home that hold skills, in order (spec G2).
const FOLDERS: [&str; 2] = [".agents/skills", ".claude/skills"];

/// What surrounds the program. The library reads none of it by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Surroundings<'s> {
    /// Where the user is.
    pub working_directory: Option<&'s Path>,
    /// The user's home.
    pub home: Option<&'s Path>,
    /// More folders, separated as in `PATH`: the value of `METIER_PATH`.
    pub search_path: Option<&'s OsStr>,
}

/// A folder that skills are looked for in, and how far it is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scope {
    /// What people call it, unique among the scopes: `project`, `user`, `path`.
    pub label: String,
    /// The folder.
    pub path: PathBuf,
    /// Whether its skills may reach a model without being asked about.
    pub trust: Trust,
    /// The project or the home that it belongs to; none for the search path.
    pub root: Option<PathBuf>,
}

/// The standard scopes that exist, in the order in which they win:
///
/// 1. the project: `.agents/skills`, then `.claude/skills`, in the working directory, then in each
///    directory above it up to the root of the repository (the directory that holds `.git`);
///    without a repository, in the working directory only;
/// 2. the user: the same two folders in the home;
/// 3. each folder of the search path.
///
/// Project scopes are untrusted: whoever wrote the repository chose what stands there. A folder
/// that two scopes lead to counts once, for the first of them.
///
/// ```
/// use metier::{Surroundings, standard_scopes};
/// use std::path::Path;
///
/// let nowhere = Surroundings { home: Some(Path::new("/no/home")), ..Surroundings::default() };
/// assert!(standard_scopes(&nowhere).is_empty());
/// ```
pub fn standard_scopes(surroundings: &Surroundings<'_>) -> Vec<Scope> {
    let mut scopes = Scopes::default();
    if let Some(directory) = surroundings.working_directory {
        for (level, directory) in project_directories(directory).into_iter().enumerate() {
            if surroundings.home == Some(directory) {
                // What stands in the home is the user's own.
                continue;
            }
            let label = if level == 0 { "project".to_owned() } else { format!("project-{level}") };
            scopes.add_folders(&label, directory, Trust::Untrusted);
        }
    }
    if let Some(home) = surroundings.home {
        scopes.add_folders("user", home, Trust::Trusted);
    }
    let more = surroundings.search_path.into_iter().flat_map(std::env::split_paths);
    for (at, path) in more.filter(|path| !path.as_os_str().is_empty()).enumerate() {
        let label = if at == 0 { "path".to_owned() } else { format!("path-{at}") };
        scopes.add(Scope { label, path, trust: Trust::Trusted, root: None });
    }
    scopes.found
}

/// The working directory and those above it, up to the root of the repository.
fn project_directories(directory: &Path) -> Vec<&Path> {
    let above: Vec<&Path> = directory.ancestors().collect();
    // `.git` is a directory in a repository, and a file in a work tree of one.
    let root = above.iter().position(|path| disk::kind(&path.join(".git")).is_ok());
    above[..=root.unwrap_or(0)].to_vec()
}

#[derive(Default)]
struct Scopes {
    found: Vec<Scope>,
    real_paths: Vec<PathBuf>,
}

impl Scopes {
    fn add_folders(&mut self, label: &str, directory: &Path, trust: Trust) {
        for folder in FOLDERS {
            let suffix = if folder.starts_with(".agents") { "" } else { "-claude" };
            let (label, path) = (format!("{label}{suffix}"), directory.join(folder));
            self.add(Scope { label, path, trust, root: Some(directory.to_owned()) });
        }
    }

    fn add(&mut self, scope: Scope) {
        let is_folder = disk::kind(&scope.path).is_ok_and(|kind| kind == Kind::Directory);
        let Some(real) = disk::real_path(&scope.path).ok().filter(|_| is_folder) else { return };
        if !self.real_paths.contains(&real) {
            self.real_paths.push(real);
            self.found.push(scope);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::Fixture;

    fn found(fixture: &Fixture, surroundings: &Surroundings<'_>) -> Vec<String> {
        standard_scopes(surroundings)
            .into_iter()
            .map(|scope| {
                let path = scope.path.strip_prefix(fixture.path()).unwrap_or(&scope.path);
                format!("{} {} {:?}", scope.label, path.display(), scope.trust)
            })
            .collect()
    }

    #[test]
    fn the_project_comes_before_the_user_and_the_user_before_the_path() {
        let fixture = Fixture::new()
            .dir("repo/.git")
            .dir("repo/.agents/skills")
            .dir("repo/.claude/skills")
            .dir("repo/web/.agents/skills")
            .dir("repo/web/src")
            .dir("home/.agents/skills")
            .dir("shared")
            .dir(".agents/skills");
        let (here, home) = (fixture.join("repo/web/src"), fixture.join("home"));
        let path = std::env::join_paths([fixture.join("shared"), fixture.join("absent")]).unwrap();
        let surroundings = Surroundings {
            working_directory: Some(&here),
            home: Some(&home),
            search_path: Some(&path),
        };
        assert_eq!(
            found(&fixture, &surroundings),
            [
                "project-1 repo/web/.agents/skills Untrusted",
                "project-2 repo/.agents/skills Untrusted",
                "project-2-claude repo/.claude/skills Untrusted",
                "user home/.agents/skills Trusted",
                "path shared Trusted",
            ]
        );
    }

    #[test]
    fn without_a_repository_only_the_working_directory_counts() {
        let fixture = Fixture::new().dir("a/b").dir("a/.agents/skills").dir("a/b/.agents/skills");
        let here = fixture.join("a/b");
        let surroundings =
            Surroundings { working_directory: Some(&here), ..Surroundings::default() };
        assert_eq!(found(&fixture, &surroundings), ["project a/b/.agents/skills Untrusted"]);
    }

    #[test]
    fn the_home_is_no_project() {
        let fixture = Fixture::new().dir("home/.agents/skills").dir("home/.git");
        let home = fixture.join("home");
        let surroundings = Surroundings {
            working_directory: Some(&home),
            home: Some(&home),
            ..Surroundings::default()
        };
        assert_eq!(found(&fixture, &surroundings), ["user home/.agents/skills Trusted"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_two_scopes_lead_to_counts_once() {
        let fixture = Fixture::new().dir("home/.agents/skills").dir("home/.claude");
        let target = fixture.join("home/.agents/skills");
        let fixture = fixture.link("home/.claude/skills", target);
        let home = fixture.join("home");
        let surroundings = Surroundings { home: Some(&home), ..Surroundings::default() };
        assert_eq!(found(&fixture, &surroundings), ["user home/.agents/skills Trusted"]);
    }
}
