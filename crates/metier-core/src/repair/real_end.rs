//! Turns a frontmatter whose closing line is not quite one into the place where it was meant to end.

use crate::line::{Line, lines};
use crate::repair::field::key_at;
use crate::{Edit, Span};
use std::ops::Range;

/// How the frontmatter really ends, when the line that closes it comes too late.
pub(crate) struct RealEnd {
    /// Where the fields end.
    pub(crate) fields: usize,
    /// Where the body starts.
    pub(crate) body: usize,
    /// The line to point at.
    pub(crate) line: Span,
    pub(crate) message: &'static str,
    pub(crate) edit: Edit,
}

impl RealEnd {
    /// Looks for a fence that is not quite one, or for a heading with prose below it, after at
    /// least one field.
    pub(crate) fn find(text: &str, range: Range<usize>) -> Option<Self> {
        let mut has_field = false;
        let mut last_field = range.start;
        let mut heading: Option<Line<'_>> = None;
        for line in lines(text, range) {
            let is_key = key_at(line.text).is_some();
            let is_heading =
                line.text.starts_with('#') && line.text.trim_start_matches('#').starts_with(' ');
            if line.is_blank() {
                continue;
            }
            if has_field && heading.is_none() && line.text.starts_with("---") {
                return Some(Self::at_fence(text, &line));
            }
            if is_heading {
                heading = heading.or(Some(line).filter(|_| has_field));
            } else if line.indent() == 0 && heading.is_some() {
                let heading = heading.filter(|_| !is_key)?;
                return Some(Self {
                    fields: heading.start,
                    body: heading.start,
                    line: Span::new(text, heading.start..heading.end()),
                    message: "the body starts here, before the `---` that closes the frontmatter",
                    edit: Edit {
                        span: Span::at(text, last_field),
                        replacement: "---\n".to_owned(),
                    },
                });
            } else if heading.is_none() {
                has_field |= is_key;
                last_field = line.next;
            }
        }
        None
    }

    /// A line that starts with a fence and goes on: `----`, or `---# Title`.
    pub(crate) fn at_fence(text: &str, line: &Line<'_>) -> Self {
        let rest = line.text.trim_start_matches('-').trim_start();
        let span = Span::new(text, line.start..line.end());
        if rest.is_empty() {
            let dashes = line.text.trim_end().len();
            return Self {
                fields: line.start,
                body: line.next,
                line: span,
                message: "the closing fence has more than three dashes",
                edit: Edit {
                    span: Span::new(text, line.start + 3..line.start + dashes),
                    replacement: String::new(),
                },
            };
        }
        let start = line.end() - rest.len();
        Self {
            fields: line.start,
            body: start,
            line: span,
            message: "text stands behind the closing `---`",
            edit: Edit {
                span: Span::new(text, line.start + 3..start),
                replacement: "\n".to_owned(),
            },
        }
    }
}
