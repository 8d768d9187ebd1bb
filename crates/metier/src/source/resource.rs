//! Turns the files of a skill into groups, and a file into bytes or text.

use metier_core::ResourcePath;
use serde::Serialize;
use std::borrow::Cow;

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
