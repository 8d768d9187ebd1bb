//! Turns the fields that hold text into that text, and what is wrong with it into findings.

use super::Lowering;
use super::scalar::Wanted;
use crate::check::hidden;
use crate::parse::trigger::says_when;
use crate::tree::{Entry, Node, Scalar};
use crate::{Rule, Span};
use std::fmt;

impl Lowering<'_> {
    /// Whether the description is text, and what is wrong with it.
    pub(super) fn description(&mut self, entry: &Entry) -> bool {
        let text = self.required_text(entry, Rule::MissingDescription, Rule::DescriptionType);
        let Some(text) = text else { return false };
        let span = entry.value.span;
        let length = text.chars().count();
        if length > 1024 {
            let message = format!("the description is {length} characters long, the limit is 1024");
            self.report.push(Rule::DescriptionTooLong, span, message, |f| {
                f.with_help(
                    "keep what decides whether to use the skill, and move the rest into the body",
                )
            });
        }
        if let Some(found) = memchr::memchr2(b'<', b'>', text.as_bytes()) {
            let found = char::from(text.as_bytes()[found]);
            let at =
                entry.value.span.slice(self.text).find(found).map_or(span, |at| {
                    Span::new(self.text, span.start() + at..span.start() + at + 1)
                });
            let message = format!("the description holds `{found}`");
            self.report.push(Rule::DescriptionMarkup, at, message, |f| {
                f.with_help("some clients refuse angle brackets in descriptions: use words")
            });
        }
        if self.report.wants(Rule::DescriptionWithoutTrigger) && !says_when(text) {
            let message = "the description never says when to use the skill";
            self.report.push(Rule::DescriptionWithoutTrigger, span, message, |f| {
                f.with_help("add a sentence such as `Use when the user asks for ...`")
            });
        }
        self.cut_by_comment(&entry.value);
        self.ambiguous(&entry.value, Wanted::Text);
        true
    }

    /// The text of a field that must be there, untrimmed; reports why not.
    pub(super) fn required_text<'n>(
        &mut self,
        entry: &'n Entry,
        empty: Rule,
        wrong: Rule,
    ) -> Option<&'n str> {
        let (key, node) = (&entry.key, &entry.value);
        let span = if node.span.is_empty() { entry.key_span } else { node.span };
        match node.as_scalar() {
            None => {
                let message = format!("`{key}` is {}, it must be text", node.kind());
                self.report
                    .push(wrong, span, message, |f| f.with_help(format!("write `{key}: \"...\"`")));
                None
            }
            Some(scalar) if scalar.is_null() || scalar.text().trim().is_empty() => {
                let (span, message) = empty_value(entry);
                self.report.push(empty, span, message, |f| {
                    f.with_help(format!("write `{key}: ...`, or quote the value if it is meant"))
                });
                None
            }
            Some(scalar) => {
                self.check_control(scalar.text(), span, format_args!("`{key}`"));
                Some(scalar.text())
            }
        }
    }

    /// The text of a field that may be missing.
    pub(super) fn plain_text(&mut self, entry: &Entry) -> Option<Box<str>> {
        let node = &entry.value;
        if node.as_scalar().is_none() {
            let message = format!("`{}` is {}, it must be text", entry.key, node.kind());
            self.report.push(Rule::FieldType, node.span, message, |f| {
                f.with_help(format!("write `{}: \"...\"`", entry.key))
            });
            return None;
        }
        let text = node.as_text()?;
        self.check_control(text, node.span, format_args!("`{}`", entry.key));
        self.ambiguous(node, Wanted::Text);
        Some(text.trim().into())
    }

    pub(super) fn compatibility(&mut self, entry: &Entry) -> Option<Box<str>> {
        let span = if entry.value.span.is_empty() { entry.key_span } else { entry.value.span };
        if entry.value.as_scalar().is_some_and(|s| s.is_null() || s.text().trim().is_empty()) {
            let message = "`compatibility` is empty";
            self.report.push(Rule::CompatibilityLength, span, message, |f| {
                f.with_help("say what the skill needs, or remove the field")
            });
            return None;
        }
        let length = entry.value.as_text().map_or(0, |text| text.chars().count());
        if length > 500 {
            let message = format!("`compatibility` is {length} characters long, the limit is 500");
            self.report.push(Rule::CompatibilityLength, span, message, |f| {
                f.with_help("keep what the skill needs, and move the rest into the body")
            });
        }
        self.plain_text(entry)
    }

    /// Reports a plain value behind which ` #` starts a comment (security Y31).
    fn cut_by_comment(&mut self, node: &Node) {
        let is_plain = node.as_scalar().is_some_and(Scalar::is_plain);
        let rest = &self.text[node.span.end()..];
        let line = rest.lines().next().unwrap_or_default();
        if is_plain && line.trim_start().starts_with('#') && line.starts_with([' ', '\t']) {
            let span = Span::new(self.text, node.span.end()..node.span.end() + line.len());
            let message = "the description ends here: ` #` starts a comment";
            self.report.push(Rule::CommentInValue, span, message, |f| {
                f.with_help("quote the description if the rest belongs to it")
            });
        }
    }

    /// Control characters that came in through an escape (security Y21).
    pub(super) fn check_control(&mut self, value: &str, span: Span, what: fmt::Arguments<'_>) {
        if hidden::suspect(value.as_bytes(), 0).is_none() {
            return;
        }
        if let Some(c) = value.chars().find(|&c| is_refused_control(c)) {
            let message = format!("{what} holds the control character U+{:04X}", u32::from(c));
            self.report.push(Rule::ControlCharacter, span, message, |f| f.with_help("remove it"));
        }
    }
}

/// Where a value that is empty or null stands, and what to say about it.
pub(super) fn empty_value(entry: &Entry) -> (Span, String) {
    let node = &entry.value;
    let span = if node.span.is_empty() { entry.key_span } else { node.span };
    let is_written = node.as_scalar().is_some_and(|s| s.is_null() && !s.text().is_empty());
    (span, format!("`{}` is {}", entry.key, if is_written { "null" } else { "empty" }))
}

pub(crate) fn is_refused_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}
