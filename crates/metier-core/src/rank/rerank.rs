//! Turns a document of the head into what only a close look shows: phrases, nearness, spellings.

use super::index::SkillIndex;
use super::postings::{norms, often};
use super::query::Query;
use super::vocabulary::Word;
use super::words::{SEARCHED, Words};

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

/// A word that is of a term of the query.
#[derive(Debug, Clone, Copy)]
struct Asked {
    word: Word,
    term: u8,
    /// Whether the query spells it so.
    is_exact: bool,
}

/// No word that was asked for.
const NOT_ASKED: u16 = u16::MAX;

/// How many words of a body are looked at: few are longer, and one that is must not cost more.
const CLOSE_WORDS: u32 = 4000;

/// Looks at one document after the other, for one query.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    index: &'a SkillIndex,
    query: &'a Query,
    /// Every word of the vocabulary that is of a term, ascending.
    asked: Vec<Asked>,
    /// For each of the different words of a document its place in `asked`.
    found: Vec<u16>,
    places: Vec<Place>,
    counts: Vec<Count>,
    /// How often each pair of the query was found in order, and how often near.
    pairs: Vec<(f32, f32)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(index: &'a SkillIndex, query: &'a Query) -> Self {
        let mut asked = Vec::new();
        for (term, at) in query.terms.iter().zip(0..) {
            asked.extend(index.vocabulary.family(term.number()).map(|word| Asked {
                word,
                term: at,
                is_exact: term.spellings.contains(&word),
            }));
        }
        asked.sort_unstable_by_key(|asked| asked.word);
        asked.truncate(usize::from(NOT_ASKED));
        let (found, places) = (Vec::new(), Vec::new());
        Self { index, query, asked, found, places, counts: Vec::new(), pairs: Vec::new() }
    }

    pub(super) fn read(&mut self, document: u32) -> Close {
        let Self { index, query, asked, found, places, counts, pairs } = self;
        let ranking = &index.ranking;
        places.clear();
        counts.clear();
        counts.resize(query.terms.len(), Count::default());
        pairs.clear();
        pairs.resize(query.pairs.len(), (0.0, 0.0));

        let stream = index.stream(document);
        let words = Words::new(&stream);
        let norms = norms(&index.weights, &words);
        let mut note = |field: usize, at: u32, asked: &Asked| {
            let count = &mut counts[usize::from(asked.term)];
            if field == SEARCHED {
                count.is_against = true;
                return;
            }
            count.is_for |= field < 3;
            count.exact[field] += u32::from(asked.is_exact);
            places.push(Place { at, field: field as u8, term: asked.term });
        };
        let (mut name, mut name_found) = (0.0, 0.0);
        for (at, word) in (0..).zip(words.name()) {
            name += index.rarity_of(index.vocabulary.stem_of(word));
            if let Ok(place) = asked.binary_search_by_key(&word, |asked| asked.word) {
                name_found += query.terms[usize::from(asked[place].term)].rarity;
                note(0, at, &asked[place]);
            }
        }
        if find(asked, &words, found) {
            words.each_place(CLOSE_WORDS, |field, at, place| {
                let found = found.get(place).map_or(NOT_ASKED, |&found| found);
                if let Some(asked) = asked.get(usize::from(found)) {
                    note(field, at, asked);
                }
            });
        }
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

/// Notes for each of the different words of a document where it stands in `asked`; whether one does.
fn find(asked: &[Asked], words: &Words<'_>, found: &mut Vec<u16>) -> bool {
    found.clear();
    found.resize(words.count(), NOT_ASKED);
    let mut place = 0;
    let mut is_found = false;
    for (found, word) in found.iter_mut().zip(words.different()) {
        while asked.get(place).is_some_and(|asked| asked.word < word) {
            place += 1;
        }
        let Some(asked) = asked.get(place) else { break };
        if asked.word == word {
            (*found, is_found) = (place as u16, true);
        }
    }
    is_found
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
