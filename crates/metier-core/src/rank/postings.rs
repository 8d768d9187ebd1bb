//! Turns documents into what a query walks: for every stem the documents that have it, and how much.

use super::bits::{BitWriter, width};
use super::bytes::{get, put};
use super::pieces::Pieces;
use super::ranking::{FieldWeight, Ranking};
use super::vocabulary::{Vocabulary, Word};
use super::words::{SEARCHED, Words};

/// How many postings are packed together.
const BLOCK: usize = 32;

/// For every stem its documents, ascending, as distances, each with its impact.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// The stems that some document has, ascending.
    pub(super) stems: Vec<Word>,
    /// For each of them how many stand before the blocks, each a distance in seven bits a byte and an
    /// impact; then blocks of thirty-two: how many bits a distance takes, the distances, the impacts.
    pub(super) lists: Pieces,
}

impl Postings {
    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        4 * self.stems.capacity() + self.lists.bytes()
    }

    /// Gives every document of a stem with its impact.
    #[inline]
    pub(super) fn each(&self, stem: Word, give: impl FnMut(u32, u8)) {
        if let Ok(at) = self.stems.binary_search(&stem) {
            each_posting(&self.lists.get(at), give);
        }
    }

    /// Every stem, with how many documents it has.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Word, u32)> {
        self.stems.iter().enumerate().map(|(at, &stem)| {
            let mut count = 0;
            each_posting(&self.lists.get(at), |_, _| count += 1);
            (stem, count)
        })
    }

    /// Inverts documents: two walks over their words, the first to count, the second to fill.
    pub(super) fn invert(
        each_document: impl Fn(&mut dyn FnMut(usize, &Words<'_>)),
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Self {
        let mut weigher = Weigher::new(vocabulary, weights);
        // How many postings each stem has; from then on, where its next one goes.
        let mut next = vec![0usize; vocabulary.len()];
        each_document(&mut |_, words| {
            for &(stem, _) in weigher.weigh(words) {
                next[stem as usize] += 1;
            }
        });
        let mut lists = Vec::new();
        let mut end = 0;
        for (stem, place) in (0..).zip(&mut next) {
            if *place > 0 {
                let start = end;
                end += std::mem::replace(place, start);
                lists.push((stem, end));
            }
        }
        let (mut found, mut impacts) = (vec![0u32; end], vec![0u8; end]);
        each_document(&mut |document, words| {
            for &(stem, impact) in weigher.weigh(words) {
                let place = &mut next[stem as usize];
                (found[*place], impacts[*place]) = (document as u32, impact);
                *place += 1;
            }
        });
        let mut postings = Self::default();
        let mut start = 0;
        for (stem, end) in lists {
            postings.stems.push(stem);
            let (found, impacts) = (&found[start..end], &impacts[start..end]);
            postings.lists.push(|coded| put_postings(coded, found, impacts));
            start = end;
        }
        postings.stems.shrink_to_fit();
        postings.lists.shrink();
        postings
    }
}

/// Appends the postings of a stem.
fn put_postings(coded: &mut Vec<u8>, documents: &[u32], impacts: &[u8]) {
    let mut last = 0;
    let mut distance = |document: u32| document - std::mem::replace(&mut last, document);
    let (few, blocks) = documents.as_rchunks::<BLOCK>();
    let (few_impacts, block_impacts) = impacts.as_rchunks::<BLOCK>();
    coded.push(few.len() as u8);
    for (&document, &impact) in few.iter().zip(few_impacts) {
        put(coded, distance(document));
        coded.push(impact);
    }
    for (block, impacts) in blocks.iter().zip(block_impacts) {
        let distances = block.map(&mut distance);
        let bits = distances.iter().copied().map(width).max().unwrap_or(1);
        coded.push(bits as u8);
        let mut writer = BitWriter::default();
        for distance in distances {
            writer.put(coded, distance, bits);
        }
        coded.extend_from_slice(impacts);
    }
}

/// Gives every document of a list with its impact.
#[inline]
fn each_posting(coded: &[u8], mut give: impl FnMut(u32, u8)) {
    let [few, coded @ ..] = coded else { return };
    let (mut at, mut document) = (0, 0u32);
    for _ in 0..*few {
        document = document.wrapping_add(get(coded, &mut at));
        let Some(&impact) = coded.get(at) else { return };
        at += 1;
        give(document, impact);
    }
    let mut coded = &coded[at..];
    while let [bits, rest @ ..] = coded {
        let bits = usize::from(*bits).clamp(1, 32);
        let packed = BLOCK / 8 * bits;
        let Some((block, rest)) = rest.split_at_checked(packed + BLOCK) else { return };
        for (distance, &impact) in unpacked(block, bits).into_iter().zip(&block[packed..]) {
            document = document.wrapping_add(distance);
            give(document, impact);
        }
        coded = rest;
    }
}

/// The distances of a block, each of so many bits. The impacts behind them let eight bytes be read at each.
#[inline]
fn unpacked(block: &[u8], bits: usize) -> [u32; BLOCK] {
    let mask = (1u64 << bits) - 1;
    let window = |bit: usize| {
        let word = block.get(bit / 8..).and_then(<[u8]>::first_chunk);
        word.map_or(0, |word| u64::from_le_bytes(*word)) >> (bit % 8)
    };
    let mut distances = [0; BLOCK];
    if bits > 16 {
        for (at, distance) in distances.iter_mut().enumerate() {
            *distance = (window(at * bits) & mask) as u32;
        }
        return distances;
    }
    // Four of them start at a byte or in its middle, so all four are in one window.
    for (at, four) in distances.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let word = window(4 * at * bits);
        *four = [0, 1, 2, 3].map(|at| (word >> (at * bits) & mask) as u32);
    }
    distances
}

/// The weights of fields, for the lengths that they usually have in a catalog.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights {
    fields: [FieldWeight; SEARCHED],
    usual: [f32; SEARCHED],
    saturation: f32,
}

