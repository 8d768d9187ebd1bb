//! Turns a document of the head into what only a close look shows: phrases, nearness, spellings.

use super::document::{FIELDS, SEARCHED, Words};
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
    pub(super) against: f32,
    pub(super) coverage: f32,
}

impl Close {
    pub(super) fn sum(&self) -> f32 {
        self.phrase + self.near + self.exact + self.name - self.against + self.coverage
    }
}

/// A word of the query where a document has it.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: u32,
    field: u8,
    term: u8,
    is_exact: bool,
}

/// Looks at documents for one query.
pub(super) struct Reader<'a> {
    index: &'a SkillIndex,
    query: &'a Query,
    places: Vec<Place>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(index: &'a SkillIndex, query: &'a Query) -> Self {
        Self { index, query, places: Vec::new() }
    }

    pub(super) fn read(&mut self, document: u32) -> Close {
        let (index, query, ranking) = (self.index, self.query, &self.index.ranking);
        self.places.clear();
        let words = Words::new(index.stream(document));
        let norms = norms(&index.weights, &words);
        let mut name_total = 0.0;
        let mut name_found = 0.0;
        words.each(|field, at, word| {
            let stem = index.vocabulary.stem_of(word);
            if field == 0 {
                name_total += index.rarity(Some(stem));
            }
            let Some(term) = query.term(stem) else { return };
            if field == 0 {
                name_found += query.terms[term].rarity;
            }
            let is_exact = query.terms[term].spellings.contains(&word);
            self.places.push(Place { at, field: field as u8, term: term as u8, is_exact });
        });

        let mut close = Close::default();
        // Spellings.
        let mut counts = vec![[0u32; FIELDS]; query.terms.len()];
        let mut heads = vec![false; query.terms.len()];
        let mut against = vec![false; query.terms.len()];
        for place in &self.places {
            if place.is_exact {
                counts[usize::from(place.term)][usize::from(place.field)] += 1;
            }
            if usize::from(place.field) == SEARCHED {
                against[usize::from(place.term)] = true;
            }
            if place.field <= 2 {
                heads[usize::from(place.term)] = true;
            }
        }
        for (term, counts) in query.terms.iter().zip(&counts) {
            let amount: f32 = (0..SEARCHED).map(|field| norms[field] * often(counts[field])).sum();
            close.exact += term.weight * amount / (amount + ranking.saturation);
        }
        close.exact *= ranking.exact;
        for (at, term) in query.terms.iter().enumerate() {
            if against[at] && !heads[at] {
                close.against += term.weight;
            }
            if heads[at] {
                close.coverage += ranking.coverage * term.weight;
            }
        }
        close.against *= ranking.against;

        // Pairs.
        for pair in &query.pairs {
            let (mut ordered, mut near) = (0.0, 0.0);
            for (index, place) in self.places.iter().enumerate() {
                if usize::from(place.term) != pair.first || usize::from(place.field) >= SEARCHED {
                    continue;
                }
                let weight = if place.field <= 2 { 1.0 } else { ranking.pairs_in_body };
                let reach = ranking.window as u32;
                let before = self.places[..index]
                    .iter()
                    .rev()
                    .take_while(|p| p.at + reach >= place.at && p.field == place.field);
                let after = self.places[index + 1..]
                    .iter()
                    .take_while(|p| p.at <= place.at + reach && p.field == place.field);
                let mut found = false;
                for other in before.chain(after) {
                    if usize::from(other.term) == pair.second {
                        found = true;
                        if other.at == place.at + 1 {
                            ordered += weight;
                        }
                    }
                }
                if found {
                    near += weight;
                }
            }
            close.phrase += pair.weight * ordered / (ordered + ranking.pair_saturation);
            close.near += pair.weight * near / (near + ranking.pair_saturation);
        }
        close.phrase *= ranking.phrase;
        close.near *= ranking.near;
        if name_total > 0.0 {
            close.name = ranking.name_in_query * name_found * (name_found / name_total);
        }
        close
    }
}
