//! Turns a `&` or a `*` into a yes or no: is it an anchor or an alias, or text that starts like one?

use crate::Span;
use std::ops::Range;

/// Whether the anchor or alias at `token` in the frontmatter `text[range]` is meant as such: then it
/// is refused (security Y01). `**bold**` and `&c` are text.
pub(crate) fn is_meant(text: &str, range: Range<usize>, token: Span) -> bool {
    stands_alone(text, token) || has_counterpart(&text[range.clone()], token.start() - range.start)
}

/// Whether a plain name follows with nothing behind it, or an anchor with the start of a value.
fn stands_alone(text: &str, token: Span) -> bool {
    let Some(name) = token.slice(text).strip_prefix(['&', '*']) else { return false };
    let is_name = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    let rest = text[token.end()..].trim_start_matches([' ', '\t']);
    let is_last = rest.is_empty() || rest.starts_with(['\n', '\r', ',', ']', '}', '#']);
    let is_anchor = token.slice(text).starts_with('&');
    is_name && (is_last || is_anchor && rest.starts_with(['[', '{', '"', '\'', '|', '>']))
}

/// Whether an anchor has an alias, or an alias its anchor: quoting one of them would load something
/// else than what its author wrote.
fn has_counterpart(source: &str, at: usize) -> bool {
    let is_end = |c: char| c.is_whitespace() || ",[]{}".contains(c);
    let rest = source.get(at..).unwrap_or_default();
    let token = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let other = match token.chars().next() {
        Some('&') => format!("*{}", &token[1..]),
        Some('*') => format!("&{}", &token[1..]),
        _ => return false,
    };
    source.match_indices(&other).any(|(at, _)| {
        let starts = source[..at].ends_with([' ', ',', '[', '{']);
        starts && source[at + other.len()..].chars().next().is_none_or(is_end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_told_from_text() {
        for (text, meant) in [
            ("a: &x 1\nb: *x\n", true),
            ("a: &x\n  b: c\n", true),
            ("a: &x {b: c}\n", true),
            ("a: *x\n", true),
            ("a: *bold* words\n", false),
            ("a: **bold**\n", false),
            ("a: &Co. and sons\n", false),
        ] {
            let start = text.find(['&', '*']).unwrap();
            let end = text[start..].find(char::is_whitespace).unwrap() + start;
            let token = Span::new(text, start..end);
            assert_eq!(is_meant(text, 0..text.len(), token), meant, "{text}");
        }
    }
}
