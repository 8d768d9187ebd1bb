//! Turns the folders that skills were found in into a record that tells whether one came or went since.
#![expect(clippy::disallowed_methods, reason = "the command looks at the folders of its user")]

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// How deep skills are looked for, as `Discovery` does unless told otherwise.
const DEPTH: usize = 6;

/// How many folders are remembered. Where there are more, their index is never taken to be up to date.
const MOST: usize = 10_000;

/// A folder that is no skill's but may get one, and when an entry of it last came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedFolder {
    path: PathBuf,
    /// `None` where there is no such folder.
    changed: Option<Duration>,
}

impl SavedFolder {
    fn new(path: PathBuf) -> Self {
        Self { changed: changed(&path), path }
    }

    /// Whether no entry of it came or went: the system notes the time of that in the folder.
    pub(crate) fn is_same(&self) -> bool {
        changed(&self.path) == self.changed
    }
}

fn changed(folder: &Path) -> Option<Duration> {
    let about = std::fs::metadata(folder).ok().filter(std::fs::Metadata::is_dir)?;
    about.modified().ok()?.duration_since(UNIX_EPOCH).ok()
}

/// The roots, and the folders below them that are no skills but may hold some. `None` where they are too
/// many to be asked every time.
pub(crate) fn without_skills(roots: &[PathBuf]) -> Option<Vec<SavedFolder>> {
    let mut folders = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = roots.iter().map(|root| (root.clone(), 0)).collect();
    while let Some((path, depth)) = open.pop() {
        if depth > 0 && is_skill(&path) {
            continue;
        }
        if folders.len() == MOST {
            return None;
        }
        folders.push(SavedFolder::new(path.clone()));
        if depth == DEPTH || is_skill(&path) {
            continue;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let below = entry.path();
            let is_looked_into = !name.starts_with(['.', '_']) && name != "node_modules";
            let is_folder = || {
                let kind = entry.file_type().ok();
                kind.is_some_and(|kind| kind.is_dir() || kind.is_symlink() && below.is_dir())
            };
            if is_looked_into && is_folder() {
                open.push((below, depth + 1));
            }
        }
    }
    Some(folders)
}

fn is_skill(folder: &Path) -> bool {
    ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::{SavedFolder, without_skills};
    use testing::Fixture;

    #[test]
    fn folders_that_may_get_a_skill_are_watched_and_those_of_skills_are_not() {
        let fixture = Fixture::new()
            .skill("skills/pdf", "")
            .dir("skills/pdf/scripts")
            .skill("skills/group/mail", "")
            .dir("skills/drafts")
            .dir("skills/.git/x")
            .dir("skills/node_modules/y");
        let roots = ["skills", "missing"].map(|root| fixture.join(root));
        let look = || without_skills(&roots).unwrap();
        let mut paths: Vec<_> = look().into_iter().map(|folder| folder.path).collect();
        paths.sort();
        let watched = ["missing", "skills", "skills/drafts", "skills/group"];
        assert_eq!(paths, watched.map(|folder| fixture.join(folder)));

        let before = look();
        let changed = |before: &[SavedFolder]| {
            let changed = before.iter().filter(|folder| !folder.is_same());
            changed.map(|folder| folder.path.clone()).collect::<Vec<_>>()
        };
        let fixture = fixture.bytes("skills/pdf/notes.md", b"");
        assert!(changed(&before).is_empty());
        let fixture = fixture.skill("skills/drafts", "");
        assert_eq!(changed(&before), [fixture.join("skills/drafts")]);
        let before = look();
        let fixture = fixture.dir("missing");
        assert_eq!(changed(&before), [fixture.join("missing")]);
    }
}
