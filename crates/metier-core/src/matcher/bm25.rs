//! Turns a query into skills by the weight of its words in them: zerodep's `BM25Selector`, which is BM25+.

use crate::matcher::best_first;
use crate::matcher::python_words::python_words;
use crate::{Hit, Matcher, SkillText};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Scores a skill by the words of the query in its name, description and body: the rarer the word, the
/// more often it stands there and the shorter the text, the better.
///
/// For each word of the query, as often as it is repeated there, a skill that has it `tf` times gets
///
/// ```text
/// ln((N - df + 0.5) / (df + 0.5) + 1) · (tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average)) + delta)
/// ```
///
/// where `N` skills are known and `df` of them have the word. Words are those of
/// [`Keyword`](crate::Keyword). Skills without a common word are no hits; of equal scores, the one that
/// an earlier word of the query met first comes first.
///
/// The numbers are those of zerodep's `BM25Selector`.
///
/// ```
/// use metier_core::{Bm25, Matcher, SkillText};
///
/// let skill = |id, body| SkillText { id, name: id, body, ..SkillText::default() };
/// let matcher = Bm25::new([skill("pdf", "Fill the form."), skill("csv", "Read the table.")]);
/// let hits = matcher.search("the form", 1);
/// assert_eq!(&*hits[0].id, "pdf");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Bm25 {
    parameters: Bm25Parameters,
    ids: Vec<Arc<str>>,
    lengths: Vec<u32>,
    average: f64,
    /// The skills that have a word, in their order, and how often.
    postings: HashMap<String, Vec<(u32, u32)>>,
}

/// The knobs of [`Bm25`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct Bm25Parameters {
    /// How soon repeating a word stops to count.
    pub k1: f64,
    /// How much long texts are held back: 0 is not at all.
    pub b: f64,
    /// What having a word is worth at least; 0 makes it plain BM25.
    pub delta: f64,
}

impl Default for Bm25Parameters {
    fn default() -> Self {
        Self { k1: 1.5, b: 0.75, delta: 1.0 }
    }
}

impl Bm25 {
    /// Reads names, descriptions and bodies.
    pub fn new<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        Self::with(Bm25Parameters::default(), skills)
    }

    /// [`new`](Self::new) with other knobs.
    pub fn with<'a>(
        parameters: Bm25Parameters,
        skills: impl IntoIterator<Item = SkillText<'a>>,
    ) -> Self {
        let mut matcher = Self { parameters, ..Self::default() };
        for skill in skills {
            matcher.add(&skill);
        }
        let total: f64 = matcher.lengths.iter().map(|&length| f64::from(length)).sum();
        matcher.average = total / f64::from(matcher.lengths.len().max(1) as u32);
        matcher
    }

    fn add(&mut self, skill: &SkillText<'_>) {
        let number = self.ids.len() as u32;
        let name = skill.name.replace('-', " ");
        let mut length = 0;
        for word in [&name, skill.description, skill.body].into_iter().flat_map(python_words) {
            length += 1;
            let posting = match self.postings.entry(word) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(Vec::new()),
            };
            match posting.last_mut() {
                Some((last, count)) if *last == number => *count += 1,
                _ => posting.push((number, 1)),
            }
        }
        self.ids.push(skill.id.into());
        self.lengths.push(length);
    }

    /// What a word that `df` skills have is worth.
    fn weight(&self, df: usize) -> f64 {
        let (n, df) = (f64::from(self.ids.len() as u32), f64::from(df as u32));
        ((n - df + 0.5) / (df + 0.5) + 1.0).ln()
    }
}

impl Matcher for Bm25 {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let Bm25Parameters { k1, b, delta } = self.parameters;
        let mut scores: Vec<Option<f64>> = vec![None; self.ids.len()];
        let mut met = Vec::new();
        for posting in python_words(query).filter_map(|word| self.postings.get(&word)) {
            let weight = self.weight(posting.len());
            for &(number, count) in posting {
                let number = number as usize;
                let (count, length) = (f64::from(count), f64::from(self.lengths[number]));
                let held_back = k1 * (1.0 - b + b * length / self.average);
                let score = weight * (count * (k1 + 1.0) / (count + held_back) + delta);
                match &mut scores[number] {
                    Some(sum) => *sum += score,
                    none => {
                        *none = Some(score);
                        met.push(number);
                    }
                }
            }
        }
        let hits = met.into_iter().filter_map(|number| {
            let score = scores[number].filter(|score| *score > 0.0)?;
            Some(Hit::new(self.ids[number].clone(), score))
        });
        best_first(hits.collect(), limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Vec<(String, f64)> {
        let skill = |name, description, body| SkillText {
            id: name,
            name,
            description,
            body,
            ..SkillText::default()
        };
        let matcher = Bm25::new([
            skill("alpha-one", "fox runs", "quick brown fox"),
            skill("beta-two", "lazy dog", "the lazy dog sleeps"),
            skill("gamma-three", "fox and dog", ""),
        ]);
        let hits = matcher.search(query, 5);
        hits.into_iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
    }

    fn assert_hits(query: &str, expected: &[(&str, f64)]) {
        let hits = search(query);
        assert_eq!(hits.len(), expected.len(), "{query}: {hits:?}");
        for ((id, score), (wanted, golden)) in hits.iter().zip(expected) {
            assert_eq!(id, wanted, "{query}");
            assert!((score - golden).abs() < 1e-12, "{query}: {id} {score} instead of {golden}");
        }
    }

    #[test]
    fn the_numbers_are_those_of_zerodep() {
        let (alpha, gamma) = (1.130_817_167_728_316_3, 0.999_585_183_325_437_9);
        assert_hits("fox", &[("alpha-one", alpha), ("gamma-three", gamma)]);
        assert_hits("fox fox", &[("alpha-one", 2.0 * alpha), ("gamma-three", 2.0 * gamma)]);
        let beta = 1.100_880_983_937_998;
        let both =
            [("gamma-three", 1.999_170_366_650_875_8), ("alpha-one", alpha), ("beta-two", beta)];
        assert_hits("fox dog", &both);
        let lazy = [("beta-two", 2.297_378_585_913_372), ("alpha-one", 1.940_075_466_226_128_4)];
        assert_hits("quick lazy", &lazy);
        for query in ["", "!?", "cat"] {
            assert_hits(query, &[]);
        }
    }

    #[test]
    fn equal_scores_come_in_the_order_in_which_words_met_them() {
        let skill = |id, body| SkillText { id, body, ..SkillText::default() };
        let matcher = Bm25::new([skill("one", "a"), skill("two", "b")]);
        let order = |query| -> Vec<String> {
            matcher.search(query, 5).iter().map(|hit| hit.id.to_string()).collect()
        };
        assert_eq!(order("b a"), ["two", "one"]);
        assert_eq!(order("a b"), ["one", "two"]);
    }

    #[test]
    fn without_delta_it_is_plain_bm25() {
        let skill = SkillText { id: "one", body: "a", ..SkillText::default() };
        let parameters = Bm25Parameters { delta: 0.0, ..Bm25Parameters::default() };
        let score = Bm25::with(parameters, [skill]).search("a", 1)[0].score;
        assert!((score - (0.5f64 / 1.5 + 1.0).ln()).abs() < 1e-12, "{score}");
    }
}
