//! Turns the directory of a skill into a bounded, sorted listing of what stands in it.

use crate::check::find::{Seen, is_manifest, plain};
use crate::disk::{self, Entry, Kind, ReadError};
use metier_core::{EntryKind, Folder, FolderEntry};
use std::path::{Path, PathBuf};

/// How many entries a listing holds before it is cut (DESIGN.md §5).
const MAX_ENTRIES: usize = 1_000;

/// Extensions of files that are run, so that their first bytes matter.
const SCRIPTS: &[&str] =
    &["sh", "bash", "zsh", "fish", "py", "rb", "pl", "js", "mjs", "cjs", "ts", "lua", "php", "r"];

/// Lists what stands in a skill's folder beside its own file, `manifest`, sorted by path.
///
/// Names that start with a dot and `node_modules` are left out, and links are named but not
/// followed. After 1 000 entries the listing stops and says so.
pub fn list_folder(directory: &Path, manifest: &str) -> Result<Folder, ReadError> {
    list_seen(directory, manifest, &Seen::new(), &mut Kinds)
}

/// Someone who looks at the files of a skill while its folder is listed.
pub(crate) trait Look {
    /// What the file at `place` is; `path` is its path in the skill.
    fn look(&mut self, place: &Path, path: &str) -> EntryKind;
}

/// One who wants to know no more than what the files are.
pub(crate) struct Kinds;

impl Look for Kinds {
    fn look(&mut self, place: &Path, path: &str) -> EntryKind {
        file(place, path)
    }
}

/// As [`list_folder`], but asks the disk only about directories that were not seen yet, and lets
/// `look` see the files that belong to this skill and to no skill inside it.
pub(crate) fn list_seen(
    directory: &Path,
    manifest: &str,
    seen: &Seen,
    look: &mut dyn Look,
) -> Result<Folder, ReadError> {
    let folder = Folder::new(manifest);
    let mut listing = Listing { folder, root: None, directory, seen, look, is_nested: false };
    listing.add_directory(directory, "")?;
    let mut folder = listing.folder;
    folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(folder)
}

struct Listing<'a> {
    folder: Folder,
    /// The real path of the skill, asked for when the first link is met.
    root: Option<PathBuf>,
    directory: &'a Path,
    seen: &'a Seen,
    look: &'a mut dyn Look,
    /// Whether what is listed now belongs to a skill inside this one.
    is_nested: bool,
}

impl Listing<'_> {
    fn add_directory(&mut self, directory: &Path, prefix: &str) -> Result<(), ReadError> {
        let seen = self.seen;
        let listed;
        let entries = if let Some(entries) = seen.get(plain(directory)) {
            entries
        } else {
            listed = disk::entries(directory)?;
            &listed
        };
        let was_nested = self.is_nested;
        self.is_nested |= !prefix.is_empty() && entries.iter().any(|e| is_manifest(&e.name));
        self.add(entries, prefix);
        self.is_nested = was_nested;
        Ok(())
    }

    fn add(&mut self, entries: &[Entry], prefix: &str) {
        for entry in entries {
            if entry.name.starts_with('.') || entry.name == "node_modules" {
                continue;
            }
            let path = format!("{prefix}{}", entry.name);
            if path == self.folder.manifest {
                continue;
            }
            if self.folder.entries.len() == MAX_ENTRIES {
                self.folder.truncated = true;
                return;
            }
            let kind = match entry.kind {
                Kind::File if self.is_nested => file(&entry.path, &path),
                Kind::File => self.look.look(&entry.path, &path),
                Kind::Directory => EntryKind::Directory,
                Kind::Link => EntryKind::Link { inside: self.stays_inside(&entry.path) },
                Kind::Special => EntryKind::Special,
            };
            let below = format!("{path}/");
            self.folder.entries.push(FolderEntry { path, kind });
            if entry.kind == Kind::Directory {
                // A folder we may not open holds nothing that the skill can use.
                let _ = self.add_directory(&entry.path, &below);
            }
        }
    }

    fn stays_inside(&mut self, link: &Path) -> bool {
        if self.root.is_none() {
            self.root = disk::real_path(self.directory).ok();
        }
        match (&self.root, disk::real_path(link)) {
            (Some(root), Ok(target)) => target.starts_with(root),
            _ => false,
        }
    }
}

/// Looks at the first bytes only where they can matter, to save opening every file.
pub(crate) fn file(place: &Path, path: &str) -> EntryKind {
    let executable = disk::is_executable(place);
    let shebang = is_scriptlike(path, executable) && disk::first_bytes::<2>(place) == b"#!";
    EntryKind::File { executable, shebang }
}

/// Whether a file is one that is run, so that its first bytes matter.
pub(crate) fn is_scriptlike(path: &str, executable: bool) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    executable
        || path.starts_with("scripts/")
        || extension.is_some_and(|extension| SCRIPTS.contains(&extension))
}
