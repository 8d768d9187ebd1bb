//! Turns a query into weighed stems, in the order and with the spellings in which they were asked.

use super::ranking::Ranking;
use super::vocabulary::{NONE, Vocabulary, Word, hash};
use crate::text::{cut, is_stop_word, is_unspaced};
use std::collections::HashMap;

/// How many bytes and words of a query are read. What is longer is a document, and its start says what
/// it is.
const LONGEST_QUERY: (usize, usize) = (65_536, 2000);

/// How many stems of a query count that skills have, and how many that none has.
const MOST_TERMS: (usize, usize) = (126, 126);

/// How many skills a query can call by name.
const MOST_MENTIONS: usize = 16;

/// No pair of terms.
const NO_PAIR: u8 = u8::MAX;

/// A stem of the query.
#[derive(Debug)]
pub(super) struct Term {
    /// Its number, where some skill has a word of it.
    stem: Option<Word>,
    /// How rare the stem is.
    pub(super) rarity: f32,
    /// Rarity, times how often the query has it.
    pub(super) weight: f32,
    /// The spellings that the query has of it.
    pub(super) spellings: Vec<Word>,
    /// The word as the query has it first.
    pub(super) word: String,
}

/// A query against one index.
#[derive(Debug)]
pub(super) struct Query {
    /// The stems that count, in the order they come.
    pub(super) terms: Vec<Term>,
    /// What two terms are worth that follow one another.
    pub(super) pairs: Vec<f32>,
    /// The place in `pairs` of every two terms, `first * terms + second`.
    follows: Vec<u8>,
    /// The weight of all terms, those that no skill has too.
    pub(super) total: f32,
    /// What skills are called by name, as keys.
    pub(super) mentions: Vec<u64>,
    /// Stem to term, sorted.
    lookup: Vec<(Word, u8)>,
}

/// A word of a query, before it is known what counts.
struct Seen {
    stem: Option<Word>,
    /// How rare it is, and whether some skill has it.
    rarity: f32,
    is_found: bool,
    count: u32,
    spellings: Vec<Word>,
    word: String,
}

impl Term {
    /// The number of the stem; nothing is found under that of a word that no skill has.
    pub(super) fn number(&self) -> Word {
        self.stem.unwrap_or(NONE)
    }
}

impl Query {
    /// Reads a query. `frequency` says how many skills have a stem, `rarity` what that makes it.
    pub(super) fn new(
        text: &str,
        vocabulary: &Vocabulary,
        ranking: &Ranking,
        frequency: impl Fn(Word) -> u32,
        rarity: impl Fn(u32) -> f32,
    ) -> Self {
        let text = start(text, LONGEST_QUERY.0);
        let (mut seen, sequence) = read(text, vocabulary);
        for seen in &mut seen {
            let frequency = seen.stem.map_or(0, &frequency);
            seen.is_found = frequency > 0;
            seen.rarity = rarity(frequency);
        }
        let k3 = ranking.query_saturation;
        let weigh = |seen: &Seen| {
            let pair = if is_unspaced(&seen.word) { ranking.unspaced_pair } else { 1.0 };
            let rarity = seen.rarity * pair;
            let count = seen.count as f32;
            (rarity, rarity * count * (k3 + 1.0) / (count + k3))
        };
        let mut weighed: Vec<_> = seen.iter().map(weigh).enumerate().collect();
        weighed.sort_by(|one, other| other.1.1.total_cmp(&one.1.1).then(one.0.cmp(&other.0)));
        // Words that no skill has take no places from others.
        let (mut found, mut missing) = (0, 0);
        weighed.retain(|&(at, _)| {
            if seen[at].is_found {
                found += 1;
                found <= ranking.query_words.min(MOST_TERMS.0)
            } else {
                missing += 1;
                missing <= MOST_TERMS.1
            }
        });
        weighed.sort_by_key(|&(at, _)| at);
        let total = weighed.iter().map(|(_, (_, weight))| weight).sum();

        let mut terms = Vec::new();
        let mut places = vec![None; seen.len()];
        for (at, (rarity, weight)) in weighed {
            places[at] = Some(terms.len());
            let Seen { stem, spellings, word, .. } = &mut seen[at];
            let (spellings, word) = (std::mem::take(spellings), std::mem::take(word));
            terms.push(Term { stem: *stem, rarity, weight, spellings, word });
        }
        let numbered = terms.iter().zip(0u8..);
        let mut lookup: Vec<(Word, u8)> =
            numbered.filter_map(|(term, at): (&Term, u8)| Some((term.stem?, at))).collect();
        lookup.sort_unstable();
        let mentions = mentions(text);
        let (pairs, follows) = (Vec::new(), vec![NO_PAIR; terms.len() * terms.len()]);
        let mut query = Self { terms, pairs, follows, total, mentions, lookup };
        for two in sequence.windows(2) {
            if let (Some(first), Some(second)) = (places[two[0]], places[two[1]]) {
                query.pair(first, second);
            }
        }
        query
    }

