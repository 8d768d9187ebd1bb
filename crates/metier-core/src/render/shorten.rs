//! Turns a description into its start, ended where a sentence, a clause or a word ends.

use std::borrow::Cow;
use unicode_normalization::char::is_combining_mark;

/// Fewer characters than this say nothing.
const LEAST: usize = 24;

/// What says that something was left out.
const MARK: char = '…';

/// The text, or its start with a mark behind it, in at most `limit` characters.
///
/// It ends with a sentence or a clause if that keeps at least half of what would fit, else with a
/// word, and inside a word only where there is nothing but one word. Nothing is left when there is
/// room for less than a few words.
pub(crate) fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    if limit < LEAST {
        return Cow::Borrowed("");
    }
    let mut ends = Ends::default();
    let mut before = None;
    // One character is the mark, and one the blank before it after a sentence.
    for (number, (at, c)) in text.char_indices().enumerate() {
        if number > limit - 2 {
            break;
        }
        if let Some(before) = before {
            ends.see(before, at, c);
        }
        before = Some(c);
    }
    let word = if ends.word > 0 { ends.word } else { ends.letter };
    let clean = ends.sentence.max(ends.clause);
    let end = if clean * 2 >= word { clean } else { word };
    let kept = text[..end].trim_end();
    if kept.is_empty() {
        return Cow::Borrowed("");
    }
    let blank = if kept.ends_with(is_sentence_end) { " " } else { "" };
    Cow::Owned(format!("{kept}{blank}{MARK}"))
}

/// The last places, in bytes, at which something ended.
#[derive(Debug, Default)]
struct Ends {
    sentence: usize,
    clause: usize,
    word: usize,
    letter: usize,
}

impl Ends {
    /// Looks at the place between two characters.
    fn see(&mut self, before: char, at: usize, after: char) {
        let is_part = is_combining_mark(after)
            || matches!(after, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
            || matches!(after, '\u{e0020}'..='\u{e007f}')
            || before == '\u{200d}';
        if is_part {
            return;
        }
        self.letter = at;
        let is_wide = is_unspaced(before);
        if after.is_whitespace() || is_wide || is_unspaced(after) {
            let mark = before.len_utf8();
            if is_sentence_end(before) {
                self.sentence = at;
            } else if matches!(
                before,
                ',' | ';' | ':' | '-' | '–' | '—' | '，' | '、' | '；' | '：'
            ) {
                // The mark of a clause would promise more of the sentence.
                self.clause = at - mark;
            } else if matches!(after, '（') || before == ')' {
                self.clause = at;
            } else if !before.is_whitespace() && !matches!(before, '(' | '/' | '&' | '+') {
                self.word = at;
            }
        }
    }
}

fn is_sentence_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…')
}

/// Whether the character belongs to a script that writes no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_with_a_sentence_a_clause_or_a_word() {
        let text = "Fills in PDF forms. Reads them too, signs them, and sends them off by mail.";
        for (limit, expected) in [
            (200, text),
            (75, text),
            (74, "Fills in PDF forms. Reads them too, signs them…"),
            (50, "Fills in PDF forms. Reads them too, signs them…"),
            (40, "Fills in PDF forms. Reads them too…"),
            (30, "Fills in PDF forms. …"),
            (24, "Fills in PDF forms. …"),
            (23, ""),
        ] {
            assert_eq!(shorten(text, limit), expected, "{limit}");
        }
    }

    #[test]
    fn no_dash_or_bracket_is_left_behind() {
        let text = "Reviews migrations - and rewrites them (safely) & quickly for everyone";
        assert_eq!(shorten(text, 24), "Reviews migrations…");
        assert_eq!(shorten(text, 52), "Reviews migrations - and rewrites them (safely)…");
    }

    #[test]
    fn other_scripts_end_where_they_can() {
        let text = "填写表格。签名，然后发送给需要它的每一个人，包括所有的同事和朋友。";
        assert_eq!(shorten(text, 24), "填写表格。签名，然后发送给需要它的每一个人…");
        assert_eq!(shorten(&"x".repeat(50), 30), format!("{}…", "x".repeat(28)));
        assert_eq!(shorten(&"e\u{301}".repeat(50), 30), format!("{}…", "e\u{301}".repeat(14)));
    }

    proptest! {
        #[test]
        fn never_longer_than_the_limit_and_always_a_start(text in "\\PC{0,80}", limit in 0usize..90) {
            let short = shorten(&text, limit);
            prop_assert!(short.chars().count() <= limit.max(text.chars().count().min(limit)));
            let kept = short.trim_end_matches(MARK).trim_end();
            prop_assert!(text.starts_with(kept), "{short:?}");
        }
    }
}
