//! Turns a query into weighed stems, in the order and with the spellings in which they were asked.

use super::ranking::Ranking;
use super::rescue::Rescue;
use super::vocabulary::{NONE, Vocabulary, Word, hash};
use crate::text::{cut, is_stop_word, is_unspaced, kin};
use std::collections::HashMap;

/// How many bytes and words of a query are read. What is longer is a document, and its start says what
/// it is.
const LONGEST_QUERY: (usize, usize) = (65_536, 2000);

/// How many stems of a query count that skills have, and how many that none has.
const MOST_TERMS: (usize, usize) = (126, 126);

/// In how long a query words are looked for that the user did not write: a longer one has said what it
/// is about.
const SHORT_QUERY: usize = 24;

/// How many words of a query that no skill has are taken for others, and what such a word is worth.
const MOST_RESCUES: usize = 4;
const RESCUED: f32 = 0.7;

/// How many words a query can get that the user did not write.
const MOST_ADDED: usize = 24;

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
    /// Whether the query has it; else it has a word that is said for the same.
    pub(super) is_asked: bool,
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
    stemmed: String,
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
        rarity: impl Fn(u32, &str) -> f32,
    ) -> Self {
        let text = start(text, LONGEST_QUERY.0);
        let (mut seen, sequence, joined) = read(text, vocabulary, &frequency);
        for seen in &mut seen {
            let frequency = seen.stem.map_or(0, &frequency);
            seen.is_found = frequency > 0;
            seen.rarity = rarity(frequency, &seen.stemmed);
        }
        let is_short = seen.iter().filter(|seen| seen.is_found).count() <= SHORT_QUERY;
        let mut added: Vec<(f32, Word)> = Vec::new();
        if is_short && ranking.kin > 0.0 {
            let worth = |stem: Word| rarity(frequency(stem), vocabulary.spelling(stem));
            for (stem, is_rescue) in joined {
                let share = if is_rescue { RESCUED } else { ranking.kin };
                added.push((share * worth(stem), stem));
            }
            let rescue = Rescue { vocabulary, frequency: &frequency };
            for at in unfound(&seen) {
                if let Some(stem) = rescue.nearest(&seen[at].word) {
                    added.push((RESCUED * worth(stem), stem));
                } else if let Some(stems) = rescue.halves(&seen[at].word) {
                    added.extend(stems.map(|stem| (RESCUED * worth(stem), stem)));
                }
            }
            for seen in &seen {
                for other in kin(&seen.stemmed).iter().filter_map(|kin| vocabulary.find(kin)) {
                    let worth = worth(other).min(seen.rarity);
                    added.push((ranking.kin * worth, other));
                }
            }
            added.retain(|&(_, stem)| {
                frequency(stem) > 0 && seen.iter().all(|seen| seen.stem != Some(stem))
            });
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
            terms.push(Term { stem: *stem, rarity, weight, spellings, word, is_asked: true });
        }
        terms.extend(strongest(added, vocabulary).into_iter().map(|(weight, stem)| Term {
            stem: Some(stem),
            rarity: weight,
            weight,
            spellings: Vec::new(),
            word: vocabulary.spelling(stem).to_owned(),
            is_asked: false,
        }));
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

/// The different stems of a query, which of them it has one after the other, and the stems of words
/// that skills write as one and the query as two, as [`Rescue::joined`] has them.
fn read(
    text: &str,
    vocabulary: &Vocabulary,
    frequency: &impl Fn(Word) -> u32,
) -> (Vec<Seen>, Vec<usize>, Vec<(Word, bool)>) {
    let mut seen: Vec<Seen> = Vec::new();
    // Where a stem stands in `seen`: by its number, or by its letters where no skill has it.
    let mut places: HashMap<Word, usize> = HashMap::new();
    let mut unknown: HashMap<String, usize> = HashMap::new();
    let mut sequence = Vec::new();
    let rescue = Rescue { vocabulary, frequency };
    let (mut before, mut joined) = (String::new(), Vec::new());
    cut(text, &mut |word| {
        if joined.len() < MOST_ADDED && sequence.len() <= SHORT_QUERY {
            joined.extend(rescue.joined(&before, word));
            before.clear();
            before.push_str(word);
        }
        if sequence.len() >= LONGEST_QUERY.1 || is_stop_word(word) {
            return;
        }
        let (stemmed, stem, spelling) = vocabulary.find_stem(word);
        let at = match stem {
            Some(stem) => places.get(&stem),
            None => unknown.get(&*stemmed),
        };
        let at = at.copied().unwrap_or_else(|| {
            let stemmed = stemmed.into_owned();
            match stem {
                Some(stem) => places.insert(stem, seen.len()),
                None => unknown.insert(stemmed.clone(), seen.len()),
            };
            let (spellings, word) = (Vec::new(), word.to_owned());
            let (rarity, is_found, count) = (0.0, false, 0);
            seen.push(Seen { stem, stemmed, rarity, is_found, count, spellings, word });
            seen.len() - 1
        });
        seen[at].count += 1;
        if let Some(spelling) = spelling.filter(|spelling| !seen[at].spellings.contains(spelling)) {
            seen[at].spellings.push(spelling);
        }
        sequence.push(at);
    });
    (seen, sequence, joined)
}

/// The first words that no skill has.
fn unfound(seen: &[Seen]) -> impl Iterator<Item = usize> {
    let unfound = seen.iter().enumerate().filter(|(_, seen)| !seen.is_found);
    unfound.map(|(at, _)| at).take(MOST_RESCUES)
}

/// The heaviest of the stems that were added, each once; equal ones by spelling, since numbers differ
/// between indexes of the same skills.
fn strongest(mut added: Vec<(f32, Word)>, vocabulary: &Vocabulary) -> Vec<(f32, Word)> {
    added.sort_by(|one, other| one.1.cmp(&other.1).then(other.0.total_cmp(&one.0)));
    added.dedup_by_key(|&mut (_, stem)| stem);
    let spelt = |stem| vocabulary.spelling(stem);
    added.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| spelt(one.1).cmp(spelt(other.1)))
    });
    added.truncate(MOST_ADDED);
    added
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
