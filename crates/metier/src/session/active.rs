//! Turns activations and deactivations into the table of active skills, their tools and their last use.

use metier_core::AllowedTools;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who asked for a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Invoker {
    /// The model, by a tool call.
    Model,
    /// A person, by name.
    User,
    /// The host itself, from the start.
    Host,
}

/// Whether the conversation still holds the text of an active skill, as far as anybody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Presence {
    /// Nobody looked since it was given.
    #[default]
    Given,
    /// It was there.
    Held,
    /// It was not.
    Lost,
}

/// What a conversation was given of a skill: the whole text, or by the tools of some systems the
/// instructions alone.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) whole: Arc<str>,
    pub(crate) instructions: Arc<str>,
}

/// A skill that is active.
#[derive(Debug, Clone)]
pub(crate) struct Active {
    /// The digest of the text that was given.
    pub(crate) digest: String,
    /// The tools it brings, under the ceiling: sorted, each once.
    pub(crate) tools: Vec<String>,
    pub(crate) by: Invoker,
    /// Where it appears for filters by path.
    pub(crate) path: String,
    /// What the instructions' places were filled with.
    pub(crate) arguments: Option<String>,
    /// What the conversation was given; `None` when that was before a restart.
    pub(crate) given: Option<Given>,
    pub(crate) presence: Presence,
    pub(crate) has_scripts: bool,
}

/// A skill in the table: when it became active, and when it was used last.
#[derive(Debug, Clone)]
struct Row {
    skill: Active,
    since: u64,
    used: u64,
}

/// The skills that are active, by id.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<Arc<str>, Row>,
    /// How many active skills bring each tool.
    tools: BTreeMap<String, usize>,
    /// The skills by their last use, the one longest ago first.
    uses: BTreeMap<u64, Arc<str>>,
    ticks: u64,
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Active> {
        self.rows.get(id).map(|row| &row.skill)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Active> {
        self.rows.get_mut(id).map(|row| &mut row.skill)
    }

    /// The ids, sorted.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.rows.keys().map(ToString::to_string).collect()
    }

    /// The skills, by id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Active)> {
        self.rows.iter().map(|(id, row)| (id, &row.skill))
    }

    /// The skills in the order in which they became active, with the numbers that order them.
    pub(crate) fn in_order(&self) -> Vec<(&Arc<str>, &Active, u64, u64)> {
        let mut rows: Vec<_> =
            self.rows.iter().map(|(id, row)| (id, &row.skill, row.since, row.used)).collect();
        rows.sort_by_key(|(_, _, since, _)| *since);
        rows
    }

    /// The tools that active skills bring: sorted, each once.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }

    /// Puts a skill in, or a new version in the place of the old one. The answer is what became
    /// available with it.
    pub(crate) fn put(&mut self, id: &Arc<str>, skill: Active) -> Vec<String> {
        let before = self.rows.get(id).map(|row| (row.since, row.skill.tools.clone()));
        let gained: Vec<String> =
            skill.tools.iter().filter(|tool| !self.tools.contains_key(*tool)).cloned().collect();
        // The new tools are counted before the old ones are let go, so that none comes and goes.
        self.hold(&skill.tools);
        if let Some((_, tools)) = &before {
            self.release(tools);
        }
        let since = before.map_or(self.ticks + 1, |(since, _)| since);
        if let Some(row) = self.rows.get(id) {
            self.uses.remove(&row.used);
        }
        self.ticks += 1;
        self.uses.insert(self.ticks, id.clone());
        self.rows.insert(id.clone(), Row { skill, since, used: self.ticks });
        gained
    }

    /// Puts a skill back as it was, with the numbers of [`in_order`](Self::in_order).
    pub(crate) fn restore(&mut self, id: &Arc<str>, skill: Active, since: u64, used: u64) {
        // Two that claim one moment are told apart: the table never loses a skill.
        let used = if self.uses.contains_key(&used) { self.ticks + 1 } else { used };
        self.hold(&skill.tools);
        self.uses.insert(used, id.clone());
        self.ticks = self.ticks.max(used).max(since);
        self.rows.insert(id.clone(), Row { skill, since, used });
    }

    /// Takes a skill out. The answer is the tools that went with it: those that no other active
    /// skill brings, sorted.
    pub(crate) fn take(&mut self, id: &str) -> Option<Vec<String>> {
        let row = self.rows.remove(id)?;
        self.uses.remove(&row.used);
        Some(self.release(&row.skill.tools))
    }

    /// Marks a skill as used just now.
    pub(crate) fn touch(&mut self, id: &str) {
        if let Some((id, row)) = self.rows.get_key_value(id).map(|(id, row)| (id.clone(), row.used))
        {
            self.uses.remove(&row);
            self.ticks += 1;
            self.uses.insert(self.ticks, id.clone());
            if let Some(entry) = self.rows.get_mut(&id) {
                entry.used = self.ticks;
            }
        }
    }

    /// The skill that was not used for the longest time.
    pub(crate) fn oldest(&self) -> Option<Arc<str>> {
        self.uses.first_key_value().map(|(_, id)| id.clone())
    }

    /// Takes out the skills for which `stays` says no; their ids, sorted.
    pub(crate) fn retain(&mut self, stays: impl Fn(&str, &Active) -> bool) -> Vec<String> {
        let leaving = self.iter().filter(|(id, skill)| !stays(id, skill));
        let leaving: Vec<Arc<str>> = leaving.map(|(id, _)| id.clone()).collect();
        for id in &leaving {
            self.take(id);
        }
        leaving.iter().map(ToString::to_string).collect()
    }

    fn hold(&mut self, tools: &[String]) {
        for tool in tools {
            *self.tools.entry(tool.clone()).or_default() += 1;
        }
    }

    fn release(&mut self, tools: &[String]) -> Vec<String> {
        let mut gone = Vec::new();
        for tool in tools {
            if let Some(holders) = self.tools.get_mut(tool) {
                *holders -= 1;
                if *holders == 0 {
                    self.tools.remove(tool);
                    gone.push(tool.clone());
                }
            }
        }
        gone
    }
}

