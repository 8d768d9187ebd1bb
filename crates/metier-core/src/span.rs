//! Turns byte offsets into spans that never cut a character, and spans into lines and columns.

use serde::Serialize;
use std::ops::Range;

/// A range of bytes in a text, always on character boundaries of that text.
///
/// A span can only be made together with the text it points into, which is what makes slicing
/// with it safe.
///
/// ```
/// use metier_core::Span;
///
/// let text = "naïve";
/// // Byte 3 lies inside `ï`; the span is widened to hold the whole character.
/// let span = Span::new(text, 2..3);
/// assert_eq!(span.slice(text), "ï");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    /// Makes a span of `text`: clamped to its length and widened to whole characters.
    pub fn new(text: &str, range: Range<usize>) -> Self {
        let mut start = range.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = range.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self { start, end }
    }

    /// Makes the empty span at `offset`.
    pub fn at(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        Self { start: offset, end: offset }
    }

    /// The whole of `text`.
    pub fn all(text: &str) -> Self {
        Self { start: 0, end: text.len() }
    }

    /// The first byte.
    pub fn start(self) -> usize {
        self.start
    }

    /// The byte after the last one.
    pub fn end(self) -> usize {
        self.end
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the span covers nothing and only marks a place.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as a range of byte offsets.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The part of `text` that the span covers; empty when the span was made for another, shorter
    /// text.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }

    /// Whether the two spans share a byte, or one of them marks a place strictly inside the other.
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The smallest span that covers both.
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place as people count: lines and columns from 1, columns in Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters (Unicode scalar values).
    pub column: usize,
}

/// Where the lines of a text start, to turn byte offsets into [`Position`]s on demand.
///
/// A line ends with `\n`, `\r\n` or a lone `\r`, as in YAML 1.2 (§5.4).
///
/// ```
/// use metier_core::{LineIndex, Position};
///
/// let text = "name: é\r\ndescription: x";
/// let lines = LineIndex::new(text);
/// assert_eq!(lines.position(text, 11), Position { line: 2, column: 2 });
/// ```
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Finds the start of every line of `text`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        starts.extend(memchr::memchr2_iter(b'\n', b'\r', bytes).filter_map(|at| {
            let ends_line = bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
            ends_line.then_some(at + 1)
        }));
        Self { starts }
    }

    /// The line and column of a byte offset; an offset past the end is taken as the end.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = Span::at(text, offset).start();
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        Position { line, column: text[start..offset].chars().count() + 1 }
    }

    /// How many lines there are; a final line break does not start another line.
    pub fn line_count(&self, text: &str) -> usize {
        let last = self.starts[self.starts.len() - 1];
        if last == text.len() { self.starts.len() - 1 } else { self.starts.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_end_with_lf_crlf_or_a_lone_cr() {
        let text = "a\nb\r\nc\rd";
        let lines = LineIndex::new(text);
        let line_of = |at| lines.position(text, at).line;
        assert_eq!([line_of(0), line_of(2), line_of(5), line_of(7)], [1, 2, 3, 4]);
        assert_eq!(lines.line_count(text), 4);
        assert_eq!(LineIndex::new("a\n").line_count("a\n"), 1);
        assert_eq!(LineIndex::new("").line_count(""), 0);
    }

    #[test]
    fn a_place_inside_a_span_overlaps_it_and_a_place_at_its_edge_does_not() {
        let text = "abcdef";
        let span = Span::new(text, 1..4);
        assert!(span.overlaps(Span::at(text, 2)));
        assert!(!span.overlaps(Span::at(text, 1)));
        assert!(!span.overlaps(Span::at(text, 4)));
        assert!(!span.overlaps(Span::new(text, 4..6)));
    }

    proptest! {
        #[test]
        fn spans_are_on_character_boundaries(text in "\\PC{0,40}", a in 0usize..200, b in 0usize..200) {
            let span = Span::new(&text, a..b);
            prop_assert!(text.is_char_boundary(span.start()) && text.is_char_boundary(span.end()));
            prop_assert!(span.start() <= span.end());
            let position = LineIndex::new(&text).position(&text, a);
            prop_assert!(position.line >= 1 && position.column >= 1);
        }
    }
}
