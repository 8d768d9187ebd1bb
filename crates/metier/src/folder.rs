//! Turns the directory of a skill into a bounded, sorted listing of what stands in it.

use crate::disk::{self, Entry, Kind, ReadError};
use metier_core::{EntryKind, Folder, FolderEntry};
use std::path::Path;

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
    let mut listing = Listing { folder: Folder::new(manifest), root: None, directory };
    listing.add(directory, "", disk::entries(directory)?);
    let mut folder = listing.folder;
    folder.entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(folder)
}

struct Listing<'a> {
    folder: Folder,
    /// The real path of the skill, asked for when the first link is met.
    root: Option<std::path::PathBuf>,
    directory: &'a Path,
}

impl Listing<'_> {
    fn add(&mut self, directory: &Path, prefix: &str, found: Vec<Entry>) {
        for entry in found {
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
            let place = directory.join(&entry.name);
            let kind = match entry.kind {
                Kind::File => file(&place, &path),
                Kind::Directory => EntryKind::Directory,
                Kind::Link => EntryKind::Link { inside: self.stays_inside(&entry.path) },
                Kind::Special => EntryKind::Special,
            };
            self.folder.entries.push(FolderEntry { path: path.clone(), kind });
            if entry.kind == Kind::Directory {
                // A folder we may not open holds nothing that the skill can use.
                if let Ok(below) = disk::entries(&entry.path) {
                    self.add(&entry.path, &format!("{path}/"), below);
                }
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
fn file(place: &Path, path: &str) -> EntryKind {
    let executable = disk::is_executable(place);
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    let scriptlike = executable
        || path.starts_with("scripts/")
        || extension.is_some_and(|e| SCRIPTS.contains(&e));
    let shebang = scriptlike && disk::first_bytes::<2>(place) == b"#!";
    EntryKind::File { executable, shebang }
}
