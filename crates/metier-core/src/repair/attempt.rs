//! Turns a field that is not YAML into edits that may make it so, the likeliest first.

use crate::format::emit;
use crate::line::Line;
use crate::parse::yaml::{self, YamlError};
use crate::repair::field::Field;
use crate::repair::meant::{block_header, block_text, folded};
use crate::repair::misquoted::{quote_slip, unquoted};
use crate::{Edit, Limits, Rule, Span};

/// Keys whose values have structure, so that they are not read as text when they are broken.
const STRUCTURED: [&str; 3] = ["metadata", "dependencies", "requires"];

/// Edits that may make a field readable, and what to say about them if they do.
pub(crate) struct Attempt {
    pub(crate) rule: Rule,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) title: &'static str,
    pub(crate) edits: Vec<Edit>,
}

impl Attempt {
    /// All that may be tried on a `field` of `text` that fails with `error`.
    pub(crate) fn all(
        text: &str,
        field: &Field<'_>,
        error: &YamlError,
        limits: &Limits,
    ) -> Vec<Self> {
        let broken = Broken { text, field, error, limits };
        let mut attempts = Vec::new();
        attempts.extend(broken.without_tabs());
        attempts.extend(broken.with_closed_brackets());
        attempts.extend(broken.with_quoted_items());
        attempts.extend(broken.with_indented_lines());
        if !STRUCTURED.contains(&field.key) {
            attempts.extend(broken.as_text());
        }
        attempts
    }

    /// What the author of the field `key` can do.
    pub(crate) fn help(&self, key: &str) -> String {
        match self.rule {
            Rule::TabIndentation => "indent with spaces".to_owned(),
            Rule::BrokenFlow => "close every bracket".to_owned(),
            Rule::UnindentedQuote => "indent the lines of a quoted text".to_owned(),
            Rule::UnindentedContinuation => {
                "indent the line, or put the value on one line".to_owned()
            }
            Rule::TextAfterBlockIndicator => {
                "start the text on the next line, indented, or leave the indicator out".to_owned()
            }
            Rule::UnescapedQuotes => {
                "inside double quotes write `\\\"` for a quote and `\\\\` for a backslash"
                    .to_owned()
            }
            _ => format!("quote the value: `{key}: \"...\"`"),
        }
    }
}

/// A field that YAML cannot read.
struct Broken<'b, 't> {
    text: &'t str,
    field: &'b Field<'t>,
    error: &'b YamlError,
    limits: &'b Limits,
}

/// What is wrong with a value, and the text that it was meant to be.
struct Slip {
    rule: Rule,
    span: Span,
    message: String,
    text: String,
}

