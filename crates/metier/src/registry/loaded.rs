//! Turns the skills that were loaded into what is remembered of them: digests, and the last good version.

use crate::registry::catalog::CatalogEntry;
use crate::registry::snapshot::Snapshot;
use crate::source::Problem;
use metier_core::Skill;
use std::collections::{BTreeMap, BTreeSet};

/// How many skills are remembered whole. Digests are remembered for all.
const MOST_WHOLE: usize = 256;

/// A source and a key: ids move when other skills come and go, this does not.
pub(crate) type Place = (usize, String);

/// What is remembered of loaded skills.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    known: BTreeMap<Place, Known>,
    /// The skills that are remembered whole, the one that was loaded longest ago first.
    whole: BTreeMap<u64, Place>,
    begun: u64,
}

#[derive(Debug)]
struct Known {
    /// Of the version that was loaded last.
    digest: String,
    /// Of the version that the last reload told of, where that is another one.
    told: Option<String>,
    /// In a box, like the problem, because most skills have neither.
    skill: Option<Box<Skill>>,
    /// The number of the load.
    at: u64,
    problem: Option<Box<Problem>>,
}

impl Loaded {
    /// The number of a load that begins now. One that began earlier knows less, however late it
    /// comes back.
    pub(crate) fn begin(&mut self) -> u64 {
        self.begun += 1;
        self.begun
    }

    /// Remembers a good version.
    pub(crate) fn keep(&mut self, entry: &CatalogEntry, skill: &Skill, at: u64) {
        let place = place_of(entry);
        if self.known.get(&place).is_some_and(|known| known.at > at) {
            return;
        }
        let digest = skill.digest();
        let before = self.known.remove(&place);
        if let Some(before) = &before {
            self.whole.remove(&before.at);
        }
        let told = before.map(|before| before.told.unwrap_or(before.digest));
        let told = told.filter(|told| *told != digest);
        let skill = Some(Box::new(skill.clone()));
        let known = Known { digest, told, skill, at, problem: None };
        self.known.insert(place.clone(), known);
        self.whole.insert(at, place);
        if self.whole.len() > MOST_WHOLE
            && let Some((_, oldest)) = self.whole.pop_first()
            && let Some(known) = self.known.get_mut(&oldest)
        {
            known.skill = None;
        }
    }

    /// The last good version of a skill that no longer loads; why it does not is reported from now
    /// on, unless a load that began later found it good.
    pub(crate) fn fall_back(
        &mut self,
        entry: &CatalogEntry,
        problem: &Problem,
        at: u64,
    ) -> Option<Skill> {
        let known = self.known.get_mut(&place_of(entry))?;
        let skill = known.skill.clone()?;
        if known.at < at {
            known.problem = Some(Box::new(problem.clone()));
        }
        Some(*skill)
    }

    /// The digest of the version that was loaded last.
    pub(crate) fn digest(&self, entry: &CatalogEntry) -> Option<&str> {
        self.known.get(&place_of(entry)).map(|known| &*known.digest)
    }

    /// What loading found since the last good version of each skill.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.known.values().filter_map(|known| known.problem.as_deref())
    }

    /// Whether the skill was loaded and is not the one of the last reload. Asked once a reload.
    pub(crate) fn tell_edited(&mut self, entry: &CatalogEntry) -> bool {
        let Some(known) = self.known.get_mut(&place_of(entry)) else { return false };
        known.told.take().is_some()
    }

    /// Forgets the skills that the catalog no longer holds.
    pub(crate) fn retain(&mut self, catalog: &Snapshot) {
        if self.known.is_empty() {
            return;
        }
        let held: BTreeSet<(usize, &str)> = catalog.all().map(CatalogEntry::place).collect();
        let is_held = |place: &Place| held.contains(&(place.0, &*place.1));
        self.known.retain(|place, _| is_held(place));
        self.whole.retain(|_, place| is_held(place));
    }
}

pub(crate) fn place_of(entry: &CatalogEntry) -> Place {
    let (number, key) = entry.place();
    (number, key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::catalog::Held;
    use crate::{Blocking, Listed, Memory};
    use std::sync::Arc;

    fn entry_and_skill(name: &str, body: &str) -> (CatalogEntry, Skill) {
        let text = format!("---\nname: {name}\ndescription: Use it.\n---\n{body}");
        let source = Arc::new(Blocking(Memory::new("m")));
        let held = Arc::new(Held { number: 0, label: "m".to_owned(), source });
        let (listed, _) =
            Listed::parse(name, text.as_bytes(), &metier_core::ParseOptions::default());
        (CatalogEntry::new(&held, listed.unwrap()), metier_core::parse(&text).skill.unwrap())
    }

    #[test]
    fn whole_skills_are_few_and_digests_stay() {
        let mut loaded = Loaded::default();
        let problem = Problem::new("x", metier_core::Severity::Error, "broken", "mend it");
        let skills: Vec<_> =
            (0..=MOST_WHOLE).map(|n| entry_and_skill(&format!("s{n}"), "")).collect();
        for (entry, skill) in &skills {
            let at = loaded.begin();
            loaded.keep(entry, skill, at);
        }
        assert!(skills.iter().all(|(entry, skill)| loaded.digest(entry) == Some(&skill.digest())));
        let kept: Vec<_> =
            skills.iter().map(|(e, _)| loaded.fall_back(e, &problem, u64::MAX).is_some()).collect();
        assert!(!kept[0]);
        assert!(kept[1..].iter().all(|kept| *kept));
        loaded.retain(&Snapshot::default());
        assert_eq!((loaded.known.len(), loaded.whole.len()), (0, 0));
    }

    #[test]
    fn an_edit_is_told_once() {
        let mut loaded = Loaded::default();
        let (entry, skill) = entry_and_skill("pdf", "one");
        let (_, edited) = entry_and_skill("pdf", "two");
        assert!(!loaded.tell_edited(&entry));
        for (skill, expected) in [(&skill, false), (&edited, true), (&edited, false)] {
            let at = loaded.begin();
            loaded.keep(&entry, skill, at);
            assert_eq!(loaded.tell_edited(&entry), expected);
        }
    }

    /// A slow reader brought back a problem that was mended, and an old version over a new one.
    #[test]
    fn a_load_that_began_earlier_changes_nothing() {
        let mut loaded = Loaded::default();
        let problem = Problem::new("x", metier_core::Severity::Error, "broken", "mend it");
        let (entry, skill) = entry_and_skill("pdf", "one");
        let (_, edited) = entry_and_skill("pdf", "two");
        let (slow, quick) = (loaded.begin(), loaded.begin());
        loaded.keep(&entry, &edited, quick);
        loaded.keep(&entry, &skill, slow);
        assert_eq!(loaded.digest(&entry), Some(&*edited.digest()));
        assert!(loaded.fall_back(&entry, &problem, slow).is_some());
        assert_eq!(loaded.problems().count(), 0);
        let later = loaded.begin();
        assert!(loaded.fall_back(&entry, &problem, later).is_some());
        assert_eq!(loaded.problems().count(), 1);
    }
}
