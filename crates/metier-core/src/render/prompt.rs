//! Turns catalog lines into a prompt that fits its budget, and a report of what was shortened or left out.

use crate::render::entry_text::Change;
use crate::render::fitting::{Candidate, Fitting};
use crate::render::layout::{Layout, Shown, Subject};
use crate::render::{Budget, CatalogLine, Render, WhenEmpty};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The text for a system prompt, and what became of every skill: each is in exactly one of
/// [`included`](Self::included), [`shortened`](Self::shortened) and [`omitted`](Self::omitted).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The text; empty when there is nothing to say, or no room to say it.
    pub text: String,
    /// How many tokens the text is, by the counter of the options.
    pub tokens: usize,
    /// Skills that are listed with all that they say, by id, in the order of the text.
    pub included: Vec<String>,
    /// Skills that are listed with a part of their description, or with their name alone.
    pub shortened: Vec<String>,
    /// Skills that are not listed, because there was no room.
    pub omitted: Vec<String>,
    /// Skills whose text held characters that nobody can see; the text is without them.
    pub stripped: Vec<String>,
    /// Ids of the allow-list that no skill has.
    pub unknown: Vec<String>,
}

impl Render {
    /// The text for these skills, in their order unless there is an allow-list.
    pub fn render(&self, lines: &[CatalogLine<'_>]) -> Prompt {
        let (lines, unknown) = self.allowed(lines);
        let layout = Layout::new(self, Subject::Catalog);
        if lines.is_empty() {
            let text = match self.when_empty {
                WhenEmpty::Nothing => String::new(),
                WhenEmpty::AsFormat => layout.empty(),
            };
            let is_too_long =
                matches!(self.budget, Budget::Tokens(budget) if self.counter.count(&text) > budget);
            let text = if is_too_long { String::new() } else { text };
            let tokens = self.counter.count(&text);
            return Prompt { text, tokens, unknown, ..Prompt::default() };
        }
        let candidates = lines.into_iter().map(|line| Candidate::new(line, None)).collect();
        Prompt { unknown, ..Fitting::new(self, layout, candidates).prompt() }
    }

    /// What a model that was given the catalog of `before` must be told to know the one of `after`:
    /// skills that were added or changed, with all that is shown of them, and the names of those that
    /// were removed. Empty when nothing that is shown changed.
    ///
    /// ```
    /// use metier_core::{CatalogFormat, CatalogLine, Render};
    ///
    /// let before = [CatalogLine::new("csv", "Reads tables."), CatalogLine::new("pdf", "Reads.")];
    /// let after = [CatalogLine::new("pdf", "Reads and writes."), CatalogLine::new("png", "Draws.")];
    /// let render = Render { format: CatalogFormat::PromptKit, ..Render::default() };
    /// assert_eq!(render.delta(&before, &after).text, "\
    /// Changes to the available skills:
    /// - removed csv
    /// - changed pdf: Reads and writes.
    /// - added png: Draws.");
    /// assert_eq!(render.delta(&after, &after).text, "");
    /// ```
    pub fn delta(&self, before: &[CatalogLine<'_>], after: &[CatalogLine<'_>]) -> Prompt {
        let (before, _) = self.allowed(before);
        let (after, unknown) = self.allowed(after);
        let layout = Layout::new(self, Subject::Changes);
        let shown = |line: &CatalogLine<'_>| {
            let mut text = String::new();
            layout.push(&mut text, &layout.parts(line), None, Shown::Whole, true);
            text
        };
        let old: BTreeMap<&str, &CatalogLine<'_>> =
            before.iter().map(|line| (line.id, line)).collect();
        let new: BTreeSet<&str> = after.iter().map(|line| line.id).collect();
        let gone = before.iter().filter(|line| !new.contains(line.id));
        let mut candidates: Vec<Candidate<'_>> =
            gone.map(|line| Candidate::new(*line, Some(Change::Removed))).collect();
        for line in &after {
            let change = match old.get(line.id) {
                None => Change::Added,
                Some(old) if shown(old) != shown(line) => Change::Changed,
                Some(_) => continue,
            };
            candidates.push(Candidate::new(*line, Some(change)));
        }
        if candidates.is_empty() {
            return Prompt { unknown, ..Prompt::default() };
        }
        candidates.sort_by(|a, b| a.name().cmp(b.name()));
        Prompt { unknown, ..Fitting::new(self, layout, candidates).prompt() }
    }

    /// The skills that may be shown, in the order of the allow-list, and what that list names in vain.
    fn allowed<'a>(&self, lines: &[CatalogLine<'a>]) -> (Vec<CatalogLine<'a>>, Vec<String>) {
        let Some(allow) = &self.allow else { return (lines.to_vec(), Vec::new()) };
        let by_id: BTreeMap<&str, &CatalogLine<'a>> =
            lines.iter().map(|line| (line.id, line)).collect();
        let mut seen = BTreeSet::new();
        let (mut allowed, mut unknown) = (Vec::new(), Vec::new());
        for id in allow.iter().filter(|id| seen.insert(id.as_str())) {
            match by_id.get(id.as_str()) {
                Some(line) => allowed.push(**line),
                None => unknown.push(id.clone()),
            }
        }
        (allowed, unknown)
    }
}
