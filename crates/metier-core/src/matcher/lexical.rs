//! Turns a query into the skills that share its words, stop words and accents apart: deuz's `lexicalMatcher`.

use crate::matcher::overlap::Overlap;
use crate::{Cutoff, Hit, Matcher, SkillText};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;

/// The words that say nothing about a skill.
const STOP_WORDS: [&str; 16] = [
    "the", "a", "an", "and", "or", "to", "of", "in", "on", "for", "with", "is", "are", "how", "do",
    "i",
];

/// Scores a skill by the share of the query's distinct words that stand in its name or description.
///
/// 1. Text is folded: lower case, letters without their accents.
/// 2. Words are runs of `a`-`z` and `0`-`9`; sixteen stop words are left out.
/// 3. Scores above 0 are hits, or those that the [`Cutoff`] admits; equal ones keep the order of the
///    skills. A query of stop words has none.
///
/// The numbers are those of deuz's `lexicalMatcher`, whose thresholds are strict
/// ([`Cutoff::Above`]).
///
/// ```
/// use metier_core::{Cutoff, Lexical, Matcher, SkillText};
///
/// let skills = [SkillText { id: "menu", name: "café", description: "Menus.", ..SkillText::default() }];
/// let matcher = Lexical::new(skills);
/// assert_eq!(matcher.search("the Cafe menus", 5)[0].score, 1.0);
/// assert!(matcher.cutoff(Cutoff::Above(1.0)).search("cafe", 5).is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct Lexical {
    overlap: Overlap,
    cutoff: Cutoff,
}

impl Lexical {
    /// Reads the names and descriptions.
    pub fn new<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        let mut overlap = Overlap::default();
        for skill in skills {
            overlap.add(skill.id, words(&format!("{} {}", skill.name, skill.description)));
        }
        Self { overlap, cutoff: Cutoff::Above(0.0) }
    }

    /// Which scores are hits.
    pub fn cutoff(mut self, cutoff: Cutoff) -> Self {
        self.cutoff = cutoff;
        self
    }
}

impl Matcher for Lexical {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.overlap.search(&words(query), self.cutoff, limit)
    }
}

fn words(text: &str) -> BTreeSet<String> {
    let is_accent = |c: &char| ('\u{300}'..='\u{36f}').contains(c);
    let folded: String = text.to_lowercase().nfkd().filter(|c| !is_accent(c)).collect();
    folded
        .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_stop_words_left_out() {
        let list = |text| words(text).into_iter().collect::<Vec<_>>();
        assert_eq!(list("How do I fill the FORM of a café?"), ["cafe", "fill", "form"]);
        assert_eq!(list("x² ﬁne technische Übung 技能"), ["fine", "technische", "ubung", "x2"]);
        assert!(list("to the").is_empty());
    }

    #[test]
    fn the_cutoff_is_strict_and_may_let_everything_in() {
        let skill = |id, description| SkillText { id, description, ..SkillText::default() };
        let matcher =
            Lexical::new([skill("one", "pdf"), skill("two", "pdf form"), skill("no", "")]);
        let hits = |cutoff, query: &str| -> Vec<(String, f64)> {
            let hits = matcher.clone().cutoff(cutoff).search(query, 5);
            hits.into_iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
        };
        let pair = |id: &str, score| (id.to_owned(), score);
        let found = [pair("two", 1.0), pair("one", 0.5)];
        assert_eq!(hits(Cutoff::Above(0.0), "pdf form"), found);
        assert_eq!(hits(Cutoff::Above(0.5), "pdf form"), found[..1]);
        assert_eq!(hits(Cutoff::AtLeast(0.5), "pdf form"), found);
        assert_eq!(hits(Cutoff::Above(1.0), "pdf form"), []);
        assert_eq!(hits(Cutoff::Above(-1.0), "pdf form")[2], pair("no", 0.0));
        assert_eq!(hits(Cutoff::Above(-1.0), "the"), []);
    }
}
