//! Turns a registry into what the page shows, as JSON.

use super::markdown;
use crate::server::Server;
use metier::{
    ActivationOptions, Audience, Budget, CatalogEntry, CatalogFilter, CheckOptions, Estimate,
    LineIndex, Mode, ParseOptions, Prompt, ReadOptions, Registry, Relevance, Render, Report,
    SelectOptions, Snapshot, TokenCounter as _, check_path, parse_with,
};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// How many skills stand on a page of the list unless somebody asks for more.
pub(super) const A_PAGE: usize = 100;

/// The most skills that stand on one, and that a search finds.
const MOST_LISTED: usize = 2_000;

/// How many problems, and how many shadowed skills, are shown.
const MOST_PROBLEMS: usize = 500;

/// How much of a file the page shows.
const MOST_BYTES: usize = 256 * 1024;

/// What a page may ask about.
pub(super) struct View {
    server: Server,
    registry: Registry,
}

/// What was asked for and is not there.
#[derive(Debug, thiserror::Error)]
pub(super) enum Missing {
    #[error("there is no skill `{}`", metier::visible(.0))]
    Skill(String),
    #[error("{0}")]
    Registry(String),
}

impl View {
    pub(super) fn new(server: Server) -> Self {
        let registry = server.store().registry.clone();
        Self { server, registry }
    }

    /// What the server is, and the budget that agents are given.
    pub(super) fn about(&self) -> Json {
        json!({
            "name": self.server.options().name,
            "version": env!("CARGO_PKG_VERSION"),
            "budget": self.server.options().catalog_tokens,
        })
    }

    /// The skills with what becomes of each in the prompt: those that fit the query, or a page of all.
    pub(super) fn catalog(&self, query: &str, budget: Option<usize>, page: Range<usize>) -> Json {
        let catalog = self.registry.catalog();
        let scores = self.scores(query);
        let prompt = render(&catalog, &scores, budget);
        let set = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<String>>();
        let (included, shortened) = (set(&prompt.included), set(&prompt.shortened));
        let fate = |entry: &CatalogEntry| match &*entry.id {
            _ if !entry.is_offered() => "hidden",
            id if included.contains(id) => "included",
            id if shortened.contains(id) => "shortened",
            _ => "omitted",
        };
        let row = |entry: &CatalogEntry, score: Option<f64>| {
            json!({
                "id": entry.id, "name": entry.name(), "description": entry.description(),
                "source": entry.source(), "score": score, "fate": fate(entry),
                "why": why_hidden(entry),
            })
        };
        let skills: Vec<Json> = if query.trim().is_empty() {
            let count = page.len().min(MOST_LISTED);
            catalog.iter().skip(page.start).take(count).map(|entry| row(entry, None)).collect()
        } else {
            let found = scores.iter().filter_map(|(id, score)| Some((catalog.get(id)?, *score)));
            found.map(|(entry, score)| row(entry, Some(score))).collect()
        };
        let hidden = catalog.iter().filter(|entry| !entry.is_offered()).count();
        json!({
            "generation": catalog.generation(),
            "total": catalog.len(),
            "from": page.start,
            "budget": budget,
            "prompt": { "tokens": prompt.tokens },
            "counts": {
                "included": prompt.included.len(), "shortened": prompt.shortened.len(),
                "omitted": prompt.omitted.len(), "hidden": hidden,
            },
            "skills": skills,
        })
    }

    /// The catalog as it stands in a system prompt.
    pub(super) fn prompt(&self, query: &str, budget: Option<usize>) -> Json {
        let prompt = render(&self.registry.catalog(), &self.scores(query), budget);
        json!({ "text": prompt.text, "tokens": prompt.tokens })
    }

    /// Everything about one skill.
    pub(super) fn skill(&self, id: &str) -> Result<Json, Missing> {
        let entry = self.registry.get(id).ok_or_else(|| Missing::Skill(id.to_owned()))?;
        let fault = |error: &metier::RegistryError| Missing::Registry(error.to_string());
        let skill = self.registry.load_blocking(id).map_err(|error| fault(&error))?;
        let options = ActivationOptions::default();
        let activation =
            self.registry.activation_blocking(id, &options).map_err(|error| fault(&error))?;
        let files = self.registry.files_blocking(id).unwrap_or_default();
        let text = self.text(&entry);
        let (report, checked) = check(&entry, &text);
        let head = text.len() - skill.body().len().min(text.len());
        Ok(json!({
            "id": entry.id, "name": entry.name(), "description": skill.description(),
            "source": entry.source(), "location": entry.location(), "digest": skill.digest(),
            "license": skill.manifest().license, "compatibility": skill.manifest().compatibility,
            "tools": activation.tools,
            "notice": self.notice(&entry),
            "frontmatter": text.get(..head).unwrap_or(&text),
            "body": markdown::tree(skill.body()),
            "findings": findings(&report, &checked),
            "resources": {
                "scripts": files.scripts, "references": files.references, "assets": files.assets,
                "other": files.other, "truncated": files.truncated, "nested": files.nested,
            },
            "activation": { "text": activation.text, "tokens": activation.tokens },
            "tokens": {
                "catalog": catalog_tokens(&entry),
                "activation": activation.tokens,
                "body": Estimate.count(skill.body()),
            },
        }))
    }

