//! Turns a query into weighed stems, in the order and with the spellings in which they were asked.

use super::index::name_key;
use super::ranking::Ranking;
use super::vocabulary::{Vocabulary, Word};
use crate::text::{cut, is_stop_word};

/// How many words of a query are read. What is longer is a document, and its start says what it is.
const LONGEST_QUERY: usize = 4096;

/// A stem of the query.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) stem: Word,
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
    /// Which term stands behind which, and how much the two are worth.
    pub(super) pairs: Vec<Pair>,
    /// The weight of all words, those that no skill has too.
    pub(super) total: f32,
    /// Words that count, and that no skill has.
    pub(super) unknown: Vec<String>,
    /// What skills are called by name, as keys.
    pub(super) mentions: Vec<u64>,
    /// Stem to term, sorted.
    lookup: Vec<(Word, u8)>,
}

/// Two terms that follow one another in the query.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) weight: f32,
}

impl Query {
    /// Reads a query. `rarity` says how rare a stem is; `None` asks for one that no skill has.
    pub(super) fn new(
        text: &str,
        vocabulary: &Vocabulary,
        ranking: &Ranking,
        rarity: impl Fn(Option<Word>) -> f32,
    ) -> Self {
        struct Seen {
            stem: Option<Word>,
            count: u32,
            spellings: Vec<Word>,
            word: String,
        }
        let mut seen: Vec<Seen> = Vec::new();
        let mut sequence = Vec::new();
        cut(text, &mut |word| {
            if sequence.len() >= LONGEST_QUERY || is_stop_word(word) {
                return;
            }
            let stem = vocabulary.find_stem(word);
            let at = seen.iter().position(|seen| match stem {
                Some(_) => seen.stem == stem,
                None => seen.stem.is_none() && seen.word == word,
            });
            let at = at.unwrap_or_else(|| {
                let (spellings, word) = (Vec::new(), word.to_owned());
                seen.push(Seen { stem, count: 0, spellings, word });
                seen.len() - 1
            });
            seen[at].count += 1;
            if let Some(spelling) = vocabulary.find(word)
                && !seen[at].spellings.contains(&spelling)
            {
                seen[at].spellings.push(spelling);
            }
            sequence.push(at);
        });

        let k3 = ranking.query_saturation;
        let weigh = |seen: &Seen| {
            let count = seen.count as f32;
            let rarity = rarity(seen.stem);
            (rarity, rarity * count * (k3 + 1.0) / (count + k3))
        };
        let mut weighed: Vec<_> = seen.iter().map(weigh).enumerate().collect();
        weighed.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(a.0.cmp(&b.0)));
        weighed.truncate(ranking.query_words);
        weighed.sort_by_key(|&(at, _)| at);
        let total = weighed.iter().map(|(_, (_, weight))| weight).sum();

        let (mut terms, mut unknown) = (Vec::new(), Vec::new());
        let mut place = vec![None; seen.len()];
        for (at, (rarity, weight)) in weighed {
            let seen = &mut seen[at];
            let Some(stem) = seen.stem else {
                unknown.push(seen.word.clone());
                continue;
            };
            place[at] = Some(terms.len());
            let spellings = std::mem::take(&mut seen.spellings);
            terms.push(Term { stem, rarity, weight, spellings, word: seen.word.clone() });
        }
        let mut pairs: Vec<Pair> = Vec::new();
        for two in sequence.windows(2) {
            let (Some(first), Some(second)) = (place[two[0]], place[two[1]]) else { continue };
            let is_new = pairs.iter().all(|pair| (pair.first, pair.second) != (first, second));
            if first != second && is_new && pairs.len() < 64 {
                let weight = f32::midpoint(terms[first].rarity, terms[second].rarity);
                pairs.push(Pair { first, second, weight });
            }
        }
        let mut lookup: Vec<_> = terms
            .iter()
            .enumerate()
            .map(|(at, term): (usize, &Term)| (term.stem, at as u8))
            .collect();
        lookup.sort_unstable();
        Self { terms, pairs, total, unknown, mentions: mentions(text), lookup }
    }

    /// How sure points are, from 0 to 1.
    pub(super) fn confidence(&self, points: f32) -> f64 {
        let share = f64::from(points) / f64::from(self.total.max(f32::MIN_POSITIVE));
        share.max(0.0) / (share.max(0.0) + 0.5)
    }

    /// The place of a stem among the terms.
    pub(super) fn term(&self, stem: Word) -> Option<usize> {
        let at = self.lookup.binary_search_by_key(&stem, |&(stem, _)| stem).ok()?;
        Some(usize::from(self.lookup[at].1))
    }
}

/// What a query calls by name: `$name` or `/name`, where it is no part of a path.
fn mentions(text: &str) -> Vec<u64> {
    let mut mentions = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    for (at, sign) in text.match_indices(['$', '/']) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | '"' | '\'' | '`' | '['))
        {
            continue;
        }
        let rest = &text[at + sign.len()..];
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let is_path = rest[end..].starts_with('/');
        let name = rest[..end].trim_end_matches(['.', ':']);
        if !name.is_empty() && !is_path && mentions.len() < 16 {
            mentions.push(name_key(name));
        }
    }
    mentions
}
