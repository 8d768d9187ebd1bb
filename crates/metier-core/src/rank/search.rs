//! Turns a query into the skills that fit it, the best first.

use super::confidence::Scale;
use super::index::SkillIndex;
use super::query::Query;
use super::ranked::{Duplicates, Ranked, SearchOptions};
use super::rerank::Reader;
use super::sketch::are_alike;
use super::vocabulary::Word;
use super::words::Words;
use crate::{Hit, Matcher};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many skills with the same words are looked at closely.
const TWINS: u32 = 4;

/// The points of a skill, and its number.
type Candidate = (f32, u32);

/// A skill that fits, and the skills that say the same.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) points: f32,
    pub(super) document: u32,
    pub(super) duplicates: Vec<u32>,
}

impl SkillIndex {
    /// The skills that fit a query, the best first; skills of equal score by id.
    ///
    /// A score is from 0 to 1, and means the same for every query and catalog: how sure it is that
    /// the skill is meant. So `min_score` can say that no skill fits.
    pub fn search_with(&self, query: &str, options: &SearchOptions<'_>) -> Vec<Ranked> {
        let query = self.query(query);
        if options.limit == 0 {
            return Vec::new();
        }
        let found = self.find(&query, options);
        let scale = self.scale(&found);
        let name = |document: u32| Arc::from(self.id(document));
        let ranked = found.into_iter().take(options.limit).map(|found| {
            let mut duplicates: Vec<Arc<str>> = found.duplicates.into_iter().map(name).collect();
            duplicates.sort_unstable();
            duplicates.dedup();
            let score = scale.confidence(found.points);
            Ranked { hit: Hit::new(self.id(found.document), score), duplicates }
        });
        ranked.take_while(|ranked| ranked.hit.score >= options.min_score).collect()
    }

    /// The skills that fit, the best first: at least two where there are so many, to see how far
    /// ahead the first is.
    pub(super) fn find(&self, query: &Query, options: &SearchOptions<'_>) -> Vec<Found> {
        let mut head = self.head(query, options);
        let mut reader = Reader::new(self, query);
        for (points, document) in &mut head {
            *points += reader.read(*document).sum();
        }
        head.retain(|&(points, _)| points > 0.0);
        head.sort_by(|&one, &other| self.order(one, other));
        self.collapse(&head, options)
    }

    pub(super) fn scale(&self, found: &[Found]) -> Scale {
        let points = |at: usize| found.get(at).map_or(0.0, |found| found.points);
        Scale { unit: self.rarest(), first: points(0), second: points(1) }
    }

    fn order(&self, one: Candidate, other: Candidate) -> Ordering {
        other.0.total_cmp(&one.0).then_with(|| self.id(one.1).cmp(self.id(other.1)))
    }

    /// The skills worth a close look.
    fn head(&self, query: &Query, options: &SearchOptions<'_>) -> Vec<Candidate> {
        let mut sums = vec![0f32; self.gone.len()];
        for term in &query.terms {
            let weight = term.weight / 255.0;
            for (segment, &start) in self.segments.iter().zip(&self.starts) {
                let sums = &mut sums[start as usize..];
                segment.postings.each(term.number(), |document, impact| {
                    if let Some(sum) = sums.get_mut(document as usize) {
                        *sum += weight * f32::from(impact);
                    }
                });
            }
        }
        if !query.mentions.is_empty() {
            let names = self.segments.iter().flat_map(|segment| &segment.names);
            for (sum, _) in
                sums.iter_mut().zip(names).filter(|(_, name)| query.mentions.contains(name))
            {
                *sum += self.ranking.mention;
            }
        }
        let many = self.ranking.head.max(options.limit);
        let room = 4 * many;
        // Most of the time the head is found among a few hundred. Where a filter or copies leave too
        // few of them, all are looked at.
        let least = least_of_the_best(&sums, room);
        let head = self.cut(&sums, least, many, options);
        if head.len() == many || least <= f32::MIN_POSITIVE {
            return head;
        }
        self.cut(&sums, f32::MIN_POSITIVE, many, options)
    }

