//! Turns a query into the skills of a registry that fit it: filtered, ranked and cut.

pub(crate) mod bodies;
pub(crate) mod index_file;
pub(crate) mod pushdown;
pub(crate) mod search_index;

use crate::registry::Registry;
use crate::registry::catalog::CatalogEntry;
use crate::registry::catalog_filter::CatalogFilter;
use crate::registry::snapshot::Snapshot;
use crate::select::bodies::{Body, text_of};
use crate::select::pushdown::Pushed;
use crate::select::search_index::Indexed;
use crate::source::Problem;
use crate::source::blocking::block_on;
use metier_core::{
    Bm25, Bm25Parameters, Cutoff, Embedder, Everything, Explanation, Hit, HybridOptions, Keyword,
    Lexical, Matcher as _, SearchOptions, Selector, Severity, SkillText,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// What to choose from, how, and how much.
#[derive(Debug, Clone)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct SelectOptions {
    /// How many skills at most.
    pub top_k: usize,
    /// Only skills that score at least this; what a score means depends on the matcher.
    pub min_score: Option<f64>,
    /// Which skills there are to choose from.
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
    /// [`SkillIndex`](metier_core::SkillIndex), over everything a skill says. It is built once for
    /// each snapshot, of all skills, and sources that search by themselves are asked.
    #[default]
    Default,
    /// `Default`, whose best hits are put in order again by the meaning of the query; see
    /// [`Hybrid`](metier_core::Hybrid). The model is waited for.
    Hybrid(Arc<dyn Embedder>, HybridOptions),
    /// [`Keyword`]: the share of the query's words in name and description.
    Keyword,
    /// [`Bm25`] over name, description and body of the skills that the filter lets in.
    Bm25(Bm25Parameters),
    /// [`Lexical`]: as `Keyword`, without stop words and accents.
    Lexical(Cutoff),
    /// [`Everything`], in the order of the catalog.
    Everything,
    /// What a program brings along. It is given the skills that the filter lets in, with their bodies.
    Custom(Arc<dyn Selector>),
}

impl fmt::Debug for MatcherKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("Default"),
            Self::Hybrid(_, options) => {
                f.debug_tuple("Hybrid").field(options).finish_non_exhaustive()
            }
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
    /// The skills that say the same as a hit and left their places to others, by the hit's id.
    pub duplicates: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// How many skills the filter let in.
    pub candidates: usize,
    /// How many skills the filter left out; [`CatalogFilter::refusal`] says why.
    pub left_out: usize,
    /// What kept skills from being ranked by all that they say.
    pub problems: Vec<Problem>,
}

/// What a matcher needs beside the catalog.
enum Needed {
    Nothing,
    Bodies(Vec<Body>),
    Index(Arc<Indexed>, Pushed),
}

impl Registry {
    /// The skills that fit a query best, the best first, by the default ranker.
    ///
    /// The first call for a snapshot reads every skill and waits for that, the others take
    /// microseconds; sources that search by themselves are waited for each time. In async code, call
    /// [`select`](Self::select).
    ///
    /// ```
    /// use metier::{Blocking, Memory, Registry};
    ///
    /// let table = Memory::new("t")
    ///     .inline("pdf-forms", "Fills in PDF forms.", "Run fill.py for tax returns.")
    ///     .inline("commits", "Writes commit messages.", "Read the diff.");
    /// let registry = Registry::builder().source(Blocking(table)).open();
    /// assert_eq!(&*registry.search("fill in this tax form", 5)[0].id, "pdf-forms");
    /// ```
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.select_blocking(query, &SelectOptions { top_k: limit, ..SelectOptions::default() })
            .hits
    }

    /// Why the default ranker gives a skill its score for a query; `None` where there is no such skill.
    /// It waits as [`search`](Self::search) does.
    pub fn explain(&self, query: &str, id: &str) -> Option<Explanation> {
        let catalog = self.catalog();
        let entry = catalog.get(id)?;
        self.indexed_blocking(&catalog).index.explain(query, &entry.id)
    }

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
        let catalog = self.catalog();
        let choice = Choice::new(query, options, &catalog, &self.shared.options.base);
        let needed = match options.matcher {
            _ if choice.is_empty() => Needed::Nothing,
            MatcherKind::Default | MatcherKind::Hybrid(..) => {
                let indexed = self.indexed(&catalog).await;
                Needed::Index(indexed, choice.push_down().await)
            }
            MatcherKind::Bm25(_) | MatcherKind::Custom(_) => {
                Needed::Bodies(self.bodies(&choice.entries()).await)
            }
            _ => Needed::Nothing,
        };
        choice.choose(needed)
    }

    /// [`select`](Self::select), waiting for it; bodies are read on several threads.
    pub fn select_blocking(&self, query: &str, options: &SelectOptions) -> Selected {
        let catalog = self.catalog();
        let choice = Choice::new(query, options, &catalog, &self.shared.options.base);
        let needed = match options.matcher {
            _ if choice.is_empty() => Needed::Nothing,
            MatcherKind::Default | MatcherKind::Hybrid(..) => {
                let indexed = self.indexed_blocking(&catalog);
                Needed::Index(indexed, block_on(choice.push_down()))
            }
            MatcherKind::Bm25(_) | MatcherKind::Custom(_) => {
                Needed::Bodies(self.bodies_blocking(&choice.entries()))
            }
            _ => Needed::Nothing,
        };
        choice.choose(needed)
    }
}

