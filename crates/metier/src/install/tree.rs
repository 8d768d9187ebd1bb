//! Turns files from anywhere into one sorted, bounded, portable value with a digest.

use super::file_record::{FileRecord, tree_digest};
use super::package_limits::PackageLimits;
use super::sha256::Sha256;
use crate::visible;
use crate::visible::is_hidden;
use metier_core::{InvalidPath, ResourcePath, twin_key};
use std::collections::BTreeMap;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization as _;

/// Names of version control, which no package has a reason to hold (security Z17, G11).
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".bzr", "git~1"];

/// The files of a skill, as they were fetched: sorted by path, none of them a link, and no two with
/// names that some system takes for one.
///
/// ```
/// use metier::install::{FileTree, PackageLimits};
///
/// let mut tree = FileTree::builder(&PackageLimits::default());
/// tree.add_file("SKILL.md", b"---\nname: pdf\n---\n".as_slice(), false).unwrap();
/// let error = tree.add_file("Skill.md", b"".as_slice(), false).unwrap_err();
/// assert_eq!(error.to_string(), "`Skill.md` and `SKILL.md` are one file to some systems");
/// let tree = tree.finish().unwrap();
/// assert_eq!(tree.files().len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTree {
    files: Vec<TreeFile>,
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeFile {
    /// Where it stands, how large it is, and its digest.
    pub record: FileRecord,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
}

/// Why files are not a tree that can be installed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A path leads out, or means something else on another system (security Z01, Z02, Z11).
    #[error("{0}")]
    Path(#[from] InvalidPath),
    /// A path holds a character that cannot be seen.
    #[error("the path `{}` holds a character that cannot be seen", visible(path))]
    Hidden {
        /// The path.
        path: String,
    },
    /// A folder of version control is inside (security Z17).
    #[error("`{}` belongs to version control and is not installed", visible(path))]
    VersionControl {
        /// The path.
        path: String,
    },
    /// A path stands twice (security Z09).
    #[error("`{}` is there twice", visible(path))]
    Duplicate {
        /// The path.
        path: String,
    },
    /// Two paths are one file where case or composition does not count (security Z10).
    #[error("`{}` and `{}` are one file to some systems", visible(path), visible(other))]
    Collision {
        /// The path that came second.
        path: String,
        /// The path that came first.
        other: String,
    },
    /// A path is a file and a folder at once (security Z10).
    #[error("`{}` is both a file and a folder", visible(path))]
    FileAndFolder {
        /// The path.
        path: String,
    },
    /// There are more files and folders than allowed (security Z12).
    #[error("`{}` is one entry too many, the limit is {limit}", visible(path))]
    TooManyEntries {
        /// The entry that was one too many.
        path: String,
        /// How many there may be.
        limit: usize,
    },
    /// A file is larger than allowed (security Z12).
    #[error("`{}` has {size} bytes or more, the limit of a file is {limit}", visible(path))]
    FileTooLarge {
        /// The file.
        path: String,
        /// Its size, as far as it is known.
        size: u64,
        /// How large it may be.
        limit: u64,
    },
    /// All files together are larger than allowed (security Z12).
    #[error("with `{}` the files have {size} bytes, the limit is {limit}", visible(path))]
    TooLarge {
        /// The file that was one too many.
        path: String,
        /// What they come to with it.
        size: u64,
        /// What they may come to.
        limit: u64,
    },
    /// There is no file at all (security Z24).
    #[error("there are no files")]
    Empty,
}