    /// A file of a skill, as far as the page shows it.
    pub(super) fn file(&self, id: &str, path: &str) -> Result<Json, Missing> {
        let options = ReadOptions { limit: MOST_BYTES, range: Some(0..MOST_BYTES as u64) };
        let file = self.registry.read_blocking(id, path, &options);
        let file = file.map_err(|error| Missing::Registry(error.to_string()))?;
        Ok(json!({ "path": file.path, "bytes": file.size, "text": file.text() }))
    }

    /// What was met on the way, and the skills that do not answer to their name.
    pub(super) fn problems(&self) -> Json {
        let mut problems = self.registry.problems();
        problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
        let is_serious = |problem: &&metier::Problem| problem.severity > metier::Severity::Note;
        let serious = problems.iter().filter(is_serious).count();
        let all = problems.len();
        let problems: Vec<Json> = problems
            .iter()
            .take(MOST_PROBLEMS)
            .map(|problem| {
                json!({
                    "location": problem.location, "severity": problem.severity,
                    "message": problem.message, "help": problem.help,
                })
            })
            .collect();
        let catalog = self.registry.catalog();
        let shadowed = catalog.shadowed();
        let rows: Vec<Json> = shadowed
            .iter()
            .take(MOST_PROBLEMS)
            .map(|shadowed| json!({ "id": shadowed.entry.id, "why": shadowed.to_string() }))
            .collect();
        json!({
            "problems": problems, "shadowed": rows,
            "counts": { "problems": all, "serious": serious, "shadowed": shadowed.len() },
        })
    }

    /// How well skills fit, the best first.
    fn scores(&self, query: &str) -> Vec<(Arc<str>, f64)> {
        if query.trim().is_empty() {
            return Vec::new();
        }
        let filter = CatalogFilter { audience: Audience::Person, ..CatalogFilter::default() };
        let options = SelectOptions { top_k: MOST_LISTED, filter, ..SelectOptions::default() };
        let selected = self.registry.select_blocking(query, &options);
        selected.hits.into_iter().map(|hit| (hit.id, hit.score)).collect()
    }

    /// What a person must know before anything else about a skill.
    fn notice(&self, entry: &CatalogEntry) -> Option<String> {
        if entry.stale {
            let why = "The file does not load any more. This is its last good version.";
            return Some(why.to_owned());
        }
        let catalog = self.registry.catalog();
        let mut shadowed = catalog.shadowed().iter();
        if let Some(shadowed) = shadowed.find(|shadowed| shadowed.entry.id == entry.id) {
            return Some(format!("Another skill answers to this name: {shadowed}."));
        }
        why_hidden(entry).map(|why| format!("Models do not see this skill: {why}."))
    }

    /// The text of the skill's own file, as it is now.
    fn text(&self, entry: &CatalogEntry) -> String {
        let file = entry.listed.file.as_str();
        let read = self.registry.read_blocking(&entry.id, file, &ReadOptions::default());
        read.map(|file| file.text_lossy().into_owned()).unwrap_or_default()
    }
}

/// What the skill adds to the catalog: its lines, without those around them.
fn catalog_tokens(entry: &CatalogEntry) -> usize {
    let prompt = Render::default().render(&[entry.line()]);
    let lines: Vec<&str> = prompt.text.lines().collect();
    let own = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
    Estimate.count(&own.join("\n"))
}

/// The list of skills as clients are given it, in another budget.
fn render(catalog: &Snapshot, scores: &[(Arc<str>, f64)], budget: Option<usize>) -> Prompt {
    let scores: BTreeMap<String, f64> =
        scores.iter().map(|(id, score)| (id.to_string(), *score)).collect();
    let budget = budget.map_or(Budget::Unlimited, Budget::Tokens);
    catalog.render(&Render { relevance: Relevance::Scores(scores), ..Server::render(budget) })
}

/// Every rule, for a skill on this machine; else those that its text alone can be checked with.
fn check(entry: &CatalogEntry, text: &str) -> (Report, String) {
    let parse = ParseOptions { mode: Mode::Strict, ..ParseOptions::default() };
    if let Some(directory) = entry.listed.directory() {
        let path = directory.join(entry.listed.file.as_str());
        let options = CheckOptions { parse: parse.clone(), ..CheckOptions::default() };
        if let Ok(checked) = check_path(&path, &options) {
            return (checked.report, checked.text);
        }
    }
    (parse_with(text, &parse).report, text.to_owned())
}

fn findings(report: &Report, text: &str) -> Vec<Json> {
    let lines = LineIndex::new(text);
    report
        .iter()
        .map(|finding| {
            let own = finding.span.filter(|_| finding.file.is_none());
            let line = own.map(|span| lines.position(text, span.start()).line);
            let message = match &finding.file {
                Some(file) => format!("{file}: {}", finding.message),
                None => finding.message.clone(),
            };
            json!({
                "rule": finding.rule.code(), "severity": finding.severity, "message": message,
                "help": finding.help, "line": line, "fixable": finding.fix.is_some(),
            })
        })
        .collect()
}

/// Why a model is not offered a skill.
fn why_hidden(entry: &CatalogEntry) -> Option<&'static str> {
    if entry.is_offered() {
        return None;
    }
    Some(match entry.trust() {
        metier::Trust::Trusted => "its author keeps it for people: models are not offered it",
        _ => "nobody has trusted its source yet: models are not offered it",
    })
}
