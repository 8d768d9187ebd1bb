//! Turns frontmatter into values: scalars with text and type, lists, mappings, each with its place.

use crate::Span;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A value of the frontmatter and the place where it stands.
///
/// Nodes are equal when their values are; the place does not count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands in the text of the skill.
    pub span: Span,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A scalar, a list or a mapping.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A single value.
    Scalar(Scalar),
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in order.
    Map(Map),
}

/// A single value: its text as written, and what YAML 1.2 takes it for.
///
/// ```
/// use metier_core::{Scalar, Typed};
///
/// let version = Scalar::plain("1.10");
/// assert_eq!(version.text(), "1.10"); // nothing is lost ...
/// assert_eq!(version.typed(), Typed::Float(1.1)); // ... in the typed view
/// assert_eq!(Scalar::quoted("1.10").typed(), Typed::Text("1.10"));
/// ```
#[derive(Debug, Clone)]
pub struct Scalar {
    text: String,
    plain: bool,
}

/// What the core schema of YAML 1.2 (§10.3) takes a scalar for.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Typed<'t> {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number: decimal, `0o17` or `0x1f`.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Everything else.
    Text(&'t str),
}

impl Scalar {
    /// A scalar written without quotes: its text decides its type.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), plain: true }
    }

    /// A scalar written in quotes or as a block: always text.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self { text: text.into(), plain: false }
    }

    /// The text: as written, with quotes, escapes and folding undone.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it was written without quotes.
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// What YAML 1.2 takes it for.
    pub fn typed(&self) -> Typed<'_> {
        typed(&self.text, self.plain)
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.typed() == Typed::Null
    }
}

impl PartialEq for Scalar {
    /// Equal in text and in type; quotes that change neither do not count.
    fn eq(&self, other: &Self) -> bool {
        let is_text = |scalar: &Self| matches!(scalar.typed(), Typed::Text(_));
        self.text == other.text && is_text(self) == is_text(other)
    }
}

/// What the text of a scalar is taken for.
pub(crate) fn typed(text: &str, plain: bool) -> Typed<'_> {
    match text {
        _ if !plain => Typed::Text(text),
        "" | "~" | "null" | "Null" | "NULL" => Typed::Null,
        "true" | "True" | "TRUE" => Typed::Bool(true),
        "false" | "False" | "FALSE" => Typed::Bool(false),
        _ => number(text).unwrap_or(Typed::Text(text)),
    }
}

/// A number of the core schema.
fn number(text: &str) -> Option<Typed<'_>> {
    let first = *text.as_bytes().first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(octal) = text.strip_prefix("0o").filter(|digits| !digits.is_empty()) {
        return i64::from_str_radix(octal, 8).ok().map(Typed::Int);
    }
    if let Some(hex) = text.strip_prefix("0x").filter(|digits| !digits.is_empty()) {
        return i64::from_str_radix(hex, 16).ok().map(Typed::Int);
    }
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
            return Some(Typed::Float(sign * f64::INFINITY));
        }
        ".nan" | ".NaN" | ".NAN" if unsigned == text => return Some(Typed::Float(f64::NAN)),
        _ => {}
    }
    if unsigned.bytes().all(|b| b.is_ascii_digit()) && !unsigned.is_empty() {
        return text.parse().map(Typed::Int).or_else(|_| text.parse().map(Typed::Float)).ok();
    }
    // Rust's floats and YAML's agree once anything but digits, a point and an exponent is out.
    let shaped = unsigned.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b))
        && unsigned.bytes().any(|b| b.is_ascii_digit())
        && !unsigned.starts_with(['+', '-', 'e', 'E']);
    shaped.then(|| text.parse().ok().map(Typed::Float)).flatten()
}

