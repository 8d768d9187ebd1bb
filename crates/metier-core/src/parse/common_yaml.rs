//! Turns frontmatter in the few shapes that nearly all of it has into its tree, and leaves the rest to `yaml`.
//!
//! It builds the tree that the YAML parser would build, to the byte, in a fraction of the time, or says
//! nothing at all: at the first byte it is not sure about it gives up. What it reads:
//!
//! ```text
//! document = entry+                      at column 0; empty lines may stand between entries
//! entry    = key ':' (' '+ value | below)
//! key      = (letter | '_') (letter | digit | one of _ - . /)*
//! value    = plain | quoted | '[' item (', ' item)* ']'    all on one line
//!          | ('|' | '|-' | '>' | '>-') and lines indented deeper than the key
//! below    = entries indented deeper than the key, all alike
//!          | ('- ' item)+ indented as deep as the key or deeper, all alike
//! item     = plain | quoted              on one line
//! plain    = starts with a letter, a digit or one of STARTS; no ': ', no ' #', no ':' at its end
//! quoted   = '...' with '' for ', or "..." with \" \\ and \n for what they stand for
//! ```
//!
//! There are no tabs, carriage returns, comments, control characters, duplicate keys or empty values,
//! and a line of blanks is no empty line.

use crate::check::hidden;
use crate::tree::{Entry, Map, Node, Scalar, Value};
use crate::{Limits, Span};
use std::ops::Range;

/// What a plain scalar may start with beside letters and digits.
const STARTS: &[u8] = b"/._+$(^~=<;\\";

/// How deep it looks; deeper frontmatter is rare.
const DEPTH: usize = 4;

/// Reads `text[range]` as `yaml::read` does; `None` when it may not be in one of the shapes.
pub(crate) fn read(text: &str, range: Range<usize>, limits: &Limits) -> Option<Node> {
    let source = text.as_bytes().get(range.clone())?;
    if !source.ends_with(b"\n") || !is_simple(source) {
        return None;
    }
    let mut reader = Reader { text, at: range.start, end: range.end, nodes: 0, limits };
    reader.skip_empty_lines();
    let root = reader.map(0, 1)?;
    (reader.at == reader.end).then_some(root)
}

/// Whether there are only characters that stand for themselves in every YAML reader, and `\n`.
fn is_simple(source: &[u8]) -> bool {
    // Noncharacters and the byte order mark start with 0xef.
    memchr::memchr3(b'\t', b'\r', 0xef, source).is_none() && hidden::suspect(source, 0).is_none()
}

struct Reader<'t> {
    text: &'t str,
    /// The start of the line to be read next.
    at: usize,
    end: usize,
    nodes: usize,
    limits: &'t Limits,
}

/// A line that is not empty, cut at its indentation.
struct Line<'t> {
    indent: usize,
    /// Where the text after the indentation starts.
    start: usize,
    text: &'t str,
    /// The start of the next line.
    next: usize,
}

