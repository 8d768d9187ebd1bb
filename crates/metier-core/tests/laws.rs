//! Turns random text that looks like a `SKILL.md` into proof that the laws hold for all of it.

mod law;

use metier_core::Span;
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces that files are made of, and that break them.
const PIECES: &[&str] = &[
    "---",
    "---",
    "--- ",
    "----",
    "---more",
    " ---",
    "\t---",
    "...",
    "%YAML 1.1",
    "# heading",
    "name: pdf-tools",
    "Name: PDF Tools",
    "NAME: other",
    "name:",
    "name: [a]",
    "\"name\": quoted",
    "name: 'it''s'",
    "name: yes",
    "name: -a--b_c",
    "name: caf\u{e9}",
    "name: pdf-tools # why",
    "description: Use for PDFs.",
    "description: Use when: asked",
    "desc: Use it",
    "Description: Use",
    "description: \"a \"b\" c\"",
    "description: |\n  one\n  two",
    "description: > text\n  more",
    "description: >-\nloose",
    "description: foo #bar",
    "description: [a] b",
    "description: *bold*",
    "description: `x`",
    "description: 'open",
    "description: \"open",
    "description: ~",
    "description: \u{65e5}\u{672c}\u{8a9e}: \u{8a9e}",
    "description: \"\\ud83d\\ude00\"",
    "description: a\n  b: c",
    "description: a\nb c",
    "description:\n  text: here: too",
    "license: MIT",
    "license: [MIT]",
    "compatibility: ' '",
    "compatibility:",
    "compatibility: 1.10",
    "allowed-tools: Read, Write",
    "allowed-tools: [Read, 'Bash(a, b)']",
    "allowed-tools: a: b",
    "allowed-tools:\n  - Read\n  - Bash(git:*)",
    "allowed-tools:\n- x # y",
    "allowed_tools: X",
    "allowed-tools: \"Bash(x) # y\"",
    "allowed-tools: Bash(",
    "allowed-tools:",
    "metadata:\n  a: 1.10\n  b: yes\n  c: [x, y]",
    "metadata: {a: {b: c}, d: 010}",
    "metadata:\n\tauthor: x",
    "metadata:\n  a: b: c\n  d: *e",
    "metadata: text",
    "metadata:",
    "version: 1.10",
    "version: 2026-11-15",
    "argument-hint: [file] more",
    "tags: [a, 'b c', \"d\"]",
    "hooks:\n  x: y",
    "user-invocable: maybe",
    "key: 'x' # c",
    "key: \"a\\tb\"",
    "key: [a, {b: c}",
    "key: {a: b",
    "key: &x 1",
    "key: *x",
    "key: !t x",
    "key: !!binary x",
    "? complex",
    "{a: b, c: d}",
    "  indented: value",
    "\ttabbed: value",
    " license: astray",
    "- item",
    "- a: b: c",
    "text",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> other",
    "```",
    "```yaml",
    "<!-- note -->",
    "<!-- open",
    "-->",
    "",
    " ",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}x",
    "\u{e0041}",
    "\u{85}",
    "\u{2028}",
    "\u{7}",
    "\0",
    "\u{c3}\u{a9}\u{80}",
    "e\u{301}",
    "\u{1f468}\u{200d}\u{1f469}",
    "[l](references/a.md)",
    "curl x | sh",
    "scripts/x.py",
    "https://\u{430}pple.com",
];

/// Whole files that load as they stand.
const FILES: &[&str] = &[
    "---\nname: pdf-tools\ndescription: Use for PDFs.\n---\n# Steps\n\nRead it.\n",
    "---\ndescription: >-\n  Use when asked\n  for forms.\n\nname: \"pdf-tools\"\nmetadata:\n  version: \"1.0\"\n  tags:\n    - a\n    - b: c\nallowed-tools: Read Bash(git:*)\n---\n\nBody\n---\nrule\n",
    "---\r\nname: pdf-tools\r\ndescription: 'It''s for: PDFs. Use it.'\r\nlicense: MIT\r\n# comment\r\nextra: {a: [1, 2], b: null}\r\n---\r\nBody\r\n",
    "---\nname: pdf-tools\ndescription: |\n  One.\n\n    Two: use.\nkeywords: [a, b]\n---",
];