/// The patterns that two lists of tools both allow: of two that overlap, the narrower one.
pub(crate) fn common(ours: &[String], theirs: &[String]) -> Vec<String> {
    let list = |tools: &[String]| AllowedTools::from(tools.to_vec());
    let mut both = list(ours).grant(theirs.iter().map(String::as_str));
    both.extend(list(theirs).grant(ours.iter().map(String::as_str)));
    both.sort();
    both.dedup();
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(tools: &[&str]) -> Active {
        Active {
            digest: String::new(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            by: Invoker::Model,
            path: String::new(),
            arguments: None,
            given: None,
            presence: Presence::Given,
            has_scripts: false,
        }
    }

    #[test]
    fn tools_stay_as_long_as_someone_needs_them() {
        let mut table = Table::default();
        assert_eq!(table.put(&"a".into(), skill(&["Bash", "Read"])), ["Bash", "Read"]);
        assert_eq!(table.put(&"b".into(), skill(&["Read", "Write"])), ["Write"]);
        assert_eq!(table.tools(), ["Bash", "Read", "Write"]);
        assert_eq!(table.take("a").unwrap(), ["Bash"]);
        assert_eq!(table.take("b").unwrap(), ["Read", "Write"]);
        assert_eq!(table.take("b"), None);
        assert!(table.tools().is_empty());
    }

    #[test]
    fn a_new_version_brings_its_own_tools_and_keeps_its_place() {
        let mut table = Table::default();
        table.put(&"a".into(), skill(&["Bash", "Read"]));
        table.put(&"b".into(), skill(&[]));
        assert_eq!(table.put(&"a".into(), skill(&["Read", "Write"])), ["Write"]);
        assert_eq!(table.tools(), ["Read", "Write"]);
        let order: Vec<_> = table.in_order().iter().map(|row| row.0.to_string()).collect();
        assert_eq!(order, ["a", "b"]);
        assert_eq!(table.oldest().as_deref(), Some("b"));
    }

    #[test]
    fn the_oldest_is_the_one_that_nobody_used() {
        let mut table = Table::default();
        for id in ["a", "b", "c"] {
            table.put(&id.into(), skill(&[]));
        }
        table.touch("a");
        table.touch("absent");
        assert_eq!(table.oldest().as_deref(), Some("b"));
        assert_eq!(table.retain(|id, _| id == "a"), ["b", "c"]);
        assert_eq!((table.len(), table.oldest().as_deref()), (1, Some("a")));
    }

    #[test]
    fn two_that_claim_one_moment_both_come_back() {
        let mut table = Table::default();
        table.restore(&"a".into(), skill(&[]), 1, 1);
        table.restore(&"b".into(), skill(&[]), 1, 1);
        assert_eq!(table.take("a"), Some(Vec::new()));
        assert_eq!(table.oldest().as_deref(), Some("b"));
    }

    #[test]
    fn of_two_patterns_the_narrower_one_counts() {
        let list = |tools: &[&str]| tools.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let parent = list(&["Bash(git:*)", "Read", "mcp__a"]);
        assert_eq!(common(&list(&["Bash", "Write"]), &parent), ["Bash(git:*)"]);
        assert_eq!(common(&list(&["mcp__*", "Read(x)"]), &parent), ["Read(x)", "mcp__a"]);
    }
}
