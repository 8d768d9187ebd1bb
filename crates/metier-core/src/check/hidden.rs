//! Turns text into findings about what no reader can see in it.

use crate::line::lines;
use crate::{Edit, Fix, Report, Rule, Span};
use std::borrow::Cow;
use std::ops::Range;

/// So many findings of one kind are listed one by one; one more speaks for the rest.
const LISTED: usize = 20;

/// Checks `text[range]` for characters that cannot be seen: tags, direction marks, zero-width and
/// filler characters, runs of variation selectors, control characters (security U01 to U07).
pub(crate) fn check_characters(text: &str, range: Range<usize>, report: &mut Report) {
    let mut runs = runs(text, range);
    let rest = runs.split_off(runs.len().min(LISTED));
    for run in runs {
        let message = run.message(text);
        report.push(Rule::HiddenCharacters, run.span, message, |f| {
            f.with_help(run.kind.help()).with_fix(Fix::delete("remove them", run.span))
        });
    }
    if let Some(first) = rest.first() {
        let message = format!("hidden characters stand in {} more places", rest.len());
        let edits =
            rest.iter().map(|run| Edit { span: run.span, replacement: String::new() }).collect();
        report.push(Rule::HiddenCharacters, first.span, message, |f| {
            f.with_help("remove them").with_fix(Fix { title: "remove them".to_owned(), edits })
        });
    }
}

/// The text without what nobody can see, and how many characters that were. What has a use where it
/// stands, as in a flag or a word of Persian, stays; what is hidden only after others are gone does not.
pub(crate) fn strip(text: &str) -> (Cow<'_, str>, usize) {
    let hidden = runs(text, 0..text.len());
    if hidden.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    for run in &hidden {
        plain.push_str(&text[at..run.span.start()]);
        at = run.span.end();
    }
    plain.push_str(&text[at..]);
    // One that lost the neighbour it had a use beside: rare, so none is judged by its place again.
    if !runs(&plain, 0..plain.len()).is_empty() {
        plain.retain(|c| !is_hidden(c));
    }
    let removed = text.chars().count() - plain.chars().count();
    (Cow::Owned(plain), removed)
}

/// The text without characters that nobody can see: what may be shown to a model or a person as it is.
///
/// ```
/// assert_eq!(metier_core::strip_hidden("Use\u{200b} for \u{202e}PDFs."), "Use for PDFs.");
/// ```
pub fn strip_hidden(text: &str) -> Cow<'_, str> {
    strip(text).0
}

/// Whether a character is hidden wherever it stands.
pub(crate) fn is_hidden(c: char) -> bool {
    kind(c, None, None).is_some()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tag,
    Direction,
    ZeroWidth,
    Selector,
    Filler,
    Control,
}

impl Kind {
    fn help(self) -> &'static str {
        match self {
            Self::Tag => "remove them: a model reads them, a person does not",
            Self::Direction => "remove them: they show text in another order than it is read",
            Self::Selector => "remove them: long runs can carry data",
            Self::ZeroWidth | Self::Filler | Self::Control => "remove them",
        }
    }
}

/// Hidden characters of one kind, one after the other.
struct Run {
    span: Span,
    kind: Kind,
}

impl Run {
    fn message(&self, text: &str) -> String {
        let hidden = self.span.slice(text);
        let count = hidden.chars().count();
        let first = hidden.chars().next().map_or(0, u32::from);
        let (what, are) = match self.kind {
            Kind::Tag => {
                let spelt: String = hidden
                    .chars()
                    .filter_map(|c| char::from_u32(u32::from(c) - 0xe0000))
                    .filter(|c| !c.is_control())
                    .collect();
                return format!("{count} invisible tag characters spell `{spelt}`");
            }
            Kind::Direction => (
                "a character that changes the direction of text",
                "characters that change the direction of text",
            ),
            Kind::ZeroWidth => ("a zero-width character", "zero-width characters"),
            Kind::Selector => ("a variation selector", "variation selectors in a row"),
            Kind::Filler => ("an invisible filler character", "invisible filler characters"),
            Kind::Control => ("a control character", "control characters"),
        };
        match count {
            1 => format!("{what} stands here: U+{first:04X}"),
            _ => format!("{count} {are} stand here, the first is U+{first:04X}"),
        }
    }
}