/// Keys and values in the order in which they were written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map {
    entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Entry {
    /// The same entry with every span moved.
    pub(crate) fn move_spans(self, moved: &impl Fn(Span) -> Span) -> Self {
        Self { key: self.key, key_span: moved(self.key_span), value: self.value.move_spans(moved) }
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Map {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// An empty mapping with room for the fields of nearly every skill.
    pub(crate) fn with_room() -> Self {
        Self { entries: Vec::with_capacity(8) }
    }

    /// A mapping of entries whose keys are distinct.
    pub(crate) fn of(entries: impl Iterator<Item = Entry>) -> Self {
        Self { entries: entries.collect() }
    }

    /// The same mapping with every span moved.
    pub(crate) fn move_spans(self, moved: &impl Fn(Span) -> Span) -> Self {
        Self { entries: self.entries.into_iter().map(|entry| entry.move_spans(moved)).collect() }
    }

    /// The entries, taken out of the mapping.
    pub(crate) fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Adds an entry unless its key is there already; the first one wins.
    pub(crate) fn insert(&mut self, entry: Entry) -> Result<(), Duplicate> {
        if let Some(first) = self.entry(&entry.key) {
            let same = first.value == entry.value;
            return Err(Duplicate { first: first.key_span, again: entry, same });
        }
        self.entries.push(entry);
        Ok(())
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = &'m Entry;
    type IntoIter = std::slice::Iter<'m, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

impl Node {
    /// The scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar that is not null.
    pub fn as_text(&self) -> Option<&str> {
        self.as_scalar().filter(|scalar| !scalar.is_null()).map(Scalar::text)
    }

    /// The text of a scalar, taken out of the node.
    pub(crate) fn into_text(self) -> Option<String> {
        match self.value {
            Value::Scalar(scalar) => Some(scalar.text),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_null)
    }

    /// What kind of value it is, with its article: "a list".
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
            Value::Scalar(scalar) => match scalar.typed() {
                Typed::Null => "null",
                Typed::Bool(_) => "a boolean",
                Typed::Int(_) | Typed::Float(_) => "a number",
                Typed::Text(_) => "text",
            },
        }
    }

    /// The same node with its span and every span inside it moved.
    pub(crate) fn move_spans(self, moved: &impl Fn(Span) -> Span) -> Self {
        let value = match self.value {
            Value::List(items) => {
                Value::List(items.into_iter().map(|item| item.move_spans(moved)).collect())
            }
            Value::Map(map) => Value::Map(map.move_spans(moved)),
            scalar @ Value::Scalar(_) => scalar,
        };
        Self { value, span: moved(self.span) }
    }

    /// One line of text for it: a scalar's text, else flow style.
    pub fn to_line(&self) -> Cow<'_, str> {
        if let Value::Scalar(scalar) = &self.value {
            return Cow::Borrowed(scalar.text());
        }
        let mut line = String::new();
        self.write_flow(&mut line);
        Cow::Owned(line)
    }

    fn write_flow(&self, out: &mut String) {
        match &self.value {
            Value::Scalar(scalar) => out.push_str(scalar.text()),
            Value::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { ", " });
                    item.write_flow(out);
                }
                out.push(']');
            }
            Value::Map(map) => {
                out.push('{');
                for (at, entry) in map.iter().enumerate() {
                    let _ = write!(out, "{}{}: ", if at == 0 { "" } else { ", " }, entry.key);
                    entry.value.write_flow(out);
                }
                out.push('}');
            }
        }
    }
}

/// A key that was there before; the first one counts.
#[derive(Debug, Clone)]
pub(crate) struct Duplicate {
    pub(crate) first: Span,
    pub(crate) again: Entry,
    pub(crate) same: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_keep_their_text_and_have_a_type() {
        let typed = |text| {
            let scalar = Scalar::plain(text);
            format!("{:?}", scalar.typed())
        };
        for (text, expected) in [
            ("no", "Text(\"no\")"),
            ("true", "Bool(true)"),
            ("1.10", "Float(1.1)"),
            ("012", "Int(12)"),
            ("0o17", "Int(15)"),
            ("0x1F", "Int(31)"),
            ("1_000", "Text(\"1_000\")"),
            ("2026-11-15", "Text(\"2026-11-15\")"),
            ("1.2.3", "Text(\"1.2.3\")"),
            (".5", "Float(0.5)"),
            ("1e3", "Float(1000.0)"),
            ("-.inf", "Float(-inf)"),
            ("~", "Null"),
            ("-", "Text(\"-\")"),
            ("+", "Text(\"+\")"),
            ("22:22:22", "Text(\"22:22:22\")"),
        ] {
            assert_eq!(typed(text), expected, "{text}");
        }
    }
}
