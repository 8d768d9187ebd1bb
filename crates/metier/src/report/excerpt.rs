//! Turns a place in a text into a few short lines that are safe to show, with the marks moved along.

use crate::visible::{is_hidden, push_visible};
use metier_core::{LineIndex, Span};
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// How many lines an excerpt shows at most.
const MAX_LINES: usize = 6;

/// How many bytes on each side of a span are looked at, for each column that is shown. A character
/// takes four bytes at most, and hardly one in four takes no column.
const NEAR: usize = 16;

/// Some lines of a text, cropped and made visible.
#[derive(Default)]
pub(super) struct Excerpt {
    /// The lines, separated by `\n`.
    pub(super) text: String,
    /// Where each shown character came from: original offset and offset in `text`.
    map: Vec<(usize, usize)>,
}

impl Excerpt {
    /// Shows the lines that `span` touches, each cropped to `width` columns around the span.
    ///
    /// `None` when there are too many lines; a caller then shows only where the span starts.
    pub(super) fn new(text: &str, lines: &LineIndex, span: Span, width: usize) -> Option<Self> {
        // A span that ends with a line break still ends on the line it closes.
        let last = if span.is_empty() { span.end() } else { span.end() - 1 };
        let (first, last) = (lines.line(span.start()), lines.line(last));
        if last - first >= MAX_LINES {
            return None;
        }
        let mut excerpt = Self::default();
        for number in first..=last {
            if number > first {
                excerpt.text.push('\n');
            }
            let line = lines.line_span(text, number);
            excerpt.add_line(line.slice(text), line.start(), span, width);
        }
        Some(excerpt)
    }

    /// Where an offset of the original text stands in the excerpt; cropped parts are at the crop.
    pub(super) fn offset(&self, original: usize) -> usize {
        let after = self.map.partition_point(|(from, _)| *from <= original);
        after.checked_sub(1).map_or(0, |last| self.map[last].1)
    }

    /// Where a span of the original text stands in the excerpt.
    pub(super) fn range(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start());
        start..self.offset(span.end()).max(start)
    }

    /// How many columns of a span are shown, if not all of it is.
    pub(super) fn kept(&self, span: Span) -> Option<usize> {
        let is_cropped = self.text[self.offset(span.end())..].starts_with('…')
            && self.map.last().is_some_and(|(last, _)| *last < span.end());
        is_cropped.then(|| columns(&self.text[self.range(span)]))
    }

    fn add_line(&mut self, line: &str, offset: usize, span: Span, width: usize) {
        // What is shown lies near the span; how long the line is must not matter.
        let at = span.start().saturating_sub(offset).min(line.len());
        let near = Span::new(line, at.saturating_sub(NEAR * width)..at + NEAR * width);
        let window = near.slice(line);
        // Keep some of what stands before the span, and as much as fits after it.
        let before = window.get(..at - near.start()).map_or(0, columns);
        let skip = before.saturating_sub(width / 3).min(columns(window).saturating_sub(width));
        let start = near.start() + prefix(window, skip);
        let end = start + prefix(&line[start..], width);
        if start > 0 {
            self.map.push((offset, self.text.len()));
            self.text.push('…');
        }
        for (at, c) in line[start..end].char_indices() {
            self.map.push((offset + start + at, self.text.len()));
            if c == '\t' {
                self.text.push(c);
            } else {
                push_visible(&mut self.text, c);
            }
        }
        self.map.push((offset + end, self.text.len()));
        if end < line.len() {
            self.text.push('…');
        }
    }
}

/// How many columns a line takes on a terminal.
fn columns(line: &str) -> usize {
    line.chars().map(column).sum()
}

/// How many columns a character takes: wide ones two, tabs four, hidden ones those of their escape.
fn column(c: char) -> usize {
    match (c, UnicodeWidthChar::width(c)) {
        ('\t', _) => 4,
        (_, Some(width)) if !is_hidden(c) => width,
        _ => 8,
    }
}

/// The length in bytes of the longest prefix that takes at most `width` columns.
pub(super) fn prefix(line: &str, width: usize) -> usize {
    let mut left = width;
    let fits = |c: &char| match left.checked_sub(column(*c)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    line.chars().take_while(fits).map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, range: Range<usize>, width: usize) -> (String, String) {
        let span = Span::new(text, range);
        let excerpt = Excerpt::new(text, &LineIndex::new(text), span, width).unwrap();
        let mark = excerpt.text[excerpt.range(span)].to_owned();
        (excerpt.text, mark)
    }

    #[test]
    fn shows_the_line_of_the_span() {
        let text = "one\r\ntwo three\rfour";
        assert_eq!(marked(text, 9..14, 80), ("two three".into(), "three".into()));
        assert_eq!(marked(text, 15..19, 80), ("four".into(), "four".into()));
        assert_eq!(marked(text, 9..17, 80), ("two three\nfour".into(), "three\nfo".into()));
    }

    #[test]
    fn crops_a_long_line_around_the_span() {
        let text = format!("{}here{}", "é".repeat(500), "x".repeat(500));
        let (shown, mark) = marked(&text, 1000..1004, 30);
        assert_eq!(mark, "here");
        assert_eq!(shown, format!("…{}here{}…", "é".repeat(10), "x".repeat(16)));
    }

    #[test]
    fn a_span_longer_than_the_window_is_marked_as_far_as_it_is_shown() {
        let text = format!("name: {}", "y".repeat(100));
        let (shown, mark) = marked(&text, 6..106, 20);
        assert_eq!(shown, format!("name: {}…", "y".repeat(14)));
        assert_eq!(mark, "y".repeat(14));
    }

    #[test]
    fn wide_characters_count_twice() {
        let text = "技".repeat(50);
        let (shown, mark) = marked(&text, 0..150, 20);
        assert_eq!((shown, mark), (format!("{}…", "技".repeat(10)), "技".repeat(10)));
    }

    #[test]
    fn hidden_characters_become_visible_and_stay_marked() {
        let text = "a\u{202e}b";
        assert_eq!(marked(text, 1..4, 80), (r"a\u{202e}b".into(), r"\u{202e}".into()));
    }

    #[test]
    fn too_many_lines_are_not_shown() {
        let text = "x\n".repeat(20);
        assert!(Excerpt::new(&text, &LineIndex::new(&text), Span::all(&text), 80).is_none());
    }

    #[test]
    fn an_empty_span_at_the_end_has_a_place() {
        assert_eq!(marked("---\n", 4..4, 80), (String::new(), String::new()));
    }
}
