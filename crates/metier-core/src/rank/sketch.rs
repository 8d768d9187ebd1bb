//! Turns the words of a skill into a sketch that skills with the same words share.

use super::vocabulary::{Vocabulary, Word, hash};
use super::words::Words;

/// How many lanes a sketch has.
const LANES: usize = 8;

/// How alike two skills must be to count as one, as the share of their words that they have in common.
const ALIKE: f64 = 0.9;

/// Below so many words, skills are alike only if they have the same words.
const ENOUGH: usize = 24;

/// The least hash in each of eight parts of a skill's words, name aside (one-permutation MinHash).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sketch(pub(super) u128);

/// Makes sketches, and remembers the hashes of words it has seen.
#[derive(Debug, Default)]
pub(super) struct Sketcher {
    hashes: Vec<u64>,
}

impl Sketcher {
    pub(super) fn sketch(&mut self, words: &Words<'_>, vocabulary: &Vocabulary) -> Sketch {
        for word in self.hashes.len()..vocabulary.len() {
            self.hashes.push(hash(0, vocabulary.spelling(word as u32).as_bytes()));
        }
        let mut least = [u64::MAX; LANES];
        for word in words.different() {
            let hash = self.hashes[word as usize];
            let lane = &mut least[(hash >> 61) as usize];
            *lane = (*lane).min(hash << 3);
        }
        // The upper bits of a least hash are mostly zero; the lower ones tell hashes apart.
        Sketch(least.iter().fold(0, |sketch, &hash| sketch << 16 | u128::from((hash >> 16) as u16)))
    }
}

impl Sketch {
    /// Whether two skills may be alike: at least seven of eight lanes are.
    pub(super) fn may_be_alike(self, other: Self) -> bool {
        let different = self.0 ^ other.0;
        (0..LANES).filter(|lane| (different >> (16 * lane)) as u16 == 0).count() >= LANES - 1
    }
}

/// Whether two skills say the same, in other orders and under other names perhaps, given their
/// different words, ascending.
pub(super) fn are_alike(one: &[Word], other: &[Word]) -> bool {
    let (mut both, mut rest) = (0, other);
    for word in one {
        while let [first, behind @ ..] = rest
            && first <= word
        {
            both += usize::from(first == word);
            rest = behind;
        }
    }
    let all = one.len() + other.len() - both;
    if all < ENOUGH { both == all && all > 0 } else { both as f64 >= ALIKE * all as f64 }
}

#[cfg(test)]
mod tests {
    use super::are_alike;

    #[test]
    fn few_words_must_be_the_same_and_many_nearly() {
        let words: Vec<u32> = (0..100).collect();
        assert!(are_alike(&words, &words[4..]) && are_alike(&words[4..], &words));
        assert!(!are_alike(&words, &words[11..]));
        assert!(are_alike(&words[..20], &words[..20]));
        assert!(!are_alike(&words[..20], &words[..19]));
        assert!(!are_alike(&[], &[]));
    }
}