impl<'t> Reader<'t> {
    /// The line at `at`; `None` at the end, and for a line of nothing but blanks.
    fn line(&self) -> Option<Line<'t>> {
        let rest = &self.text[self.at..self.end];
        let length = memchr::memchr(b'\n', rest.as_bytes())?;
        let line = &rest[..length];
        let text = line.trim_start_matches(' ');
        let indent = length - text.len();
        let start = self.at + indent;
        (!text.is_empty()).then_some(Line { indent, start, text, next: self.at + length + 1 })
    }

    fn skip_empty_lines(&mut self) {
        let rest = &self.text.as_bytes()[self.at..self.end];
        self.at += rest.iter().take_while(|&&byte| byte == b'\n').count();
    }

    /// Counts a node as the YAML parser does, which reports when there are too many.
    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= self.limits.yaml_nodes).then_some(())
    }

    /// A mapping whose lines all have the same indentation.
    fn map(&mut self, indent: usize, depth: usize) -> Option<Node> {
        (depth <= DEPTH.min(self.limits.yaml_depth)).then_some(())?;
        self.count()?;
        let start = self.at + indent;
        let mut map = if depth == 1 { Map::with_room() } else { Map::default() };
        let mut end = start;
        while self.at < self.end {
            let line = self.line()?;
            if line.indent != indent {
                // Further out it is the business of the mapping around this one.
                (line.indent < indent).then_some(())?;
                break;
            }
            let key = key(line.text)?;
            let key_span = Span::new(self.text, line.start..line.start + key.len());
            self.count()?;
            self.at = line.next;
            let after = &line.text[key.len() + 1..];
            let value = match after.trim_start_matches(' ') {
                "" if after.is_empty() => self.below(indent, depth)?,
                "" => return None,
                _ if !after.starts_with(' ') => return None,
                value => self.value(value, line.start + line.text.len() - value.len(), indent)?,
            };
            end = value.span.end();
            map.insert(Entry { key: key.to_owned(), key_span, value }).ok()?;
            self.skip_empty_lines();
        }
        (!map.is_empty()).then_some(())?;
        let span = Span::new(self.text, start..end);
        Some(Node { value: Value::Map(map), span })
    }

    /// What stands below a key: a mapping that is indented deeper, or a list.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let line = self.line()?;
        match line.text.starts_with("- ") {
            true if line.indent >= indent => self.list(line.indent, indent, depth + 1),
            false if line.indent > indent => self.map(line.indent, depth + 1),
            _ => None,
        }
    }

    fn list(&mut self, indent: usize, key_indent: usize, depth: usize) -> Option<Node> {
        (depth <= DEPTH.min(self.limits.yaml_depth)).then_some(())?;
        self.count()?;
        let start = self.at + indent;
        let mut items: Vec<Node> = Vec::new();
        while self.at < self.end {
            let line = self.line()?;
            let item = line.text.strip_prefix("- ").filter(|_| line.indent == indent);
            let Some(item) = item else {
                // A list may stand right below its key, which the next key then ends.
                (line.indent <= indent && !line.text.starts_with('-')).then_some(())?;
                break;
            };
            let item = item.trim_start_matches(' ');
            self.at = line.next;
            items.push(self.item(item, line.start + line.text.len() - item.len())?);
            self.skip_empty_lines();
        }
        // A list that is not indented starts, for the parser, with its first item.
        let start = if indent > key_indent { start } else { items.first()?.span.start() };
        let end = items.last()?.span.end();
        Some(Node { value: Value::List(items), span: Span::new(self.text, start..end) })
    }

    /// A value that starts in the line of its key.
    fn value(&mut self, value: &'t str, start: usize, indent: usize) -> Option<Node> {
        match value {
            "|" => self.lines(indent, Fold::Keep, "\n"),
            "|-" => self.lines(indent, Fold::Keep, ""),
            ">" => self.lines(indent, Fold::Join, "\n"),
            ">-" => self.lines(indent, Fold::Join, ""),
            flow if flow.starts_with('[') => self.flow_list(flow, start),
            item => self.item(item, start),
        }
    }

    /// A scalar that fills the rest of its line, which the next line does not go on with.
    fn item(&mut self, item: &'t str, start: usize) -> Option<Node> {
        let item = item.trim_end_matches(' ');
        self.count()?;
        let scalar = match item.as_bytes().first()? {
            b'\'' | b'"' => quoted(item)?,
            _ => Scalar::plain(plain(item)?),
        };
        let span = Span::new(self.text, start..start + item.len());
        Some(Node { value: Value::Scalar(scalar), span })
    }

    fn flow_list(&mut self, flow: &'t str, start: usize) -> Option<Node> {
        let flow = flow.trim_end_matches(' ');
        let inner = flow.strip_prefix('[')?.strip_suffix(']')?;
        self.count()?;
        let mut items = Vec::new();
        let mut rest = inner;
        loop {
            let length = match rest.as_bytes().first()? {
                b'"' | b'\'' => quoted_length(rest)?,
                _ => rest.find(',').unwrap_or(rest.len()),
            };
            let (item, after) = rest.split_at(length);
            let is_quoted = item.starts_with(['"', '\'']);
            (is_quoted || is_plain_in_flow(item)).then_some(())?;
            items.push(self.item(item, start + 1 + inner.len() - rest.len())?);
            if after.is_empty() {
                break;
            }
            rest = after.strip_prefix(", ")?;
        }
        let span = Span::new(self.text, start..start + flow.len());
        Some(Node { value: Value::List(items), span })
    }

    /// A block of lines; `end` is what stands behind the last one.
    fn lines(&mut self, indent: usize, fold: Fold, end: &str) -> Option<Node> {
        self.count()?;
        let first = self.line()?;
        (first.indent > indent).then_some(())?;
        let mut text = String::new();
        let mut last = self.at;
        let mut empty = 0;
        while self.at < self.end {
            if self.text.as_bytes()[self.at] == b'\n' {
                empty += 1;
                self.at += 1;
                continue;
            }
            let line = self.line()?;
            if line.indent < first.indent {
                (line.indent <= indent).then_some(())?;
                break;
            }
            let is_deeper = line.indent > first.indent;
            match fold {
                _ if text.is_empty() => {}
                Fold::Join if is_deeper => return None,
                Fold::Join if empty == 0 => text.push(' '),
                Fold::Join => text.extend(std::iter::repeat_n('\n', empty)),
                Fold::Keep => text.extend(std::iter::repeat_n('\n', empty + 1)),
            }
            empty = 0;
            text.push_str(&self.text[self.at + first.indent..line.next - 1]);
            last = line.next - 1;
            self.at = line.next;
        }
        // Lines of other blanks than ours have a place of their own.
        (!text.trim().is_empty()).then_some(())?;
        text.push_str(end);
        let last = self.text[..last].trim_end_matches(' ').len();
        let span = Span::new(self.text, first.start..last);
        Some(Node { value: Value::Scalar(Scalar::quoted(text)), span })
    }
}

