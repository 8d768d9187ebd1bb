//! Turns an index of skills into a file and back, so that a catalog is searched without being read again.

use crate::disk::{ReadError, WriteError, read_capped, write_atomically};
use metier_core::{SavedIndexError, SkillIndex};
use std::path::{Path, PathBuf};

/// How large an index file may be: some millions of skills.
const LARGEST: usize = 8 << 30;

/// Why an index was not loaded. Whatever it is, building the index anew mends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadIndexError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// What stands in the file cannot be used.
    #[error("cannot use the index `{}`: {source}", crate::visible(&path.to_string_lossy()))]
    Saved {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: SavedIndexError,
    },
}

/// Writes an index to a file, in one step.
pub fn save_index(path: &Path, index: &SkillIndex) -> Result<(), WriteError> {
    write_atomically(path, &index.to_bytes())
}

/// Reads an index from a file, in one gulp.
///
/// A file that was cut short, changed, or written by another version is refused, never trusted.
/// What has changed since it was written, [`SkillIndex::is_current`] tells and
/// [`SkillIndex::update`] mends.
///
/// ```no_run
/// # use metier::{SkillIndex, SkillText, load_index, save_index};
/// # fn skills() -> Vec<SkillText<'static>> { Vec::new() }
/// let path = "skills.index".as_ref();
/// let index = load_index(path).unwrap_or_else(|_| {
///     let index = SkillIndex::build(skills());
///     let _ = save_index(path, &index); // it is only saved to save time
///     index
/// });
/// ```
pub fn load_index(path: &Path) -> Result<SkillIndex, LoadIndexError> {
    let bytes = read_capped(path, LARGEST)?;
    SkillIndex::from_bytes(&bytes)
        .map_err(|source| LoadIndexError::Saved { path: path.to_owned(), source })
}
