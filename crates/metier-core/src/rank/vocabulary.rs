//! Turns words into numbers, each word into the number of its stem, and both back.

use crate::text::{Stem, is_stop_word};
use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};

/// The number of a word.
pub(super) type Word = u32;

/// Stands for no word.
pub(super) const NONE: Word = Word::MAX;

/// All words of an index: those that were written, and their stems, in the order they came.
///
/// A word and a stem that are spelt alike share a number; which of the two is meant follows from
/// where the number stands.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    letters: String,
    /// Where each word ends in `letters`.
    ends: Vec<u32>,
    /// The stem of each word that was written; `NONE` for those that are stems only.
    stems: Vec<Word>,
    /// For each stem the first word of it, and for each word the next of the same stem.
    first: Vec<Word>,
    next: Vec<Word>,
    /// Open addressing over hashes, four fifths full at most. Keyed, so that no skill can be written to
    /// make its words collide; the key changes no result.
    table: Vec<Word>,
    /// For each slot some bits of the hash, so that few other words are looked at; 0 where it is free.
    tags: Vec<u8>,
    key: u64,
    stem: Stem,
}

/// What a vocabulary is saved as.
#[derive(Debug)]
pub(super) struct VocabularyParts {
    pub(super) letters: String,
    pub(super) ends: Vec<u32>,
    pub(super) stems: Vec<Word>,
    pub(super) table: Vec<Word>,
    pub(super) tags: Vec<u8>,
    pub(super) key: u64,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        let (letters, ends, stems) = (String::new(), Vec::new(), Vec::new());
        let (table, tags) = (vec![NONE; 1024], vec![0; 1024]);
        Self::with(VocabularyParts { letters, ends, stems, table, tags, key: random() })
    }

    /// A vocabulary from its parts, which must fit together.
    pub(super) fn with(parts: VocabularyParts) -> Self {
        let VocabularyParts { letters, ends, stems, table, tags, key } = parts;
        let (first, next) = (vec![NONE; ends.len()], vec![NONE; ends.len()]);
        let stem = Stem::new();
        let mut made = Self { letters, ends, stems, first, next, table, tags, key, stem };
        for word in 0..made.ends.len() as Word {
            made.join(word);
        }
        made
    }

    /// Gives back the room for more words. From here on it is the same for the same words: the key is made
    /// of all of them, so that it is known only to who knows them all.
    pub(super) fn settle(&mut self) {
        self.letters.shrink_to_fit();
        for numbers in [&mut self.ends, &mut self.stems, &mut self.first, &mut self.next] {
            numbers.shrink_to_fit();
        }
        self.key = hash(1, self.letters.as_bytes());
        self.fill(self.ends.len() + self.ends.len() / 4 + 1);
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let links = self.first.capacity() + self.next.capacity() + self.table.capacity();
        let numbers = self.ends.capacity() + self.stems.capacity() + links;
        self.letters.capacity() + self.tags.capacity() + numbers * size_of::<Word>()
    }

    /// The letters of all words, where each ends, the stem of each, the table, its tags and its key.
    pub(super) fn parts(&self) -> (&str, [&[u32]; 3], &[u8], u64) {
        (&self.letters, [&self.ends, &self.stems, &self.table], &self.tags, self.key)
    }

    /// How a word is spelt; nothing for a number that is no word's.
    pub(super) fn spelling(&self, word: Word) -> &str {
        let at = word as usize;
        let start =
            at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end);
        let end = self.ends.get(at).map_or(start, |&end| end);
        self.letters.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The stem of a word that was written; [`NONE`] for any other number.
    #[inline]
    pub(super) fn stem_of(&self, word: Word) -> Word {
        self.stems.get(word as usize).map_or(NONE, |&stem| stem)
    }

    /// The number of a word, where it has one.
    pub(super) fn find(&self, spelling: &str) -> Option<Word> {
        self.slot(spelling, self.hash(spelling)).ok()
    }

    /// The stem that a word has or would have, its number where some word of the index has it, and that
    /// of the word itself.
    pub(super) fn find_stem<'a>(
        &'a self,
        spelling: &'a str,
    ) -> (Cow<'a, str>, Option<Word>, Option<Word>) {
        let word = self.find(spelling);
        let known = word.map(|word| self.stem_of(word)).filter(|&stem| stem != NONE);
        if let Some(stem) = known {
            return (Cow::Borrowed(self.spelling(stem)), known, word);
        }
        let stemmed = self.stem.stem(spelling);
        let stem = self.find(&stemmed);
        (stemmed, stem, word)
    }

    /// The number of a written word, new if need be. `None` for a stop word, and once there is no
    /// room for more words.
    pub(super) fn add(&mut self, spelling: &str) -> Option<Word> {
        let known = self.find(spelling);
        if let Some(word) = known
            && self.stem_of(word) != NONE
        {
            return Some(word);
        }
        // A stop word may be known as the stem of another: `doing`, `does`.
        if is_stop_word(spelling) {
            return None;
        }
        let word = known.or_else(|| self.push(spelling))?;
        let stemmed = self.stem.stem(spelling).into_owned();
        let stem = self.find(&stemmed).or_else(|| self.push(&stemmed))?;
        self.stems[word as usize] = stem;
        self.join(word);
        Some(word)
    }

    /// Puts a word first among those of its stem.
    fn join(&mut self, word: Word) {
        if let Some(first) = self.first.get_mut(self.stems[word as usize] as usize) {
            self.next[word as usize] = *first;
            *first = word;
        }
    }

    /// Every written word of a stem.
    pub(super) fn family(&self, stem: Word) -> impl Iterator<Item = Word> {
        let known = |word: Option<&Word>| word.copied().filter(|&word| word != NONE);
        let first = known(self.first.get(stem as usize));
        std::iter::successors(first, move |&word| known(self.next.get(word as usize)))
    }

    fn push(&mut self, spelling: &str) -> Option<Word> {
        let end = u32::try_from(self.letters.len() + spelling.len()).ok()?;
        let word = Word::try_from(self.ends.len()).ok().filter(|&word| word < NONE)?;
        self.letters.push_str(spelling);
        self.ends.push(end);
        self.stems.push(NONE);
        self.first.push(NONE);
        self.next.push(NONE);
        if self.ends.len() * 5 > self.table.len() * 4 {
            self.key = random();
            self.fill(self.ends.len() * 5 / 2);
        } else {
            self.enter(word);
        }
        Some(word)
    }

    /// Makes a table of so many slots, and fills it.
    fn fill(&mut self, slots: usize) {
        self.table = vec![NONE; slots.max(1)];
        self.tags = vec![0; slots.max(1)];
        for word in 0..self.ends.len() as Word {
            self.enter(word);
        }
    }

    /// Puts a word into the table.
    fn enter(&mut self, word: Word) {
        let hash = self.hash(self.spelling(word));
        if let Err(slot) = self.slot(self.spelling(word), hash) {
            self.table[slot] = word;
            self.tags[slot] = tag(hash);
        }
    }

    fn hash(&self, spelling: &str) -> u64 {
        hash(self.key, spelling.as_bytes())
    }

    /// The word of a spelling, or else the slot where it would go.
    fn slot(&self, spelling: &str, hash: u64) -> Result<Word, usize> {
        let slots = self.table.len();
        let first = ((u128::from(hash) * slots as u128) >> 64) as usize;
        let tag = tag(hash);
        for slot in (first..slots).chain(0..first) {
            let found = self.tags[slot];
            if found == 0 {
                return Err(slot);
            }
            if found == tag && self.spelling(self.table[slot]) == spelling {
                return Ok(self.table[slot]);
            }
        }
        Err(first)
    }
}

/// The bits of a hash that stand beside a word; those that chose the slot are others.
fn tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}

/// A key that nobody knows.
fn random() -> u64 {
    RandomState::new().hash_one(0u8)
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
