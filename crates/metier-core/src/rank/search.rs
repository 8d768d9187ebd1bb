//! Turns a query into the skills that fit it, the best first.

use super::index::SkillIndex;
use super::query::Query;
use super::ranked::{Duplicates, Ranked, SearchOptions};
use super::rerank::Reader;
use super::sketch::Sketch;
use crate::{Hit, Matcher};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// How many skills with the same words are looked at closely.
const TWINS: u32 = 4;

/// A skill and its points.
type Candidate = (f32, u32);

impl SkillIndex {
    /// The skills that fit a query, the best first; skills of equal score by id.
    ///
    /// A score is from 0 to 1, and means the same for every query and catalog: how sure it is that
    /// the skill is meant. So `min_score` can say that no skill fits.
    pub fn search_with(&self, query: &str, options: &SearchOptions<'_>) -> Vec<Ranked> {
        let query = self.query(query);
        if options.limit == 0 || self.is_empty() {
            return Vec::new();
        }
        let mut head = self.head(&query, options);
        let mut reader = Reader::new(self, &query);
        for (points, document) in &mut head {
            *points += reader.read(*document).sum();
        }
        head.retain(|&(points, _)| points > 0.0);
        head.sort_by(|&one, &other| self.order(one, other));
        let mut ranked = self.collapse(&head, options);
        for at in &mut ranked {
            at.hit.score = query.confidence(at.hit.score as f32);
        }
        ranked.retain(|ranked| ranked.hit.score >= options.min_score);
        ranked
    }

    fn order(&self, one: Candidate, other: Candidate) -> Ordering {
        other.0.total_cmp(&one.0).then_with(|| self.id(one.1).cmp(self.id(other.1)))
    }

    /// The skills worth a close look.
    fn head(&self, query: &Query, options: &SearchOptions<'_>) -> Vec<Candidate> {
        let mut sums = vec![0f32; self.len()];
        for term in &query.terms {
            let weight = term.weight / 255.0;
            self.postings.each(term.stem, |document, impact| {
                sums[document as usize] += weight * f32::from(impact);
            });
        }
        for mention in &query.mentions {
            for (sum, name) in sums.iter_mut().zip(&self.names) {
                if name == mention {
                    *sum += self.ranking.mention;
                }
            }
        }
        let many = self.ranking.head.max(options.limit);
        let room = 4 * many;
        let mut head = Vec::with_capacity(room);
        let mut least = f32::MIN_POSITIVE;
        for (at, &sum) in sums.iter().enumerate() {
            if sum >= least && options.keep.is_none_or(|keep| keep(&self.ids[at])) {
                head.push((sum, at as u32));
                if head.len() == room {
                    self.cut_head(&mut head, many);
                    if head.len() == many {
                        least = head[many - 1].0;
                    }
                }
            }
        }
        self.cut_head(&mut head, many);
        head
    }

    /// Keeps the best, and of those with the same words only a few, so that copies of one skill
    /// cannot fill the head.
    fn cut_head(&self, head: &mut Vec<Candidate>, many: usize) {
        head.sort_unstable_by(|&one, &other| self.order(one, other));
        let mut twins: HashMap<u128, u32> = HashMap::new();
        head.retain(|&(_, document)| {
            let count = twins.entry(self.sketches[document as usize].0).or_default();
            *count += 1;
            *count <= TWINS
        });
        head.truncate(many);
    }

    /// Hits from candidates in order; what says the same as one above is named there.
    fn collapse(&self, head: &[Candidate], options: &SearchOptions<'_>) -> Vec<Ranked> {
        let mut kept: Vec<(Candidate, Vec<u32>)> = Vec::new();
        for &candidate in head {
            let parts = |document: u32| (self.sketches[document as usize], self.stream(document));
            let same = kept.iter().position(|(other, _)| {
                options.duplicates == Duplicates::Collapse
                    && Sketch::are_alike(parts(candidate.1), parts(other.1))
            });
            match same {
                Some(at) => kept[at].1.push(candidate.1),
                None if kept.len() < options.limit => kept.push((candidate, Vec::new())),
                None => {}
            }
        }
        self.add_twins(&mut kept, options);
        let name = |document: u32| Arc::from(self.id(document));
        kept.into_iter()
            .map(|((points, document), duplicates)| {
                let mut duplicates: Vec<Arc<str>> = duplicates.into_iter().map(name).collect();
                duplicates.sort_unstable();
                duplicates.dedup();
                Ranked { hit: Hit::new(self.id(document), f64::from(points)), duplicates }
            })
            .collect()
    }

    /// Adds the copies that were left out of the head.
    fn add_twins(&self, kept: &mut [(Candidate, Vec<u32>)], options: &SearchOptions<'_>) {
        let mut copied: HashMap<u128, usize> = HashMap::new();
        for (at, ((_, document), duplicates)) in kept.iter().enumerate() {
            let sketch = self.sketches[*document as usize];
            if duplicates.iter().any(|&other| self.sketches[other as usize] == sketch) {
                copied.insert(sketch.0, at);
            }
        }
        if copied.is_empty() {
            return;
        }
        for (document, sketch) in self.sketches.iter().enumerate() {
            let Some(&at) = copied.get(&sketch.0) else { continue };
            let document = document as u32;
            let ((_, shown), duplicates) = &mut kept[at];
            let is_wanted = options.keep.is_none_or(|keep| keep(self.id(document)));
            if document != *shown && is_wanted {
                duplicates.push(document);
            }
        }
    }
}

impl Matcher for SkillIndex {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let options = SearchOptions { limit, ..SearchOptions::default() };
        self.search_with(query, &options).into_iter().map(|ranked| ranked.hit).collect()
    }
}
