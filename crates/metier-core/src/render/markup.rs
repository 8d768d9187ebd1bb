//! Turns text from a skill into text that can stand in our markup without opening, closing or breaking it.

use crate::check::hidden;
use std::borrow::Cow;

/// What becomes of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// Line feeds and tabs stay, every other line break is a blank.
    Keep,
    /// A run of white space with a line break in it is one blank.
    Join,
    /// Every run of white space is one blank.
    Collapse,
}

/// The text without what nobody can see, with its line breaks treated as told (security P02), and how
/// many characters were taken out.
pub(crate) fn plain(text: &str, breaks: Breaks) -> (Cow<'_, str>, usize) {
    let text = match breaks {
        Breaks::Keep => kept(text),
        _ if is_even(text) => Cow::Borrowed(text.trim()),
        Breaks::Join => joined(text, is_break),
        Breaks::Collapse => joined(text, |_| true),
    };
    match text {
        Cow::Borrowed(text) => hidden::strip(text),
        Cow::Owned(text) => {
            let (plain, removed) = hidden::strip(&text);
            (Cow::Owned(plain.into_owned()), removed)
        }
    }
}

/// Whether all white space is single blanks, as in nearly all text. A byte that could start any
/// other white space is reason enough to look closer.
fn is_even(text: &str) -> bool {
    let mut before = 0;
    text.bytes().all(|byte| {
        let is_odd = match byte {
            b' ' => before == b' ',
            0xc2 | 0xe1..=0xe3 => true,
            byte => byte < b' ',
        };
        before = byte;
        !is_odd
    })
}

/// Whether some reader starts a new line here.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn kept(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| is_break(c) && c != '\n';
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace(is_odd, " "))
}

/// Runs of white space with a character that `joins` become one blank; none is left at the ends.
fn joined(text: &str, joins: impl Fn(char) -> bool) -> Cow<'_, str> {
    let text = text.trim();
    let mut out: Option<String> = None;
    let mut done = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if !c.is_whitespace() {
            continue;
        }
        let mut does_join = joins(c);
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = rest.next_if(|(_, c)| c.is_whitespace()) {
            does_join |= joins(c);
            end = at + c.len_utf8();
        }
        if does_join && &text[start..end] != " " {
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(&text[done..start]);
            out.push(' ');
            done = end;
        }
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(&text[done..]);
            Cow::Owned(out)
        }
    }
}

/// Appends text for an element or an attribute: `&`, `<`, `>`, `"` and `'` as the reference writes
/// them (spec P2, security P01).
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#x27;",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(escape);
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// Appends text for a list between tags: what could be a tag is escaped, and `&` only where it would
/// be taken for such an escape. Text without angle brackets stays as it is.
pub(crate) fn push_without_tags(out: &mut String, text: &str) {
    for (at, c) in text.char_indices() {
        let is_escape = || ["&lt;", "&gt;", "&amp;"].iter().any(|e| text[at..].starts_with(e));
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' if is_escape() => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_kept_joined_or_collapsed() {
        let text = " a  b\r\n\tc\u{85}d\u{2028}e\n";
        assert_eq!(plain(text, Breaks::Keep).0, " a  b\n\tc d e\n");
        assert_eq!(plain(text, Breaks::Join).0, "a  b c d e");
        assert_eq!(plain(text, Breaks::Collapse).0, "a b c d e");
        for breaks in [Breaks::Keep, Breaks::Join, Breaks::Collapse] {
            assert!(matches!(plain("a b", breaks).0, Cow::Borrowed("a b")), "{breaks:?}");
        }
    }

    #[test]
    fn what_hides_is_taken_out_and_counted() {
        assert_eq!(plain("a\u{202e}b\u{200b}c\u{7}", Breaks::Join), (Cow::Owned("abc".into()), 3));
    }

    #[test]
    fn escapes_are_those_of_the_reference() {
        let mut out = String::new();
        push_escaped(&mut out, r#"&<>"'&amp;"#);
        assert_eq!(out, "&amp;&lt;&gt;&quot;&#x27;&amp;amp;");
    }

    #[test]
    fn tags_are_escaped_in_a_list_and_ordinary_text_is_not() {
        let mut out = String::new();
        push_without_tags(&mut out, "R&D, \"it's\" </x> &lt; &copy;");
        assert_eq!(out, "R&D, \"it's\" &lt;/x&gt; &amp;lt; &copy;");
    }
}
