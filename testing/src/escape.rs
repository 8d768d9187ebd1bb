//! Turns characters that a reader cannot see into signs that a reader can, and back.

use std::fmt::Write as _;

/// Carriage return, NUL, tab, space and newline, each beside the sign that stands for it.
const SIGNS: [(char, char); 5] = [('\r', '␍'), ('\0', '␀'), ('\t', '⇥'), (' ', '␠'), ('\n', '␊')];

/// At the very end of a block: the text ends here, without a newline.
const END: char = '␄';

/// Opens the general form, `⟨U+FEFF⟩`.
const OPEN: &str = "⟨U+";

/// Shows a text as the lines of a block: each line ends with a newline, invisible characters and
/// blanks at the end of a line become signs.
///
/// ```
/// assert_eq!(testing::escape("\u{feff}a \r\n\tb"), "⟨U+FEFF⟩a ␍\n⇥b␄\n");
/// assert_eq!(testing::escape("a \n"), "a␠\n");
/// ```
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let ended = line.strip_suffix('\n');
        push_line(&mut shown, ended.unwrap_or(line));
        if ended.is_none() {
            shown.push(END);
        }
        shown.push('\n');
    }
    shown
}

/// Shows a text on one line: as [`escape`] does, with newlines as `␊`.
///
/// ```
/// assert_eq!(testing::escape_line("one\ntwo"), "one␊two");
/// ```
pub fn escape_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_line(&mut shown, text);
    shown
}

/// Reads the signs back.
///
/// # Errors
///
/// A message when a `⟨U+…⟩` names no character, or when `␄` is not the end.
///
/// ```
/// assert_eq!(testing::unescape("⟨U+FEFF⟩a␍\nb␄\n").unwrap(), "\u{feff}a\r\nb");
/// assert!(testing::unescape("⟨U+D800⟩").is_err());
/// ```
pub fn unescape(shown: &str) -> Result<String, String> {
    let ended = shown.strip_suffix('\n').unwrap_or(shown).strip_suffix(END);
    let mut rest = ended.unwrap_or(shown);
    let mut text = String::with_capacity(rest.len());
    while let Some(first) = rest.chars().next() {
        if let Some(code) = rest.strip_prefix(OPEN) {
            let (digits, after) =
                code.split_once('⟩').ok_or_else(|| format!("`{OPEN}` is not closed with `⟩`"))?;
            let character = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
            text.push(character.ok_or_else(|| format!("`{OPEN}{digits}⟩` is not a character"))?);
            rest = after;
            continue;
        }
        if first == END {
            return Err(format!("`{END}` stands before the end of the block"));
        }
        let meant = SIGNS.iter().find(|(_, sign)| *sign == first);
        text.push(meant.map_or(first, |(character, _)| *character));
        rest = &rest[first.len_utf8()..];
    }
    Ok(text)
}

/// Adds one line with its invisible characters as signs.
fn push_line(shown: &mut String, line: &str) {
    let visible = line.trim_end_matches(' ').len();
    for (at, character) in line.char_indices() {
        let sign = SIGNS.iter().find(|(plain, _)| *plain == character).map(|(_, sign)| *sign);
        match sign {
            Some(_) if character == ' ' && at < visible => shown.push(' '),
            Some(sign) => shown.push(sign),
            None if is_hidden(character) || is_sign(character) => {
                let code = u32::from(character);
                write!(shown, "{OPEN}{code:04X}⟩").expect("a string takes every write");
            }
            None => shown.push(character),
        }
    }
}

/// Characters that an editor does not show, or that move other characters about.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{00ad}'
                | '\u{061c}'
                | '\u{00a0}'
                | '\u{180e}'
                | '\u{2000}'..='\u{200f}'
                | '\u{2028}'..='\u{202f}'
                | '\u{205f}'..='\u{206f}'
                | '\u{3000}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Characters that mean something here and so cannot stand for themselves.
fn is_sign(character: char) -> bool {
    character == END || character == '⟨' || SIGNS.iter().any(|(_, sign)| *sign == character)
}

#[cfg(test)]
mod tests {
    use super::{escape, escape_line, unescape};

    #[test]
    fn every_text_comes_back_as_it_was() {
        let texts = [
            "",
            "\n",
            "a",
            "a\n",
            "a\n\n",
            " \n  \n",
            "\r\n\r\n",
            "\t\0\u{1b}[31m\u{202e}\n",
            "␍␊␄⟨U+FEFF⟩\n",
            "\u{feff}---\nname: é ✅\n---",
        ];
        for text in texts {
            assert_eq!(unescape(&escape(text)).as_deref(), Ok(text), "{text:?}");
            assert_eq!(unescape(&escape_line(text)).as_deref(), Ok(text), "{text:?}");
        }
    }

    #[test]
    fn what_is_shown_has_no_hidden_character() {
        let shown = escape("a\u{200b}\u{202e}\u{7f}\u{a0}\r \n");
        assert_eq!(shown, "a⟨U+200B⟩⟨U+202E⟩⟨U+007F⟩⟨U+00A0⟩␍␠\n");
    }

    #[test]
    fn blanks_inside_a_line_stay_readable() {
        assert_eq!(escape("  a b  \n"), "  a b␠␠\n");
    }

    #[test]
    fn a_wrong_sign_is_refused() {
        for wrong in ["⟨U+⟩", "⟨U+FEFF", "⟨U+110000⟩", "a␄b\n", "a␄\nb\n"] {
            assert!(unescape(wrong).is_err(), "{wrong}");
        }
    }
}
