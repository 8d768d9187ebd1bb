//! Turns a skill file with fixable findings into one without them.

use crate::check::Place;
use crate::{CheckOptions, CheckedFile};
use std::path::Path;

/// How often a text is checked and mended before we stop: a fix may uncover another finding, and
/// two rules that undo each other must not run forever.
const MAX_ROUNDS: usize = 16;

/// A text after its fixes.
#[derive(Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text with every fix applied; the bytes outside the edits are as they were.
    pub text: String,
    /// How many findings are gone.
    pub count: usize,
}

/// Applies the fixes of `text` as if it stood at `path`, until none is left.
///
/// Returns `None` when there is nothing to fix.
pub fn fix(path: &Path, text: &str, options: &CheckOptions) -> Option<Fixed> {
    let place = Place::of(path, options);
    let first = place.check(text.as_bytes(), options);
    let found = first.report.len();
    let mut last = first;
    let mut current = text.to_owned();
    for _ in 0..MAX_ROUNDS {
        let next = last.report.apply_fixes(&current);
        if next == current {
            break;
        }
        last = place.check(next.as_bytes(), options);
        current = next;
    }
    let count = found.saturating_sub(last.report.len());
    (current != text).then_some(Fixed { text: current, count })
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
