//! Turns a skill file with fixable findings into one without them.

use crate::check::Place;
use crate::disk::{self, ReadError};
use crate::{CheckOptions, CheckedFile};
use std::path::Path;

/// How often a text is checked and mended before we stop: a fix may uncover another finding, and
/// two rules that undo each other must not run forever.
const MAX_ROUNDS: usize = 16;

/// A text before and after its fixes.
#[derive(Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text as it was.
    pub before: String,
    /// The text with every fix applied; the bytes outside the edits are as they were.
    pub after: String,
    /// How many of the fixable findings are gone.
    pub count: usize,
}

/// Applies the fixes of `text` as if it stood at `path`, until none is left. Writes nothing.
///
/// Returns `None` when there is nothing to fix.
pub fn fix_text(path: &Path, text: &str, options: &CheckOptions) -> Option<Fixed> {
    let place = Place::of(path, options);
    let mut checked = place.check(text.as_bytes(), options);
    let found = checked.fixable();
    let mut current = text.to_owned();
    for _ in 0..MAX_ROUNDS {
        let next = checked.report.apply_fixes(&current);
        if next == current {
            break;
        }
        checked = place.check(next.as_bytes(), options);
        current = next;
    }
    let count = found.saturating_sub(checked.fixable());
    (current != text).then(|| Fixed { before: text.to_owned(), after: current, count })
}

/// Applies the fixes of a file, until none is left. Writes nothing; see
/// [`write_atomically`](crate::write_atomically).
///
/// Returns `None` when there is nothing to fix, as in a file that is not UTF-8.
pub fn fix_path(path: &Path, options: &CheckOptions) -> Result<Option<Fixed>, ReadError> {
    let bytes = disk::read_capped(path, options.parse.limits.file_bytes)?;
    let text = String::from_utf8(bytes).ok();
    Ok(text.and_then(|text| fix_text(path, &text, options)))
}

impl CheckedFile {
    /// How many findings `--fix` would work on.
    pub fn fixable(&self) -> usize {
        self.report.iter().filter(|finding| is_fixable(finding)).count()
    }
}

/// Whether the finding comes with an edit of the skill file.
pub(crate) fn is_fixable(finding: &metier_core::Finding) -> bool {
    finding.fix.is_some() && finding.file.is_none()
}
