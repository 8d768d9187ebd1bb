//! Turns skills into an index on several threads, and an index into a file and back, so that a catalog is searched without being read again.

use crate::disk::stored_file::StoredFile;
use crate::disk::{ReadError, WriteError, read_capped, write_atomically};
use metier_core::{IndexPart, IndexUse, Ranking, SavedIndexError, SkillIndex, SkillText};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Writes an index to a file, in one step. One that was [opened](open_index) and [turned out to be
/// damaged](SkillIndex::is_damaged) is refused.
pub fn save_index(path: &Path, index: &SkillIndex) -> Result<(), WriteError> {
    let bytes = index.to_bytes();
    if index.is_damaged() {
        let source = Error::new(ErrorKind::InvalidData, "the index it comes from is damaged");
        return Err(WriteError { path: path.to_owned(), source });
    }
    write_atomically(path, &bytes)
}

/// Opens an index in a file, and reads what it needs when it needs it: the words of the skills stay
/// in the file, and for [one query](IndexUse::OneQuery) the postings too.
///
/// What is read at once is refused if it was changed, as by [`load_index`]; what is read later is
/// compared then, and [`SkillIndex::is_damaged`] tells. The file may be replaced meanwhile.
///
/// ```
/// use metier::{IndexUse, Matcher, SkillIndex, SkillText, open_index, save_index};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("skills.index");
/// let skill = SkillText { id: "pdf", name: "pdf", description: "Fills forms.", ..Default::default() };
/// save_index(&path, &SkillIndex::build([skill]))?;
/// let index = open_index(&path, IndexUse::ManyQueries)?;
/// assert_eq!(&*index.search("fill this form", 5)[0].id, "pdf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_index(path: &Path, for_use: IndexUse) -> Result<SkillIndex, LoadIndexError> {
    let file = Arc::new(StoredFile::open(path)?);
    SkillIndex::open(file, for_use)
        .map_err(|source| LoadIndexError::Saved { path: path.to_owned(), source })
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
    use super::{LoadIndexError, build_index, load_index, open_index, save_index};
    use crate::{Matcher as _, SkillIndex, SkillText, write_atomically};
    use metier_core::{IndexUse, SavedIndexError};

    fn skills() -> Vec<SkillText<'static>> {
        let skill =
            |name, description| SkillText { id: name, name, description, ..SkillText::default() };
        vec![
            SkillText { body: "Read.\n# Print\nIt.", ..skill("pdf", "Fills forms.") },
            SkillText { body: "Ink.\n# Paper\nPen.", ..skill("chart", "Draws charts.") },
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
    #[test]
    fn an_opened_index_answers_as_the_one_that_was_saved_and_can_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skills.index");
        let whole = build_index(&skills(), 2);
        save_index(&path, &whole).unwrap();
        for for_use in [IndexUse::ManyQueries, IndexUse::OneQuery] {
            let mut opened = open_index(&path, for_use).unwrap();
            assert!(opened.size().bytes < whole.size().bytes);
            assert_eq!(opened.search("charts of forms", 5), whole.search("charts of forms", 5));
            assert_eq!(opened.explain("a form", "pdf"), whole.explain("a form", "pdf"));
            assert_eq!(opened.to_bytes(), whole.to_bytes());
            let added =
                SkillText { id: "new", description: "Prints forms.", ..skills()[0].clone() };
            let mut changed = whole.clone();
            changed.update(&["pdf"], [added.clone()]);
            opened.update(&["pdf"], [added]);
            assert_eq!(opened.search("a form", 5), changed.search("a form", 5));
            assert!(!opened.is_damaged());
        }
    }

    #[test]
    fn damage_that_is_found_late_is_told_and_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skills.index");
        let mut bytes = build_index(&skills(), 1).to_bytes();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        write_atomically(&path, &bytes).unwrap();
        assert!(load_index(&path).is_err());
        let opened = open_index(&path, IndexUse::ManyQueries).unwrap();
        assert_eq!(&*opened.search("a form", 1)[0].id, "pdf");
        assert!(!opened.is_damaged());
        opened.search("mail", 1);
        assert!(opened.is_damaged());
        let copy = folder.path().join("copy.index");
        let error = save_index(&copy, &opened).unwrap_err();
        assert!(error.to_string().ends_with("the index it comes from is damaged"), "{error}");
        assert!(load_index(&copy).is_err());
    }
}
