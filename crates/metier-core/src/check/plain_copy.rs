//! Turns text into a copy without what is invisible, and places in the copy back into places in the text.

use crate::Span;
use crate::check::hidden::{self, is_hidden};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization as _;

/// Text without what is invisible, and the way back from its bytes to those of the original.
pub(crate) struct PlainCopy<'t> {
    /// The plain text.
    pub(crate) text: Cow<'t, str>,
    /// For each byte of the copy, its byte in the original; empty when the two are the same.
    origins: Vec<usize>,
    base: usize,
}

impl<'t> PlainCopy<'t> {
    /// Makes the copy of `text[range]`; without a copy when there is nothing to take out.
    pub(crate) fn new(text: &'t str, range: Range<usize>) -> Self {
        let source = &text[range.clone()];
        if !is_odd(source) {
            return Self { text: Cow::Borrowed(source), origins: Vec::new(), base: range.start };
        }
        let mut copy = String::with_capacity(source.len());
        let mut origins = Vec::with_capacity(source.len() + 1);
        for (at, c) in source.char_indices().filter(|&(_, c)| !is_hidden(c)) {
            for c in std::iter::once(c).nfkc() {
                copy.push(c);
                origins.resize(copy.len(), range.start + at);
            }
        }
        origins.push(range.end);
        Self { text: Cow::Owned(copy), origins, base: range.start }
    }

    /// Whether something was taken out or written plainly.
    pub(crate) fn differs(&self) -> bool {
        matches!(self.text, Cow::Owned(_))
    }

    /// The span in the original of a range of the copy.
    pub(crate) fn span(&self, original: &str, range: Range<usize>) -> Span {
        let place = |at: usize| self.origins.get(at).copied().unwrap_or(self.base + at);
        Span::new(original, place(range.start)..place(range.end))
    }
}

/// Whether a text holds hidden characters or full-width letters, so that a plain copy differs.
fn is_odd(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = hidden::suspect(bytes, at) {
        if text[found..].chars().next().is_some_and(is_hidden) {
            return true;
        }
        at = found + 1;
    }
    let full_width = |at: usize| matches!(bytes.get(at + 1), Some(0xbc | 0xbd));
    memchr::memchr_iter(0xef, bytes).any(full_width)
}
