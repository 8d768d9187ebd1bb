//! Turns words into numbers, each word into the number of its stem, and both back.

use crate::text::{STOP_WORDS, Stem, is_stop_word};
use std::hash::{BuildHasher as _, RandomState};

/// The number of a word.
pub(super) type Word = u32;

/// Stands for no word.
const NONE: Word = Word::MAX;

/// All words of an index: those that were written, and their stems, in the order they came.
///
/// A word and a stem that are spelt alike share a number; which of the two is meant follows from
/// where the number stands.
#[derive(Debug)]
pub(super) struct Vocabulary {
    letters: String,
    /// Where each word ends in `letters`.
    ends: Vec<u32>,
    /// The stem of each word that was written; `NONE` for those that are stems only.
    stems: Vec<Word>,
    /// Open addressing over hashes, half full at most. Keyed, so that no skill can be written to
    /// make its words collide; the key changes no result.
    table: Vec<Word>,
    key: u64,
    stem: Stem,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self::with(String::new(), Vec::new(), Vec::new())
    }

    /// A vocabulary from its parts, which must fit together.
    pub(super) fn with(letters: String, ends: Vec<u32>, stems: Vec<Word>) -> Self {
        let key = RandomState::new().hash_one(0u8);
        let mut made = Self { letters, ends, stems, table: Vec::new(), key, stem: Stem::new() };
        made.grow();
        made
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How a word is spelt.
    pub(super) fn spelling(&self, word: Word) -> &str {
        let at = word as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start as usize..self.ends[at] as usize]
    }

    /// The stem of a word that was written.
    pub(super) fn stem_of(&self, word: Word) -> Word {
        self.stems[word as usize]
    }

    /// The number of a word, where it has one.
    pub(super) fn find(&self, spelling: &str) -> Option<Word> {
        let found = self.table[self.slot(spelling)];
        (found != NONE).then_some(found)
    }

    /// The stem that a word has or would have, where some word of the index has it.
    pub(super) fn find_stem(&self, spelling: &str) -> Option<Word> {
        let known = self.find(spelling).map(|word| self.stem_of(word)).filter(|&stem| stem != NONE);
        known.or_else(|| self.find(&self.stem.stem(spelling)))
    }

    /// The number of a written word, new if need be; `None` for a stop word.
    pub(super) fn add(&mut self, spelling: &str) -> Option<Word> {
        let word = match self.find(spelling) {
            Some(word) => word,
            None if is_stop_word(spelling) => return None,
            None => self.push(spelling),
        };
        if self.stems[word as usize] == NONE {
            if is_stop_word(spelling) {
                return None;
            }
            let stemmed = self.stem.stem(spelling).into_owned();
            let stem = self.find(&stemmed).unwrap_or_else(|| self.push(&stemmed));
            self.stems[word as usize] = stem;
        }
        Some(word)
    }

    fn push(&mut self, spelling: &str) -> Word {
        let word = self.ends.len() as Word;
        self.letters.push_str(spelling);
        self.ends.push(self.letters.len() as u32);
        self.stems.push(NONE);
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        } else {
            let slot = self.slot(spelling);
            self.table[slot] = word;
        }
        word
    }

    /// Makes the table large enough for twice the words there are, and fills it.
    fn grow(&mut self) {
        let size = (self.ends.len() * 4).next_power_of_two().max(4 * STOP_WORDS.len());
        self.table = vec![NONE; size.next_power_of_two()];
        for word in 0..self.ends.len() as Word {
            let slot = self.slot(self.spelling(word));
            self.table[slot] = word;
        }
    }

    /// The slot where a spelling is, or where it would go.
    fn slot(&self, spelling: &str) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = hash(self.key, spelling.as_bytes()) as usize & mask;
        loop {
            let found = self.table[slot];
            if found == NONE || self.spelling(found) == spelling {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// A keyed hash of a short text.
pub(super) fn hash(key: u64, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = key ^ (bytes.len() as u64).wrapping_mul(FACTOR);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let product =
            u128::from(state ^ u64::from_le_bytes(word)) * u128::from(FACTOR ^ key.rotate_left(32));
        state = (product as u64) ^ ((product >> 64) as u64);
    }
    let product = u128::from(state) * u128::from(FACTOR);
    (product as u64) ^ ((product >> 64) as u64)
}