fn runs(text: &str, range: Range<usize>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let source = &text[range.clone()];
    let bytes = source.as_bytes();
    let mut at = 0;
    while let Some(next) = suspect(bytes, at) {
        at = next;
        let Some(c) = source.get(at..).and_then(|rest| rest.chars().next()) else { break };
        let before = source[..at].chars().next_back();
        let after = source[at + c.len_utf8()..].chars().next();
        let Some(found) = kind(c, before, after) else {
            at += c.len_utf8();
            continue;
        };
        let mut end = at + c.len_utf8();
        let mut previous = c;
        for c in source[end..].chars() {
            let is_same = kind(c, Some(previous), source[end + c.len_utf8()..].chars().next());
            let is_run = is_same == Some(found) || found == Kind::Selector && is_selector(c);
            if !is_run {
                break;
            }
            end += c.len_utf8();
            previous = c;
        }
        let span = Span::new(text, range.start + at..range.start + end);
        // The flag of a region: its code and the end, and no room for words.
        let is_flag = found == Kind::Tag
            && before == Some('\u{1f3f4}')
            && previous == '\u{e007f}'
            && span.range().len() <= 7 * '\u{e007f}'.len_utf8();
        if !is_flag {
            runs.push(Run { span, kind: found });
        }
        at = end;
    }
    runs
}

/// The next byte, from `at`, that may start a hidden or a control character. Text in any common
/// script is skipped without decoding it.
pub(crate) fn suspect(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(found) = candidate(bytes, at) {
        at = found;
        let byte = |offset: usize| bytes.get(at + offset).copied().unwrap_or_default();
        let second = byte(1);
        let is_suspect = match bytes[at] {
            0xc2 => matches!(second, 0x80..=0x9f | 0xad),
            0xd8 => second == 0x9c,
            0xe1 => matches!(second, 0x85 | 0x9e | 0xa0),
            // Dashes and quotation marks share their first two bytes with zero-width characters.
            0xe2 => match second {
                0x80 => matches!(byte(2), 0x8b..=0x8f | 0xa8..=0xae),
                0x81 => matches!(byte(2), 0xa0..=0xa9),
                second => second == 0xa0,
            },
            0xe3 => second == 0x85,
            0xef => matches!(second, 0xb8 | 0xbb | 0xbe),
            0xf0 => second == 0x9d,
            0xf3 => second == 0xa0,
            _ => true,
        };
        if is_suspect {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The next byte, from `at`, that [`SUSPECT`] names.
fn candidate(bytes: &[u8], mut at: usize) -> Option<usize> {
    let suspect_in = |part: &[u8]| part.iter().position(|&byte| SUSPECT[usize::from(byte)]);
    let (blocks, rest) = bytes[at..].as_chunks();
    for block in blocks {
        if !is_visible_ascii(block)
            && let Some(offset) = suspect_in(block)
        {
            return Some(at + offset);
        }
        at += block.len();
    }
    suspect_in(rest).map(|offset| at + offset)
}

/// Whether there is nothing but visible ASCII characters, tabs and line breaks.
fn is_visible_ascii(block: &[u8; 32]) -> bool {
    // No branch inside the loop: the compiler looks at many bytes at once.
    let odd = |byte: u8| {
        let is_blank = [b'\n', b'\r', b'\t'].map(|blank| u8::from(byte == blank));
        u8::from(byte.wrapping_sub(b' ') > b'~' - b' ') & !(is_blank[0] | is_blank[1] | is_blank[2])
    };
    block.iter().fold(0, |any, &byte| any | odd(byte)) == 0
}

/// The bytes that control characters are, and that hidden characters start with: those of U+0080...,
/// U+061C, U+115F..., U+17B4, U+180E, U+2000..., U+2800, U+3164, U+FE00..., U+FEFF, U+FFA0,
/// U+1D173... and U+E0000...
const SUSPECT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = !matches!(byte as u8, b'\t' | b'\n' | b'\r');
        byte += 1;
    }
    let leads = [0x7f, 0xc2, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3];
    let mut at = 0;
    while at < leads.len() {
        table[leads[at]] = true;
        at += 1;
    }
    table
};

fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// What kind of hidden character `c` is between its neighbours; `None` where it has a use.
fn kind(c: char, before: Option<char>, after: Option<char>) -> Option<Kind> {
    match c {
        '\u{e0000}'..='\u{e007f}' => Some(Kind::Tag),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Kind::Direction),
        // Direction marks belong beside right-to-left letters.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            let in_place = [before, after].into_iter().flatten().any(is_right_to_left);
            (!in_place).then_some(Kind::Direction)
        }
        // Some scripts write no spaces and use it to say where words end.
        '\u{200b}' => {
            let in_place = [before, after].into_iter().flatten().any(is_unspaced);
            (!in_place).then_some(Kind::ZeroWidth)
        }
        // Joiners shape letters of many scripts, and emoji.
        '\u{200c}' | '\u{200d}' => {
            let in_place =
                before.is_some_and(|c| !c.is_ascii()) && after.is_some_and(|c| !c.is_ascii());
            (!in_place).then_some(Kind::ZeroWidth)
        }
        '\u{2060}'..='\u{2064}'
        | '\u{feff}'
        | '\u{180e}'
        | '\u{ad}'
        | '\u{1d173}'..='\u{1d17a}' => Some(Kind::ZeroWidth),
        c if is_selector(c) => {
            let follows_another = after.is_some_and(is_selector);
            let in_place = before.is_some_and(|c| !c.is_ascii_alphabetic() && !c.is_whitespace());
            (follows_another || !in_place).then_some(Kind::Selector)
        }
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{17b4}' | '\u{17b5}' => {
            Some(Kind::Filler)
        }
        // A blank Braille cell among others is part of a picture or of Braille.
        '\u{2800}' => {
            let is_cell = |c: char| matches!(c, '\u{2801}'..='\u{28ff}');
            let in_place = [before, after].into_iter().flatten().any(is_cell);
            (!in_place).then_some(Kind::Filler)
        }
        c if c.is_control() && !matches!(c, '\t' | '\n' | '\r') => Some(Kind::Control),
        _ => None,
    }
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// So many spaces in a row push text out of sight.
const GAP: usize = 200;

