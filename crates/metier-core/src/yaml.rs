//! Turns the text of a frontmatter into a tree of values that know where they stand.
//!
//! The dialect is YAML 1.2 with the core schema, without what a few lines of fields never need and
//! attackers do: anchors, aliases, tags, directives, list or mapping keys, further documents. Depth
//! and size are bounded while the events come in, so no input costs more than its length.

use crate::{Limits, Rule, Span};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, options};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// A value of the frontmatter and the place where it stands.
///
/// Nodes are equal when their values are; the place does not count.
#[derive(Debug, Clone)]
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
        if !self.plain {
            return Typed::Text(&self.text);
        }
        match self.text.as_str() {
            "" | "~" | "null" | "Null" | "NULL" => Typed::Null,
            "true" | "True" | "TRUE" => Typed::Bool(true),
            "false" | "False" | "FALSE" => Typed::Bool(false),
            text => number(text).unwrap_or(Typed::Text(text)),
        }
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
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub value: Node,
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

/// Why a text is not a frontmatter.
#[derive(Debug, Clone)]
pub(crate) struct YamlError {
    pub(crate) rule: Rule,
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Whether a slip of the pen may be behind it. Half a surrogate pair is none (security Y22).
    pub(crate) is_repairable: bool,
}

/// A key that was there before; the first one counts.
#[derive(Debug, Clone)]
pub(crate) struct Duplicate {
    pub(crate) first: Span,
    pub(crate) again: Entry,
    pub(crate) same: bool,
}

/// A tree, and the keys that did not make it into it.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// `None` for an empty document.
    pub(crate) root: Option<Node>,
    pub(crate) duplicates: Vec<Duplicate>,
}

/// Reads `text[range]` as one YAML document; spans are those of the whole `text`.
pub(crate) fn read(text: &str, range: Range<usize>, limits: &Limits) -> Result<Tree, YamlError> {
    let source = &text[range.clone()];
    let base = range.start;
    let parser = Parser::new_from_str_with_options(
        source,
        options! {
            disallow_directives: true,
            emit_unresolved_aliases: true,
            emit_anchor_events: true,
            // One more than allowed, so that the limit is ours to report.
            flow_nesting_limit: limits.yaml_depth + 1,
            block_nesting_limit: limits.yaml_depth + 1,
        },
    );
    let mut builder = Builder {
        text,
        base,
        limits,
        open: Vec::new(),
        nodes: 0,
        documents: 0,
        tree: Tree { root: None, duplicates: Vec::new() },
    };
    for event in parser {
        let (event, span) = event.map_err(|error| scan_error(text, base, &error, limits))?;
        builder.take(event, &span)?;
    }
    Ok(builder.tree)
}

/// A list or mapping whose end has not come yet.
enum Open {
    List(Vec<Node>, Span),
    Map { map: Map, key: Option<(String, Span)>, span: Span },
}

struct Builder<'t> {
    text: &'t str,
    base: usize,
    limits: &'t Limits,
    open: Vec<Open>,
    nodes: usize,
    documents: usize,
    tree: Tree,
}

