//! Turns the fields that only some clients read into a few bytes, and the bytes into fields again.

use crate::Span;
use crate::tree::{Entry, Map, Node, Scalar, Typed, Value, typed};
use std::borrow::Cow;
use std::fmt;

/// A mapping without room for anything but itself: a catalog holds one for every skill, and hardly
/// anybody asks what is in it. As a tree it takes four times as much.
///
/// ```text
/// mapping = entry*
/// entry   = span of the key, key, node
/// node    = kind, span, content          content of a list: node*
/// span    = start, length
/// ```
///
/// Keys and contents have their length in front of them. A number is seven bits a byte, the lowest
/// first; the highest bit says that there is more.
#[derive(Clone, Default)]
pub(crate) struct Packed(Box<[u8]>);

const PLAIN: u8 = 0;
const QUOTED: u8 = 1;
const LIST: u8 = 2;
const MAP: u8 = 3;

/// An entry that is still packed.
#[derive(Clone, Copy)]
pub(crate) struct PackedEntry<'p> {
    pub(crate) key: &'p str,
    key_span: Span,
    pub(crate) value: PackedNode<'p>,
}

/// A value that is still packed.
#[derive(Clone, Copy)]
pub(crate) struct PackedNode<'p> {
    kind: u8,
    span: Span,
    content: &'p [u8],
}

impl Packed {
    pub(crate) fn new<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut bytes = Vec::new();
        for entry in entries {
            // Nearly always enough, so that it does not grow field by field.
            bytes.reserve(if bytes.is_empty() { 128 } else { 0 });
            write_entry(entry, &mut bytes);
        }
        Self(bytes.into_boxed_slice())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = PackedEntry<'_>> {
        Reader(&self.0).entries()
    }

    pub(crate) fn get(&self, key: &str) -> Option<PackedNode<'_>> {
        self.iter().find(|entry| entry.key == key).map(|entry| entry.value)
    }
}

impl PartialEq for Packed {
    /// Equal in keys, values and order; where they stand does not count.
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || self.iter().map(PackedEntry::unpack).eq(other.iter().map(PackedEntry::unpack))
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(PackedEntry::unpack)).finish()
    }
}

impl PackedEntry<'_> {
    pub(crate) fn unpack(self) -> Entry {
        Entry { key: self.key.to_owned(), key_span: self.key_span, value: self.value.unpack() }
    }
}

impl<'p> PackedNode<'p> {
    pub(crate) fn unpack(self) -> Node {
        let value = match self.kind {
            LIST => Value::List(self.items().map(PackedNode::unpack).collect()),
            MAP => Value::Map(Map::of(self.entries().map(PackedEntry::unpack))),
            QUOTED => Value::Scalar(Scalar::quoted(self.text())),
            _ => Value::Scalar(Scalar::plain(self.text())),
        };
        Node { value, span: self.span }
    }

    /// What a scalar is taken for.
    pub(crate) fn typed(self) -> Option<Typed<'p>> {
        matches!(self.kind, PLAIN | QUOTED).then(|| typed(self.text(), self.kind == PLAIN))
    }

    /// The entries, if it is a mapping.
    pub(crate) fn entries(self) -> impl Iterator<Item = PackedEntry<'p>> {
        Reader(if self.kind == MAP { self.content } else { &[] }).entries()
    }

    pub(crate) fn is_map(self) -> bool {
        self.kind == MAP
    }

    /// As [`Node::to_line`].
    pub(crate) fn to_line(self) -> Cow<'p, str> {
        match self.kind {
            LIST | MAP => Cow::Owned(self.unpack().to_line().into_owned()),
            _ => Cow::Borrowed(self.text()),
        }
    }

    /// The items, if it is a list.
    pub(crate) fn items(self) -> impl Iterator<Item = PackedNode<'p>> {
        let mut reader = Reader(if self.kind == LIST { self.content } else { &[] });
        std::iter::from_fn(move || reader.node())
    }

    fn text(self) -> &'p str {
        text(self.content)
    }
}

/// What was text when it was packed.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn write_entry(entry: &Entry, out: &mut Vec<u8>) {
    write_span(entry.key_span, out);
    write_bytes(entry.key.as_bytes(), out);
    write_node(&entry.value, out);
}

