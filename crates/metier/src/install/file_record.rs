//! Turns a file of a skill into what a lock remembers of it, and all of them into one digest.

use super::sha256::Sha256;
use metier_core::ResourcePath;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// What is remembered of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FileRecord {
    /// Where it stands in the skill, in NFC form.
    pub path: ResourcePath,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// How many bytes it has.
    pub size: u64,
    /// Whether it may be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// Sets these digests apart from those of anything else that is hashed (security L10).
const DOMAIN: &[u8] = b"metier tree 1\n";

/// One digest for all files, which must be sorted by path.
///
/// What is hashed is the number of files, then for each of them: the length of its path, the path,
/// one byte for "may be run", its size and its own digest; all numbers as eight bytes, the largest
/// first. Every field has a length of its own, so no two different trees are hashed alike.
pub(crate) fn tree_digest<'r>(
    count: usize,
    records: impl Iterator<Item = &'r FileRecord>,
) -> Sha256 {
    let mut hasher = sha2::Sha256::new();
    hasher.update(DOMAIN);
    hasher.update((count as u64).to_be_bytes());
    for record in records {
        let path = record.path.as_str().as_bytes();
        hasher.update((path.len() as u64).to_be_bytes());
        hasher.update(path);
        hasher.update([u8::from(record.executable)]);
        hasher.update(record.size.to_be_bytes());
        hasher.update(record.sha256.as_bytes());
    }
    Sha256::finish(hasher)
}