impl Builder<'_> {
    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span.byte_range().unwrap_or(0..0);
        Span::new(self.text, self.base + range.start..self.base + range.end)
    }

    fn take(&mut self, event: Event<'_>, at: &granit_parser::Span) -> Result<(), YamlError> {
        let span = self.span(at);
        if let Some(tag) = at.tag_span() {
            let tag = self.span(&tag);
            let message = format!("the tag `{}` is not allowed", tag.slice(self.text));
            return refuse(Rule::YamlTag, tag, message);
        }
        match event {
            Event::StreamStart | Event::StreamEnd => {}
            Event::DocumentEnd if span.slice(self.text).starts_with("...") => {
                let message = "`...` ends the document before the closing `---`";
                return refuse(Rule::SecondDocument, span, message);
            }
            Event::DocumentEnd => {}
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let message = "a second YAML document starts here";
                    return refuse(Rule::SecondDocument, span, message);
                }
            }
            Event::Anchor(_, name) => {
                let message = format!("the anchor `&{name}` is not allowed");
                return refuse(Rule::YamlAnchor, span, message);
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                let message = format!("the alias `{}` is not allowed", span.slice(self.text));
                return refuse(Rule::YamlAnchor, span, message);
            }
            Event::Scalar(text, style, ..) => {
                self.count(span)?;
                if let Some(Open::Map { key: key @ None, .. }) = self.open.last_mut() {
                    *key = Some((text.into_owned(), span));
                } else {
                    let plain = style == ScalarStyle::Plain;
                    let scalar = Scalar { text: text.into_owned(), plain };
                    self.close(Node { value: Value::Scalar(scalar), span });
                }
            }
            Event::SequenceStart(..) => {
                self.nest(span)?;
                self.open.push(Open::List(Vec::new(), span));
            }
            Event::MappingStart(..) => {
                self.nest(span)?;
                self.open.push(Open::Map { map: Map::default(), key: None, span });
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items, start)) => {
                    let end = items.last().map_or(start, |item| item.span).cover(span);
                    let span = self.trimmed(start.cover(end));
                    self.close(Node { value: Value::List(items), span });
                }
                Some(Open::Map { map, span: start, .. }) => {
                    let span = self.trimmed(start.cover(span));
                    self.close(Node { value: Value::Map(map), span });
                }
                None => {}
            },
            #[allow(unreachable_patterns, reason = "the parser may learn new events")]
            _ => {}
        }
        Ok(())
    }

    /// Block collections end where the next thing starts; their span ends with their last text.
    fn trimmed(&self, span: Span) -> Span {
        let length = span.slice(self.text).trim_end().len();
        Span::new(self.text, span.start()..span.start() + length)
    }

    fn count(&mut self, span: Span) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > self.limits.yaml_nodes {
            let limit = self.limits.yaml_nodes;
            let message = format!("the frontmatter holds more than {limit} values, the limit");
            return refuse(Rule::TooManyNodes, span, message);
        }
        Ok(())
    }

    fn nest(&mut self, span: Span) -> Result<(), YamlError> {
        self.count(span)?;
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            let message = "a key must be a single value, not a list or a mapping";
            return refuse(Rule::ComplexKey, span, message);
        }
        if self.open.len() >= self.limits.yaml_depth {
            return Err(too_deep(span, self.limits));
        }
        Ok(())
    }

    /// Hands a finished node to the list or mapping around it.
    fn close(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.tree.root = Some(node),
            Some(Open::List(items, _)) => items.push(node),
            Some(Open::Map { map, key, .. }) => {
                if let Some((key, key_span)) = key.take()
                    && let Err(duplicate) = map.insert(Entry { key, key_span, value: node })
                {
                    self.tree.duplicates.push(duplicate);
                }
            }
        }
    }
}

fn refuse<T>(rule: Rule, span: Span, message: impl Into<String>) -> Result<T, YamlError> {
    Err(YamlError { rule, span, message: message.into(), is_repairable: true })
}

fn too_deep(span: Span, limits: &Limits) -> YamlError {
    let limit = limits.yaml_depth;
    let message = format!("lists and mappings nest deeper than {limit} levels, the limit");
    YamlError { rule: Rule::TooDeep, span, message, is_repairable: false }
}