impl FileTree {
    /// A tree that is being filled.
    pub fn builder(limits: &PackageLimits) -> TreeBuilder {
        TreeBuilder {
            limits: limits.clone(),
            files: BTreeMap::new(),
            places: BTreeMap::new(),
            total: 0,
        }
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[TreeFile] {
        &self.files
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&TreeFile> {
        let at = self.files.binary_search_by(|file| file.record.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// What is remembered of each file.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &FileRecord> {
        self.files.iter().map(|file| &file.record)
    }

    /// The digest of the tree. It changes with any byte, name or executable bit and with any file
    /// that comes or goes, and with nothing else: neither times nor empty folders count.
    pub fn digest(&self) -> Sha256 {
        tree_digest(self.files.len(), self.records())
    }

    /// How many bytes the files have.
    pub fn size(&self) -> u64 {
        self.records().map(|record| record.size).sum()
    }

    /// The tree below a folder, or `None` when there is nothing.
    pub fn below(&self, folder: &ResourcePath) -> Option<Self> {
        let mut files = Vec::new();
        for file in &self.files {
            let rest = file.record.path.as_str().strip_prefix(folder.as_str());
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) else { continue };
            // A part of a path that was accepted is one that is accepted.
            let path = rest.parse().ok()?;
            let record = FileRecord { path, ..file.record.clone() };
            files.push(TreeFile { record, bytes: Arc::clone(&file.bytes) });
        }
        files.sort_by(|a, b| a.record.path.cmp(&b.record.path));
        (!files.is_empty()).then_some(Self { files })
    }

    /// The one folder that holds everything, when there is such a folder (security Z18).
    pub fn wrapper(&self) -> Option<ResourcePath> {
        let (first, _) = self.files.first()?.record.path.as_str().split_once('/')?;
        let all = self.files.iter().all(|file| file.record.path.starts_with_dir(first));
        all.then(|| first.parse().ok())?
    }
}

/// A tree that is being filled, one entry after the other. The first bad entry refuses the whole.
#[derive(Debug)]
pub struct TreeBuilder {
    limits: PackageLimits,
    files: BTreeMap<ResourcePath, TreeFile>,
    /// Every file and folder by the key under which its twins would collide.
    places: BTreeMap<String, Place>,
    total: u64,
}

#[derive(Debug)]
struct Place {
    path: String,
    kind: PlaceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceKind {
    File,
    /// A folder that only a path below it has named so far.
    Implied,
    Folder,
}

impl TreeBuilder {
    /// Checks a path and a size before anything is read: what is refused here costs nothing.
    pub fn announce(&self, path: &str, size: u64) -> Result<(), TreeError> {
        let (file, total) = (self.limits.file_bytes, self.total.saturating_add(size));
        if size > file {
            return Err(TreeError::FileTooLarge { path: path.to_owned(), size, limit: file });
        }
        if total > self.limits.total_bytes {
            let limit = self.limits.total_bytes;
            return Err(TreeError::TooLarge { path: path.to_owned(), size: total, limit });
        }
        Ok(())
    }

    /// Adds a file.
    pub fn add_file(
        &mut self,
        path: &str,
        bytes: impl Into<Arc<[u8]>>,
        executable: bool,
    ) -> Result<(), TreeError> {
        let bytes = bytes.into();
        let size = bytes.len() as u64;
        self.announce(path, size)?;
        let path = self.enter(path, PlaceKind::File)?;
        self.total += size;
        let record =
            FileRecord { path: path.clone(), sha256: Sha256::of(&bytes), size, executable };
        self.files.insert(path, TreeFile { record, bytes });
        Ok(())
    }

    /// Adds a folder. It is not kept, but its name counts.
    pub fn add_folder(&mut self, path: &str) -> Result<(), TreeError> {
        self.enter(path, PlaceKind::Folder).map(|_| ())
    }

    /// The tree.
    pub fn finish(self) -> Result<FileTree, TreeError> {
        if self.files.is_empty() {
            return Err(TreeError::Empty);
        }
        Ok(FileTree { files: self.files.into_values().collect() })
    }

    /// Takes up a path with every folder on the way to it.
    fn enter(&mut self, text: &str, kind: PlaceKind) -> Result<ResourcePath, TreeError> {
        let composed: String = text.nfc().collect();
        let path: ResourcePath = composed.parse()?;
        if composed.contains(is_hidden) {
            return Err(TreeError::Hidden { path: text.to_owned() });
        }
        if let Some(component) = path.components().find(|name| is_version_control(name)) {
            let whole = path.as_str();
            let end = whole.find(component).map_or(whole.len(), |at| at + component.len());
            return Err(TreeError::VersionControl { path: whole[..end].to_owned() });
        }
        let text = path.as_str();
        let ends = text.match_indices('/').map(|(at, _)| at);
        for end in ends.collect::<Vec<_>>() {
            self.occupy(&text[..end], PlaceKind::Implied)?;
        }
        self.occupy(text, kind)?;
        Ok(path)
    }

    fn occupy(&mut self, path: &str, kind: PlaceKind) -> Result<(), TreeError> {
        let key = path.split('/').map(twin_key).collect::<Vec<_>>().join("/");
        let Some(place) = self.places.get_mut(&key) else {
            let limit = self.limits.entries;
            if self.places.len() >= limit {
                return Err(TreeError::TooManyEntries { path: path.to_owned(), limit });
            }
            self.places.insert(key, Place { path: path.to_owned(), kind });
            return Ok(());
        };
        if place.path != path {
            let other = place.path.clone();
            return Err(TreeError::Collision { path: path.to_owned(), other });
        }
        match (place.kind, kind) {
            (PlaceKind::File, PlaceKind::File) | (PlaceKind::Folder, PlaceKind::Folder) => {
                Err(TreeError::Duplicate { path: path.to_owned() })
            }
            (PlaceKind::File, _) | (_, PlaceKind::File) => {
                Err(TreeError::FileAndFolder { path: path.to_owned() })
            }
            (PlaceKind::Implied, _) => {
                place.kind = kind;
                Ok(())
            }
            (PlaceKind::Folder, PlaceKind::Implied) => Ok(()),
        }
    }
}

fn is_version_control(component: &str) -> bool {
    let key = twin_key(component);
    VERSION_CONTROL.contains(&key.as_str())
}
