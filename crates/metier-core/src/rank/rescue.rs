//! Turns a word that no skill has into words that skills have: misspelt, written together, or apart.

use super::vocabulary::{NONE, Vocabulary, Word};

/// How many letters a word must have to be taken for another: short ones are too near to too many.
const LETTERS: std::ops::RangeInclusive<usize> = 5..=24;

/// How many letters each half of a word must have.
const SHORTEST_HALF: usize = 3;

/// Knows the words of an index, and how many skills have each stem.
pub(super) struct Rescue<'a, F> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) frequency: F,
}

impl<F: Fn(Word) -> u32> Rescue<'_, F> {
    /// The stem of a word that skills have, with how many do.
    fn known(&self, spelling: &str) -> Option<(u32, Word)> {
        let stem = self.vocabulary.stem_of(self.vocabulary.find(spelling)?);
        let frequency = if stem == NONE { 0 } else { (self.frequency)(stem) };
        (frequency > 0).then_some((frequency, stem))
    }

    /// The stem of the word that was meant by a misspelt one: one letter too many, missing or wrong, or
    /// two that changed places, behind the first letter. Of several, the one that most skills have.
    pub(super) fn nearest(&self, word: &str) -> Option<Word> {
        if !is_plain(word) {
            return None;
        }
        let mut best: Option<(u32, Word)> = None;
        let mut consider = |letters: &[u8]| {
            let found = std::str::from_utf8(letters).ok().and_then(|tried| self.known(tried));
            if let Some(found) = found.filter(|found| best.is_none_or(|best| found.0 > best.0)) {
                best = Some(found);
            }
        };
        let mut letters = word.as_bytes().to_vec();
        for at in 1..letters.len() {
            let letter = letters.remove(at);
            consider(&letters);
            letters.insert(at, letter);
            if at + 1 < letters.len() {
                letters.swap(at, at + 1);
                consider(&letters);
                letters.swap(at, at + 1);
            }
            for other in b'a'..=b'z' {
                letters[at] = other;
                consider(&letters);
            }
            letters[at] = letter;
        }
        for at in 1..=letters.len() {
            letters.insert(at, b'a');
            for other in b'a'..=b'z' {
                letters[at] = other;
                consider(&letters);
            }
            letters.remove(at);
        }
        best.map(|(_, stem)| stem)
    }

    /// The stems of two words that were written as one, with or without the `s` that joins them in
    /// German. Of several ways to cut, the one whose rarer half most skills have.
    pub(super) fn halves(&self, word: &str) -> Option<[Word; 2]> {
        if !is_plain(word) {
            return None;
        }
        let mut best: Option<(u32, [Word; 2])> = None;
        for at in SHORTEST_HALF..=word.len().saturating_sub(SHORTEST_HALF) {
            let (first, second) = word.split_at(at);
            let unjoined = first.strip_suffix('s').filter(|first| first.len() >= SHORTEST_HALF);
            let first = self.known(first).or_else(|| self.known(unjoined?));
            if let (Some(first), Some(second)) = (first, self.known(second)) {
                let frequency = first.0.min(second.0);
                if best.is_none_or(|(most, _)| frequency > most) {
                    best = Some((frequency, [first.1, second.1]));
                }
            }
        }
        best.map(|(_, stems)| stems)
    }

    /// The stem of two words that skills write as one, and whether one of the two says nothing apart.
    pub(super) fn joined(&self, first: &str, second: &str) -> Option<(Word, bool)> {
        let is_part = |part: &str| part.len() > 1 && part.bytes().all(|b| b.is_ascii_lowercase());
        if !is_part(first) || !is_part(second) || !LETTERS.contains(&(first.len() + second.len())) {
            return None;
        }
        let (_, stem) = self.known(&[first, second].concat())?;
        Some((stem, [first, second].iter().any(|part| self.known(part).is_none())))
    }
}

/// Whether a word is one of plain letters, neither too short nor too long.
fn is_plain(word: &str) -> bool {
    LETTERS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let mut vocabulary = Vocabulary::new();
        for word in ["kubernetes", "spreadsheet", "rechnung", "prufung", "data", "set", "form"] {
            vocabulary.add(word);
        }
        vocabulary
    }

    fn spelt(vocabulary: &Vocabulary, stem: Option<Word>) -> &str {
        stem.map_or("", |stem| vocabulary.spelling(stem))
    }

    #[test]
    fn one_slip_of_the_finger_is_forgiven() {
        let vocabulary = vocabulary();
        let rescue = Rescue { vocabulary: &vocabulary, frequency: |_| 1 };
        for word in ["kuberntes", "kubernetess", "kubernetse", "kubermetes"] {
            assert_eq!(spelt(&vocabulary, rescue.nearest(word)), "kubernet", "{word}");
        }
        for word in ["ubernetes", "kubrnts", "from", "kubernetes9"] {
            assert_eq!(rescue.nearest(word), None, "{word}");
        }
        let nobody = Rescue { vocabulary: &vocabulary, frequency: |_| 0 };
        assert_eq!(nobody.nearest("kuberntes"), None);
    }

    #[test]
    fn words_are_cut_and_joined_where_skills_do() {
        let vocabulary = vocabulary();
        let rescue = Rescue { vocabulary: &vocabulary, frequency: |_| 1 };
        let cut = |word: &str| {
            let stems = rescue.halves(word)?;
            Some(stems.map(|stem| vocabulary.spelling(stem)))
        };
        assert_eq!(cut("dataset"), Some(["data", "set"]));
        assert_eq!(cut("rechnungsprufung"), Some(["rechnung", "prufung"]));
        assert_eq!(cut("datamarket"), None);
        let joined = rescue.joined("spread", "sheet");
        assert_eq!(spelt(&vocabulary, joined.map(|(stem, _)| stem)), "spreadsheet");
        assert!(joined.is_some_and(|(_, says_nothing_apart)| says_nothing_apart));
        assert_eq!(rescue.joined("data", "set"), None);
    }
}
