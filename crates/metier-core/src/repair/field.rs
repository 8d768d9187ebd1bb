//! Turns the text of a frontmatter into its fields, each with the lines that belong to it, whether or not they are YAML.

use crate::Span;
use crate::line::{Line, lines};
use crate::manifest::SPEC_KEYS;
use crate::parse::document::frontmatter_key;
use crate::repair::meant::block_header;
use std::ops::Range;

/// A key with all the lines up to the next one.
pub(crate) struct Field<'t> {
    pub(crate) key: &'t str,
    /// How far the key is indented.
    pub(crate) indent: usize,
    /// Whether the key is indented unlike the first one.
    pub(crate) is_misindented: bool,
    /// The indentation of the first key.
    pub(crate) margin: &'t str,
    /// Where the value starts: after the colon.
    pub(crate) value_start: usize,
    pub(crate) lines: Vec<Line<'t>>,
    /// Lines left by an unresolved merge, which are no part of the value.
    pub(crate) conflicts: Vec<Line<'t>>,
}

impl<'t> Field<'t> {
    pub(crate) fn start(&self) -> usize {
        self.lines[0].start
    }

    pub(crate) fn key_span(&self, text: &str) -> Span {
        Span::new(text, self.start() + self.indent..self.value_start - 1)
    }

    /// Where the last line with text ends.
    pub(crate) fn end(&self) -> usize {
        let last = self.lines.iter().rev().find(|line| !line.is_blank());
        last.map_or(self.value_start, |line| line.start + line.text.trim_end().len())
            .max(self.value_start)
    }

    pub(crate) fn next(&self) -> usize {
        self.lines[self.lines.len() - 1].next
    }

    /// What stands behind the colon.
    pub(crate) fn inline(&self) -> &'t str {
        self.lines[0].text[self.value_start - self.lines[0].start..].trim()
    }

    /// The lines below the key, without blank ones at the end.
    pub(crate) fn continuation(&self) -> &[Line<'t>] {
        let length = self.lines.iter().rposition(|line| !line.is_blank()).unwrap_or(0);
        &self.lines[1..=length]
    }
}

/// Whether a line that is indented by `indent` is part of the block of text that the last field of
/// `text[range]` holds.
pub(crate) fn is_in_block(text: &str, range: Range<usize>, indent: usize) -> bool {
    fields(text, range).last().is_some_and(|field| {
        block_header(field.inline()) == Some(field.inline()) && indent > field.indent
    })
}

/// Cuts `text[range]` into fields. What stands before the first key is left out.
pub(crate) fn fields(text: &str, range: Range<usize>) -> Vec<Field<'_>> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    let mut open = Unfinished::Nothing;
    for line in lines(text, range) {
        let is_conflict =
            ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|m| line.text.starts_with(m));
        if let (true, Some(field)) = (is_conflict, fields.last_mut()) {
            field.conflicts.push(line);
            continue;
        }
        // Behind a closed quote or bracket nothing can follow but a field, whatever its key.
        let is_closed = open == Unfinished::Nothing
            && fields.last().is_some_and(|f| f.inline().starts_with(['"', '\'', '[', '{']));
        let odd_key = || odd_key_at(line.text).filter(|_| is_closed);
        let key = key_at(line.text).or_else(odd_key).filter(|(_, key)| {
            let Some(previous) = fields.last() else { return true };
            let same_indent = line.indent() == fields[0].indent;
            if open != Unfinished::Nothing {
                return same_indent && SPEC_KEYS.contains(key);
            }
            // A known key that is indented below a finished value is a field gone astray.
            let value = previous.inline();
            let is_finished = !value.is_empty() && !value.starts_with(['|', '>']);
            let is_beside = !previous.is_misindented || previous.indent == line.indent();
            let is_astray = is_finished && is_beside
                || line.indent() < fields[0].indent.min(previous.indent + 1);
            same_indent || is_astray && SPEC_KEYS.contains(key)
        });
        if let Some((colon, key)) = key {
            let indent = line.indent();
            let is_misindented = fields.first().is_some_and(|first| first.indent != indent);
            let margin = fields.first().map_or(&line.text[..indent], |first| first.margin);
            let value_start = line.start + colon + 1;
            fields.push(Field {
                key,
                indent,
                is_misindented,
                margin,
                value_start,
                lines: vec![line],
                conflicts: Vec::new(),
            });
            open = Unfinished::after(fields[fields.len() - 1].inline());
        } else if let Some(field) = fields.last_mut() {
            open = open.through(line.text);
            field.lines.push(line);
        }
    }
    fields
}

/// The key that a line starts with, and where its colon stands.
pub(crate) fn key_at(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - rest.len();
    if let Some(key) = frontmatter_key(rest) {
        return Some((indent + rest.find(':')?, key));
    }
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (key, rest) = rest[1..].split_once(quote)?;
    let after = rest.strip_prefix(':')?;
    let is_key = !key.is_empty() && (after.is_empty() || after.starts_with([' ', '\t']));
    is_key.then(|| (indent + key.len() + 2, key))
}

/// Any text before a colon at the start of a line, for keys that are no plain words.
fn odd_key_at(line: &str) -> Option<(usize, &str)> {
    let ends_key = |at: &usize| line[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let colon = line.match_indices(':').map(|(at, _)| at).find(ends_key)?;
    let key = &line[..colon];
    // A `{` or `[` opens fields of its own, which nothing ties to those around it.
    let is_key = !key.is_empty() && !key.starts_with([' ', '\t', '#', '-', '"', '\'', '{', '[']);
    is_key.then_some((colon, key))
}

/// What a value that goes on over several lines is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    Nothing,
    Quote(char),
    Brackets(usize),
}

impl Unfinished {
    /// What the text behind a key leaves open.
    fn after(value: &str) -> Self {
        match value.chars().next() {
            Some(quote @ ('"' | '\'')) => Self::Quote(quote).through(&value[1..]),
            Some('[' | '{') => Self::Brackets(0).through(value),
            _ => Self::Nothing,
        }
    }

    /// What is open after one more line.
    fn through(self, line: &str) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Quote(quote) => {
                let line = line.trim_end();
                let escaped = quote == '"' && line.ends_with("\\\"") && !line.ends_with("\\\\\"");
                if line.ends_with(quote) && !escaped { Self::Nothing } else { self }
            }
            Self::Brackets(depth) => {
                let opened = line.matches(['[', '{']).count();
                let closed = line.matches([']', '}']).count();
                let depth = (depth + opened).saturating_sub(closed);
                if depth == 0 { Self::Nothing } else { Self::Brackets(depth) }
            }
        }
    }
}
