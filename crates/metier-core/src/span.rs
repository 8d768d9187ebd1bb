//! Turns byte offsets into spans that never cut a character, and spans into lines and columns.

use serde::Serialize;
use std::ops::Range;

/// A range of bytes in a text, always on character boundaries of that text.
///
/// A span can only be made together with the text it points into, which is what makes slicing
/// with it safe. It reaches as far as 4 GiB, a thousand times the largest file that is read: catalogs
/// hold many spans, and half the size is half the memory.
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
    start: u32,
    end: u32,
}

impl Span {
    /// Makes a span of `text`: clamped to its length and widened to whole characters.
    pub fn new(text: &str, range: Range<usize>) -> Self {
        let length = reach(text);
        let mut start = range.start.min(length);
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = range.end.clamp(start, length);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Self { start: start as u32, end: end as u32 }
    }

    /// Makes the empty span at `offset`.
    pub fn at(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(reach(text));
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        Self { start: offset as u32, end: offset as u32 }
    }

    /// The whole of `text`.
    pub fn all(text: &str) -> Self {
        Self { start: 0, end: reach(text) as u32 }
    }

    /// A span that was made before and kept as two numbers.
    pub(crate) fn unpacked(range: Range<usize>) -> Self {
        Self { start: range.start as u32, end: range.end as u32 }
    }

    /// The first byte.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// The byte after the last one.
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        self.end() - self.start()
    }

    /// Whether the span covers nothing and only marks a place.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as a range of byte offsets.
    pub fn range(self) -> Range<usize> {
        self.start()..self.end()
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

/// How far spans of a text reach: to its end, or to the last character that 32 bits can count to.
fn reach(text: &str) -> usize {
    let mut end = text.len().min(u32::MAX as usize);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// A place as people count: lines and columns from 1, columns in Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "a place is a line and a column")]
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
    /// How many characters stand before each block of bytes: a column far out in a long line is
    /// found without counting from the start of the line.
    blocks: Vec<usize>,
}

/// How many bytes are counted at most to find a column.
const BLOCK: usize = 4096;

impl LineIndex {
    /// Finds the start of every line of `text`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        starts.extend(memchr::memchr2_iter(b'\n', b'\r', bytes).filter_map(|at| {
            let ends_line = bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
            ends_line.then_some(at + 1)
        }));
        let mut blocks = vec![0];
        let mut characters = 0;
        blocks.extend(bytes.chunks(BLOCK).map(|block| {
            characters += count_characters(block);
            characters
        }));
        Self { starts, blocks }
    }

    /// The line and column of a byte offset; an offset past the end is taken as the end.
    pub fn position(&self, text: &str, offset: usize) -> Position {
        let offset = Span::at(text, offset).start();
        let line = self.line(offset);
        let start = self.starts[line - 1];
        let column = if offset - start <= BLOCK {
            count_characters(&text.as_bytes()[start..offset])
        } else {
            self.characters_before(text, offset).saturating_sub(self.characters_before(text, start))
        };
        Position { line, column: column + 1 }
    }

    /// The number, from 1, of the line that a byte offset stands in.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The span of a line, given by its number from 1, without its line break; the end of the text
    /// when there is no such line.
    ///
    /// ```
    /// use metier_core::LineIndex;
    ///
    /// let text = "one\r\ntwo\n";
    /// let lines = LineIndex::new(text);
    /// assert_eq!(lines.line_span(text, 1).slice(text), "one");
    /// ```
    pub fn line_span(&self, text: &str, line: usize) -> Span {
        let start_of = |line: usize| self.starts.get(line).copied().unwrap_or(text.len());
        let span = Span::new(text, start_of(line.saturating_sub(1))..start_of(line));
        let without_break = span.slice(text).trim_end_matches(['\n', '\r']).len();
        Span::new(text, span.start()..span.start() + without_break)
    }

    /// How many lines there are; a final line break does not start another line.
    pub fn line_count(&self, text: &str) -> usize {
        let last = self.starts[self.starts.len() - 1];
        if last == text.len() { self.starts.len() - 1 } else { self.starts.len() }
    }

    fn characters_before(&self, text: &str, offset: usize) -> usize {
        // Never past the end, should someone ask with another, longer text.
        let block = (offset / BLOCK).min(self.blocks.len() - 1);
        self.blocks[block] + count_characters(&text.as_bytes()[block * BLOCK..offset])
    }
}

/// How many characters start in some bytes of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
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

    #[test]
    fn columns_far_out_in_a_long_line_are_counted_in_characters() {
        let line = "é技x".repeat(3 * BLOCK);
        for text in [line.clone(), format!("first\r\n{line}"), "x".repeat(2 * BLOCK)] {
            let lines = LineIndex::new(&text);
            let ends = (0..8).map(|part| text.len() * part / 7);
            for offset in ends.map(|at| Span::at(&text, at).start()) {
                let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
                let column = text[start..offset].chars().count() + 1;
                assert_eq!(lines.position(&text, offset).column, column, "{offset}");
            }
        }
    }

    #[test]
    fn the_span_of_a_line_leaves_out_its_break() {
        let text = "a\r\n\rb\n";
        let lines = LineIndex::new(text);
        let shown = |line| lines.line_span(text, line).range();
        assert_eq!([shown(1), shown(2), shown(3)], [0..1, 3..3, 4..5]);
        assert_eq!([shown(4), shown(99)], [6..6, 6..6]);
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
