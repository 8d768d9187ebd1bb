//! Turns generated and real frontmatter into proof that both readers build the same tree.

use crate::parse::document::Document;
use crate::parse::yaml;
use crate::{Limits, Mode, Report};
use proptest::prelude::*;
use proptest::sample::select;
use std::ops::Range;

/// Whether the quick reader takes a text; if it does, its tree must be the parser's, spans and all.
fn takes(text: &str, range: Range<usize>, limits: &Limits) -> bool {
    let Some(root) = super::read(text, range.clone(), limits) else { return false };
    let source = &text[range.clone()];
    let tree = yaml::parse(text, range, limits);
    let tree = tree.unwrap_or_else(|error| panic!("only one reads {source:?}: {error:?}"));
    assert!(tree.duplicates.is_empty(), "{source:?}");
    assert_eq!(format!("{:#?}", Some(root)), format!("{:#?}", tree.root), "{source:?}");
    true
}

fn takes_whole(text: &str) -> bool {
    takes(text, 0..text.len(), &Limits::default())
}

#[test]
fn every_shape_is_taken() {
    for text in [
        "name: pdf\n",
        "\n\nname: pdf  \n\n\ndescription: Use it, (or) [not]:#5 {x} -- a:b 'c' \"d\"\n\n",
        "a: \"b \\\"c\\\" \\\\ \\n: # d\"\nb: 'it''s: # \\ x'  \nc: ''\nd: \"\"\n",
        "a: |\n  one\n\n    two: x\n  # three \n\n\nb: |-\n   x\n   y\nc: z\n",
        "a: >\n  one\n  two \n\n\n  three: x\nb: >-\n one\n two\n\n",
        "a: |\n  one",
        "tags: [a, \"b, c\", 'd''s', e f]\nb: [x]\n",
        "tags:\n- a\n-  \"b\"\n\n- c d\nb:\n  - x\n  - y\n",
        "metadata:\n  a: b\n\n  c:\n    - d\n  e:\n    f: \"g\"\n    h: |\n      i\n  j: k\nl: m\n",
        "a:\n  b:\n  - c\n  d: e\n",
        "é: x\n",
        "k: é – “x” 日本語\nv: 1.10\nn: ~\nb: true\n",
        "url: https://example.com/a#b?c=d\nt: 10:30\n",
    ] {
        let is_shape = !text.starts_with('é') && text.ends_with('\n');
        assert_eq!(takes_whole(text), is_shape, "{text:?}");
    }
}

#[test]
fn what_is_not_sure_is_left_to_the_parser() {
    for text in [
        "",
        "\n",
        "text\n",
        "- a\n",
        "a\n",
        "a:\n",
        "a: \n",
        "a: b\na: c\n",
        "a: b: c\n",
        "a: b #c\n",
        "# c\na: b\n",
        "a: b\n# c\n",
        "a: b\n  c\n",
        "a: 'b\n  c'\n",
        "a: \"b\\tc\"\n",
        "a: 'b' c\n",
        "a: [b, c\n",
        "a: [b,, c]\n",
        "a: [b, ]\n",
        "a: []\n",
        "a: [b: c]\n",
        "a: [[b]]\n",
        "a: {b: c}\n",
        "a: |\n  \u{a0}\n",
        "a: |+\n  b\n",
        "a: |2\n  b\n",
        "a: |\nb: c\n",
        "a: |\n\n  b\n",
        "a: |\n    b\n  c\n",
        "a: >\n  b\n    c\n",
        "a: |\n  b\n \nc: d\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !x b\n",
        "a: - b\n",
        "a: ? b\n",
        "a: @b\n",
        "a: `b`\n",
        "a: %b\n",
        "a:b\n",
        "a:\tb\n",
        "a: b\tc\n",
        "a: b\r\n",
        "a: b\n---\n",
        "...\n",
        "a:\n  - b: c\n",
        "a:\n  - - b\n",
        "a:\n  -\n",
        "a:\n- b\n  c\n",
        "a:\n  b: c\n d: e\n",
        "a:\n  b: c\n   d: e\n",
        "  a: b\n c: d\n",
        "a: b\n c: d\n",
        "? a\n: b\n",
        "a: b\u{7}\n",
        "a: b\u{85}c\n",
        "a: b\u{2028}c\n",
        "a: \u{feff}b\n",
        "a: b\u{fffe}\n",
        "a: b",
    ] {
        assert!(!takes_whole(text), "{text:?}");
    }
}

#[test]
fn limits_are_left_to_the_parser() {
    let text = "a: b\nc:\n  d: e\n";
    for (depth, nodes, taken) in [(16, 6, false), (16, 7, true), (1, 7, false), (2, 7, true)] {
        let limits = Limits { yaml_depth: depth, yaml_nodes: nodes, ..Limits::default() };
        assert_eq!(takes(text, 0..text.len(), &limits), taken, "{depth} {nodes}");
        assert_eq!(yaml::parse(text, 0..text.len(), &limits).is_ok(), taken, "{depth} {nodes}");
    }
}

