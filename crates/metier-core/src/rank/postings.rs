//! Turns documents into what a query walks: for every stem the documents that have it, and how much.

use super::bytes::{put, size};
use super::document::{SEARCHED, Words};
use super::ranking::{FieldWeight, Ranking};
use super::vocabulary::{Vocabulary, Word};

/// For every stem its documents, ascending, as distances, each with its impact.
#[derive(Debug, Default)]
pub(super) struct Postings {
    /// Where the postings of each stem begin; one more than there are stems.
    pub(super) starts: Vec<u64>,
    pub(super) bytes: Vec<u8>,
}

impl Postings {
    /// The postings of a stem.
    pub(super) fn of(&self, stem: Word) -> &[u8] {
        let at = stem as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.bytes[start as usize..end as usize],
            _ => &[],
        }
    }

    /// How many documents a stem has.
    pub(super) fn count(&self, stem: Word) -> u32 {
        let mut count = 0;
        self.each(stem, |_, _| count += 1);
        count
    }

    /// Gives every document of a stem with its impact.
    #[inline]
    pub(super) fn each(&self, stem: Word, mut give: impl FnMut(u32, u8)) {
        let mut bytes = self.of(stem);
        let mut document = 0u32;
        while let [first, rest @ ..] = bytes {
            let mut distance = u32::from(*first);
            bytes = rest;
            if distance >= 0x80 {
                distance &= 0x7f;
                let mut shift = 7;
                while let [next, rest @ ..] = bytes {
                    bytes = rest;
                    distance |= u32::from(next & 0x7f) << shift;
                    shift += 7;
                    if *next < 0x80 || shift > 28 {
                        break;
                    }
                }
            }
            let [impact, rest @ ..] = bytes else { return };
            bytes = rest;
            document = document.wrapping_add(distance);
            give(document, *impact);
        }
    }

    /// Inverts documents: two walks over their streams, the first to measure, the second to write.
    pub(super) fn invert<'a>(
        documents: impl Iterator<Item = (u32, &'a [u8])> + Clone,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Self {
        let mut weigher = Weigher::new(vocabulary, weights);
        let mut last = vec![0u32; vocabulary.len()];
        let mut starts = vec![0u64; vocabulary.len() + 1];
        for (document, stream) in documents.clone() {
            for &(stem, _) in weigher.weigh(stream) {
                let distance = document - last[stem as usize];
                starts[stem as usize + 1] += size(distance) as u64 + 1;
                last[stem as usize] = document;
            }
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut bytes = vec![0; starts.last().map_or(0, |&end| end as usize)];
        let mut next = starts.clone();
        last.fill(0);
        let mut coded = Vec::new();
        for (document, stream) in documents {
            for &(stem, impact) in weigher.weigh(stream) {
                coded.clear();
                put(&mut coded, document - last[stem as usize]);
                coded.push(impact);
                let at = next[stem as usize] as usize;
                bytes[at..at + coded.len()].copy_from_slice(&coded);
                next[stem as usize] += coded.len() as u64;
                last[stem as usize] = document;
            }
        }
        Self { starts, bytes }
    }
}

/// The weights of fields, for the lengths that they usually have in a catalog.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights {
    fields: [FieldWeight; SEARCHED],
    pub(super) usual: [f32; SEARCHED],
    saturation: f32,
}

impl Weights {
    pub(super) fn new(ranking: &Ranking, usual: [f32; SEARCHED]) -> Self {
        Self { fields: ranking.fields(), usual, saturation: ranking.saturation }
    }

    /// The mean length of each field, where there is one, to the nearest half power of two: coarse, so that
    /// it stays the same when a few skills come and go.
    pub(super) fn usual<'a>(documents: impl Iterator<Item = Words<'a>>) -> [f32; SEARCHED] {
        let mut sums = [(0u64, 0u64); SEARCHED];
        for words in documents {
            for (field, (sum, count)) in sums.iter_mut().enumerate() {
                let length = words.length(field);
                *sum += u64::from(length);
                *count += u64::from(length > 0);
            }
        }
        sums.map(|(sum, count)| {
            let mean = sum as f64 / count.max(1) as f64;
            ((mean.max(1.0).log2() * 2.0).round() / 2.0).exp2() as f32
        })
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
    /// The place of each stem in `counts`, where it has one.
    places: Vec<u32>,
    counts: Vec<(Word, [u32; SEARCHED])>,
    weighed: Vec<(Word, u8)>,
}

impl<'a> Weigher<'a> {
    fn new(vocabulary: &'a Vocabulary, weights: &'a Weights) -> Self {
        let places = vec![u32::MAX; vocabulary.len()];
        Self { vocabulary, weights, places, counts: Vec::new(), weighed: Vec::new() }
    }

    /// The stems of a document, each with its impact.
    fn weigh(&mut self, stream: &[u8]) -> &[(Word, u8)] {
        self.counts.clear();
        let words = Words::new(stream);
        let norms = norms(self.weights, &words);
        words.each(|field, _, word| {
            if field >= SEARCHED {
                return;
            }
            let stem = self.vocabulary.stem_of(word);
            let place = &mut self.places[stem as usize];
            if *place == u32::MAX {
                *place = self.counts.len() as u32;
                self.counts.push((stem, [0; SEARCHED]));
            }
            self.counts[*place as usize].1[field] += 1;
        });
        self.weighed.clear();
        for &(stem, counts) in &self.counts {
            self.places[stem as usize] = u32::MAX;
            let amount = (0..SEARCHED).map(|field| norms[field] * often(counts[field])).sum();
            self.weighed.push((stem, impact(amount, self.weights.saturation)));
        }
        &self.weighed
    }
}
