//! Turns documents into what a query walks: for every stem the documents that have it, and how much.

use super::bytes::{get, put, size};
use super::document::{SEARCHED, Words};
use super::ranking::{FieldWeight, Ranking};
use super::vocabulary::{Vocabulary, Word};

/// For every stem its documents, ascending, as distances, each with its impact.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// The stems that some document has, ascending.
    pub(super) stems: Vec<Word>,
    /// Where the postings of each stem end.
    pub(super) ends: Vec<u64>,
    /// Distance to the document before, in seven bits a byte; impact.
    pub(super) coded: Vec<u8>,
}

impl Postings {
    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        4 * self.stems.capacity() + 8 * self.ends.capacity() + self.coded.capacity()
    }

    /// The postings of a stem.
    fn of(&self, stem: Word) -> &[u8] {
        let Ok(at) = self.stems.binary_search(&stem) else { return &[] };
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.coded.get(start..end(at)).unwrap_or_default()
    }

    /// Gives every document of a stem with its impact.
    #[inline]
    pub(super) fn each(&self, stem: Word, mut give: impl FnMut(u32, u8)) {
        let mut coded = self.of(stem);
        let mut document = 0u32;
        while let [first, rest @ ..] = coded {
            let mut distance = u32::from(*first);
            coded = rest;
            if distance >= 0x80 {
                let mut at = 0;
                distance = distance & 0x7f | get(coded, &mut at) << 7;
                coded = &coded[at..];
            }
            let [impact, rest @ ..] = coded else { return };
            coded = rest;
            document = document.wrapping_add(distance);
            give(document, *impact);
        }
    }

    /// Every stem, with how many documents it has.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Word, u32)> {
        self.stems.iter().map(|&stem| {
            let mut count = 0;
            self.each(stem, |_, _| count += 1);
            (stem, count)
        })
    }

    /// Inverts documents: two walks over their streams, the first to measure, the second to write.
    pub(super) fn invert<'a>(
        documents: impl Iterator<Item = &'a [u8]> + Clone,
        vocabulary: &Vocabulary,
        weights: &Weights,
    ) -> Self {
        let mut weigher = Weigher::new(vocabulary, weights);
        let mut last = vec![0u32; vocabulary.len()];
        let mut sizes = vec![0u64; vocabulary.len()];
        for (document, stream) in (0u32..).zip(documents.clone()) {
            for &(stem, _) in weigher.weigh(stream) {
                let stem = stem as usize;
                sizes[stem] += size(document - last[stem]) as u64 + 1;
                last[stem] = document;
            }
        }
        let (mut stems, mut ends, mut end) = (Vec::new(), Vec::new(), 0);
        // From here on, where the next posting of each stem goes.
        let mut next = sizes;
        for (stem, place) in (0..).zip(&mut next) {
            if *place > 0 {
                let start = end;
                end += *place;
                *place = start;
                stems.push(stem);
                ends.push(end);
            }
        }
        let mut coded = vec![0; end as usize];
        last.fill(0);
        let mut posting = Vec::new();
        for (document, stream) in (0u32..).zip(documents) {
            for &(stem, impact) in weigher.weigh(stream) {
                let stem = stem as usize;
                posting.clear();
                put(&mut posting, document - last[stem]);
                posting.push(impact);
                let at = next[stem] as usize;
                coded[at..at + posting.len()].copy_from_slice(&posting);
                next[stem] += posting.len() as u64;
                last[stem] = document;
            }
        }
        stems.shrink_to_fit();
        ends.shrink_to_fit();
        Self { stems, ends, coded }
    }
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
            let Some(place) = self.places.get_mut(stem as usize) else { return };
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