/// No line of text that is meant to be read is longer, in characters.
const LONG: usize = 2000;

/// Whether there is a line of more than [`LONG`] bytes, or [`GAP`] spaces in a row. A look at one place
/// in every stretch tells, because neither fits between two of them.
fn may_be_far_right(source: &[u8]) -> bool {
    let mut line_start = 0;
    while source.len() - line_start > LONG {
        let next = &source[line_start..=line_start + LONG];
        match memchr::memrchr2(b'\n', b'\r', next) {
            Some(end) => line_start += end + 1,
            None => return true,
        }
    }
    let is_space = |byte: &&u8| **byte == b' ';
    (GAP - 1..source.len()).step_by(GAP).filter(|&at| source[at] == b' ').any(|at| {
        let before = source[..at].iter().rev().take_while(is_space).count();
        let after = source[at..].iter().take_while(is_space).count();
        before + after >= GAP
    })
}

/// Where [`GAP`] spaces in a row start.
fn gap(line: &str) -> Option<usize> {
    let mut spaces = 0;
    let end = line.bytes().position(|b| {
        spaces = if b == b' ' { spaces + 1 } else { 0 };
        spaces == GAP
    });
    end.map(|end| end + 1 - GAP)
}

/// Checks `text[range]` for text that stands so far right that nobody sees it (security U11).
pub(crate) fn check_far_right(text: &str, range: Range<usize>, report: &mut Report) {
    if !may_be_far_right(&text.as_bytes()[range.clone()]) {
        return;
    }
    for line in lines(text, range).filter(|line| line.text.len() > GAP) {
        let span = Span::new(text, line.start..line.end());
        if let Some(at) = gap(line.text.trim_end()) {
            let hidden = line.text[at..].trim();
            if !hidden.contains(char::is_alphanumeric) {
                // The border of a wide table.
                continue;
            }
            let start = line.end() - line.text[at..].trim_start().len();
            let span = Span::new(text, start..start + hidden.len());
            report.push(
                Rule::HiddenFarRight,
                span,
                "text stands behind more than 200 spaces",
                |f| f.with_help("move it where a reader sees it"),
            );
        } else if line.text.len() > LONG && line.text.chars().count() > LONG {
            let length = line.text.chars().count();
            let message = format!("the line is {length} characters long");
            report.push(Rule::HiddenFarRight, span, message, |f| {
                f.with_help("break it: nobody reads past 2 000 characters")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_block_hides_a_suspect(text in "([a-z ]{0,40}|\\PC|[\u{1}\t\r\n\u{200b}é]){0,20}", at in 0usize..80) {
            let bytes = text.as_bytes();
            let at = at.min(bytes.len());
            let plain = bytes[at..].iter().position(|&byte| SUSPECT[usize::from(byte)]);
            prop_assert_eq!(candidate(bytes, at), plain.map(|offset| at + offset));
        }

        #[test]
        fn no_look_misses_what_is_far_right(parts in prop::collection::vec((0usize..2300, 0usize..260), 0..6)) {
            let line = |(words, spaces): &(usize, usize)| "x".repeat(words % 2005) + &" ".repeat(*spaces) + "\n";
            let text: String = parts.iter().map(line).collect();
            let is_far = text.lines().any(|line| line.len() > LONG) || text.contains(&" ".repeat(GAP));
            prop_assert_eq!(may_be_far_right(text.as_bytes()), is_far);
        }
    }

    fn found(text: &str) -> Vec<String> {
        let mut report = Report::new(Mode::Strict);
        check_characters(text, 0..text.len(), &mut report);
        report.iter().map(|f| f.message.clone()).collect()
    }

    #[test]
    fn what_has_a_use_is_left_alone() {
        for text in [
            "plain",
            "caf\u{e9} \u{4f60}\u{597d} \u{43f}\u{440}",
            "flag \u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} ok",
            "warning \u{26a0}\u{fe0f} and \u{31}\u{fe0f}\u{20e3}",
            "family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{e44}\u{e17}\u{e22}\u{200b}\u{e14}\u{e35}",
            "\u{5d0}\u{200f}b",
            "\u{28ff}\u{2800}\u{28ff}",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_hides_is_named() {
        let tags: String =
            "ignore all".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
        assert_eq!(found(&format!("hi{tags}")), ["10 invisible tag characters spell `ignore all`"]);
        assert_eq!(
            found("if access\u{202e} x"),
            ["a character that changes the direction of text stands here: U+202E"]
        );
        assert_eq!(found("c\u{200b}url"), ["a zero-width character stands here: U+200B"]);
        let selectors = "\u{fe00}".repeat(64);
        assert_eq!(
            found(&format!("\u{1f600}{selectors}")),
            ["64 variation selectors in a row stand here, the first is U+FE00"]
        );
        for filler in ["\u{3164}", "x\u{2800}\u{2800}y", "a\u{2062}b", "a\u{7}b", "a\u{1b}[31m"] {
            assert_eq!(found(filler).len(), 1, "{filler:?}");
        }
    }

    #[test]
    fn a_flag_has_no_room_for_words() {
        let tags = |text: &str| -> String {
            text.chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect()
        };
        let flag = format!("\u{1f3f4}{}\u{e007f}", tags("gbsct"));
        assert_eq!(strip(&flag), (Cow::Borrowed(flag.as_str()), 0));
        let words = format!("\u{1f3f4}{}\u{e007f}", tags("ignore all"));
        assert_eq!(strip(&words), (Cow::Owned("\u{1f3f4}".to_owned()), 11));
    }

    #[test]
    fn what_is_hidden_only_afterwards_is_taken_out_too() {
        assert_eq!(strip("\u{e9}\u{200d}\u{202e}b").0, "\u{e9}b");
        let many = format!("\u{e9}{}b", "\u{200d}\u{202e}".repeat(1000));
        assert_eq!(strip(&many), (Cow::Owned("\u{e9}b".to_owned()), 2000));
    }

    #[test]
    fn many_are_summed_up_and_all_can_be_fixed() {
        let text = "a\u{200b}".repeat(50);
        let mut report = Report::new(Mode::Strict);
        check_characters(&text, 0..text.len(), &mut report);
        assert_eq!(report.len(), LISTED + 1);
        assert_eq!(report.apply_fixes(&text), "a".repeat(50));
    }
}
