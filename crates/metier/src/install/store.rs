//! Turns trees into files of a folder that all projects share, and a digest back into its tree.

use super::archive::unpack;
use super::package_limits::PackageLimits;
use super::sha256::Sha256;
use super::tree::FileTree;
use crate::disk::file_lock::FileLock;
use crate::disk::staging::sweep;
use crate::{ReadError, WriteError, disk, write_atomically};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Everything that was ever fetched, by the digest of its tree: what is there need not be fetched
/// again, by any project.
///
/// One tree is one file, a plain tar that any tool can look into. What is read is checked against
/// the digest it was asked for by, so a damaged file is as good as none.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// The store in a folder, which is made when something is put in.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, digest: &Sha256) -> PathBuf {
        self.folder.join(format!("{}.tar", digest.hex()))
    }

    /// Keeps a tree, unless it is there and sound.
    pub fn put(&self, tree: &FileTree, limits: &PackageLimits) -> Result<(), WriteError> {
        let digest = tree.digest();
        if self.get(&digest, limits).is_some() {
            return Ok(());
        }
        disk::make_folders(&self.folder)?;
        // One at a time writes, so that what a run that was killed has left can be told from what is
        // on its way.
        let held = FileLock::hold(&self.folder.join("lock")).and_then(|held| {
            sweep(&self.folder)?;
            Ok(held)
        });
        let _held = held.map_err(|source| WriteError { path: self.folder.clone(), source })?;
        write_atomically(&self.path(&digest), &pack(tree))
    }

    /// The tree with this digest, when it is there and sound.
    pub fn get(&self, digest: &Sha256, limits: &PackageLimits) -> Option<FileTree> {
        let path = self.path(digest);
        let most = limits.total_bytes.saturating_add(4096 * (limits.entries as u64 + 1));
        let bytes: Result<Vec<u8>, ReadError> =
            disk::read_capped(&path, usize::try_from(most).unwrap_or(usize::MAX));
        let tree = unpack("tree.tar", &bytes.ok()?, limits).ok()?;
        (tree.digest() == *digest).then_some(tree)
    }
}

/// A tar of the tree, the same bytes for the same tree.
fn pack(tree: &FileTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    for file in tree.files() {
        let path = file.record.path.as_str();
        let mode = if file.record.executable { 0o755 } else { 0o644 };
        if path.len() > 100 {
            // The name does not fit, so it stands in a header of its own.
            let record = extended("path", path);
            entry(&mut bytes, "long", b'x', 0o644, record.as_bytes());
        }
        let short: String = path
            .chars()
            .scan(0, |used, c| {
                *used += c.len_utf8();
                (*used <= 100).then_some(c)
            })
            .collect();
        entry(&mut bytes, &short, b'0', mode, &file.bytes);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// `length key=value LF`, where the length counts itself.
fn extended(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len() + 1;
    while length.to_string().len() + rest.len() != length {
        length += 1;
    }
    format!("{length}{rest}")
}

fn entry(bytes: &mut Vec<u8>, name: &str, kind: u8, mode: u32, contents: &[u8]) {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    let mut numbers = String::new();
    let _ =
        write!(numbers, "{mode:07o}\0{0:07o}\0{0:07o}\0{1:011o}\0{0:011o}\0", 0, contents.len());
    put(0, name.as_bytes());
    put(100, numbers.as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(contents);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
}
