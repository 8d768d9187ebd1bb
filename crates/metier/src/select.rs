//! Turns a query into the skills of a registry that fit it: filtered, ranked and cut.

use crate::blocking::block_on;
use crate::bodies::{Body, Reading, text_of};
use crate::catalog::CatalogEntry;
use crate::catalog_filter::CatalogFilter;
use crate::registry::Registry;
use crate::source::Problem;
use metier_core::{
    Bm25, Bm25Parameters, Cutoff, Everything, Hit, Keyword, Lexical, Matcher as _, Selector,
    SkillText,
};
use std::fmt;
use std::sync::Arc;

/// What to choose from, how, and how much.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct SelectOptions {
    /// How many skills at most.
    pub top_k: usize,
    /// Only skills that score at least this; what a score means depends on the matcher.
    pub min_score: Option<f64>,
    /// Which skills there are to choose from. What is left out here is not ranked, and does not
    /// count in the statistics of a matcher.
    pub filter: CatalogFilter,
    /// How skills are ranked.
    pub matcher: MatcherKind,
}

impl Default for SelectOptions {
    fn default() -> Self {
        Self {
            top_k: 5,
            min_score: None,
            filter: CatalogFilter::default(),
            matcher: MatcherKind::default(),
        }
    }
}

/// How skills are ranked.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum MatcherKind {
    /// [`Keyword`]: the share of the query's words in name and description.
    #[default]
    Keyword,
    /// [`Bm25`] over name, description and body.
    Bm25(Bm25Parameters),
    /// [`Lexical`]: as `Keyword`, without stop words and accents.
    Lexical(Cutoff),
    /// [`Everything`], in the order of the catalog.
    Everything,
    /// What a program brings along. It is given the skills with their bodies.
    Custom(Arc<dyn Selector>),
}

impl fmt::Debug for MatcherKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyword => f.write_str("Keyword"),
            Self::Bm25(parameters) => f.debug_tuple("Bm25").field(parameters).finish(),
            Self::Lexical(cutoff) => f.debug_tuple("Lexical").field(cutoff).finish(),
            Self::Everything => f.write_str("Everything"),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

/// The skills that were chosen.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Selected {
    /// The skills that fit, the best first.
    pub hits: Vec<Hit>,
    /// How many skills the filter let in.
    pub candidates: usize,
    /// How many skills the filter left out; [`CatalogFilter::refusal`] says why.
    pub left_out: usize,
    /// What kept skills from being ranked by all that they say.
    pub problems: Vec<Problem>,
}

impl Registry {
    /// Chooses skills for a query, in this order: the filter, the matcher, `top_k`, `min_score`.
    ///
    /// ```
    /// use metier::{Blocking, MatcherKind, Memory, Registry, SelectOptions};
    ///
    /// let table = Memory::new("t")
    ///     .inline("pdf", "Fills in forms. Use for PDF files.", "Run fill.py.")
    ///     .inline("git", "Commits. Use for branches.", "Run git.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// let options = SelectOptions { matcher: MatcherKind::Keyword, ..SelectOptions::default() };
    /// let selected = registry.select_blocking("pdf forms", &options);
    /// assert_eq!((&*selected.hits[0].id, selected.hits[0].score), ("pdf", 1.0));
    /// assert_eq!((selected.hits.len(), selected.candidates), (1, 2));
    /// ```
    pub async fn select(&self, query: &str, options: &SelectOptions) -> Selected {
        self.select_in(query, options, Reading::Here).await
    }

    /// [`select`](Self::select), waiting for it; bodies are read on several threads.
    pub fn select_blocking(&self, query: &str, options: &SelectOptions) -> Selected {
        block_on(self.select_in(query, options, Reading::Threads))
    }

    async fn select_in(&self, query: &str, options: &SelectOptions, reading: Reading) -> Selected {
        let catalog = self.catalog();
        let entries: Vec<&CatalogEntry> = options.filter.apply(catalog.iter()).collect();
        let (candidates, left_out) = (entries.len(), catalog.len() - entries.len());
        let mut selected = Selected { candidates, left_out, ..Selected::default() };
        if entries.is_empty() || options.top_k == 0 {
            return selected;
        }
        let texts = || entries.iter().map(|entry| text_of(entry, None));
        selected.hits = match &options.matcher {
            MatcherKind::Keyword => Keyword::new(texts()).search(query, options.top_k),
            MatcherKind::Lexical(cutoff) => {
                Lexical::new(texts()).cutoff(*cutoff).search(query, options.top_k)
            }
            MatcherKind::Everything => Everything::new(texts()).search(query, options.top_k),
            MatcherKind::Bm25(parameters) => {
                let bodies = self.bodies(&entries, reading).await;
                let texts = with_bodies(&entries, &bodies);
                let hits = Bm25::with(*parameters, texts).search(query, options.top_k);
                selected.problems = bodies.into_iter().filter_map(Result::err).collect();
                hits
            }
            MatcherKind::Custom(selector) => {
                let bodies = self.bodies(&entries, reading).await;
                let texts: Vec<_> = with_bodies(&entries, &bodies).collect();
                let mut hits = selector.select(query, &texts, options.top_k);
                hits.truncate(options.top_k);
                selected.problems = bodies.into_iter().filter_map(Result::err).collect();
                hits
            }
        };
        if let Some(least) = options.min_score {
            selected.hits.retain(|hit| Cutoff::AtLeast(least).admits(hit.score));
        }
        selected
    }
}

fn with_bodies<'a>(
    entries: &'a [&CatalogEntry],
    bodies: &'a [Body],
) -> impl Iterator<Item = SkillText<'a>> {
    let bodies = bodies.iter().map(|body| body.as_ref().ok());
    entries.iter().zip(bodies).map(|(entry, body)| text_of(entry, body))
}