/// What becomes of the line breaks in a block of lines.
#[derive(Clone, Copy)]
enum Fold {
    Keep,
    Join,
}

/// The key that a line starts with, up to its colon.
fn key(line: &str) -> Option<&str> {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/');
    let bytes = line.as_bytes();
    let length = bytes.iter().take_while(|b| is_part(b)).count();
    let starts = bytes[0].is_ascii_alphabetic() || bytes[0] == b'_';
    // The parser takes no key of more than 1024 characters.
    (starts && length < 128 && bytes.get(length) == Some(&b':')).then(|| &line[..length])
}

/// A plain scalar of one line.
fn plain(item: &str) -> Option<&str> {
    let bytes = item.as_bytes();
    let first = *bytes.first()?;
    let starts = first.is_ascii_alphanumeric() || first >= 0x80 || STARTS.contains(&first);
    let mut marks = memchr::memchr2_iter(b':', b'#', bytes);
    let is_cut = marks.any(|at| match bytes[at] {
        b':' => matches!(bytes.get(at + 1), None | Some(b' ')),
        _ => at > 0 && bytes[at - 1] == b' ',
    });
    (starts && !is_cut).then_some(item)
}

/// Whether an item of a flow list holds nothing that means something there.
fn is_plain_in_flow(item: &str) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || b" _-./()*@".contains(&b);
    item.bytes().all(is_part) && !item.ends_with(' ')
}

/// A quoted scalar that fills all of `item`.
fn quoted(item: &str) -> Option<Scalar> {
    (quoted_length(item)? == item.len()).then_some(())?;
    let inner = &item[1..item.len() - 1];
    let text = match item.as_bytes()[0] {
        b'\'' if memchr::memchr(b'\'', inner.as_bytes()).is_some() => inner.replace("''", "'"),
        b'"' if memchr::memchr(b'\\', inner.as_bytes()).is_some() => unescaped(inner)?,
        _ => inner.to_owned(),
    };
    Some(Scalar::quoted(text))
}

/// How long the quoted scalar is that `text` starts with, its quotes counted.
fn quoted_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    loop {
        at += memchr::memchr2(quote, b'\\', bytes.get(at..)?)?;
        match (quote, bytes[at], bytes.get(at + 1)) {
            (b'"', b'\\', _) | (b'\'', b'\'', Some(b'\'')) => at += 2,
            (b'\'', b'\\', _) => at += 1,
            _ => return Some(at + 1),
        }
    }
}

/// The text between double quotes, with its escapes undone.
fn unescaped(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        text.push(match rest.as_bytes().get(at + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'n' => '\n',
            _ => return None,
        });
        rest = &rest[at + 2..];
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests;
