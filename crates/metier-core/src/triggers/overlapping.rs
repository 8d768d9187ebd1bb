//! Turns descriptions into the pairs of them that say nearly the same.

use crate::{SkillText, terms};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Two skills whose descriptions a query can hardly tell apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OverlappingPair {
    /// The one.
    pub one: String,
    /// The other.
    pub other: String,
    /// How many of the words of both stand in both, from 0 to 1.
    pub share: f64,
    /// The words in both, sorted and stemmed.
    pub words: Vec<String>,
}

/// The pairs with a skill of `of` in them whose names and descriptions share at least `least` of
/// their words, the most alike first. Words are those of [`terms`].
///
/// ```
/// use metier_core::{SkillText, overlapping_pairs};
///
/// let skill = |id, description| SkillText { id, description, ..SkillText::default() };
/// let skills = [skill("a", "Fills PDF forms."), skill("b", "Filling a PDF form."), skill("c", "Cooks.")];
/// let pairs = overlapping_pairs(&skills, |id| id == "a", 0.5);
/// assert_eq!((pairs[0].other.as_str(), pairs[0].share), ("b", 1.0));
/// assert_eq!(pairs.len(), 1);
/// ```
pub fn overlapping_pairs(
    skills: &[SkillText<'_>],
    of: impl Fn(&str) -> bool,
    least: f64,
) -> Vec<OverlappingPair> {
    let words: Vec<BTreeSet<String>> = skills
        .iter()
        .map(|skill| terms(&format!("{} {}", skill.name, skill.description)).into_iter().collect())
        .collect();
    let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, words) in words.iter().enumerate() {
        for word in words {
            having.entry(word).or_default().push(number);
        }
    }
    let mut pairs = Vec::new();
    for (one, skill) in skills.iter().enumerate().filter(|(_, skill)| of(skill.id)) {
        let mut common = vec![0usize; skills.len()];
        for word in &words[one] {
            having[word.as_str()].iter().for_each(|&other| common[other] += 1);
        }
        for (other, &count) in common.iter().enumerate() {
            // A pair of two that are looked at is told once.
            if other == one || (other < one && of(skills[other].id)) {
                continue;
            }
            let all = words[one].len() + words[other].len() - count;
            let share = f64::from(count as u32) / f64::from(all.max(1) as u32);
            if count > 0 && share >= least {
                pairs.push(OverlappingPair {
                    one: skill.id.to_owned(),
                    other: skills[other].id.to_owned(),
                    share,
                    words: words[one].intersection(&words[other]).cloned().collect(),
                });
            }
        }
    }
    pairs.sort_by(|a, b| {
        b.share.total_cmp(&a.share).then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other)))
    });
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(of: &str, least: f64) -> Vec<String> {
        let skill =
            |id, description| SkillText { id, name: id, description, ..SkillText::default() };
        let skills = [
            skill("one", "Reads and writes tables."),
            skill("two", "Writes and reads a table."),
            skill("three", "Reads a table aloud."),
            skill("four", ""),
        ];
        let found = overlapping_pairs(&skills, |id| of.is_empty() || of == id, least);
        found
            .iter()
            .map(|p| format!("{}-{} {:.2} {}", p.one, p.other, p.share, p.words.join(",")))
            .collect()
    }

    #[test]
    fn each_pair_is_told_once_and_the_most_alike_first() {
        assert_eq!(
            pairs("", 0.3),
            [
                "one-two 0.60 read,tabl,write",
                "one-three 0.33 read,tabl",
                "two-three 0.33 read,tabl"
            ]
        );
        assert_eq!(pairs("", 0.5).len(), 1);
        assert_eq!(pairs("two", 0.5), ["two-one 0.60 read,tabl,write"]);
        assert!(pairs("four", 0.0).is_empty());
    }
}
