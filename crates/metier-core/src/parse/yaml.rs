//! Turns the text of a frontmatter into a tree of values that know where they stand.
//!
//! The dialect is YAML 1.2 with the core schema, without what a few lines of fields never need and
//! attackers do: anchors, aliases, tags, directives, list or mapping keys, further documents. Depth
//! and size are bounded while the events come in, so no input costs more than its length.

use crate::parse::common_yaml;
use crate::tree::{Duplicate, Entry, Map, Node, Scalar, Value};
use crate::{Limits, Rule, Span};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, options};
use std::ops::Range;

/// Why a text is not a frontmatter.
#[derive(Debug, Clone)]
pub(crate) struct YamlError {
    pub(crate) rule: Rule,
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Whether a slip of the pen may be behind it. Half a surrogate pair is none (security Y22).
    pub(crate) is_repairable: bool,
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
    match common_yaml::read(text, range.clone(), limits) {
        Some(root) => Ok(Tree { root: Some(root), duplicates: Vec::new() }),
        None => parse(text, range, limits),
    }
}

/// Reads whatever YAML it may be.
pub(crate) fn parse(text: &str, range: Range<usize>, limits: &Limits) -> Result<Tree, YamlError> {
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
            Event::DocumentEnd if span.slice(self.text).starts_with("...") => {
                let message = "`...` ends the document before the closing `---`";
                return refuse(Rule::SecondDocument, span, message);
            }
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
                let span = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => self.block_span(&text, span),
                    _ => span,
                };
                if let Some(Open::Map { key: key @ None, .. }) = self.open.last_mut() {
                    *key = Some((text.into_owned(), span));
                } else {
                    let plain = style == ScalarStyle::Plain;
                    // The parser makes `~` of nothing; what was written is nothing.
                    let is_absent = plain && span.is_empty();
                    let text = if is_absent { String::new() } else { text.into_owned() };
                    let scalar = if plain { Scalar::plain(text) } else { Scalar::quoted(text) };
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
                Some(Open::List(mut items, start)) => {
                    items.shrink_to_fit();
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
            // The stream, and the ends of its documents.
            _ => {}
        }
        Ok(())
    }

    /// A block without a word has no text of its own: it stands behind its header.
    fn block_span(&self, value: &str, span: Span) -> Span {
        let span = self.trimmed(span);
        if value.trim().is_empty() { Span::at(self.text, span.end()) } else { span }
    }

    /// Block scalars and collections end where the next thing starts; their span ends with their
    /// last text.
    fn trimmed(&self, span: Span) -> Span {
        let end = self.text[..span.end()].trim_end_matches([' ', '\t', '\n', '\r']).len();
        Span::new(self.text, span.start().min(end)..end)
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
