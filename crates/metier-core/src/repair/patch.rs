//! Turns edits into a changed text, and places in the changed text back into places in the original.

use crate::{Edit, Span};

/// Edits in the order of the text, none overlapping another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patch {
    edits: Vec<Edit>,
}

impl Patch {
    /// Orders the edits; of two that overlap the earlier one stays.
    pub(crate) fn new(mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| (edit.span.start(), edit.span.end()));
        edits.dedup_by(|later, kept| later.span.start() < kept.span.end() || later == kept);
        Self { edits }
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits.
    pub(crate) fn into_edits(self) -> Vec<Edit> {
        self.edits
    }

    /// The text after the edits; every byte outside them stays as it is.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for edit in &self.edits {
            changed.push_str(text.get(done..edit.span.start()).unwrap_or_default());
            changed.push_str(&edit.replacement);
            done = edit.span.end();
        }
        changed.push_str(text.get(done..).unwrap_or_default());
        changed
    }

    /// The place in the original text of a place in the changed one; a place inside a replacement
    /// becomes the start of what was replaced.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let mut grown = 0isize;
        for edit in &self.edits {
            let start = edit.span.start().saturating_add_signed(grown);
            if offset <= start {
                break;
            }
            if offset < start + edit.replacement.len() {
                return edit.span.start();
            }
            grown += edit.replacement.len().cast_signed() - edit.span.len().cast_signed();
        }
        offset.saturating_add_signed(-grown)
    }

    /// The span in the original `text` of a span in the changed one.
    pub(crate) fn original_span(&self, text: &str, span: Span) -> Span {
        let (start, end) = (self.original(span.start()), self.original(span.end()));
        // A span that ends inside a replacement covers all that was replaced.
        let end = self
            .edits
            .iter()
            .find(|edit| edit.span.start() == end && !span.is_empty() && end < edit.span.end())
            .map_or(end, |edit| edit.span.end());
        Span::new(text, start..end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, range: std::ops::Range<usize>, replacement: &str) -> Edit {
        Edit { span: Span::new(text, range), replacement: replacement.to_owned() }
    }

    #[test]
    fn places_go_back_through_growing_and_shrinking_edits() {
        let text = "abcdefgh";
        let patch = Patch::new(vec![edit(text, 5..7, ""), edit(text, 1..2, "XYZ")]);
        assert_eq!(patch.apply(text), "aXYZcdeh");
        let back: Vec<_> = (0..=8).map(|at| patch.original(at)).collect();
        assert_eq!(back, [0, 1, 1, 1, 2, 3, 4, 5, 8]);
    }

    #[test]
    fn a_repeated_edit_is_made_once() {
        let text = "abc";
        let patch = Patch::new(vec![edit(text, 1..1, "-"), edit(text, 1..1, "-")]);
        assert_eq!(patch.apply(text), "a-bc");
    }
}
