//! Turns a place in a text into a few short lines that are safe to show, with the marks moved along.

use crate::visible::{is_hidden, push_visible};
use metier_core::Span;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// How many lines an excerpt shows at most.
const MAX_LINES: usize = 6;

/// How many bytes of a line are looked at for each column that is shown.
const REACH: usize = 32;

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
    pub(super) fn new(text: &str, span: Span, width: usize) -> Option<Self> {
        // No more of a line is looked at than can be shown, or a thousand findings in one line of a
        // megabyte would take minutes.
        let reach = width * REACH;
        let from = Span::at(text, span.start().saturating_sub(reach)).start();
        let start = text[from..span.start()].rfind(['\n', '\r']).map_or(from, |at| from + at + 1);
        // A span that ends with a line break still ends on the line it closes.
        let last = if span.is_empty() { span.end() } else { span.end() - 1 };
        let last = Span::at(text, last).start();
        let to = Span::at(text, last.saturating_add(reach).min(text.len())).start();
        let end = text[last..to].find(['\n', '\r']).map_or(to, |at| last + at);

        let mut excerpt = Self { text: String::new(), map: Vec::new() };
        let mut offset = start;
        for (number, line) in lines(&text[start..end.max(start)]).enumerate() {
            if number == MAX_LINES {
                return None;
            }
            if number > 0 {
                excerpt.text.push('\n');
            }
            excerpt.add_line(line, offset, span, width);
            offset += line.len();
            offset += line_break(&text[offset..]);
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
        // Keep some of what stands before the span, and as much as fits after it.
        let (before, after) =
            line.split_at_checked(span.start().saturating_sub(offset)).unwrap_or(("", line));
        let after = columns(&after[..prefix(after, width)]);
        let start = before.len() - suffix(before, (width / 3).max(width - after));
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

/// The length in bytes of the shortest suffix that takes at least `width` columns, or of all.
fn suffix(line: &str, width: usize) -> usize {
    let mut taken = 0;
    let lacks = |c: &char| {
        let lacks = taken < width;
        taken += column(*c);
        lacks
    };
    line.chars().rev().take_while(lacks).map(char::len_utf8).sum()
}

/// The lines of a text, which end with `\n`, `\r\n` or a lone `\r`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.find(['\n', '\r']) else {
            rest = None;
            return Some(text);
        };
        rest = Some(&text[at + line_break(&text[at..])..]);
        Some(&text[..at])
    })
}

/// How many bytes the line break at the start of `text` has.
fn line_break(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with(['\n', '\r'])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str, range: Range<usize>, width: usize) -> (String, String) {
        let span = Span::new(text, range);
        let excerpt = Excerpt::new(text, span, width).unwrap();
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
    fn a_line_longer_than_is_looked_at_is_cropped_alike() {
        let text = format!("{}here{}", "é".repeat(50_000), "x".repeat(50_000));
        let (shown, mark) = marked(&text, 100_000..100_004, 30);
        assert_eq!(mark, "here");
        assert_eq!(shown, format!("…{}here{}…", "é".repeat(10), "x".repeat(16)));
        let (shown, _) = marked(&text, 149_999..150_004, 30);
        assert_eq!(shown, format!("…{}", "x".repeat(30)));
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
        assert!(Excerpt::new(&text, Span::all(&text), 80).is_none());
    }

    #[test]
    fn an_empty_span_at_the_end_has_a_place() {
        assert_eq!(marked("---\n", 4..4, 80), (String::new(), String::new()));
    }
}
