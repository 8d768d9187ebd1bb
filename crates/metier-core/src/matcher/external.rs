//! Turns the answer of somebody else's selector into skills, and a failing one into all of them.

use crate::{Hit, Matcher, SkillText};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// What a selector outside is told of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// What it names the skill by in its answer.
    pub id: Arc<str>,
    /// The name.
    pub name: Arc<str>,
    /// What the skill does and when to use it.
    pub description: Arc<str>,
}

/// A selector outside, a search engine or a small model, that narrows the catalog and can never break
/// it: PromptKit's rules for external selectors.
///
/// 1. Without a query it is not asked, and every skill is there.
/// 2. If it fails, or names no skill that is known, every skill is there, and [`Narrowed::fallback`]
///    says why.
/// 3. Skills keep the order of the catalog, not that of the answer, and score 1.
///
/// ```
/// use metier_core::{Candidate, External, Fallback, SkillText};
///
/// let skills = ["a", "b", "c"].map(|id| SkillText { id, ..SkillText::default() });
/// let external = External::new(skills, |query: &str, _: &[Candidate]| match query {
///     "good" => Ok(vec!["c".into(), "a".into()]),
///     _ => Err("offline".into()),
/// });
/// let ids = |query| external.narrow(query).ids.join(" ");
/// assert_eq!((ids("good"), ids("bad"), ids("")), ("a c".into(), "a b c".into(), "a b c".into()));
/// assert_eq!(external.narrow("bad").fallback, Some(Fallback::Failed("offline".into())));
/// ```
#[derive(Clone)]
pub struct External<S> {
    selector: S,
    candidates: Vec<Candidate>,
}

/// What is left of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Narrowed {
    /// The skills, in the order of the catalog.
    pub ids: Vec<Arc<str>>,
    /// Why these are all skills; `None` when the selector chose them.
    pub fallback: Option<Fallback>,
}

/// Why a catalog was not narrowed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// There is no query to select by.
    NoQuery,
    /// The selector failed, for this reason.
    Failed(String),
    /// The selector chose nothing.
    Empty,
    /// The selector chose only skills that are not in the catalog.
    Unknown(Vec<String>),
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoQuery => f.write_str("there is no query to select by"),
            Self::Failed(reason) => write!(f, "the selector failed: {reason}"),
            Self::Empty => f.write_str("the selector chose nothing"),
            Self::Unknown(ids) => {
                write!(f, "the selector chose unknown skills: {}", ids.join(", "))
            }
        }
    }
}

impl<S> fmt::Debug for External<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("External").field("candidates", &self.candidates).finish_non_exhaustive()
    }
}

impl<S> External<S>
where
    S: Fn(&str, &[Candidate]) -> Result<Vec<String>, String>,
{
    /// Lets `selector` choose among the skills: it is given the query and the candidates, and answers
    /// with ids.
    pub fn new<'a>(skills: impl IntoIterator<Item = SkillText<'a>>, selector: S) -> Self {
        let candidates = skills.into_iter().map(|skill| Candidate {
            id: skill.id.into(),
            name: skill.name.into(),
            description: skill.description.into(),
        });
        Self { candidates: candidates.collect(), selector }
    }

    /// The skills that the selector chose, or all.
    pub fn narrow(&self, query: &str) -> Narrowed {
        let ids = self.candidates.iter().map(|candidate| &candidate.id);
        let all =
            |fallback| Narrowed { ids: ids.clone().cloned().collect(), fallback: Some(fallback) };
        if query.is_empty() {
            return all(Fallback::NoQuery);
        }
        let chosen = match (self.selector)(query, &self.candidates) {
            Ok(chosen) if chosen.is_empty() => return all(Fallback::Empty),
            Ok(chosen) => chosen,
            Err(reason) => return all(Fallback::Failed(reason)),
        };
        let wanted: BTreeSet<&str> = chosen.iter().map(String::as_str).collect();
        let known: Vec<Arc<str>> =
            ids.clone().filter(|id| wanted.contains(&***id)).cloned().collect();
        if known.is_empty() {
            return all(Fallback::Unknown(chosen));
        }
        Narrowed { ids: known, fallback: None }
    }
}

impl<S> Matcher for External<S>
where
    S: Fn(&str, &[Candidate]) -> Result<Vec<String>, String> + Send + Sync,
{
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.narrow(query).ids.into_iter().take(limit).map(|id| Hit::new(id, 1.0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn narrow(query: &str, answer: Result<&[&str], &str>) -> (String, Option<Fallback>, usize) {
        let skills = ["a", "b", "c"].map(|id| SkillText { id, ..SkillText::default() });
        let asked = AtomicUsize::new(0);
        let external = External::new(skills, |_: &str, _: &[Candidate]| {
            asked.fetch_add(1, Ordering::SeqCst);
            let ids = answer.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
            ids.map_err(str::to_owned)
        });
        let narrowed = external.narrow(query);
        (narrowed.ids.join(""), narrowed.fallback, asked.into_inner())
    }

    #[test]
    fn it_is_not_asked_without_a_query() {
        assert_eq!(narrow("", Ok(&["a"])), ("abc".into(), Some(Fallback::NoQuery), 0));
    }

    #[test]
    fn the_order_is_that_of_the_catalog_and_unknown_ids_are_left_out() {
        assert_eq!(narrow("q", Ok(&["c", "x", "a", "c"])), ("ac".into(), None, 1));
    }

    #[test]
    fn a_bad_answer_leaves_everything_in() {
        assert_eq!(narrow("q", Ok(&[])), ("abc".into(), Some(Fallback::Empty), 1));
        let unknown = Fallback::Unknown(vec!["x".into()]);
        assert_eq!(narrow("q", Ok(&["x"])), ("abc".into(), Some(unknown), 1));
        let failed = Fallback::Failed("down".into());
        assert_eq!(narrow("q", Err("down")), ("abc".into(), Some(failed), 1));
    }

    #[test]
    fn as_a_matcher_it_is_cut_at_the_limit() {
        let skills = ["a", "b", "c"].map(|id| SkillText { id, ..SkillText::default() });
        let all =
            External::new(skills, |_: &str, _: &[Candidate]| Ok(vec!["c".into(), "b".into()]));
        assert_eq!(all.search("q", 1), [Hit::new("b", 1.0)]);
    }
}
