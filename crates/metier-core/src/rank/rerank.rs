//! Turns a document of the head into what only a close look shows: phrases, nearness, spellings.

use super::document::{SEARCHED, Words};
use super::index::SkillIndex;
use super::postings::{norms, often};
use super::query::Query;

/// What a close look at a document adds to its score, part by part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Close {
    pub(super) phrase: f32,
    pub(super) near: f32,
    pub(super) exact: f32,
    pub(super) name: f32,
    /// What is taken away.
    pub(super) against: f32,
}

impl Close {
    pub(super) fn sum(&self) -> f32 {
        self.phrase + self.near + self.exact + self.name - self.against
    }
}

/// A word of the query where a document has it.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: u32,
    field: u8,
    term: u8,
}

/// What was counted of one term in one document.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    /// How often each field spells it as the query does.
    exact: [u32; SEARCHED],
    /// Whether the fields say what the skill is for, or what it is not for.
    is_for: bool,
    is_against: bool,
}

/// No term of the query.
const NO_TERM: u8 = u8::MAX;

/// How many words of a body are looked at: few are longer, and one that is must not cost more.
const CLOSE_WORDS: u32 = 4000;

/// Looks at one document after the other, for one query.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    index: &'a SkillIndex,
    query: &'a Query,
    /// For every word of the vocabulary the term it is of.
    terms: Vec<u8>,
    places: Vec<Place>,
    counts: Vec<Count>,
    /// How often each pair of the query was found in order, and how often near.
    pairs: Vec<(f32, f32)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(index: &'a SkillIndex, query: &'a Query) -> Self {
        let mut terms = vec![NO_TERM; index.vocabulary.len()];
        for (term, at) in query.terms.iter().zip(0..) {
            for word in index.vocabulary.family(term.number()) {
                terms[word as usize] = at;
            }
        }
        let (places, counts, pairs) = (Vec::new(), Vec::new(), Vec::new());
        Self { index, query, terms, places, counts, pairs }
    }

    pub(super) fn read(&mut self, document: u32) -> Close {
        let Self { index, query, terms, places, counts, pairs } = self;
        let ranking = &index.ranking;
        places.clear();
        counts.clear();
        counts.resize(query.terms.len(), Count::default());
        pairs.clear();
        pairs.resize(query.pairs.len(), (0.0, 0.0));

        let words = Words::new(index.stream(document));
        let norms = norms(&index.weights, &words);
        let (mut name, mut name_found) = (0.0, 0.0);
        words.each_up_to(CLOSE_WORDS, |field, at, word| {
            if field == 0 {
                name += index.rarity_of(index.vocabulary.stem_of(word));
            }
            let term = terms.get(word as usize).map_or(NO_TERM, |&term| term);
            if term == NO_TERM {
                return;
            }
            let (asked, count) = (&query.terms[usize::from(term)], &mut counts[usize::from(term)]);
            if field == 0 {
                name_found += asked.rarity;
            }
            if field == SEARCHED {
                count.is_against = true;
                return;
            }
            count.is_for |= field < 3;
            count.exact[field] += u32::from(asked.spellings.contains(&word));
            places.push(Place { at, field: field as u8, term });
        });
        count_pairs(query, places, ranking.window, pairs);

        let mut close = Close::default();
        for (term, count) in query.terms.iter().zip(&*counts) {
            let amounts = count.exact.iter().zip(&norms).map(|(&count, norm)| norm * often(count));
            let amount: f32 = amounts.sum();
            close.exact += term.weight * amount / (amount + ranking.saturation);
            if count.is_against && !count.is_for {
                close.against += term.weight;
            }
        }
        for (weight, &(ordered, near)) in query.pairs.iter().zip(&*pairs) {
            close.phrase += weight * ordered / (ordered + ranking.pair_saturation);
            close.near += weight * near / (near + ranking.pair_saturation);
        }
        close.phrase *= ranking.phrase;
        close.near *= ranking.near;
        close.exact *= ranking.exact;
        close.against *= ranking.against;
        if name > 0.0 {
            close.name = ranking.name_in_query * name_found * (name_found / name).min(1.0);
        }
        close
    }
}

/// Counts the pairs of the query that stand within a window of one another, field by field.
fn count_pairs(query: &Query, places: &[Place], window: u32, pairs: &mut [(f32, f32)]) {
    for (index, one) in places.iter().enumerate() {
        for other in &places[index + 1..] {
            if other.at - one.at > window || other.field != one.field {
                break;
            }
            if let Some(pair) = query.follows(one.term, other.term) {
                pairs[pair].1 += 1.0;
                if other.at == one.at + 1 {
                    pairs[pair].0 += 1.0;
                }
            }
            if let Some(pair) = query.follows(other.term, one.term) {
                pairs[pair].1 += 1.0;
            }
        }
    }
}
