//! Turns the words of a skill into a sketch that skills with the same words share.

use super::document::Words;
use super::vocabulary::{Vocabulary, Word, hash};

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
    pub(super) fn sketch(&mut self, stream: &[u8], vocabulary: &Vocabulary) -> Sketch {
        for word in self.hashes.len()..vocabulary.len() {
            self.hashes.push(hash(0, vocabulary.spelling(word as u32).as_bytes()));
        }
        let mut least = [u64::MAX; LANES];
        Words::new(stream).each(|field, _, word| {
            if field > 0 {
                let hash = self.hashes[word as usize];
                let lane = &mut least[(hash >> 61) as usize];
                *lane = (*lane).min(hash << 3);
            }
        });
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

/// Compares the words of skills, a mark for each word of the vocabulary.
#[derive(Debug)]
pub(super) struct Comparison {
    marks: Vec<u64>,
}

impl Comparison {
    pub(super) fn new(vocabulary: usize) -> Self {
        Self { marks: vec![0; vocabulary.div_ceil(64)] }
    }

    /// The different words of a document, name aside, in the order they come.
    pub(super) fn different_words(&mut self, stream: &[u8]) -> Vec<Word> {
        let mut words = Vec::new();
        Words::new(stream).each(|field, _, word| {
            if field > 0 && !self.is_marked(word) {
                self.mark(word);
                words.push(word);
            }
        });
        self.clear(&words);
        words
    }

    /// Whether two skills say the same, in other orders and under other names perhaps, given their
    /// different words.
    pub(super) fn are_alike(&mut self, one: &[Word], other: &[Word]) -> bool {
        for &word in one {
            self.mark(word);
        }
        let both = other.iter().filter(|&&word| self.is_marked(word)).count();
        self.clear(one);
        let all = one.len() + other.len() - both;
        if all < ENOUGH { both == all && all > 0 } else { both as f64 >= ALIKE * all as f64 }
    }

    fn mark(&mut self, word: Word) {
        if let Some(marks) = self.marks.get_mut(word as usize / 64) {
            *marks |= 1 << (word % 64);
        }
    }

    fn is_marked(&self, word: Word) -> bool {
        self.marks.get(word as usize / 64).is_some_and(|marks| marks >> (word % 64) & 1 == 1)
    }

    fn clear(&mut self, words: &[Word]) {
        for &word in words {
            if let Some(marks) = self.marks.get_mut(word as usize / 64) {
                *marks = 0;
            }
        }
    }
}
