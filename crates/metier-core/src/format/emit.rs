//! Turns values back into YAML that every reader of frontmatter understands the same way.
//!
//! Block style throughout, because the specification's reference reader refuses flow style; text is
//! quoted exactly when some YAML reader, old or new, would take it for something else.

use crate::tree::{Map, Node, Scalar, Typed, Value};
use std::fmt::Write as _;

/// Writes `key: value` lines for every entry, indented by `indent`.
pub(crate) fn write_map(map: &Map, indent: usize, out: &mut String) {
    for entry in map {
        write_entry(&entry.key, &entry.value, indent, out);
    }
}

/// Writes one `key: value`, with as many lines as the value takes.
pub(crate) fn write_entry(key: &str, value: &Node, indent: usize, out: &mut String) {
    let _ = write!(out, "{:indent$}{}:", "", inline_text(key));
    write_value(value, indent, out);
}

/// Writes `key: value` for text.
pub(crate) fn write_text_entry(key: &str, text: &str, indent: usize, out: &mut String) {
    let _ = write!(out, "{:indent$}{}: ", "", inline_text(key));
    out.push_str(&text_value(text, indent));
    out.push('\n');
}

/// Writes what follows a key and its colon.
fn write_value(node: &Node, indent: usize, out: &mut String) {
    match &node.value {
        Value::Scalar(scalar) => {
            let text = scalar_value(scalar, indent);
            let _ = if text.is_empty() { writeln!(out) } else { writeln!(out, " {text}") };
        }
        Value::List(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Map(map) if map.is_empty() => out.push_str(" {}\n"),
        Value::List(items) => {
            out.push('\n');
            write_list(items, indent + 2, out);
        }
        Value::Map(map) => {
            out.push('\n');
            write_map(map, indent + 2, out);
        }
    }
}

fn write_list(items: &[Node], indent: usize, out: &mut String) {
    for item in items {
        match &item.value {
            Value::Map(map) if !map.is_empty() => {
                // The first key stands behind the dash, the others below it.
                let mut block = String::new();
                write_map(map, indent + 2, &mut block);
                let _ = write!(out, "{:indent$}- {}", "", &block[indent + 2..]);
            }
            Value::List(inner) if !inner.is_empty() => {
                let mut block = String::new();
                write_list(inner, indent + 2, &mut block);
                let _ = write!(out, "{:indent$}- {}", "", &block[indent + 2..]);
            }
            _ => {
                let _ = write!(out, "{:indent$}-", "");
                write_value(item, indent, out);
            }
        }
    }
}

/// A scalar as it stands behind a key or a dash; empty for an empty null.
fn scalar_value(scalar: &Scalar, indent: usize) -> String {
    match scalar.typed() {
        Typed::Text(text) => text_value(text, indent),
        // Numbers, booleans and nulls stay as they were written: `1.10` is not `1.1`.
        _ => scalar.text().to_owned(),
    }
}

/// Text as it stands behind a key: plain, quoted, or as a literal block with its own lines.
pub(crate) fn text_value(text: &str, indent: usize) -> String {
    if !text.contains('\n') || !fits_block(text) {
        return inline_text(text);
    }
    let chomping = match (text.ends_with("\n\n"), text.ends_with('\n')) {
        (true, _) => "+",
        (false, true) => "",
        (false, false) => "-",
    };
    let mut block = format!("|{chomping}");
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        block.push('\n');
        if !line.is_empty() {
            let _ = write!(block, "{:width$}{line}", "", width = indent + 2);
        }
    }
    block
}

/// Whether a literal block can hold the text without tricks.
fn fits_block(text: &str) -> bool {
    let plain_lines =
        text.split('\n').all(|line| !line.trim_matches(' ').is_empty() || line.is_empty());
    let starts_plain = !text.starts_with(['\n', ' ', '\t']);
    starts_plain
        && plain_lines
        && !text.chars().any(|c| c != '\n' && c != '\t' && needs_escape(c))
        && !text.contains("\n\t")
}

