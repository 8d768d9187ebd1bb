//! Turns the files of a skill into groups, and a file into bytes or text.

use metier_core::ResourcePath;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The files of a skill beside its own, in the groups of the specification (spec F1): relative,
/// with `/`, sorted. Names that start with a dot are left out, and so are skills inside the skill.
///
/// ```
/// use metier::Files;
///
/// let paths = ["scripts/fill.py", "NOTES.md"].map(|path| path.parse().unwrap());
/// let files = Files::group(paths);
/// assert_eq!(files.scripts[0].as_str(), "scripts/fill.py");
/// assert_eq!(files.len(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Files {
    /// Under `scripts/`.
    pub scripts: Vec<ResourcePath>,
    /// Under `references/`.
    pub references: Vec<ResourcePath>,
    /// Under `assets/`.
    pub assets: Vec<ResourcePath>,
    /// Everywhere else.
    pub other: Vec<ResourcePath>,
    /// Whether there are more than were listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The folders in which other skills stand. Nothing in them is a file of this skill.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<ResourcePath>,
}

impl Files {
    /// Sorts paths into groups.
    pub fn group(paths: impl IntoIterator<Item = ResourcePath>) -> Self {
        let mut files = Self::default();
        for path in paths {
            let group = match path.components().next() {
                Some("scripts") if path.starts_with_dir("scripts") => &mut files.scripts,
                Some("references") if path.starts_with_dir("references") => &mut files.references,
                Some("assets") if path.starts_with_dir("assets") => &mut files.assets,
                _ => &mut files.other,
            };
            group.push(path);
        }
        for group in
            [&mut files.scripts, &mut files.references, &mut files.assets, &mut files.other]
        {
            group.sort();
        }
        files
    }

    /// Sorts all paths of a skill into groups: without names that start with a dot, and without
    /// folders that hold a `SKILL.md` of their own, which are [`nested`](Self::nested).
    ///
    /// ```
    /// use metier::Files;
    ///
    /// let paths = ["a.md", ".env", "inner/SKILL.md", "inner/b.md"].map(|path| path.parse().unwrap());
    /// let files = Files::of_skill(paths);
    /// assert_eq!((files.len(), files.nested[0].as_str()), (1, "inner"));
    /// ```
    pub fn of_skill(paths: impl IntoIterator<Item = ResourcePath>) -> Self {
        let is_shown = |path: &ResourcePath| !path.components().any(|part| part.starts_with('.'));
        let shown: Vec<ResourcePath> = paths.into_iter().filter(is_shown).collect();
        let homes = shown.iter().filter(|path| path.file_name().eq_ignore_ascii_case("SKILL.md"));
        let homes: BTreeSet<ResourcePath> =
            homes.filter_map(|path| path.parent()?.parse().ok()).collect();
        let is_inside =
            |path: &ResourcePath, home: &ResourcePath| path.starts_with_dir(home.as_str());
        let own = shown.into_iter().filter(|path| !homes.iter().any(|home| is_inside(path, home)));
        let mut files = Self::group(own);
        let is_outer = |home: &&ResourcePath| !homes.iter().any(|other| is_inside(home, other));
        files.nested = homes.iter().filter(is_outer).cloned().collect();
        files
    }

    /// Every file: scripts, references, assets, then the others.
    pub fn iter(&self) -> impl Iterator<Item = &ResourcePath> {
        [&self.scripts, &self.references, &self.assets, &self.other].into_iter().flatten()
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A file of a skill, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// The path in the skill.
    pub path: ResourcePath,
    /// The bytes that were asked for.
    pub bytes: Vec<u8>,
    /// How large the whole file is.
    pub size: u64,
}

impl Resource {
    /// The whole of a file.
    pub fn whole(path: ResourcePath, bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self { path, bytes, size }
    }

    /// The bytes as text; `None` when they are not UTF-8, never with characters replaced.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// The bytes as text for people, with U+FFFD for what is not UTF-8.
    pub fn text_lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
