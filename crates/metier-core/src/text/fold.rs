//! Turns a character into the plain form that two spellings of a word share.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// What a character is to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A letter, a digit, or a mark on one.
    Word,
    /// A character of a script that puts no blanks between words.
    Unspaced,
    /// Without width: neither part of a word nor its end.
    Unseen,
    /// `'` or `’`: part of a word when it stands inside one.
    Apostrophe,
    /// The end of a word.
    Other,
}

/// Scripts that are written without blanks between words; first and last character.
const UNSPACED: [(char, char); 13] = [
    ('\u{0e00}', '\u{0eff}'), // Thai, Lao
    ('\u{1000}', '\u{109f}'), // Burmese
    ('\u{1100}', '\u{11ff}'), // Hangul, as letters
    ('\u{1780}', '\u{17ff}'), // Khmer
    ('\u{2e80}', '\u{2fdf}'), // radicals
    ('\u{3005}', '\u{3007}'), // the iteration mark and the like
    ('\u{3040}', '\u{318f}'), // kana, bopomofo, Hangul
    ('\u{31a0}', '\u{31ff}'),
    ('\u{3400}', '\u{9fff}'), // Han
    ('\u{ac00}', '\u{d7ff}'), // Hangul, as syllables
    ('\u{f900}', '\u{faff}'), // Han, for compatibility
    ('\u{ff66}', '\u{ffdc}'), // halves of kana and Hangul
    ('\u{20000}', '\u{3ffff}'),
];

pub(super) fn kind(c: char) -> Kind {
    match c {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => Kind::Word,
        '\'' | '\u{2019}' => Kind::Apostrophe,
        '\0'..='\u{7f}' => Kind::Other,
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0100}'..='\u{e01ef}' => Kind::Unseen,
        _ if UNSPACED.iter().any(|&(first, last)| (first..=last).contains(&c)) => {
            if c.is_alphanumeric() || is_combining_mark(c) { Kind::Unspaced } else { Kind::Other }
        }
        _ if c.is_alphanumeric() || is_combining_mark(c) => Kind::Word,
        _ => Kind::Other,
    }
}

/// Appends a folded character of a word with spaces around it.
pub(super) fn fold_word(c: char, folded: &mut String) {
    if c.is_ascii() {
        folded.push(c.to_ascii_lowercase());
        return;
    }
    // In the scripts of India and beyond, marks are vowels: they stay, and stay as they were.
    let keeps_marks =
        ('\u{0900}'..'\u{1e00}').contains(&c) || ('\u{a800}'..'\u{ab00}').contains(&c);
    if keeps_marks {
        folded.extend(c.to_lowercase());
        return;
    }
    for part in std::iter::once(c).nfkd().flat_map(char::to_lowercase) {
        match part {
            '\u{0300}'..='\u{036f}'
            | '\u{0591}'..='\u{05c7}'
            | '\u{0640}'
            | '\u{064b}'..='\u{065f}'
            | '\u{0670}' => {}
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            part if part.is_alphanumeric() || is_combining_mark(part) => folded.push(part),
            _ => {}
        }
    }
}

/// A run of an unspaced script in its composed form: half a kana and its mark become one.
pub(super) fn fold_unspaced(run: &str, folded: &mut Vec<char>) {
    folded.clear();
    folded.extend(run.nfkc());
}

/// Whether a folded word is of an unspaced script: a pair of characters, or one that stood alone.
pub(crate) fn is_unspaced(word: &str) -> bool {
    word.chars().next().is_some_and(|c| kind(c) == Kind::Unspaced)
}