/// Most real frontmatter is in one of the shapes; if not, the reader is not worth its lines.
#[test]
#[expect(clippy::disallowed_methods, reason = "the corpus is on disk")]
fn real_frontmatter_reads_alike() {
    let Some(data) = testing::shared_data() else { return };
    let (mut files, mut taken) = (0, 0);
    let mut folders = vec![data.join("corpus")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            let limits = Limits::default();
            let mut report = Report::new(Mode::Lenient);
            let Some(document) = Document::split(&text, &limits, &mut report) else { continue };
            files += 1;
            taken += usize::from(takes(&text, document.frontmatter.range(), &limits));
        }
    }
    assert!(files > 1000, "{files}");
    assert!(taken * 10 > files * 7, "{taken} of {files}");
}

/// Words that values are made of, and marks that change what they are.
const WORDS: &[&str] = &[
    "pdf",
    "Use when",
    "1.10",
    "true",
    "~",
    "a-b",
    "it''s",
    "\\\"",
    "\\n",
    "\\\\",
    ": ",
    " #",
    ":",
    "#",
    ",",
    ", ",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "- ",
    "-",
    "? ",
    "|",
    ">",
    "&x",
    "*",
    "!",
    "%",
    "@",
    "`",
    "é",
    "日本",
    "\u{a0}",
    "https://x.example/y#z",
    "(a)",
    " ",
    "  ",
    "\\",
    "=",
    "<",
    "/",
    ".",
    "$",
    "+",
    "---",
    "...",
    "\t",
    "\r",
    "\u{feff}",
];

const KEYS: &[&str] = &[
    "name",
    "description",
    "a",
    "b",
    "allowed-tools",
    "x.y/z",
    "_k",
    "null",
    "1a",
    "a b",
    "\"q\"",
    "-",
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,6}( [a-zA-Z,.]{1,5}){0,5}",
        2 => prop::collection::vec(select(WORDS), 0..5).prop_map(|words| words.concat()),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => words(),
        2 => words().prop_map(|text| format!("\"{text}\"")),
        2 => words().prop_map(|text| format!("'{text}'")),
        1 => words().prop_map(|text| format!("{text}  ")),
    ]
}

fn indented(lines: &[String], width: usize) -> String {
    lines
        .iter()
        .map(|line| match line.as_str() {
            "" => "\n".to_owned(),
            line => format!("{}{line}\n", " ".repeat(width)),
        })
        .collect()
}

/// What may stand behind a key, with its last line break, for entries at an indentation.
fn value(indent: usize) -> impl Strategy<Value = String> {
    let header = select(&["|", "|-", ">", ">-", "|+", "|2", "> x"][..]);
    let line = prop_oneof![6 => words(), 1 => Just(String::new()), 1 => words().prop_map(|w| format!("  {w}"))];
    let width = prop_oneof![8 => Just(indent + 2), 1 => indent..indent + 4];
    let block = (header, prop::collection::vec(line, 0..5), width.clone())
        .prop_map(|(header, lines, width)| format!(" {header}\n{}", indented(&lines, width)));
    let list = (prop::collection::vec(scalar(), 0..4), width).prop_map(|(items, width)| {
        let items: Vec<_> = items.iter().map(|item| format!("- {item}")).collect();
        format!("\n{}", indented(&items, width))
    });
    let flow = (prop::collection::vec(scalar(), 0..4), select(&[", ", ",", " , "][..]))
        .prop_map(|(items, comma)| format!(" [{}]\n", items.join(comma)));
    prop_oneof![
        6 => scalar().prop_map(|text| format!(" {text}\n")),
        2 => block,
        2 => list,
        2 => flow,
        1 => Just("\n".to_owned()),
    ]
}

fn entries(indent: usize) -> impl Strategy<Value = String> {
    let gap = prop_oneof![8 => Just(""), 1 => Just("\n"), 1 => Just(" \n"), 1 => Just("# c\n")];
    let entry = (select(KEYS), value(indent), gap)
        .prop_map(move |(key, value, gap)| format!("{}{key}:{value}{gap}", " ".repeat(indent)));
    prop::collection::vec(entry, 1..4).prop_map(|entries| entries.concat())
}

fn frontmatter() -> impl Strategy<Value = String> {
    let nested = (select(KEYS), prop_oneof![4 => entries(2), 1 => entries(1), 1 => entries(4)])
        .prop_map(|(key, inner)| format!("{key}:\n{inner}"));
    prop::collection::vec(prop_oneof![3 => entries(0), 1 => nested], 1..3)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1_000_000, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_build_the_same_tree(text in frontmatter()) {
        takes_whole(&text);
    }

    #[test]
    fn a_changed_byte_is_read_alike(
        text in frontmatter(),
        at in any::<prop::sample::Index>(),
        mark in select(WORDS),
        removes in any::<bool>(),
    ) {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let place = places[at.index(places.len())];
        let mut changed = text.clone();
        if removes && place < text.len() {
            changed.remove(place);
        } else {
            changed.insert_str(place, mark);
        }
        takes_whole(&changed);
    }

    #[test]
    fn spans_are_those_of_the_whole_text(text in frontmatter()) {
        let framed = format!("---\n{text}---\nBody: 'x\n");
        takes(&framed, 4..4 + text.len(), &Limits::default());
    }
}
