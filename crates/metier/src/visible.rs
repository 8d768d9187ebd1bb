//! Turns text from a skill or a path into text that is safe to show: what cannot be seen becomes a visible escape.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Replaces every character that could move a cursor, reorder a line or hide (control characters,
/// escapes, bidirectional marks, zero-width and tag characters) with an escape such as `\u{202e}`.
///
/// The result is always one line (security P10, P11).
///
/// ```
/// use metier::visible;
///
/// assert_eq!(visible("red \u{1b}[31m\nnext"), r"red \u{1b}[31m\nnext");
/// assert_eq!(visible("naïve 技能"), "naïve 技能");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        push_visible(&mut shown, c);
    }
    Cow::Owned(shown)
}

/// Appends one character, escaped if it cannot be seen.
pub(crate) fn push_visible(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        c if is_hidden(c) => {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
        }
        c => shown.push(c),
    }
}

/// Whether a terminal would act on the character, or show nothing for it.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'                      // soft hyphen
            | '\u{61c}'                   // Arabic letter mark
            | '\u{115f}'..='\u{1160}'     // Hangul fillers
            | '\u{180e}'                  // Mongolian vowel separator
            | '\u{200b}'..='\u{200f}'     // zero-width characters and direction marks
            | '\u{2028}'..='\u{202e}'     // line separators and bidirectional embeddings
            | '\u{2060}'..='\u{206f}'     // word joiner, invisible operators, isolates
            | '\u{3164}' | '\u{ffa0}'     // Hangul fillers
            | '\u{feff}'                  // byte order mark
            | '\u{fff9}'..='\u{fffb}'     // interlinear annotation
            | '\u{e0000}'..='\u{e0fff}'   // tags and supplementary variation selectors
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_what_a_terminal_would_act_on() {
        // Security P10: clipboard and screen escapes, and an override that reverses a line.
        assert_eq!(visible("\u{1b}]52;c;x\u{7}"), r"\u{1b}]52;c;x\u{7}");
        assert_eq!(visible("a\u{9b}2Jb"), r"a\u{9b}2Jb");
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{e0041}"), r"a\u{202e}b\u{200b}c\u{e0041}");
    }

    #[test]
    fn a_path_with_a_line_break_stays_one_line() {
        // Security P11.
        assert_eq!(visible("x\nERROR: fake"), r"x\nERROR: fake");
    }

    #[test]
    fn leaves_ordinary_text_alone_without_copying_it() {
        assert!(matches!(visible("plain ⚠️ text"), Cow::Borrowed(_)));
    }
}
