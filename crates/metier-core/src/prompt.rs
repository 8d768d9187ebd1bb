//! Turns catalog lines into a prompt that fits its budget, and a report of what was shortened or left out.

use crate::layout::{Change, Layout, Shown, Subject, Written};
use crate::render::{Budget, CatalogLine, Render, WhenEmpty};
use serde::Serialize;
use std::cmp::Reverse;
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

/// A skill on its way into the text.
struct Candidate<'a> {
    line: CatalogLine<'a>,
    change: Option<Change>,
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
        let candidates = lines.into_iter().map(|line| Candidate { line, change: None }).collect();
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
            layout.push(&mut text, line, None, Shown::Whole, true);
            text
        };
        let old: BTreeMap<&str, &CatalogLine<'_>> =
            before.iter().map(|line| (line.id, line)).collect();
        let new: BTreeSet<&str> = after.iter().map(|line| line.id).collect();
        let gone = before.iter().filter(|line| !new.contains(line.id));
        let mut candidates: Vec<Candidate<'_>> =
            gone.map(|line| Candidate { line: *line, change: Some(Change::Removed) }).collect();
        for line in &after {
            let change = match old.get(line.id) {
                None => Change::Added,
                Some(old) if shown(old) != shown(line) => Change::Changed,
                Some(_) => continue,
            };
            candidates.push(Candidate { line: *line, change: Some(change) });
        }
        if candidates.is_empty() {
            return Prompt { unknown, ..Prompt::default() };
        }
        candidates.sort_by(|a, b| a.line.name.cmp(b.line.name));
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

/// The work of making a text fit.
struct Fitting<'r, 'a> {
    render: &'r Render,
    layout: Layout<'r>,
    candidates: Vec<Candidate<'a>>,
    /// Places of candidates, the most relevant one first.
    ranked: Vec<usize>,
    /// For each place in `ranked`, where the candidates of the same relevance end.
    tiers: Vec<usize>,
    /// How many of `ranked` stand out by anything.
    notable: usize,
}

/// What is shown of each candidate; `None` of those left out.
type Plan = Vec<Option<Shown>>;

/// So often a text that came out too long is made shorter before it is given up.
const ATTEMPTS: usize = 16;

impl<'r, 'a> Fitting<'r, 'a> {
    fn new(render: &'r Render, layout: Layout<'r>, candidates: Vec<Candidate<'a>>) -> Self {
        let mut fitting = Self {
            render,
            layout,
            ranked: (0..candidates.len()).collect(),
            candidates,
            tiers: Vec::new(),
            notable: 0,
        };
        fitting.rank();
        fitting
    }

    fn rank(&mut self) {
        let pins: BTreeMap<&str, usize> =
            self.render.pins.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        // Pinned or not, the score, the uses: the bits of positive numbers are in their order.
        let keys: Vec<(u8, u64, u64)> = self
            .candidates
            .iter()
            .map(|Candidate { line, change }| match pins.get(line.id) {
                _ if *change == Some(Change::Removed) => (2, 0, 0),
                Some(_) => (1, 0, 0),
                None => {
                    let uses = self.render.usage.get(line.id).copied().unwrap_or_default();
                    (0, self.render.relevance.of(line.id).to_bits(), uses)
                }
            })
            .collect();
        let pin = |at: &usize| pins.get(self.candidates[*at].line.id).copied();
        self.ranked.sort_by_key(|at| (Reverse(keys[*at]), pin(at).unwrap_or(usize::MAX)));
        self.notable = self.ranked.iter().take_while(|at| keys[**at] != (0, 0, 0)).count();
        self.tiers = vec![0; self.ranked.len()];
        let mut end = self.ranked.len();
        for place in (0..self.ranked.len()).rev() {
            if place + 1 < self.ranked.len()
                && keys[self.ranked[place]] != keys[self.ranked[place + 1]]
            {
                end = place + 1;
            }
            self.tiers[place] = end;
        }
    }

    fn prompt(&self) -> Prompt {
        let everything = || vec![Some(Shown::Whole); self.candidates.len()];
        let Budget::Tokens(budget) = self.render.budget else { return self.write(&everything()) };
        if self.may_fit_whole(budget) {
            let prompt = self.write(&everything());
            if prompt.tokens <= budget {
                return prompt;
            }
        }
        // What single lines cost does not quite add up to what the text costs.
        let mut target = budget;
        for _ in 0..ATTEMPTS {
            let Some(plan) = self.plan(target) else { break };
            let prompt = self.write(&plan);
            if prompt.tokens <= budget {
                return prompt;
            }
            target = target.saturating_sub((prompt.tokens - budget).max(target / 32 + 1));
        }
        let omitted = self.candidates.iter().map(|c| c.line.id.to_owned()).collect();
        let tokens = self.render.counter.count("");
        Prompt { tokens, omitted, ..Prompt::default() }
    }

    /// Whether it is worth writing and counting everything: no text has this many bytes a token.
    fn may_fit_whole(&self, budget: usize) -> bool {
        const MOST_BYTES: usize = 64;
        let mut left = budget.saturating_add(MOST_BYTES).saturating_mul(MOST_BYTES);
        self.candidates.iter().all(|Candidate { line, .. }| {
            let bytes = line.name.len() + line.description.len().min(self.render.max_description);
            let fits = bytes <= left;
            left = left.saturating_sub(bytes);
            fits
        })
    }

