//! Turns a query into hits: what every way of choosing skills takes and gives.

pub(crate) mod bm25;
pub(crate) mod cutoff;
pub(crate) mod embedder;
pub(crate) mod embedding;
pub(crate) mod everything;
pub(crate) mod external;
pub(crate) mod hybrid;
pub(crate) mod keyword;
pub(crate) mod lexical;
pub(crate) mod overlap;
pub(crate) mod python_words;
pub(crate) mod selector;
pub(crate) mod tags;

use crate::{Manifest, Skill};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What a matcher reads of a skill.
///
/// ```
/// use metier_core::{SkillText, parse};
///
/// let text = "---\nname: pdf\ndescription: Fills forms. Use for PDFs.\ntags: [office]\n---\n# Steps\n";
/// let skill = parse(text).skill.unwrap();
/// let read = SkillText::of(&skill);
/// assert_eq!((read.id, read.name), ("pdf", "pdf"));
/// assert_eq!((read.tags[0].as_ref(), read.body), ("office", "# Steps\n"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct SkillText<'a> {
    /// What a hit names the skill by.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// What the skill does and when to use it.
    pub description: &'a str,
    /// The tags, in order.
    pub tags: Vec<Cow<'a, str>>,
    /// `when_to_use`, where the author wrote it apart.
    pub when_to_use: Option<Cow<'a, str>>,
    /// `when_not_to_use`, where the author wrote it apart.
    pub when_not_to_use: Option<Cow<'a, str>>,
    /// The instructions; empty where they are not at hand.
    pub body: &'a str,
}

impl<'a> SkillText<'a> {
    /// A whole skill, under its name.
    pub fn of(skill: &'a Skill) -> Self {
        Self { body: skill.body(), ..Self::of_manifest(skill.name(), skill.manifest()) }
    }

    /// A skill that is known by its frontmatter alone. `id` is its name too, where it has no other.
    pub fn of_manifest(id: &'a str, manifest: &'a Manifest) -> Self {
        Self {
            id,
            name: manifest.name.as_deref().unwrap_or(id),
            description: manifest.description.as_deref().unwrap_or_default(),
            tags: manifest.tags().into_iter().map(Cow::Owned).collect(),
            when_to_use: manifest.when_to_use(),
            when_not_to_use: manifest.when_not_to_use(),
            body: "",
        }
    }
}

/// A skill that fits a query, and how well.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Hit {
    /// The id of the skill, as in [`SkillText::id`].
    pub id: Arc<str>,
    /// How well it fits; what the number means is the matcher's own.
    pub score: f64,
}

impl Hit {
    /// A hit.
    pub fn new(id: impl Into<Arc<str>>, score: f64) -> Self {
        Self { id: id.into(), score }
    }
}

/// A way of choosing skills. It orders and cuts; what is loaded then, the model decides.
pub trait Matcher: fmt::Debug + Send + Sync {
    /// The skills that fit, the best first, at most `limit`. The same query gives the same hits.
    fn search(&self, query: &str, limit: usize) -> Vec<Hit>;
}

/// A matcher that several hold is a matcher.
impl<M: Matcher + ?Sized> Matcher for Arc<M> {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        (**self).search(query, limit)
    }
}

/// The best hits, at most `limit`; equal ones keep their order.
pub(crate) fn best_first(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits.truncate(limit);
    hits
}
