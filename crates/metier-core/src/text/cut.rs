//! Turns text into words: cut and folded, stop words and all.

use super::fold::{Kind, fold_unspaced, fold_word, kind};

/// How many bytes a word may have.
const LONGEST: usize = 40;

/// What stands before `.net` when the two are one name.
const BEFORE_NET: [&str; 4] = ["ado", "asp", "ml", "vb"];

/// Gives every word of a text, in order.
pub(crate) fn cut(text: &str, each: &mut impl FnMut(&str)) {
    let mut cutter = Cutter { text, word: String::new(), pair: String::new(), run: Vec::new() };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii() {
            if bytes[at].is_ascii_alphanumeric() {
                at = cutter.word(at, each);
            } else {
                at += 1;
            }
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        at = match kind(c) {
            Kind::Word => cutter.word(at, each),
            Kind::Unspaced => cutter.unspaced(at, each),
            Kind::Unseen | Kind::Apostrophe | Kind::Other => at + c.len_utf8(),
        };
    }
}

struct Cutter<'a> {
    text: &'a str,
    /// The word at hand, folded.
    word: String,
    pair: String,
    run: Vec<char>,
}

impl Cutter<'_> {
    /// Takes the word that starts at a place, and answers where it ends.
    fn word(&mut self, start: usize, each: &mut impl FnMut(&str)) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = start;
        while end < bytes.len() && bytes[end].is_ascii_alphanumeric() {
            end += 1;
        }
        let goes_on = match bytes.get(end) {
            Some(b'\'') => true,
            Some(0x80..) => self.text[end..]
                .chars()
                .next()
                .is_some_and(|c| matches!(kind(c), Kind::Word | Kind::Unseen | Kind::Apostrophe)),
            _ => false,
        };
        if goes_on { self.odd_word(start, each) } else { self.plain_word(start, end, each) }
    }

    /// A word of ASCII letters and digits alone.
    fn plain_word(&mut self, start: usize, mut end: usize, each: &mut impl FnMut(&str)) -> usize {
        let bytes = self.text.as_bytes();
        let written = &self.text[start..end];
        if written.len() > LONGEST {
            return end;
        }
        self.word.clear();
        self.word.extend(written.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        let rest = &bytes[end..];
        let marks = match rest {
            [b'+', b'+', ..] if !rest.get(2).is_some_and(u8::is_ascii_alphanumeric) => "++",
            [b'#', ..]
                if written.len() == 1
                    && written.as_bytes()[0].is_ascii_alphabetic()
                    && !rest.get(1).is_some_and(u8::is_ascii_alphanumeric) =>
            {
                "#"
            }
            _ => "",
        };
        if !marks.is_empty() {
            self.word.push_str(marks);
            end += marks.len();
            each(&self.word);
            return end;
        }
        if let Some(name) = alias(&self.word) {
            each(name);
        } else if self.word == "net" && self.is_after_dot(start) {
            each(".net");
        } else {
            self.parts(start, start + written.len(), each);
            each(&self.word);
        }
        end
    }

    /// Gives the parts of a `camelCase` word, if it has more than one.
    fn parts(&self, start: usize, end: usize, each: &mut impl FnMut(&str)) {
        let written = &self.text.as_bytes()[start..end];
        let mut from = 0;
        for at in 1..written.len() {
            let (before, here) = (written[at - 1], written[at]);
            let next_is_lower = written.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            // `APIs` and `PDFs` are plurals, not an `AP` and an `Is`.
            let is_plural = at + 2 == written.len() && written[at + 1] == b's';
            let starts_part = here.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || (before.is_ascii_uppercase() && next_is_lower && !is_plural));
            if starts_part {
                each(&self.word[from..at]);
                from = at;
            }
        }
        if from > 0 {
            each(&self.word[from..]);
        }
    }

    /// Whether the word at a place is the `net` of `.net` or `asp.net`.
    fn is_after_dot(&self, start: usize) -> bool {
        let Some(before) = self.text[..start].strip_suffix('.') else { return false };
        let name =
            before.len() - before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
        let name = &before[name..];
        name.is_empty() || BEFORE_NET.iter().any(|known| name.eq_ignore_ascii_case(known))
    }

    /// A word with apostrophes, or with letters outside ASCII.
    fn odd_word(&mut self, start: usize, each: &mut impl FnMut(&str)) -> usize {
        self.word.clear();
        let mut end = start;
        let mut chars = self.text[start..].char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match kind(c) {
                Kind::Word => fold_word(c, &mut self.word),
                Kind::Unseen => {}
                Kind::Apostrophe => {
                    let goes_on = chars.peek().is_some_and(|&(_, c)| kind(c) == Kind::Word);
                    if !goes_on {
                        break;
                    }
                    let mut after = self.text[start + at + c.len_utf8()..].chars();
                    let is_s = matches!(after.next(), Some('s' | 'S'))
                        && !after.next().is_some_and(|c| kind(c) == Kind::Word);
                    if is_s {
                        end = start + at + c.len_utf8() + 1;
                        break;
                    }
                }
                Kind::Unspaced | Kind::Other => break,
            }
            end = start + at + c.len_utf8();
        }
        if !self.word.is_empty() && self.word.len() <= LONGEST {
            each(alias(&self.word).unwrap_or(&self.word));
        }
        end
    }

    /// Takes the run of an unspaced script that starts at a place: every pair of neighbours.
    fn unspaced(&mut self, start: usize, each: &mut impl FnMut(&str)) -> usize {
        let rest = &self.text[start..];
        let length = rest.find(|c| kind(c) != Kind::Unspaced).unwrap_or(rest.len());
        fold_unspaced(&rest[..length], &mut self.run);
        if let [single] = self.run[..] {
            self.give([single], each);
        }
        for at in 1..self.run.len() {
            self.give([self.run[at - 1], self.run[at]], each);
        }
        start + length
    }

    fn give<const N: usize>(&mut self, chars: [char; N], each: &mut impl FnMut(&str)) {
        self.pair.clear();
        self.pair.extend(chars);
        each(&self.pair);
    }
}

/// The other spelling of a language's name, where it has two.
fn alias(word: &str) -> Option<&'static str> {
    match word {
        "cpp" => Some("c++"),
        "csharp" => Some("c#"),
        "fsharp" => Some("f#"),
        "dotnet" => Some(".net"),
        _ => None,
    }
}
