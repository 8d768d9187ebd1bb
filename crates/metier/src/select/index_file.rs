//! Turns skills into an index on several threads, and an index into a file and back, so that a catalog is searched without being read again.

use crate::disk::{ReadError, WriteError, read_capped, write_atomically};
use metier_core::{IndexPart, Ranking, SavedIndexError, SkillIndex, SkillText};
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

/// Indexes skills, on so many threads. The index is the same however many they are.
///
/// ```
/// let skill = metier::SkillText { id: "pdf", name: "pdf", ..Default::default() };
/// assert_eq!(metier::build_index(&[skill], 2).len(), 1);
/// ```
pub fn build_index(skills: &[SkillText<'_>], threads: usize) -> SkillIndex {
    let share = skills.len().div_ceil(threads.max(1)).max(1);
    let read = |skills: &[SkillText<'_>]| IndexPart::read(skills.iter().cloned());
    let parts: Vec<IndexPart> = std::thread::scope(|scope| {
        let reading: Vec<_> =
            skills.chunks(share).map(|skills| scope.spawn(move || read(skills))).collect();
        // A thread that panicked has hit a bug; it goes on here instead of hiding.
        let join = |thread: std::thread::ScopedJoinHandle<'_, IndexPart>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        reading.into_iter().map(join).collect()
    });
    SkillIndex::join(Ranking::default(), parts)
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

#[cfg(test)]
mod tests {
    use super::{LoadIndexError, build_index, load_index, save_index};
    use crate::{Matcher as _, SkillIndex, SkillText, write_atomically};
    use metier_core::SavedIndexError;

    fn skills() -> Vec<SkillText<'static>> {
        let skill =
            |name, description| SkillText { id: name, name, description, ..SkillText::default() };
        vec![
            skill("pdf", "Fills forms."),
            skill("chart", "Draws charts."),
            skill("mail", "Sorts mail."),
        ]
    }

    #[test]
    fn threads_change_nothing() {
        let alone = SkillIndex::build(skills()).to_bytes();
        for threads in [0, 1, 2, 3, 8] {
            assert_eq!(build_index(&skills(), threads).to_bytes(), alone);
        }
        assert!(build_index(&[], 4).is_empty());
    }

    #[test]
    fn what_was_saved_is_loaded_and_what_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skills.index");
        assert!(matches!(load_index(&path), Err(LoadIndexError::Read(_))));
        save_index(&path, &build_index(&skills(), 2)).unwrap();
        assert_eq!(&*load_index(&path).unwrap().search("a form", 1)[0].id, "pdf");
        write_atomically(&path, b"metier, but not an index").unwrap();
        let error = load_index(&path).unwrap_err();
        assert!(matches!(error, LoadIndexError::Saved { source: SavedIndexError::NotAnIndex, .. }));
        assert!(error.to_string().ends_with("skills.index`: not a saved index"), "{error}");
    }
}