    /// Notes that one term follows another.
    fn pair(&mut self, first: usize, second: usize) {
        let place = &mut self.follows[first * self.terms.len() + second];
        if first != second && *place == NO_PAIR && self.pairs.len() < usize::from(NO_PAIR) {
            *place = self.pairs.len() as u8;
            self.pairs.push(f32::midpoint(self.terms[first].rarity, self.terms[second].rarity));
        }
    }

    /// The place in `pairs` of two terms, if the second follows the first in the query.
    #[inline]
    pub(super) fn follows(&self, first: u8, second: u8) -> Option<usize> {
        let place = self.follows[usize::from(first) * self.terms.len() + usize::from(second)];
        (place != NO_PAIR).then_some(usize::from(place))
    }

    /// The place of a stem among the terms.
    #[inline]
    pub(super) fn term(&self, stem: Word) -> Option<u8> {
        let at = self.lookup.binary_search_by_key(&stem, |&(stem, _)| stem).ok()?;
        Some(self.lookup[at].1)
    }
}

/// At most so many bytes of a text, whole characters.
fn start(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

/// The different stems of a query, and which of them it has one after the other.
fn read(text: &str, vocabulary: &Vocabulary) -> (Vec<Seen>, Vec<usize>) {
    let mut seen: Vec<Seen> = Vec::new();
    // Where a stem stands in `seen`: by its number, or by its letters where no skill has it.
    let mut places: HashMap<Word, usize> = HashMap::new();
    let mut unknown: HashMap<String, usize> = HashMap::new();
    let mut sequence = Vec::new();
    cut(text, &mut |word| {
        if sequence.len() >= LONGEST_QUERY.1 || is_stop_word(word) {
            return;
        }
        let (stemmed, stem, spelling) = vocabulary.find_stem(word);
        let at = match stem {
            Some(stem) => places.get(&stem),
            None => unknown.get(&*stemmed),
        };
        let at = at.copied().unwrap_or_else(|| {
            match stem {
                Some(stem) => places.insert(stem, seen.len()),
                None => unknown.insert(stemmed.into_owned(), seen.len()),
            };
            let (spellings, word) = (Vec::new(), word.to_owned());
            seen.push(Seen { stem, rarity: 0.0, is_found: false, count: 0, spellings, word });
            seen.len() - 1
        });
        seen[at].count += 1;
        if let Some(spelling) = spelling.filter(|spelling| !seen[at].spellings.contains(spelling)) {
            seen[at].spellings.push(spelling);
        }
        sequence.push(at);
    });
    (seen, sequence)
}

/// What a query calls by name: `$name` or `/name`, where it is no part of a path.
fn mentions(text: &str) -> Vec<u64> {
    let mut mentions = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    for (at, sign) in text.match_indices(['$', '/']) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !"(\"'`[".contains(c)) {
            continue;
        }
        let rest = &text[at + sign.len()..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let is_path = rest[end..].starts_with('/');
        let name = rest[..end].trim_end_matches(['.', ':']);
        if !name.is_empty() && !is_path && mentions.len() < MOST_MENTIONS {
            mentions.push(name_key(name));
        }
    }
    mentions
}

/// What a mention of a name is told by.
pub(super) fn name_key(name: &str) -> u64 {
    hash(0, name.trim().to_lowercase().as_bytes())
}
