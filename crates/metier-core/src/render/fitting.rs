//! Turns skills and a budget into the longest text of them that fits: what is shown of whom.

use crate::Prompt;
use crate::render::entry_text::{Change, Parts};
use crate::render::layout::{Layout, Shown, Unlisted};
use crate::render::{Budget, CatalogLine, Render};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A skill on its way into the text.
pub(crate) struct Candidate<'a> {
    line: CatalogLine<'a>,
    change: Option<Change>,
    /// Made when it is first asked for: of most skills of a large catalog never.
    parts: OnceCell<Parts<'a>>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(line: CatalogLine<'a>, change: Option<Change>) -> Self {
        Self { line, change, parts: OnceCell::new() }
    }

    /// What it is called, for sorting.
    pub(crate) fn name(&self) -> &'a str {
        self.line.name
    }
}

/// The work of making a text fit.
pub(crate) struct Fitting<'r, 'a> {
    render: &'r Render,
    layout: Layout<'r>,
    candidates: Vec<Candidate<'a>>,
    /// Places of candidates, the most relevant one first.
    ranked: Vec<usize>,
    /// For each place in `ranked`, where the candidates of the same relevance end.
    tiers: Vec<usize>,
    /// What the names of the first of `ranked` cost: of as many as could ever fit.
    names: Vec<usize>,
    /// What whole descriptions cost, of the first of `ranked` that stand out by anything.
    descriptions: Vec<usize>,
}

/// What is shown of each candidate; `None` of those left out.
type Plan = Vec<Option<Shown>>;

/// So often a text that came out too long is made shorter before it is given up.
const ATTEMPTS: usize = 16;

impl<'r, 'a> Fitting<'r, 'a> {
    pub(crate) fn new(
        render: &'r Render,
        layout: Layout<'r>,
        candidates: Vec<Candidate<'a>>,
    ) -> Self {
        let ranked = (0..candidates.len()).collect();
        let (tiers, names, descriptions) = (Vec::new(), Vec::new(), Vec::new());
        Self { render, layout, candidates, ranked, tiers, names, descriptions }
    }

    /// The text of everything, or as much of it as fits.
    pub(crate) fn prompt(mut self) -> Prompt {
        let everything = vec![Some(Shown::Whole); self.candidates.len()];
        let Budget::Tokens(budget) = self.render.budget else { return self.write(&everything) };
        if self.may_fit_whole(budget) {
            let prompt = self.write(&everything);
            if prompt.tokens <= budget {
                return prompt;
            }
        }
        self.rank(budget);
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
        self.nobody(budget)
    }

    /// A text that lists nobody: it says how to find the skills, where that can be done and fits.
    fn nobody(&self, budget: usize) -> Prompt {
        if self.render.search_tool.is_some() {
            let prompt = self.write(&vec![None; self.candidates.len()]);
            if prompt.tokens <= budget {
                return prompt;
            }
        }
        let omitted = self.candidates.iter().map(|c| c.line.id.to_owned()).collect();
        let tokens = self.render.counter.count("");
        Prompt { tokens, omitted, ..Prompt::default() }
    }