/// A query, and what there is to choose from.
struct Choice<'c> {
    query: &'c str,
    options: &'c SelectOptions,
    catalog: &'c Snapshot,
    filter: CatalogFilter,
    candidates: usize,
}

impl<'c> Choice<'c> {
    fn new(query: &'c str, options: &'c SelectOptions, catalog: &'c Snapshot, base: &Path) -> Self {
        let filter = options.filter.based(base);
        let candidates = filter.count(catalog);
        Self { query, options, catalog, filter, candidates }
    }

    fn is_empty(&self) -> bool {
        self.candidates == 0 || self.options.top_k == 0
    }

    /// The skills that the filter lets in.
    fn entries(&self) -> Vec<&'c CatalogEntry> {
        self.filter.apply(self.catalog.iter()).collect()
    }

    async fn push_down(&self) -> Pushed {
        Pushed::ask(self.query, self.catalog, &self.filter, self.options.top_k).await
    }

    fn choose(&self, needed: Needed) -> Selected {
        let Self { query, options, candidates, .. } = *self;
        let left_out = self.catalog.len() - candidates;
        let mut selected = Selected { candidates, left_out, ..Selected::default() };
        if self.is_empty() {
            return selected;
        }
        let limit = options.top_k;
        let texts = || self.entries().into_iter().map(|entry| text_of(entry, None));
        match (&options.matcher, needed) {
            (MatcherKind::Default, Needed::Index(indexed, pushed)) => {
                self.rank(limit, &indexed, pushed, &mut selected);
            }
            (MatcherKind::Hybrid(embedder, hybrid), Needed::Index(indexed, pushed)) => {
                self.rank(limit.max(hybrid.depth), &indexed, pushed, &mut selected);
                self.rescore(&**embedder, *hybrid, &mut selected);
                selected.hits.truncate(limit);
            }
            (MatcherKind::Bm25(parameters), Needed::Bodies(bodies)) => {
                let entries = self.entries();
                let texts = with_bodies(&entries, &bodies);
                selected.hits = Bm25::with(*parameters, texts).search(query, limit);
                selected.problems = bodies.into_iter().filter_map(Result::err).collect();
            }
            (MatcherKind::Custom(selector), Needed::Bodies(bodies)) => {
                let entries = self.entries();
                let texts: Vec<_> = with_bodies(&entries, &bodies).collect();
                selected.hits = selector.select(query, &texts, limit);
                selected.hits.truncate(limit);
                selected.problems = bodies.into_iter().filter_map(Result::err).collect();
            }
            (MatcherKind::Lexical(cutoff), _) => {
                selected.hits = Lexical::new(texts()).cutoff(*cutoff).search(query, limit);
            }
            (MatcherKind::Everything, _) => {
                selected.hits = Everything::new(texts()).search(query, limit);
            }
            (_, _) => selected.hits = Keyword::new(texts()).search(query, limit),
        }
        if let Some(least) = options.min_score {
            selected.hits.retain(|hit| Cutoff::AtLeast(least).admits(hit.score));
        }
        selected
    }

    /// Ranks by the index, and puts what sources found by themselves among the hits.
    fn rank(&self, limit: usize, indexed: &Indexed, pushed: Pushed, selected: &mut Selected) {
        // Only the skills that come near the head are asked about, not all of them.
        let keep = |id: &str| {
            self.catalog.get(id).is_some_and(|entry| {
                !pushed.answered.contains(&entry.held.number) && self.filter.admits(entry)
            })
        };
        let is_whole = self.candidates == self.catalog.len() && pushed.answered.is_empty();
        let search =
            SearchOptions { limit, keep: (!is_whole).then_some(&keep), ..SearchOptions::default() };
        for ranked in indexed.index.search_with(self.query, &search) {
            if !ranked.duplicates.is_empty() {
                selected.duplicates.insert(ranked.hit.id.clone(), ranked.duplicates);
            }
            selected.hits.push(ranked.hit);
        }
        let others = pushed.hits(self.query, &indexed.index);
        if !others.is_empty() {
            selected.hits.extend(others);
            selected.hits.sort_by(|a, b| b.score.total_cmp(&a.score));
            selected.hits.truncate(limit);
        }
        selected.problems.extend(indexed.problems.iter().cloned());
        if indexed.index.is_damaged() {
            selected.problems.push(Problem::new(
                "index",
                Severity::Warning,
                "the file that the index was opened from is damaged: skills may be missing"
                    .to_owned(),
                "search again: the index is built anew",
            ));
        }
        selected.problems.extend(pushed.problems);
    }

    /// Puts the hits in order again by meaning; where that fails, their order stands and it is said.
    fn rescore(&self, embedder: &dyn Embedder, options: HybridOptions, selected: &mut Selected) {
        let text = |id: &str| {
            let entry = self.catalog.get(id);
            entry.map(|e| format!("{} {}", e.name(), e.description())).unwrap_or_default()
        };
        match options.rescore(self.query, selected.hits.clone(), text, embedder) {
            Ok(hits) => selected.hits = hits,
            Err(error) => selected.problems.push(Problem::new(
                "embedder",
                Severity::Warning,
                error.to_string(),
                "check the model: until then skills are ranked by their words alone",
            )),
        }
    }
}

fn with_bodies<'a>(
    entries: &'a [&CatalogEntry],
    bodies: &'a [Body],
) -> impl Iterator<Item = SkillText<'a>> {
    let bodies = bodies.iter().map(|body| body.as_ref().ok());
    entries.iter().zip(bodies).map(|(entry, body)| text_of(entry, body))
}
