//! Turns a text into its lines, each knowing where it stands.

use std::ops::Range;

/// One line of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    /// The line without its break.
    pub(crate) text: &'t str,
    /// Where the line starts.
    pub(crate) start: usize,
    /// Where the next line starts: after the line break, or the end of the text.
    pub(crate) next: usize,
}

impl Line<'_> {
    /// Where the line's own text ends, before the line break.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether there is nothing but white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// How many blanks stand before the first other character.
    pub(crate) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches([' ', '\t']).len()
    }
}

/// The lines of `text[range]`, with offsets into the whole `text`.
///
/// `\n`, `\r\n` and a lone `\r` end a line, as in YAML 1.2 (§5.4).
pub(crate) fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let bytes = text.as_bytes();
    let mut at = range.start;
    std::iter::from_fn(move || {
        if at >= range.end {
            return None;
        }
        let start = at;
        let (end, next) = match memchr::memchr2(b'\n', b'\r', &bytes[start..range.end]) {
            None => (range.end, range.end),
            Some(found) => {
                let end = start + found;
                let crlf = bytes[end] == b'\r' && end + 1 < range.end && bytes[end + 1] == b'\n';
                (end, end + if crlf { 2 } else { 1 })
            }
        };
        at = next;
        Some(Line { text: &text[start..end], start, next })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_break_ends_a_line() {
        let text = "a\nb\r\nc\r\rd";
        let found: Vec<_> = lines(text, 0..text.len()).map(|l| (l.text, l.start, l.next)).collect();
        assert_eq!(found, [("a", 0, 2), ("b", 2, 5), ("c", 5, 7), ("", 7, 8), ("d", 8, 9)]);
    }

    #[test]
    fn offsets_are_those_of_the_whole_text() {
        let text = "skip\nfirst\nlast\n";
        let found: Vec<_> = lines(text, 5..text.len()).map(|l| (l.text, l.end())).collect();
        assert_eq!(found, [("first", 10), ("last", 15)]);
    }
}
