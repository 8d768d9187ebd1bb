//! Turns two lists of files into what changed from the one to the other.

use super::file_record::FileRecord;
use metier_core::ResourcePath;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// What changed between two states of a skill (security L08).
///
/// ```
/// use metier::install::{Differences, FileTree, PackageLimits};
///
/// let tree = |text: &str| {
///     let mut tree = FileTree::builder(&PackageLimits::default());
///     tree.add_file("SKILL.md", text.as_bytes(), false).unwrap();
///     tree.finish().unwrap()
/// };
/// let (old, new) = (tree("one"), tree("two"));
/// let changed = Differences::between(old.records(), new.records());
/// assert_eq!(changed.to_string(), "modified `SKILL.md`");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Differences {
    /// Files with other contents.
    pub modified: Vec<ResourcePath>,
    /// Files that were not there before.
    pub added: Vec<ResourcePath>,
    /// Files that are not there any more.
    pub removed: Vec<ResourcePath>,
    /// Files that may be run now and could not before, or the other way round.
    pub mode: Vec<ResourcePath>,
}

impl Differences {
    /// What changed from `old` to `new`.
    pub fn between<'r>(
        old: impl IntoIterator<Item = &'r FileRecord>,
        new: impl IntoIterator<Item = &'r FileRecord>,
    ) -> Self {
        let old: BTreeMap<_, _> = old.into_iter().map(|record| (&record.path, record)).collect();
        let new: BTreeMap<_, _> = new.into_iter().map(|record| (&record.path, record)).collect();
        let mut changed = Self::default();
        for (path, record) in &new {
            let path = (*path).clone();
            match old.get(&path) {
                None => changed.added.push(path),
                Some(before) if before.sha256 != record.sha256 => changed.modified.push(path),
                Some(before) if before.executable != record.executable => changed.mode.push(path),
                Some(_) => {}
            }
        }
        let gone = old.keys().filter(|path| !new.contains_key(**path));
        changed.removed.extend(gone.map(|path| (*path).clone()));
        changed
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many files changed.
    pub fn len(&self) -> usize {
        self.modified.len() + self.added.len() + self.removed.len() + self.mode.len()
    }

    /// Every change as a word and a path.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &ResourcePath)> {
        let kinds = [
            ("modified", &self.modified),
            ("added", &self.added),
            ("removed", &self.removed),
            ("mode of", &self.mode),
        ];
        kinds.into_iter().flat_map(|(word, paths)| paths.iter().map(move |path| (word, path)))
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// More than this is a number.
        const SHOWN: usize = 5;
        for (at, (word, path)) in self.iter().take(SHOWN).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{word} `{path}`")?;
        }
        match self.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
