//! Turns the entries of all sources into one view of them that never changes.

use crate::registry::catalog::{CatalogEntry, Held};
use crate::registry::names::normal;
use crate::source::layers::Precedence;
use crate::source::{Problem, Trust};
use metier_core::Severity;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// What a registry knows at one moment: immutable, numbered, safe to hold for as long as one likes.
///
/// Of skills with one name (in NFKC form), one counts:
/// 1. one of a trusted source before one of an untrusted source, so that what a model may not see
///    hides nothing from it,
/// 2. then one of a source that does not [give way](crate::Source::gives_way),
/// 3. then by [`Precedence`]: the one of the first source,
/// 4. and in one source the first by key, which for folders is the path.
///
/// The others have the id `label:name`, or `label:key` where that is not enough, and are listed as
/// shadowed. One whose `SKILL.md` is the same to the byte is noted among the problems instead.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    generation: u64,
    /// The skills that count, by name.
    entries: Vec<CatalogEntry>,
    /// The others, by id.
    others: BTreeMap<Arc<str>, CatalogEntry>,
    shadowed: Vec<Shadowed>,
    problems: Vec<Problem>,
    sources: Vec<Arc<Held>>,
    offered: OnceLock<usize>,
}

/// A skill that does not answer to its name, because another one does.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Shadowed {
    /// The skill, under the id at which it can be had.
    pub entry: CatalogEntry,
    /// The skill that answers to the name.
    pub by: CatalogEntry,
    /// Why that one.
    pub reason: ShadowReason,
}

/// Why one skill counts and another of the same name does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShadowReason {
    /// The source of the other one is trusted, that of this one is not.
    Untrusted,
    /// The source of the other one takes precedence.
    Source,
    /// In the same source, the other one takes precedence by its key.
    Key,
}

impl fmt::Display for Shadowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            ShadowReason::Untrusted => "whose source is trusted",
            ShadowReason::Source => "whose source takes precedence",
            ShadowReason::Key => "which takes precedence in the same source",
        };
        let place = |entry: &CatalogEntry| {
            let digest = entry.digest.as_ref().map(|digest| format!(", {digest}"));
            crate::visible(&format!("{}{}", entry.location(), digest.unwrap_or_default()))
                .into_owned()
        };
        let name = crate::visible(self.entry.name());
        write!(
            f,
            "`{name}` ({}) is shadowed by the one at {}, {reason}",
            place(&self.entry),
            place(&self.by)
        )
    }
}

impl Snapshot {
    pub(crate) fn assemble(
        generation: u64,
        sources: Vec<Arc<Held>>,
        mut candidates: Vec<CatalogEntry>,
        problems: Vec<Problem>,
        precedence: Precedence,
    ) -> Self {
        let mut snapshot = Self { generation, problems, sources, ..Self::default() };
        candidates.sort_by(|a, b| order(a, b, precedence));
        let mut losers: Vec<(usize, CatalogEntry)> = Vec::new();
        for mut entry in candidates {
            match snapshot.entries.last_mut() {
                Some(winner) if winner.normal() == entry.normal() => {
                    winner.preload |= entry.listed.preload;
                    losers.push((snapshot.entries.len() - 1, entry));
                }
                _ => {
                    entry.id = entry.listed.name.clone().into();
                    entry.preload = entry.listed.preload;
                    snapshot.entries.push(entry);
                }
            }
        }
        // A snapshot is kept for long, and grew by doubling.
        snapshot.entries.shrink_to_fit();
        for others in losers.chunk_by(|a, b| a.0 == b.0) {
            let winner = snapshot.entries[others[0].0].clone();
            let others: Vec<_> = others.iter().map(|(_, entry)| entry.clone()).collect();
            snapshot.shadow(&winner, others);
        }
        snapshot.note_case_twins();
        snapshot
    }

    /// Finds ids for the skills that `winner` stands before, and says so.
    fn shadow(&mut self, winner: &CatalogEntry, others: Vec<CatalogEntry>) {
        let number = |entry: &CatalogEntry| entry.held.number;
        let is_alone: Vec<bool> = others
            .iter()
            .map(|entry| {
                number(entry) != number(winner)
                    && others.iter().filter(|other| number(other) == number(entry)).count() == 1
            })
            .collect();
        for (mut entry, is_alone) in others.into_iter().zip(is_alone) {
            entry.id = self.free_id(&entry, is_alone);
            entry.preload = entry.listed.preload;
            self.others.insert(entry.id.clone(), entry.clone());
            let help = format!("ask for it as `{}`, or rename one of them", entry.id);
            let place = winner.location();
            if entry.digest.is_some() && entry.digest == winner.digest {
                let message = format!("this is the same `SKILL.md` as `{place}`, counted once");
                self.problems.push(Problem::new(entry.location(), Severity::Note, message, help));
                continue;
            }
            let reason = match () {
                () if entry.trust() != winner.trust() => ShadowReason::Untrusted,
                () if number(&entry) != number(winner) => ShadowReason::Source,
                () => ShadowReason::Key,
            };
            let message = format!("`{}` is shadowed by `{place}`", entry.name());
            self.problems.push(Problem::new(entry.location(), Severity::Warning, message, help));
            self.shadowed.push(Shadowed { entry, by: winner.clone(), reason });
        }
    }