fn scan_error(text: &str, base: usize, error: &ScanError, limits: &Limits) -> YamlError {
    let offset = base + error.marker().byte_offset().unwrap_or(0);
    // Point at the whole character, or at the end of the last line when the input ran out.
    let width = text.get(offset..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let span = Span::new(text, offset..offset + width);
    let kind = error.kind();
    let (rule, message) = match kind {
        ErrorKind::RecursionLimitExceeded => return too_deep(span, limits),
        ErrorKind::DirectiveDisallowed => {
            (Rule::YamlDirective, "a YAML directive (`%`) is not allowed".to_owned())
        }
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => {
            (Rule::TabIndentation, "a tab indents this line, YAML takes spaces only".to_owned())
        }
        kind => (Rule::InvalidYaml, kind.to_string()),
    };
    let is_half_a_pair = matches!(
        kind,
        ErrorKind::MissingLowSurrogate
            | ErrorKind::InvalidLowSurrogate
            | ErrorKind::InvalidLowSurrogateHexEscape
            | ErrorKind::UnpairedLowSurrogate
            | ErrorKind::InvalidUnicodeEscape
    );
    YamlError { rule, span, message, is_repairable: !is_half_a_pair }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Node {
        read(text, 0..text.len(), &Limits::default()).unwrap().root.unwrap()
    }

    fn rule(text: &str) -> (Rule, Range<usize>) {
        let error = read(text, 0..text.len(), &Limits::default()).unwrap_err();
        (error.rule, error.span.range())
    }

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

    #[test]
    fn spans_cover_the_source() {
        let text = "a: 'x y'\nb:\n  - one\n  - {k: v}\nc: é\n";
        let root = root(text);
        let slices: Vec<_> =
            root.as_map().unwrap().iter().map(|e| e.value.span.slice(text)).collect();
        assert_eq!(slices, ["'x y'", "- one\n  - {k: v}", "é"]);
    }

    #[test]
    fn crlf_is_a_line_break_in_values() {
        let text = "a: |\r\n  x\r\n  y\r\nb: z\r\n";
        let root = root(text);
        let map = root.as_map().unwrap();
        assert_eq!(map.get("a").unwrap().as_text(), Some("x\ny\n"));
        assert_eq!(map.get("b").unwrap().as_text(), Some("z"));
    }

    #[test]
    fn what_is_banned_is_refused_where_it_stands() {
        assert_eq!(rule("a: &x 1\n"), (Rule::YamlAnchor, 3..5));
        assert_eq!(rule("a: *x\n"), (Rule::YamlAnchor, 3..5));
        assert_eq!(rule("a: !!binary x\n"), (Rule::YamlTag, 3..11));
        assert_eq!(rule("a: !include x\n"), (Rule::YamlTag, 3..11));
        assert_eq!(rule("? [a]\n: b\n").0, Rule::ComplexKey);
        assert_eq!(rule("%YAML 1.1\n---\na: b\n").0, Rule::YamlDirective);
        assert_eq!(rule("a: b\n--- \nc: d\n").0, Rule::SecondDocument);
        assert_eq!(rule("a: b\n...\ngarbage: [\n").0, Rule::SecondDocument);
        assert_eq!(rule("a:\n\tb: c\n").0, Rule::TabIndentation);
    }

    #[test]
    fn depth_and_size_are_bounded() {
        for deep in ["[".repeat(65_000), "{a: ".repeat(10_000)] {
            assert_eq!(rule(&format!("x: {deep}")).0, Rule::TooDeep, "{}", &deep[..8]);
        }
        assert_eq!(rule(&format!("x:\n{}", "- ".repeat(32_000))).0, Rule::TooDeep);
        assert_eq!(rule(&format!("x:\n  {}", "? ".repeat(10_000))).0, Rule::ComplexKey);
        assert_eq!(rule(&format!("x: [{}]", "a,".repeat(10_000))).0, Rule::TooManyNodes);
    }

    #[test]
    fn the_first_of_two_keys_counts() {
        let text = "a: 1\n\"\\u0061\": 2\n";
        let tree = read(text, 0..text.len(), &Limits::default()).unwrap();
        assert_eq!(tree.root.unwrap().as_map().unwrap().get("a").unwrap().as_text(), Some("1"));
        assert_eq!(tree.duplicates.len(), 1);
    }
}