    /// What one skill costs.
    fn cost(&self, at: usize, shown: Shown) -> usize {
        let mut line = String::new();
        self.push(&mut line, at, shown, false);
        self.render.counter.count(&line)
    }

    fn frame(&self, hidden: usize) -> usize {
        let frame = format!("{}{}", self.layout.open(), self.layout.close(hidden));
        self.render.counter.count(&frame)
    }

    /// A plan whose lines and frame cost no more than `target`; `None` when not even one name fits.
    fn plan(&self, target: usize) -> Option<Plan> {
        let count = self.candidates.len();
        let mut room = target.saturating_sub(self.frame(0));
        let mut reserve = self.reserve(room);
        let mut named = self.names_within(room - reserve);
        if named.len() < count {
            room = target.saturating_sub(self.frame(count - named.len()));
            reserve = self.reserve(room);
            named = self.names_within(room - reserve);
        }
        if named.is_empty() {
            return None;
        }
        let mut plan = vec![None; count];
        for &at in &self.ranked[..named.len()] {
            plan[at] = Some(Shown::Name);
        }
        let left = room - named.iter().sum::<usize>();
        self.describe(&named, left, &mut plan);
        Some(plan)
    }

    /// The room that descriptions of skills that stand out may take from names: half, if they need it.
    fn reserve(&self, room: usize) -> usize {
        let mut needed = 0;
        for &at in &self.ranked[..self.notable] {
            needed += self.cost(at, Shown::Whole).saturating_sub(self.cost(at, Shown::Name));
            if needed >= room / 2 {
                return room / 2;
            }
        }
        needed
    }

    /// The costs of as many names as fit, the most relevant first.
    fn names_within(&self, room: usize) -> Vec<usize> {
        let mut left = room;
        let mut named = Vec::new();
        for &at in &self.ranked {
            let cost = self.cost(at, Shown::Name);
            if cost > left {
                break;
            }
            left -= cost;
            named.push(cost);
        }
        named
    }

    /// Gives descriptions to the skills that are named, tier by tier, as long as there is room.
    fn describe(&self, named: &[usize], mut left: usize, plan: &mut Plan) {
        let mut start = 0;
        while start < named.len() {
            let end = self.tiers[start].min(named.len());
            let tier = &self.ranked[start..end];
            let names = named[start..end].iter().sum::<usize>();
            let Some(cost) = self.tier_cost(tier, Shown::Whole, left + names) else {
                return self.describe_evenly(tier, names, left + names, plan);
            };
            left = left + names - cost;
            for &at in tier {
                plan[at] = Some(Shown::Whole);
            }
            start = end;
        }
    }

    /// Cuts descriptions at one length, the greatest at which all fit. What is left goes to the first
    /// of them, which get what the next length would give.
    fn describe_evenly(&self, tier: &[usize], names: usize, room: usize, plan: &mut Plan) {
        let longest = tier.iter().map(|at| self.candidates[*at].line.description.len()).max();
        let mut beyond = longest.unwrap_or_default().min(self.render.max_description) + 1;
        let (mut length, mut cost) = (0, names);
        while beyond - length > 1 {
            let middle = usize::midpoint(length, beyond);
            match self.tier_cost(tier, Shown::Cut(middle), room) {
                Some(fitting) => (length, cost) = (middle, fitting),
                None => beyond = middle,
            }
        }
        let mut left = room - cost;
        for &at in tier {
            let [next, now] = [beyond, length].map(|length| self.cost(at, Shown::Cut(length)));
            let more = next.saturating_sub(now);
            let fits = more <= left;
            left -= if fits { more } else { 0 };
            plan[at] = Some(Shown::Cut(if fits { beyond } else { length }));
        }
    }

    /// What skills cost together; `None` when that is more than there is room for.
    fn tier_cost(&self, tier: &[usize], shown: Shown, room: usize) -> Option<usize> {
        let mut sum = 0;
        tier.iter()
            .all(|at| {
                sum += self.cost(*at, shown);
                sum <= room
            })
            .then_some(sum)
    }

    fn push(&self, out: &mut String, at: usize, shown: Shown, is_first: bool) -> Written {
        let Candidate { line, change } = &self.candidates[at];
        self.layout.push(out, line, *change, shown, is_first)
    }

    fn write(&self, plan: &Plan) -> Prompt {
        let mut prompt = Prompt { text: self.layout.open(), ..Prompt::default() };
        let mut is_first = true;
        for (at, shown) in plan.iter().enumerate() {
            let id = || self.candidates[at].line.id.to_owned();
            let Some(shown) = shown else {
                prompt.omitted.push(id());
                continue;
            };
            let written = self.push(&mut prompt.text, at, *shown, is_first);
            is_first = false;
            if written.is_stripped {
                prompt.stripped.push(id());
            }
            let list =
                if written.is_shortened { &mut prompt.shortened } else { &mut prompt.included };
            list.push(id());
        }
        prompt.text.push_str(&self.layout.close(prompt.omitted.len()));
        prompt.tokens = self.render.counter.count(&prompt.text);
        prompt
    }
}
