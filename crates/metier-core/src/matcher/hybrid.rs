//! Turns the hits of a matcher into a better order, with the help of vectors.

use crate::matcher::embedding::{cosine, text_to_embed};
use crate::{EmbedError, Embedder, Hit, Matcher, SkillText};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Log odds that differ by less than this are hardly different.
const EQUAL_LOG_ODDS: f64 = 0.7;
/// Scores that differ by less than this part of the best one are hardly different.
const EQUAL_SHARE: f64 = 0.15;
/// Cosines that differ by less than this are hardly different.
const EQUAL_COSINES: f64 = 0.05;

/// A matcher whose best hits are put in order again by the meaning of the query.
///
/// 1. The matcher finds; what it does not find is not found.
/// 2. Of its first 200 hits, both the matcher's score and the cosine to the query count, each in standard
///    deviations from its mean: `0.65 · score + 0.35 · cosine`. Scores between 0 and 1 are taken as the
///    logarithm of their odds, because confidence grows ever more slowly than the evidence for it.
/// 3. The order changes, the scores stay: the first hit has the best score that the matcher gave. So
///    a score means what it means to the matcher, and a threshold works as before.
/// 4. If the query cannot be embedded, the matcher's order stands;
///    [`try_search`](Self::try_search) says why.
///
/// A weighted sum of comparable scores was measured to be better than either alone, and than merging
/// by rank.
///
/// ```
/// use metier_core::{Hybrid, Keyword, Matcher, SkillText};
///
/// let skill = |id, description| SkillText { id, name: id, description, ..SkillText::default() };
/// let skills = [skill("a", "bank of a river"), skill("b", "bank with accounts")];
/// let model = |texts: &[&str]| {
///     let money = |text: &&str| text.contains("money") || text.contains("accounts");
///     Ok(texts.iter().map(|text| if money(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
/// };
/// let hybrid = Hybrid::new(Keyword::new(skills.clone()), model, skills);
/// assert_eq!(&*hybrid.search("money in the bank", 1)[0].id, "b");
/// ```
#[derive(Clone)]
pub struct Hybrid<M, E> {
    matcher: M,
    embedder: E,
    texts: HashMap<Arc<str>, String>,
    options: HybridOptions,
}

/// The knobs of [`Hybrid`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct HybridOptions {
    /// What the matcher's score counts, from 0 to 1; the rest is the cosine's.
    pub weight: f64,
    /// How many hits are put in order again.
    pub depth: usize,
}

impl Default for HybridOptions {
    fn default() -> Self {
        Self { weight: 0.65, depth: 200 }
    }
}

impl<M: Matcher, E: Embedder> Hybrid<M, E> {
    /// Puts the hits of `matcher` in order with `embedder`, which reads the names and descriptions of
    /// the skills. A [`CachedEmbedder`](crate::CachedEmbedder) embeds each once.
    pub fn new<'a>(
        matcher: M,
        embedder: E,
        skills: impl IntoIterator<Item = SkillText<'a>>,
    ) -> Self {
        let texts = skills.into_iter().map(|skill| (skill.id.into(), text_to_embed(&skill)));
        Self { matcher, embedder, texts: texts.collect(), options: HybridOptions::default() }
    }

    /// Sets the knobs.
    pub fn options(mut self, options: HybridOptions) -> Self {
        self.options = options;
        self
    }

    /// [`search`](Matcher::search), or why the query cannot be embedded.
    pub fn try_search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, EmbedError> {
        let hits = self.matcher.search(query, limit.max(self.options.depth));
        let mut hits = self.rescore(query, hits)?;
        hits.truncate(limit);
        Ok(hits)
    }

    fn rescore(&self, query: &str, hits: Vec<Hit>) -> Result<Vec<Hit>, EmbedError> {
        let text = |id: &str| self.texts.get(id).cloned().unwrap_or_default();
        self.options.rescore(query, hits, text, &self.embedder)
    }
}