    /// The best skills of at least so many points.
    fn cut(
        &self,
        sums: &[f32],
        mut least: f32,
        many: usize,
        options: &SearchOptions<'_>,
    ) -> Vec<Candidate> {
        let room = 4 * many;
        let mut head = Vec::with_capacity(room);
        for (block, start) in sums.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            if most(block) < least {
                continue;
            }
            for (&sum, document) in block.iter().zip(start..) {
                if sum >= least && !self.gone[document as usize] && self.is_kept(document, options)
                {
                    head.push((sum, document));
                    if head.len() == room {
                        self.cut_head(&mut head, many);
                        if head.len() == many {
                            least = head[many - 1].0;
                        }
                    }
                }
            }
        }
        self.cut_head(&mut head, many);
        head
    }

    fn is_kept(&self, document: u32, options: &SearchOptions<'_>) -> bool {
        options.keep.is_none_or(|keep| keep(self.id(document)))
    }

    /// Keeps the best, and of those with the same words only a few, so that copies of one skill
    /// cannot fill the head.
    fn cut_head(&self, head: &mut Vec<Candidate>, many: usize) {
        head.sort_unstable_by(|&one, &other| self.order(one, other));
        let mut twins: BTreeMap<u128, u32> = BTreeMap::new();
        let mut left = many;
        head.retain(|&(_, document)| {
            if left == 0 {
                return false;
            }
            let count = twins.entry(self.sketch(document).0).or_default();
            *count += 1;
            let is_kept = *count <= TWINS;
            left -= usize::from(is_kept);
            is_kept
        });
    }

    /// Candidates in order; what says the same as one above is named there.
    fn collapse(&self, head: &[Candidate], options: &SearchOptions<'_>) -> Vec<Found> {
        let room = options.limit.max(2);
        let mut kept: Vec<Found> = Vec::new();
        let mut words: BTreeMap<u32, Vec<Word>> = BTreeMap::new();
        for &(points, document) in head {
            let sketch = self.sketch(document);
            // Once the list is full, only plain copies are looked for.
            let is_full = kept.len() == room;
            let is_like = |other| sketch == other || !is_full && sketch.may_be_alike(other);
            let same = kept.iter().position(|found| {
                options.duplicates == Duplicates::Collapse
                    && is_like(self.sketch(found.document))
                    && {
                        for document in [document, found.document] {
                            words.entry(document).or_insert_with(|| {
                                Words::new(&self.stream(document)).different().collect()
                            });
                        }
                        are_alike(&words[&document], &words[&found.document])
                    }
            });
            match same {
                Some(at) => kept[at].duplicates.push(document),
                None if kept.len() < room => {
                    kept.push(Found { points, document, duplicates: Vec::new() });
                }
                None => {}
            }
        }
        self.add_twins(&mut kept, options);
        kept
    }

    /// Adds the copies that were left out of the head.
    fn add_twins(&self, kept: &mut [Found], options: &SearchOptions<'_>) {
        let mut copied: Vec<(u128, usize)> = Vec::new();
        for (at, found) in kept.iter().enumerate() {
            let sketch = self.sketch(found.document);
            if found.duplicates.iter().any(|&other| self.sketch(other) == sketch) {
                copied.push((sketch.0, at));
            }
        }
        if copied.is_empty() {
            return;
        }
        // A bit for each sketch that is looked for lets nearly all others pass at one glance.
        let bit = |sketch: u128| 1u64 << (sketch % 64);
        let bits = copied.iter().fold(0, |bits, &(sketch, _)| bits | bit(sketch));
        let sketches = self.segments.iter().flat_map(|segment| &segment.sketches);
        for ((document, sketch), &gone) in (0u32..).zip(sketches).zip(&self.gone) {
            if bits & bit(sketch.0) == 0 || gone {
                continue;
            }
            // Of two that share a sketch and do not say the same, the later has the copies.
            let Some(&(_, at)) = copied.iter().rfind(|(other, _)| *other == sketch.0) else {
                continue;
            };
            if document != kept[at].document && self.is_kept(document, options) {
                kept[at].duplicates.push(document);
            }
        }
    }
}

/// How many sums are passed over together.
const BLOCK: usize = 32;

/// The largest of a block of sums, none of which is negative.
fn most(sums: &[f32]) -> f32 {
    // Eight at a time, which a processor does at once.
    let (eights, rest) = sums.as_chunks::<8>();
    let mut lanes = [0f32; 8];
    for eight in eights {
        for (lane, &sum) in lanes.iter_mut().zip(eight) {
            *lane = if sum > *lane { sum } else { *lane };
        }
    }
    lanes.into_iter().chain(rest.iter().copied()).fold(0.0, f32::max)
}

/// So many points have at least so many of the sums, if there are enough: each block has one of them.
fn least_of_the_best(sums: &[f32], many: usize) -> f32 {
    let mut best: Vec<f32> = sums.chunks(BLOCK).map(most).collect();
    if best.len() <= many {
        return f32::MIN_POSITIVE;
    }
    let (_, least, _) = best.select_nth_unstable_by(many, |one, other| other.total_cmp(one));
    least.max(f32::MIN_POSITIVE)
}

impl Matcher for SkillIndex {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let options = SearchOptions { limit, ..SearchOptions::default() };
        self.search_with(query, &options).into_iter().map(|ranked| ranked.hit).collect()
    }
}