    /// What is to be said of so many skills that are not listed.
    fn unlisted(&self, count: usize) -> Unlisted {
        match count {
            0 => Unlisted::Nobody,
            count if count < self.candidates.len() => Unlisted::Some(count),
            count => Unlisted::All(count),
        }
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

    /// Puts the candidates in the order in which they are to stay, and counts what the first cost.
    fn rank(&mut self, budget: usize) {
        let pins: BTreeMap<&str, usize> =
            self.render.pins.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        // Pinned or not, the score, the uses: the bits of positive numbers are in their order.
        let keys: Vec<(u8, u64, u64)> = self
            .candidates
            .iter()
            .map(|Candidate { line, change, .. }| match pins.get(line.id) {
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
        self.tiers = vec![self.ranked.len(); self.ranked.len()];
        for place in (1..self.ranked.len()).rev() {
            let is_same = keys[self.ranked[place - 1]] == keys[self.ranked[place]];
            self.tiers[place - 1] = if is_same { self.tiers[place] } else { place };
        }
        let mut left = budget;
        for &at in &self.ranked {
            let cost = self.cost(at, Shown::Name);
            let Some(rest) = left.checked_sub(cost) else { break };
            left = rest;
            self.names.push(cost);
        }
        let mut left = budget / 2;
        let notable = self.ranked.iter().take_while(|at| keys[**at] != (0, 0, 0));
        for (&at, name) in notable.zip(&self.names) {
            let cost = self.cost(at, Shown::Whole).saturating_sub(*name);
            self.descriptions.push(cost);
            left = left.saturating_sub(cost);
            if left == 0 {
                break;
            }
        }
    }

    /// A plan whose lines and frame cost no more than `target`; `None` when not even one name fits.
    fn plan(&self, target: usize) -> Option<Plan> {
        let count = self.candidates.len();
        let mut room = target.saturating_sub(self.frame(0));
        let mut named = self.names_within(room);
        if named.len() < count {
            room = target.saturating_sub(self.frame(count - named.len()));
            named = self.names_within(room);
        }
        if named.is_empty() {
            return None;
        }
        let mut plan = vec![None; count];
        for &at in &self.ranked[..named.len()] {
            plan[at] = Some(Shown::Name);
        }
        self.describe(named, room - named.iter().sum::<usize>(), &mut plan);
        Some(plan)
    }

    /// The costs of as many names as fit. Up to half of the room is kept for the descriptions of skills
    /// that stand out, as long as one name fits beside them.
    fn names_within(&self, room: usize) -> &[usize] {
        let kept = self.descriptions.iter().sum::<usize>().min(room / 2);
        let within = |mut left: usize| {
            let fits = |cost: &&usize| {
                let rest = left.checked_sub(**cost);
                left = rest.unwrap_or(left);
                rest.is_some()
            };
            self.names.iter().take_while(fits).count()
        };
        &self.names[..match within(room - kept) {
            0 => within(room).min(1),
            count => count,
        }]
    }

    /// Gives descriptions to the skills that are named, tier by tier, as long as there is room.
    fn describe(&self, named: &[usize], mut left: usize, plan: &mut Plan) {
        let mut start = 0;
        while start < named.len() {
            let end = self.tiers[start].min(named.len());
            let tier = Tier { members: &self.ranked[start..end], names: &named[start..end] };
            let Some(cost) = self.more(&tier, Shown::Whole, left) else {
                return self.describe_evenly(&tier, left, plan);
            };
            left -= cost;
            for &at in tier.members {
                plan[at] = Some(Shown::Whole);
            }
            start = end;
        }
    }

    /// Cuts descriptions at one length, the greatest at which all fit. What is left goes to the first
    /// of them, which get what the next length would give.
    fn describe_evenly(&self, tier: &Tier<'_>, room: usize, plan: &mut Plan) {
        let longest =
            tier.members.iter().map(|at| self.candidates[*at].line.description.len()).max();
        let mut beyond = longest.unwrap_or_default().min(self.render.max_description) + 1;
        let (mut length, mut left) = (0, room);
        while beyond - length > 1 {
            let middle = usize::midpoint(length, beyond);
            match self.more(tier, Shown::Cut(middle), room) {
                Some(cost) => (length, left) = (middle, room - cost),
                None => beyond = middle,
            }
        }
        for &at in tier.members {
            plan[at] = Some(Shown::Cut(length));
        }
        for &at in tier.members {
            let [next, now] = [beyond, length].map(|length| self.cost(at, Shown::Cut(length)));
            let Some(rest) = left.checked_sub(next.saturating_sub(now)) else { break };
            left = rest;
            plan[at] = Some(Shown::Cut(beyond));
        }
    }

    /// What skills cost beyond their names; `None` when that is more than there is room for.
    fn more(&self, tier: &Tier<'_>, shown: Shown, room: usize) -> Option<usize> {
        let mut sum = 0;
        for (at, name) in tier.members.iter().zip(tier.names) {
            sum += self.cost(*at, shown).saturating_sub(*name);
            if sum > room {
                return None;
            }
        }
        Some(sum)
    }

    /// What one skill costs.
    fn cost(&self, at: usize, shown: Shown) -> usize {
        let mut line = String::new();
        self.push(&mut line, at, shown, false);
        self.render.counter.count(&line)
    }

    fn frame(&self, hidden: usize) -> usize {
        let frame = format!("{}{}", self.layout.open(), self.layout.close(self.unlisted(hidden)));
        self.render.counter.count(&frame)
    }

    fn parts(&self, at: usize) -> &Parts<'a> {
        let Candidate { line, parts, .. } = &self.candidates[at];
        parts.get_or_init(|| self.layout.parts(line))
    }

    fn push(&self, out: &mut String, at: usize, shown: Shown, is_first: bool) -> bool {
        self.layout.push(out, self.parts(at), self.candidates[at].change, shown, is_first)
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
            let is_shortened = self.push(&mut prompt.text, at, *shown, is_first);
            is_first = false;
            if self.parts(at).is_stripped {
                prompt.stripped.push(id());
            }
            let list = if is_shortened { &mut prompt.shortened } else { &mut prompt.included };
            list.push(id());
        }
        prompt.text.push_str(&self.layout.close(self.unlisted(prompt.omitted.len())));
        prompt.tokens = self.render.counter.count(&prompt.text);
        prompt
    }
}

/// Skills of equal relevance, and what the name of each costs.
struct Tier<'f> {
    members: &'f [usize],
    names: &'f [usize],
}