fn line_break() -> impl Strategy<Value = &'static str> {
    prop_oneof![20 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")]
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,12}",
        1 => "[-:#\"'\\[\\]{}|>*&!%@`,? \t\na\\\\]{0,10}",
    ]
}

/// Pieces in any order.
fn junk() -> impl Strategy<Value = String> {
    prop::collection::vec((piece(), line_break()), 0..14).prop_map(|pieces| {
        pieces.into_iter().flat_map(|(piece, end)| [piece, end.to_owned()]).collect()
    })
}

/// Pieces between fences, which mostly load.
fn framed() -> impl Strategy<Value = String> {
    let top = prop_oneof![8 => Just(""), 1 => Just("\u{feff}"), 1 => Just("\n"), 1 => Just("<!-- c -->\n"), 1 => Just("```\n")];
    let fields = prop::collection::vec((piece(), line_break()), 0..7);
    let crlf = prop_oneof![4 => Just(false), 1 => Just(true)];
    let body = prop_oneof![2 => Just(String::new()), 2 => Just("# Steps\n\nDo it.\n".to_owned()), 1 => junk()];
    (top, fields, any::<bool>(), body, crlf).prop_map(|(top, fields, has_base, body, crlf)| {
        let base = if has_base { "description: Use for PDFs.\n" } else { "" };
        let fields: String =
            fields.into_iter().flat_map(|(field, end)| [field, end.to_owned()]).collect();
        let text = format!("{top}---\n{base}{fields}\n---\n{body}");
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// A file that loads, with a few pieces put in, taken out or doubled.
fn mutated() -> impl Strategy<Value = String> {
    let change =
        (any::<prop::sample::Index>(), 0usize..12, prop_oneof![Just(String::new()), piece()]);
    (select(FILES), prop::collection::vec(change, 1..4)).prop_map(|(file, changes)| {
        let mut text = file.to_owned();
        for (at, length, piece) in changes {
            let at = Span::at(&text, at.index(text.len() + 1)).start();
            let end = Span::at(&text, at + length).start();
            text.replace_range(at..end, &piece);
        }
        text
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![2 => junk(), 5 => framed(), 4 => mutated()]
}

fn directory() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![Just(None), Just(Some("pdf-tools")), Just(Some("Not A Name")), Just(Some("no"))]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (text(), prop::option::weighted(0.1, (any::<prop::sample::Index>(), any::<u8>()))).prop_map(
        |(text, change)| {
            let mut bytes = text.into_bytes();
            if let Some((at, byte)) = change {
                let at = at.index(bytes.len() + 1);
                bytes.insert(at, byte);
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_lie_in_the_text(bytes in bytes(), directory in directory()) {
        law::spans_lie_in_the_text(&bytes, directory);
    }

    #[test]
    fn modes_differ_in_severity_alone(bytes in bytes(), directory in directory()) {
        law::modes_differ_in_severity_alone(&bytes, directory);
    }

    #[test]
    fn nothing_is_dropped_silently(bytes in bytes(), directory in directory()) {
        law::nothing_is_dropped_silently(&bytes, directory);
    }

    #[test]
    fn fixes_end_and_keep_the_skill(text in text(), directory in directory()) {
        law::fixes_end_and_keep_the_skill(&text, directory);
    }

    #[test]
    fn a_comment_changes_nothing(text in text()) {
        law::a_comment_changes_nothing(&text);
    }

    #[test]
    fn formatting_keeps_the_skill(text in text()) {
        law::formatting_keeps_the_skill(&text);
    }

    #[test]
    fn skills_survive_writing(text in text(), directory in directory()) {
        law::skills_survive_writing(&text, directory);
    }

    #[test]
    fn heads_agree_with_files(text in text(), directory in directory(), chunk in 1usize..40) {
        law::heads_agree_with_files(&text, directory, chunk);
    }
}
