//! Turns a query into the skills whose name and description have its words: zerodep's `KeywordSelector`.

use crate::matcher::overlap::Overlap;
use crate::matcher::python_words::python_words;
use crate::{Cutoff, Hit, Matcher, SkillText};
use std::collections::BTreeSet;

/// Scores a skill by the share of the query's distinct words that stand in its name or description.
///
/// 1. Words are runs of letters, numbers and `_`, in lower case; none is left out or shortened.
/// 2. A `-` in a name separates words.
/// 3. Skills without a common word are no hits; equal scores keep the order of the skills.
///
/// The numbers are those of zerodep's `KeywordSelector`.
///
/// ```
/// use metier_core::{Keyword, Matcher, SkillText};
///
/// let pdf = SkillText { id: "pdf", name: "pdf-forms", description: "Fills in.", ..SkillText::default() };
/// let hits = Keyword::new([pdf]).search("fill PDF forms", 5);
/// assert_eq!((&*hits[0].id, hits[0].score), ("pdf", 2.0 / 3.0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Keyword {
    overlap: Overlap,
}

impl Keyword {
    /// Reads the names and descriptions.
    pub fn new<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        let mut overlap = Overlap::default();
        for skill in skills {
            let text = format!("{} {}", skill.name.replace('-', " "), skill.description);
            overlap.add(skill.id, python_words(&text).collect());
        }
        Self { overlap }
    }
}

impl Matcher for Keyword {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let words: BTreeSet<String> = python_words(query).collect();
        self.overlap.search(&words, Cutoff::Above(0.0), limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill<'a>(name: &'a str, description: &'a str) -> SkillText<'a> {
        SkillText { id: name, name, description, ..SkillText::default() }
    }

    fn search(query: &str, limit: usize) -> Vec<(String, f64)> {
        let skills = [
            skill("pdf-tools", "Converts files."),
            skill("csv", "Converts CSV tables."),
            skill("git", "Commits."),
        ];
        let hits = Keyword::new(skills).search(query, limit);
        hits.into_iter().map(|hit| (hit.id.to_string(), hit.score)).collect()
    }

    #[test]
    fn the_share_of_distinct_words_counts() {
        let hit = |id: &str, score| (id.to_owned(), score);
        assert_eq!(search("converts", 5), [hit("pdf-tools", 1.0), hit("csv", 1.0)]);
        assert_eq!(search("csv csv converts now", 5)[0], hit("csv", 2.0 / 3.0));
        assert_eq!(search("tools", 5), [hit("pdf-tools", 1.0)]);
        // The form counts: nothing is stemmed.
        assert_eq!(search("convert", 5), []);
        assert_eq!(search("converts", 1), [hit("pdf-tools", 1.0)]);
    }

    #[test]
    fn a_query_without_words_finds_nothing() {
        for query in ["", "  ", "?!", "\u{301}"] {
            assert_eq!(search(query, 5), [], "{query:?}");
        }
        assert_eq!(search("converts", 0), []);
    }
}
