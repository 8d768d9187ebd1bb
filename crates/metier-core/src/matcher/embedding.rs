//! Turns a query into the skills whose vectors point the same way: deuz's `embeddingMatcher`.

use crate::matcher::best_first;
use crate::{Cutoff, EmbedError, Embedder, Hit, Matcher, SkillText};
use std::fmt;
use std::sync::Arc;

/// Scores a skill by the cosine between the vectors of the query and of its name and description.
///
/// 1. The embedder is asked once a search: for the query, then every skill. With a
///    [`CachedEmbedder`](crate::CachedEmbedder), the skills are embedded once for all searches.
/// 2. A vector of another length than that of the query, a zero vector and a missing one score 0.
/// 3. Scores above -1 are hits, or those that the [`Cutoff`] admits; equal ones keep the order of the
///    skills. Without skills the embedder is not asked.
///
/// The numbers are those of deuz's `embeddingMatcher`.
///
/// ```
/// use metier_core::{Embedding, Matcher, SkillText};
///
/// let skills = [SkillText { id: "pdf", name: "pdf", description: "Forms.", ..SkillText::default() }];
/// let model = |texts: &[&str]| {
///     Ok(texts.iter().map(|text| if *text == "pdf Forms." { vec![3.0, 4.0] } else { vec![1.0, 0.0] }).collect())
/// };
/// assert_eq!(Embedding::new(model, skills).search("paper", 5)[0].score, 0.6);
/// ```
#[derive(Clone)]
pub struct Embedding<E> {
    embedder: E,
    cutoff: Cutoff,
    ids: Vec<Arc<str>>,
    texts: Vec<String>,
}

impl<E: Embedder> Embedding<E> {
    /// Remembers the names and descriptions; nothing is embedded yet.
    pub fn new<'a>(embedder: E, skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        let (ids, texts) =
            skills.into_iter().map(|skill| (Arc::from(skill.id), text_to_embed(&skill))).unzip();
        Self { embedder, cutoff: Cutoff::Above(-1.0), ids, texts }
    }

    /// Which scores are hits.
    pub fn cutoff(mut self, cutoff: Cutoff) -> Self {
        self.cutoff = cutoff;
        self
    }

    /// [`search`](Matcher::search), or why the query cannot be embedded.
    pub fn try_search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, EmbedError> {
        if self.ids.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<&str> =
            [query].into_iter().chain(self.texts.iter().map(String::as_str)).collect();
        let vectors = self.embedder.embed(&texts)?;
        let (query, skills) = vectors.split_first().map_or((&[][..], &[][..]), |(q, s)| (&**q, s));
        let scores = self.ids.iter().enumerate().map(|(at, id)| {
            let score = skills.get(at).map_or(0.0, |skill| cosine(query, skill));
            Hit::new(id.clone(), score)
        });
        Ok(best_first(scores.filter(|hit| self.cutoff.admits(hit.score)).collect(), limit))
    }
}

/// What of a skill is embedded.
pub(crate) fn text_to_embed(skill: &SkillText<'_>) -> String {
    format!("{} {}", skill.name, skill.description)
}

/// The cosine of the angle between two vectors; 0 where there is none.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let (mut product, mut length_a, mut length_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (f64::from(*a), f64::from(*b));
        product += a * b;
        length_a += a * a;
        length_b += b * b;
    }
    let lengths = length_a.sqrt() * length_b.sqrt();
    if lengths > 0.0 { product / lengths } else { 0.0 }
}

impl<E: Embedder> Matcher for Embedding<E> {
    /// Nothing, where the query cannot be embedded; [`try_search`](Self::try_search) says why.
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.try_search(query, limit).unwrap_or_default()
    }
}

impl<E> fmt::Debug for Embedding<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedding").field("ids", &self.ids).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn skills() -> [SkillText<'static>; 3] {
        ["east", "north", "odd"].map(|id| SkillText { id, name: id, ..SkillText::default() })
    }

    fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
        let vector = |text: &&str| match text.trim() {
            "east" => vec![2.0, 0.0],
            "north" => vec![0.0, 3.0],
            "odd" => vec![1.0],
            "west" => vec![-1.0, 0.0],
            "nowhere" => vec![0.0, 0.0],
            _ => vec![3.0, 4.0],
        };
        texts.iter().map(vector).collect()
    }

    #[test]
    fn the_embedder_is_asked_once_for_query_and_skills() {
        let calls = Mutex::new(Vec::new());
        let model = |texts: &[&str]| {
            calls.lock().unwrap().push(texts.join("|"));
            Ok(vectors(texts))
        };
        let matcher = Embedding::new(model, skills());
        let hits = matcher.search("somewhere", 5);
        let scores: Vec<_> = hits.iter().map(|hit| (&*hit.id, hit.score)).collect();
        assert_eq!(scores, [("north", 0.8), ("east", 0.6), ("odd", 0.0)]);
        assert_eq!(*calls.lock().unwrap(), ["somewhere|east |north |odd "]);
        assert!(Embedding::new(model, []).search("somewhere", 5).is_empty());
        assert_eq!(calls.lock().unwrap().len(), 1);
    }

    #[test]
    fn the_cutoff_is_strict() {
        let search = |query: &str, cutoff| {
            let matcher = Embedding::new(|texts: &[&str]| Ok(vectors(texts)), skills());
            let hits = matcher.cutoff(cutoff).search(query, 5);
            hits.iter().map(|hit| hit.id.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(search("west", Cutoff::Above(-1.0)), ["north", "odd"]);
        assert_eq!(search("west", Cutoff::AtLeast(-1.0)), ["north", "odd", "east"]);
        assert_eq!(search("somewhere", Cutoff::Above(0.6)), ["north"]);
        // A zero vector is as far from everything as can be told: 0.
        assert_eq!(search("nowhere", Cutoff::Above(-1.0)), ["east", "north", "odd"]);
    }

    #[test]
    fn a_failing_embedder_finds_nothing_and_says_why() {
        let matcher = Embedding::new(|_: &[&str]| Err(EmbedError::Failed("down".into())), skills());
        assert!(matcher.search("q", 5).is_empty());
        assert_eq!(matcher.try_search("q", 5), Err(EmbedError::Failed("down".into())));
        let short = Embedding::new(|_: &[&str]| Ok(vec![vec![1.0, 0.0]]), skills());
        assert!(short.search("q", 5).iter().all(|hit| hit.score == 0.0));
    }
}