impl Weights {
    pub(super) fn new(ranking: &Ranking, usual: [f32; SEARCHED]) -> Self {
        Self { fields: ranking.fields(), usual, saturation: ranking.saturation }
    }
}

/// What one word of each field of a document is worth.
pub(super) fn norms(weights: &Weights, words: &Words<'_>) -> [f32; SEARCHED] {
    std::array::from_fn(|at| {
        let FieldWeight { weight, length } = weights.fields[at];
        weight / (1.0 - length + length * words.length(at).max(1) as f32 / weights.usual[at])
    })
}

/// How much a word counts that comes so many times in a field: less and less, so that saying it
/// over and over costs more in length than it gains.
pub(super) fn often(count: u32) -> f32 {
    if count == 0 { 0.0 } else { 1.0 + (count as f32).ln() }
}

/// An amount on a scale from 1 to 255 that it fills slower and slower.
#[expect(clippy::cast_sign_loss, reason = "it is at least 1")]
pub(super) fn impact(amount: f32, saturation: f32) -> u8 {
    let filled = 255.0 * amount / (amount + saturation);
    filled.round().clamp(1.0, 255.0) as u8
}

/// Turns one document after the other into the impacts of its stems.
struct Weigher<'a> {
    vocabulary: &'a Vocabulary,
    weights: &'a Weights,
    /// How often each of the different words comes in each field.
    words: Vec<[u32; SEARCHED]>,
    /// The place of each stem in `counts`, where it has one.
    places: Vec<u32>,
    counts: Vec<(Word, [u32; SEARCHED])>,
    weighed: Vec<(Word, u8)>,
}

impl<'a> Weigher<'a> {
    fn new(vocabulary: &'a Vocabulary, weights: &'a Weights) -> Self {
        let places = vec![u32::MAX; vocabulary.len()];
        let (words, counts, weighed) = (Vec::new(), Vec::new(), Vec::new());
        Self { vocabulary, weights, words, places, counts, weighed }
    }

    /// The stems of a document, each with its impact.
    fn weigh(&mut self, document: &Words<'_>) -> &[(Word, u8)] {
        self.words.clear();
        self.words.resize(document.count(), [0; SEARCHED]);
        document.each_place(u32::MAX, |field, _, place| {
            if field < SEARCHED
                && let Some(counts) = self.words.get_mut(place)
            {
                counts[field] += 1;
            }
        });
        self.counts.clear();
        for word in document.name() {
            self.count(word, [1, 0, 0, 0, 0]);
        }
        let words = std::mem::take(&mut self.words);
        for (word, &counts) in document.different().zip(&words) {
            if counts != [0; SEARCHED] {
                self.count(word, counts);
            }
        }
        self.words = words;
        let norms = norms(self.weights, document);
        self.weighed.clear();
        for &(stem, counts) in &self.counts {
            self.places[stem as usize] = u32::MAX;
            let amount = (0..SEARCHED).map(|field| norms[field] * often(counts[field])).sum();
            self.weighed.push((stem, impact(amount, self.weights.saturation)));
        }
        &self.weighed
    }

    /// Adds the counts of a word to those of its stem.
    fn count(&mut self, word: Word, counts: [u32; SEARCHED]) {
        let stem = self.vocabulary.stem_of(word);
        let Some(place) = self.places.get_mut(stem as usize) else { return };
        if *place == u32::MAX {
            *place = self.counts.len() as u32;
            self.counts.push((stem, [0; SEARCHED]));
        }
        let sums = &mut self.counts[*place as usize].1;
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{each_posting, put_postings};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn postings_come_back(
            documents in prop::collection::btree_set(prop_oneof![0u32..200, any::<u32>()], 0..200),
        ) {
            let documents: Vec<u32> = documents.into_iter().collect();
            let impacts: Vec<u8> = documents.iter().map(|&document| document as u8).collect();
            let mut coded = Vec::new();
            put_postings(&mut coded, &documents, &impacts);
            let mut read = Vec::new();
            each_posting(&coded, |document, impact| read.push((document, impact)));
            let written: Vec<_> = documents.into_iter().zip(impacts).collect();
            prop_assert_eq!(read, written);
        }

        #[test]
        fn any_bytes_can_be_walked(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut given = 0;
            each_posting(&bytes, |_, _| given += 1);
            prop_assert!(given <= bytes.len());
        }
    }
}