    /// `label:name` where that means one skill, else `label:key`; a number behind it where some
    /// other skill is called just that.
    fn free_id(&self, entry: &CatalogEntry, is_alone: bool) -> Arc<str> {
        let label = entry.source();
        let is_free = |id: &str| self.counting(id).is_none() && !self.others.contains_key(id);
        let short = format!("{label}:{}", entry.name());
        if is_alone && is_free(&short) {
            return short.into();
        }
        let long = format!("{label}:{}", entry.listed.key);
        let mut id = long.clone();
        let mut number = 1;
        while !is_free(&id) {
            number += 1;
            id = format!("{long}#{number}");
        }
        id.into()
    }

    /// Names that differ in case only are two names here and one to some file systems and people.
    fn note_case_twins(&mut self) {
        let mut twins: BTreeMap<String, Vec<&CatalogEntry>> = BTreeMap::new();
        for entry in &self.entries {
            let name = entry.normal();
            let lower = name.to_lowercase();
            if lower != name {
                twins.entry(lower).or_default().push(entry);
            }
        }
        let mut notes = Vec::new();
        for (lower, mut entries) in twins {
            entries.extend(self.counting(&lower));
            for pair in entries.windows(2) {
                let (one, two) = (pair[0], pair[1]);
                let message = format!(
                    "the names `{}` and `{}` (`{}`) differ in case only",
                    one.name(),
                    two.name(),
                    two.location()
                );
                let help = "rename one of them";
                notes.push(Problem::new(one.location(), Severity::Note, message, help));
            }
        }
        self.problems.extend(notes);
    }

    /// The number of the snapshot; a later one of the same registry has a higher one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many skills count.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no skill.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The skills that count, by name.
    pub fn iter(&self) -> std::slice::Iter<'_, CatalogEntry> {
        self.entries.iter()
    }

    /// The skills that count, by name.
    pub fn entries(&self) -> &[CatalogEntry] {
        &self.entries
    }

    /// The skills that a model may be offered; see [`CatalogEntry::is_offered`].
    pub fn offered(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.iter().filter(|entry| entry.is_offered())
    }

    /// How many skills a model may be offered, counted once.
    pub(crate) fn offered_count(&self) -> usize {
        *self.offered.get_or_init(|| self.offered().count())
    }

    /// The sources of all skills, in their order.
    pub(crate) fn sources(&self) -> &[Arc<Held>] {
        &self.sources
    }

    /// The skill with this id: a name, `label:name` or `label:key`.
    pub fn get(&self, id: &str) -> Option<&CatalogEntry> {
        self.counting(id).or_else(|| self.others.get(id)).or_else(|| self.qualified(id))
    }

    /// The skill that answers to a name.
    pub(crate) fn counting(&self, name: &str) -> Option<&CatalogEntry> {
        let name = normal(name);
        let found = self.entries.binary_search_by(|entry| entry.normal().cmp(&name));
        found.ok().map(|index| &self.entries[index])
    }

    /// A skill that counts, asked for as one of its source.
    fn qualified(&self, id: &str) -> Option<&CatalogEntry> {
        self.sources.iter().find_map(|held| {
            let rest = id.strip_prefix(&held.label)?.strip_prefix(':')?;
            let is_here = |entry: &&CatalogEntry| entry.held.number == held.number;
            let by_key = || self.iter().find(|entry| is_here(entry) && entry.listed.key == rest);
            self.counting(rest).filter(is_here).or_else(by_key)
        })
    }

    /// The skills that appear in a directory or below, by name; all of them for an empty path.
    pub fn list_for_dir<'s>(
        &'s self,
        dir: &'s Path,
        base: &'s Path,
    ) -> impl Iterator<Item = &'s CatalogEntry> {
        self.iter().filter(move |entry| dir.as_os_str().is_empty() || entry.is_in(dir, base))
    }

    /// The skills that should be active from the start, by name.
    pub fn preloaded(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.iter().filter(|entry| entry.preload)
    }

    /// The skills that do not answer to their name.
    pub fn shadowed(&self) -> &[Shadowed] {
        &self.shadowed
    }

    /// What was found on the way: skills that do not load, sources that cannot be read, copies.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every skill, those that do not count too.
    pub(crate) fn all(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.entries.iter().chain(self.others.values())
    }
}

impl<'s> IntoIterator for &'s Snapshot {
    type Item = &'s CatalogEntry;
    type IntoIter = std::slice::Iter<'s, CatalogEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The order of names, and of those with one name: the one that counts first.
pub(crate) fn order(a: &CatalogEntry, b: &CatalogEntry, precedence: Precedence) -> Ordering {
    let is_untrusted = |entry: &CatalogEntry| entry.trust() == Trust::Untrusted;
    let by_name = a.normal().cmp(&b.normal());
    let by_trust = || is_untrusted(a).cmp(&is_untrusted(b));
    let by_place = || match precedence {
        Precedence::First => a.place().cmp(&b.place()),
        Precedence::Last => b.place().cmp(&a.place()),
    };
    let gives_way = |entry: &CatalogEntry| entry.held.source.gives_way();
    let by_origin = || gives_way(a).cmp(&gives_way(b));
    by_name.then_with(by_trust).then_with(by_origin).then_with(by_place)
}