impl HybridOptions {
    /// Puts the hits of any matcher in order again. `text` gives what of a skill is embedded, by its id.
    ///
    /// ```
    /// use metier_core::{Hit, HybridOptions};
    ///
    /// let model = |texts: &[&str]| {
    ///     let near = |text: &&str| ["query", "b"].contains(text);
    ///     Ok(texts.iter().map(|text| if near(text) { vec![1.0, 0.0] } else { vec![0.0, 1.0] }).collect())
    /// };
    /// let hits = vec![Hit::new("a", 0.5), Hit::new("b", 0.5)];
    /// let hits = HybridOptions::default().rescore("query", hits, |id| id.into(), &model)?;
    /// assert_eq!(&*hits[0].id, "b");
    /// # Ok::<(), metier_core::EmbedError>(())
    /// ```
    pub fn rescore(
        &self,
        query: &str,
        mut hits: Vec<Hit>,
        text: impl Fn(&str) -> String,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Hit>, EmbedError> {
        let head = hits.len().min(self.depth);
        if head > 1 {
            let first = &mut hits[..head];
            let texts: Vec<String> = first.iter().map(|hit| text(&hit.id)).collect();
            let scores: Vec<f64> = first.iter().map(|hit| hit.score).collect();
            let sums = self.sums(query, &texts, &scores, embedder)?;
            let mut order: Vec<usize> = (0..head).collect();
            order.sort_by(|a, b| sums[*b].total_cmp(&sums[*a]));
            let ids: Vec<Arc<str>> = order.iter().map(|at| first[*at].id.clone()).collect();
            for ((hit, id), score) in first.iter_mut().zip(ids).zip(scores) {
                *hit = Hit::new(id, score);
            }
        }
        Ok(hits)
    }

    /// What each hit is worth by both.
    fn sums(
        &self,
        query: &str,
        texts: &[String],
        scores: &[f64],
        embedder: &dyn Embedder,
    ) -> Result<Vec<f64>, EmbedError> {
        let asked: Vec<&str> =
            [query].into_iter().chain(texts.iter().map(String::as_str)).collect();
        let vectors = embedder.embed(&asked)?;
        if vectors.len() != asked.len() {
            let (texts, vectors) = (asked.len(), vectors.len());
            return Err(EmbedError::WrongCount { texts, vectors });
        }
        let cosines: Vec<f64> = vectors[1..].iter().map(|v| cosine(&vectors[0], v)).collect();
        let (evidence, equal) = evidence(scores);
        let pairs =
            standardized(&evidence, equal).into_iter().zip(standardized(&cosines, EQUAL_COSINES));
        let weight = self.weight;
        Ok(pairs.map(|(score, cosine)| weight * score + (1.0 - weight) * cosine).collect())
    }
}

/// Scores as evidence, and the difference that hardly counts: the logarithm of the odds of
/// probabilities, which adds up as evidence does; other scores as they are.
fn evidence(scores: &[f64]) -> (Vec<f64>, f64) {
    /// Beyond this, all are equally sure.
    const SURE: f64 = 0.9999;
    if scores.iter().all(|score| (0.0..=1.0).contains(score)) {
        let log_odds = |score: &f64| {
            let score = score.clamp(1.0 - SURE, SURE);
            (score / (1.0 - score)).ln()
        };
        return (scores.iter().map(log_odds).collect(), EQUAL_LOG_ODDS);
    }
    let most = scores.iter().copied().fold(0.0, f64::max);
    (scores.to_vec(), EQUAL_SHARE * most)
}

/// The values as standard deviations from their mean. A deviation below `least` is taken for that: few
/// values that hardly differ must not be torn apart.
fn standardized(values: &[f64], least: f64) -> Vec<f64> {
    let count = f64::from(values.len().max(1) as u32);
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / count;
    let deviation = variance.sqrt().max(least).max(f64::MIN_POSITIVE);
    values.iter().map(|v| (v - mean) / deviation).collect()
}

impl<M: Matcher, E: Embedder> Matcher for Hybrid<M, E> {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let hits = self.matcher.search(query, limit.max(self.options.depth));
        let mut hits = self.rescore(query, hits.clone()).unwrap_or(hits);
        hits.truncate(limit);
        hits
    }
}

