//! Turns the listing of a skill's folder into findings about what stands in it.

use crate::name::twin_key;
use crate::{Report, Rule};
use std::collections::BTreeMap;

/// What a skill's folder holds, as far as a check needs to know.
///
/// ```
/// use metier_core::{EntryKind, Folder, FolderEntry};
///
/// let folder = Folder {
///     entries: vec![FolderEntry {
///         path: "scripts/fill.py".to_owned(),
///         kind: EntryKind::File { executable: false, shebang: true },
///     }],
///     ..Folder::new("SKILL.md")
/// };
/// assert!(folder.has("scripts/fill.py"));
/// assert!(folder.has("scripts"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers list what they see")]
pub struct Folder {
    /// The file name of the skill's own file, as it is spelt on disk.
    pub manifest: String,
    /// Everything else, sorted by path. Names that start with a dot are left out.
    pub entries: Vec<FolderEntry>,
    /// Whether there is more than was listed.
    pub truncated: bool,
}

/// A file or folder inside a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers list what they see")]
pub struct FolderEntry {
    /// The path from the skill's folder, with `/` between its parts.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "callers say what they see")]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Whether it may be executed.
        executable: bool,
        /// Whether it starts with `#!`.
        shebang: bool,
    },
    /// A folder.
    Directory,
    /// A symbolic link.
    Link {
        /// Whether it leads to something inside the skill.
        inside: bool,
    },
    /// A pipe, a socket or a device.
    Special,
}

impl Folder {
    /// A folder that holds nothing but the skill's own file.
    pub fn new(manifest: impl Into<String>) -> Self {
        Self { manifest: manifest.into(), entries: Vec::new(), truncated: false }
    }

    /// The entry at a path.
    pub fn entry(&self, path: &str) -> Option<&FolderEntry> {
        self.entries.iter().find(|entry| entry.path == path)
    }

    /// Whether there is a file or a folder at a path; the skill's own file counts.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let below = |entry: &str| {
            entry.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        path.is_empty()
            || path == "."
            || path == self.manifest
            || self.entries.iter().any(|e| below(&e.path))
    }
}

/// Checks the names and kinds of everything in the folder.
pub(crate) fn check_folder(folder: &Folder, report: &mut Report) {
    let name = folder.manifest.as_str();
    if name == "skill.md" {
        let message = "the file is called `skill.md`, the specification says `SKILL.md`";
        report.push(Rule::LowercaseFileName, None, message, |f| {
            f.with_help("rename it: many clients look for `SKILL.md` only")
        });
    } else if name != "SKILL.md" && name.eq_ignore_ascii_case("skill.md") {
        let message = format!("the file is called `{name}`, it must be called `SKILL.md`");
        report.push(Rule::FileName, None, message, |f| f.with_help("rename it to `SKILL.md`"));
    }

    let mut twins: BTreeMap<String, &str> = BTreeMap::new();
    twins.insert(twin_key(name), name);
    for entry in &folder.entries {
        let path = entry.path.as_str();
        let (parent, file) = path.rsplit_once('/').unwrap_or(("", path));
        if file.eq_ignore_ascii_case("skill.md") && entry.kind != EntryKind::Directory {
            if parent.is_empty() {
                let message = format!("`{path}` stands beside `{name}`, only one of them is read");
                report.push(Rule::TwoManifests, None, message, |f| {
                    f.with_help("keep one, called `SKILL.md`")
                });
                continue;
            }
            let message = format!("another skill stands inside this one: `{path}`");
            report.push(Rule::NestedSkill, None, message, |f| {
                f.with_help("move it beside this skill: most clients do not look inside a skill")
            });
        }
        if let Some(twin) = twins.insert(twin_key(path), path) {
            let message = format!("`{path}` and `{twin}` are the same file on some systems");
            report.push(Rule::CaseCollision, None, message, |f| f.with_help("rename one of them"));
        }
        let special = match entry.kind {
            EntryKind::Special => Some("is neither a file nor a folder"),
            EntryKind::Link { inside: false } => Some("is a link that leaves the skill"),
            _ => None,
        };
        if let Some(what) = special {
            report.push(Rule::SpecialFile, None, format!("`{path}` {what}"), |f| {
                f.with_help("replace it by a regular file: it is never read")
            });
        }
    }
}