impl<'t> Broken<'_, 't> {
    fn without_tabs(&self) -> Option<Attempt> {
        let field = self.field;
        let edits: Vec<_> = field
            .lines
            .iter()
            .filter(|line| line.text[..line.indent()].contains('\t'))
            .map(|line| Edit {
                span: Span::new(self.text, line.start..line.start + line.indent()),
                replacement: line.text[..line.indent()].replace('\t', "  "),
            })
            .collect();
        Some(Attempt {
            rule: Rule::TabIndentation,
            span: edits.first()?.span,
            message: "a tab indents this line, YAML takes spaces only".to_owned(),
            title: "indent with spaces",
            edits,
        })
    }

    fn with_closed_brackets(&self) -> Option<Attempt> {
        let field = self.field;
        field.inline().chars().next().filter(|c| matches!(c, '[' | '{'))?;
        let end = field.end();
        let mut open = Vec::new();
        let mut quote = None;
        let mut escaped = false;
        for (at, c) in self.text[field.value_start..end].char_indices() {
            match (quote, c) {
                (Some('"'), '\\') if !escaped => escaped = true,
                (Some(q), c) if q == c && !escaped => quote = None,
                (Some(_), _) => escaped = false,
                (None, '"' | '\'') => quote = Some(c),
                (None, '[' | '{') => open.push((at, c)),
                (None, ']' | '}') => {
                    open.pop();
                }
                (None, _) => {}
            }
        }
        let (at, unclosed) = *open.first().filter(|_| quote.is_none())?;
        let closers: String =
            open.iter().rev().map(|(_, c)| if *c == '[' { ']' } else { '}' }).collect();
        let at = field.value_start + at;
        Some(Attempt {
            rule: Rule::BrokenFlow,
            span: Span::new(self.text, at..at + 1),
            message: format!("`{unclosed}` is never closed in the value of `{}`", field.key),
            title: "add the missing brackets",
            edits: vec![Edit { span: Span::at(self.text, end), replacement: closers }],
        })
    }

    /// A quoted value or a block with lines that are not indented: they are, and nothing else
    /// changes.
    fn with_indented_lines(&self) -> Option<Attempt> {
        let field = self.field;
        let is_quoted = field.inline().starts_with(['"', '\'']);
        if !is_quoted && block_header(field.inline()) != Some(field.inline()) {
            return None;
        }
        let (loose, indented): (Vec<&Line<'t>>, Vec<&Line<'t>>) = field
            .continuation()
            .iter()
            .filter(|line| !line.is_blank())
            .partition(|line| line.indent() <= field.indent);
        let first = loose.first()?;
        let indent = indented.iter().map(|line| line.indent()).min().unwrap_or(field.indent + 2);
        let edits = loose.iter().map(|line| Edit {
            span: Span::new(self.text, line.start..line.start + line.indent()),
            replacement: " ".repeat(indent),
        });
        Some(Attempt {
            // The quotes say where the text ends, so most readers take it as it is.
            rule: if is_quoted { Rule::UnindentedQuote } else { Rule::UnindentedContinuation },
            span: Span::new(self.text, first.start..first.end()),
            message: self.belongs(),
            title: "indent the line",
            edits: edits.collect(),
        })
    }

    /// A list whose items are not YAML, one line each: the broken ones are quoted.
    fn with_quoted_items(&self) -> Option<Attempt> {
        let field = self.field;
        let below: Vec<_> = field.continuation().iter().filter(|line| !line.is_blank()).collect();
        let is_list = field.inline().is_empty()
            && below.iter().all(|line| line.text.trim_start().starts_with("- "));
        let mut edits = Vec::new();
        for line in below.iter().filter(|_| is_list) {
            let item = line.text.trim_start()[2..].trim();
            let alone = yaml::read(item, 0..item.len(), self.limits);
            if alone.is_err() && !item.starts_with("!!") {
                let start = line.start + line.text.find(item)?;
                edits.push(Edit {
                    span: Span::new(self.text, start..start + item.len()),
                    replacement: emit::inline_text(&unquoted(item)),
                });
            }
        }
        let span = edits.first()?.span;
        let item = span.slice(self.text);
        let key = field.key;
        let (rule, message) = if item.starts_with(['"', '\'']) {
            let message = format!("the quotes around an item of `{key}` do not match");
            (Rule::UnescapedQuotes, message)
        } else if item.contains(": ") {
            let message = format!("an item of `{key}` holds `: ` but is not quoted");
            (Rule::UnquotedColon, message)
        } else {
            let message = format!("an item of `{key}` must be quoted");
            (Rule::UnquotedIndicator, message)
        };
        Some(Attempt { rule, span, message, title: "quote the items", edits })
    }

    /// The value read as the text it was meant to be, and written so that YAML reads it too.
    fn as_text(&self) -> Option<Attempt> {
        let field = self.field;
        let start = self.text[field.value_start..field.end()]
            .find(|c: char| !c.is_whitespace())
            .map(|at| field.value_start + at)?;
        let value = Span::new(self.text, start..field.end());
        let Slip { rule, span, message, text } = match block_header(field.inline()) {
            Some(header) => self.block_slip(header, value)?,
            None => self.text_slip(value)?,
        };
        if text.trim().is_empty() {
            return None;
        }
        let mut replacement = emit::text_value(text.trim_end(), field.indent);
        if self.text[..field.start()].ends_with("\r\n") {
            replacement = replacement.replace('\n', "\r\n");
        }
        let replaced = if field.inline().is_empty() {
            // The value starts in a line of its own; it moves up behind its key.
            replacement.insert(0, ' ');
            Span::new(self.text, field.value_start..field.end())
        } else {
            value
        };
        let edits = vec![Edit { span: replaced, replacement }];
        Some(Attempt { rule, span, message, title: "quote the value", edits })
    }

    /// What is wrong with a block of text that starts with `header`.
    fn block_slip(&self, header: &str, value: Span) -> Option<Slip> {
        let field = self.field;
        let below = field.continuation();
        let rest = field.inline()[header.len()..].trim();
        let text = block_text(header, rest, below, field.indent);
        if !rest.is_empty() {
            let message = format!("text stands behind `{header}` on the same line");
            return Some(Slip { rule: Rule::TextAfterBlockIndicator, span: value, message, text });
        }
        // A line may also be indented, but less than the first one of the block.
        let mut full = below.iter().filter(|line| !line.is_blank());
        let margin = full.next()?.indent();
        let line = self.loose_line().or_else(|| full.find(|line| line.indent() < margin))?;
        Some(self.unindented(line, text))
    }

    /// What is wrong with any other value.
    fn text_slip(&self, value: Span) -> Option<Slip> {
        let key = self.field.key;
        let below = self.field.continuation();
        let text = folded(self.field.inline(), below);
        match self.field.inline().chars().next() {
            Some('"' | '\'') => {
                let (span, message) = quote_slip(self.text, key, value).unwrap_or_else(|| {
                    (self.error.span, format!("the quotes around `{key}` do not match"))
                });
                Some(Slip { rule: Rule::UnescapedQuotes, span, message, text: unquoted(&text) })
            }
            Some(c) if ",[]{}#&*!|>%@`?-".contains(c) => {
                let span = Span::new(self.text, value.start()..value.start() + c.len_utf8());
                let shown = if c == '`' { "a backtick".to_owned() } else { format!("`{c}`") };
                let message =
                    format!("the value of `{key}` starts with {shown}, which YAML reserves");
                Some(Slip { rule: Rule::UnquotedIndicator, span, message, text })
            }
            _ => match self.colon() {
                Some(span) => {
                    let message = format!("the value of `{key}` holds `: ` but is not quoted");
                    Some(Slip { rule: Rule::UnquotedColon, span, message, text })
                }
                None => Some(self.unindented(self.loose_line().or(below.first())?, text)),
            },
        }
    }

    fn unindented(&self, line: &Line<'t>, text: String) -> Slip {
        let span = Span::new(self.text, line.start..line.end());
        let message = self.belongs();
        Slip { rule: Rule::UnindentedContinuation, span, message, text }
    }

    fn belongs(&self) -> String {
        format!("this line belongs to `{}` but is not indented", self.field.key)
    }

    /// The first line below the key that is indented no deeper than it.
    fn loose_line(&self) -> Option<&Line<'t>> {
        let mut below = self.field.continuation().iter();
        below.find(|line| !line.is_blank() && line.indent() <= self.field.indent)
    }

    /// The first colon inside the value that YAML takes for the end of a key.
    fn colon(&self) -> Option<Span> {
        let start = self.field.value_start;
        let value = &self.text[start..self.field.end()];
        let at = value
            .match_indices(':')
            .map(|(at, _)| at)
            .find(|&at| at > 0 && value[at + 1..].chars().next().is_none_or(char::is_whitespace))?;
        Some(Span::new(self.text, start + at..start + at + 1))
    }
}