impl<M: fmt::Debug, E> fmt::Debug for Hybrid<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Hybrid");
        shown
            .field("matcher", &self.matcher)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Finds `a`, `b` and `c` with falling scores.
    #[derive(Debug, Clone)]
    struct Fixed;

    impl Matcher for Fixed {
        fn search(&self, _: &str, limit: usize) -> Vec<Hit> {
            let hits = [("a", 0.9), ("b", 0.8), ("c", 0.1)];
            hits.into_iter().take(limit).map(|(id, score)| Hit::new(id, score)).collect()
        }
    }

    fn skills() -> [SkillText<'static>; 3] {
        ["a", "b", "c"].map(|id| SkillText { id, name: id, ..SkillText::default() })
    }

    /// Whatever starts with one of the letters points where the query points.
    fn like(letters: &'static str) -> impl Embedder {
        move |texts: &[&str]| {
            let near = |text: &&str| *text == "query" || text.starts_with(|c| letters.contains(c));
            Ok(texts
                .iter()
                .map(|t| if near(t) { vec![1.0, 0.0] } else { vec![0.0, 1.0] })
                .collect())
        }
    }

    fn search(embedder: impl Embedder, options: HybridOptions) -> Vec<(String, f64)> {
        let hits = Hybrid::new(Fixed, embedder, skills()).options(options).search("query", 3);
        hits.into_iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
    }

    fn pairs(ids: [&str; 3]) -> Vec<(String, f64)> {
        ids.into_iter().map(str::to_owned).zip([0.9, 0.8, 0.1]).collect()
    }

    #[test]
    fn the_order_changes_and_the_scores_stay() {
        let equal = HybridOptions { weight: 0.5, ..HybridOptions::default() };
        assert_eq!(search(like("b"), equal), pairs(["b", "a", "c"]));
        let mostly_words = HybridOptions { weight: 0.9, ..HybridOptions::default() };
        assert_eq!(search(like("b"), mostly_words), pairs(["a", "b", "c"]));
        assert_eq!(search(like("abc"), HybridOptions::default()), pairs(["a", "b", "c"]));
    }

    #[test]
    fn confidence_is_taken_as_the_logarithm_of_its_odds() {
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        let (log_odds, _) = evidence(&[0.5, 0.75, 1.0, 0.0]);
        assert!(close(&log_odds[..2], &[0.0, 3.0_f64.ln()]));
        assert!(log_odds[2].is_finite() && close(&[-log_odds[2]], &log_odds[3..]));
        assert!(close(&evidence(&[0.5, 7.0]).0, &[0.5, 7.0]));
        assert!(close(&standardized(&[1.0, 3.0], 0.5), &[-1.0, 1.0]));
        assert!(close(&standardized(&[1.0, 3.0], 4.0), &[-0.25, 0.25]));
        assert!(close(&standardized(&[2.0, 2.0], 0.0), &[0.0, 0.0]));
    }

    #[test]
    fn the_weight_decides_who_is_heard() {
        let weight = |weight| HybridOptions { weight, ..HybridOptions::default() };
        assert_eq!(search(like("c"), weight(1.0)), pairs(["a", "b", "c"]));
        assert_eq!(search(like("c"), weight(0.0)), pairs(["c", "a", "b"]));
    }

    #[test]
    fn only_the_head_is_put_in_order() {
        let options = HybridOptions { weight: 0.0, depth: 2 };
        assert_eq!(search(like("c"), options), pairs(["a", "b", "c"]));
        assert_eq!(search(like("b"), options), pairs(["b", "a", "c"]));
    }

    #[test]
    fn without_vectors_the_order_of_the_matcher_stands() {
        let failing = |_: &[&str]| Err(EmbedError::Failed("down".into()));
        assert_eq!(search(failing, HybridOptions::default()), pairs(["a", "b", "c"]));
        let short = |_: &[&str]| Ok(Vec::new());
        assert_eq!(search(short, HybridOptions::default()), pairs(["a", "b", "c"]));
        let hybrid = Hybrid::new(Fixed, short, skills());
        let error = EmbedError::WrongCount { texts: 4, vectors: 0 };
        assert_eq!(hybrid.try_search("query", 3), Err(error));
    }
}