/// Text on one line: plain where that is safe, else in quotes.
pub(crate) fn inline_text(text: &str) -> String {
    if is_safe_plain(text) {
        return text.to_owned();
    }
    let escapes = text.chars().any(needs_escape);
    if !escapes && text.contains(['"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if needs_escape(c) => {
                let code = u32::from(c);
                let _ = match code {
                    0..=0xff => write!(quoted, "\\x{code:02X}"),
                    0x100..=0xffff => write!(quoted, "\\u{code:04X}"),
                    _ => write!(quoted, "\\U{code:08X}"),
                };
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that cannot stand in YAML as they are, or that no reader would see.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether every YAML reader takes the text, without quotes, for just this text.
fn is_safe_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let reserved = "-?:,[]{}#&*!|>'\"%@`".contains(first);
    !reserved
        && text.trim() == text
        && !text.contains(": ")
        && !text.contains(":\t")
        && !text.contains(" #")
        && !text.contains("\t#")
        && !text.ends_with(':')
        && !text.starts_with("...")
        && !text.chars().any(needs_escape)
        && matches!(Scalar::plain(text).typed(), Typed::Text(_))
        && ambiguity(text).is_none()
}

/// How YAML 1.1 readers, still the most common ones, would take a plain scalar that YAML 1.2 takes
/// for text; `None` where all agree.
pub(crate) fn ambiguity(text: &str) -> Option<&'static str> {
    const BOOLEANS: [&str; 8] = ["yes", "no", "on", "off", "y", "n", "true", "false"];
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    if BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some("a boolean");
    }
    if text == "=" || text == "<<" {
        return Some("a merge key");
    }
    let dated = bytes.len() >= 8 && digits(0..4) && bytes[4] == b'-' && digits(5..6);
    if dated && bytes.iter().all(|b| b.is_ascii_digit() || b"-:.TtZz+ ".contains(b)) {
        return Some("a date");
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let starts_digit = unsigned.bytes().next().is_some_and(|b| b.is_ascii_digit());
    if starts_digit && unsigned.bytes().all(|b| b.is_ascii_digit() || b"_:.".contains(&b)) {
        let sexagesimal = unsigned.contains(':') && !unsigned.ends_with(':');
        let grouped = unsigned.contains('_') && !unsigned.contains(':');
        if (sexagesimal || grouped) && unsigned.matches('.').count() <= 1 {
            return Some("a number");
        }
    }
    if starts_digit && unsigned.starts_with("0b") && unsigned.len() > 2 {
        return unsigned[2..].bytes().all(|b| b"01_".contains(&b)).then_some("a number");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::parse::yaml::read;
    use proptest::prelude::*;

    #[test]
    fn text_is_quoted_exactly_when_it_must_be() {
        for (text, written) in [
            ("plain words", "plain words"),
            ("a: b", "\"a: b\""),
            ("say \"hi\": now", "'say \"hi\": now'"),
            ("it's \"so\": ok", "\"it's \\\"so\\\": ok\""),
            ("# no comment", "\"# no comment\""),
            ("c#sharp", "c#sharp"),
            ("c #sharp", "\"c #sharp\""),
            ("http://x.y/z", "http://x.y/z"),
            ("", "\"\""),
            (" padded", "\" padded\""),
            ("1.10", "\"1.10\""),
            ("yes", "\"yes\""),
            ("2026-11-15", "\"2026-11-15\""),
            ("2026 plans", "2026 plans"),
            ("12:30:00", "\"12:30:00\""),
            ("1_000", "\"1_000\""),
            ("null", "\"null\""),
            ("a\tb", "\"a\\tb\""),
            ("\u{7}", "\"\\x07\""),
            ("1.2.3", "1.2.3"),
            ("*bold*", "\"*bold*\""),
        ] {
            assert_eq!(inline_text(text), written);
        }
    }

    #[test]
    fn text_with_lines_becomes_a_block() {
        assert_eq!(text_value("a\nb", 0), "|-\n  a\n  b");
        assert_eq!(text_value("a\n\nb\n", 2), "|\n    a\n\n    b");
        assert_eq!(text_value(" a\nb", 0), "\" a\\nb\"");
    }

    proptest! {
        #[test]
        fn text_survives_writing_and_reading(
            text in prop_oneof!["\\PC{0,40}", "[ -~\n\t]{0,60}", "[\\x00-\\x7f\u{85}\u{2028}é]{0,20}"]
        ) {
            let mut yaml = String::new();
            write_text_entry("key", &text, 0, &mut yaml);
            yaml.push_str("next: x\n");
            let tree = read(&yaml, 0..yaml.len(), &Limits::default()).map_err(|e| {
                TestCaseError::fail(format!("{yaml:?}: {}", e.message))
            })?;
            let root = tree.root.unwrap();
            let map = root.as_map().unwrap();
            prop_assert_eq!(map.get("key").unwrap().as_scalar().unwrap(), &Scalar::quoted(text), "{}", yaml);
            prop_assert!(map.get("next").is_some());
        }
    }
}