fn write_node(node: &Node, out: &mut Vec<u8>) {
    let mut content = Vec::new();
    let kind = match &node.value {
        Value::Scalar(scalar) => {
            out.push(if scalar.is_plain() { PLAIN } else { QUOTED });
            write_span(node.span, out);
            return write_bytes(scalar.text().as_bytes(), out);
        }
        Value::List(items) => {
            for item in items {
                write_node(item, &mut content);
            }
            LIST
        }
        Value::Map(map) => {
            for entry in map {
                write_entry(entry, &mut content);
            }
            MAP
        }
    };
    out.push(kind);
    write_span(node.span, out);
    write_bytes(&content, out);
}

fn write_span(span: Span, out: &mut Vec<u8>) {
    write_number(span.start(), out);
    write_number(span.len(), out);
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_number(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn write_number(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// What is left to be read. Only what was written here is ever read, so that an answer of `None`
/// means the end.
struct Reader<'p>(&'p [u8]);

impl<'p> Reader<'p> {
    fn entries(mut self) -> impl Iterator<Item = PackedEntry<'p>> {
        std::iter::from_fn(move || {
            let key_span = self.span()?;
            let key = text(self.bytes()?);
            Some(PackedEntry { key, key_span, value: self.node()? })
        })
    }

    fn node(&mut self) -> Option<PackedNode<'p>> {
        let (kind, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(PackedNode { kind: *kind, span: self.span()?, content: self.bytes()? })
    }

    fn span(&mut self) -> Option<Span> {
        let start = self.number()?;
        Some(Span::unpacked(start..start + self.number()?))
    }

    fn bytes(&mut self) -> Option<&'p [u8]> {
        let length = self.number()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::yaml;
    use proptest::prelude::*;

    fn fields(text: &str) -> Map {
        let tree = yaml::read(text, 0..text.len(), &crate::Limits::default()).unwrap();
        tree.root.unwrap().as_map().unwrap().clone()
    }

    fn places(map: &Map) -> Vec<Span> {
        fn node(value: &Node) -> Vec<Span> {
            let below = match &value.value {
                Value::Scalar(_) => Vec::new(),
                Value::List(items) => items.iter().flat_map(node).collect(),
                Value::Map(map) => places(map),
            };
            std::iter::once(value.span).chain(below).collect()
        }
        map.iter()
            .flat_map(|entry| std::iter::once(entry.key_span).chain(node(&entry.value)))
            .collect()
    }

    #[test]
    fn what_is_packed_comes_back_with_its_places_and_types() {
        let long = "x".repeat(300);
        let text = format!(
            "version: 1.10\nquoted: '1.10'\nempty:\ntags: [a, 'b c', [], {{}}]\n\
             deep: {{a: {{b: [{long}, {{c: é}}]}}}}\n'odd key': |\n  one\n  two\n"
        );
        let map = fields(&text);
        let packed = Packed::new(&map);
        let back = Map::of(packed.iter().map(PackedEntry::unpack));
        assert_eq!(back, map);
        assert_eq!(places(&back), places(&map));
        let typed = |key| packed.get(key).and_then(PackedNode::typed);
        assert_eq!(typed("version"), Some(Typed::Float(1.1)));
        assert_eq!(typed("quoted"), Some(Typed::Text("1.10")));
        assert_eq!(typed("empty"), Some(Typed::Null));
        assert_eq!(typed("tags"), None);
        for key in ["version", "tags", "deep", "odd key"] {
            assert_eq!(packed.get(key).unwrap().to_line(), map.get(key).unwrap().to_line());
        }
        assert!(packed.get("missing").is_none());
    }

    #[test]
    fn places_and_quotes_without_meaning_do_not_count_and_order_does() {
        let packed = |text| Packed::new(&fields(text));
        assert_eq!(packed("a: b\nc: [d]\n"), packed("'a':   'b'\nc:\n  - d\n"));
        assert_ne!(packed("a: 1\n"), packed("a: '1'\n"));
        assert_ne!(packed("a: 1\nb: 2\n"), packed("b: 2\na: 1\n"));
        assert_ne!(packed("a: 1\n"), packed("a: 1\nb: 2\n"));
    }

    proptest! {
        #[test]
        fn any_number_comes_back(number in prop_oneof![0usize..400, any::<u32>().prop_map(|n| n as usize)]) {
            let mut bytes = Vec::new();
            write_number(number, &mut bytes);
            prop_assert_eq!(Reader(&bytes).number(), Some(number));
        }
    }
}
