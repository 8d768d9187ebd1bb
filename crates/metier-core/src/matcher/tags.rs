//! Turns tags into the skills that have one of them: PromptKit's `TagSelector`.

use crate::{Everything, Hit, Matcher, SkillText};

/// Finds the skills that have at least one of the tags, in the order given, with a score of 1. The
/// query does not count.
///
/// Tags are compared to the letter, without white space around them. Without tags nothing is found,
/// and a skill without tags never is.
///
/// ```
/// use metier_core::{Matcher, SkillText, Tags};
///
/// let pdf = SkillText { id: "pdf", tags: vec!["office".into()], ..SkillText::default() };
/// let git = SkillText { id: "git", ..SkillText::default() };
/// let hits = Tags::new([" office ", "web"], [pdf, git]).search("", 5);
/// assert_eq!(hits.iter().map(|hit| &*hit.id).collect::<Vec<_>>(), ["pdf"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tags {
    tagged: Everything,
}

impl Tags {
    /// Picks the skills that have one of the `tags`.
    pub fn new<'a, T: AsRef<str>>(
        tags: impl IntoIterator<Item = T>,
        skills: impl IntoIterator<Item = SkillText<'a>>,
    ) -> Self {
        let tags: Vec<T> = tags.into_iter().collect();
        let wanted: Vec<&str> = tags.iter().map(|tag| tag.as_ref().trim()).collect();
        let is_wanted = |tag: &str| !tag.is_empty() && wanted.contains(&tag);
        let tagged = skills.into_iter().filter(|s| s.tags.iter().any(|tag| is_wanted(tag.trim())));
        Self { tagged: Everything::new(tagged) }
    }
}

impl Matcher for Tags {
    fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.tagged.search(query, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tags: &[&str]) -> Vec<String> {
        let skill = |id, tags: &[&'static str]| SkillText {
            id,
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            ..SkillText::default()
        };
        let skills = [skill("two", &["web", "pdf"]), skill("one", &["pdf"]), skill("no", &[])];
        let hits = Tags::new(tags, skills).search("anything", usize::MAX);
        hits.into_iter().map(|hit| hit.id.to_string()).collect()
    }

    #[test]
    fn one_common_tag_is_enough_and_the_order_stays() {
        assert_eq!(tagged(&["pdf"]), ["two", "one"]);
        assert_eq!(tagged(&["web", " web", "other"]), ["two"]);
    }

    #[test]
    fn no_tag_finds_nothing() {
        for tags in [&[][..], &[""], &["  "], &["PDF"]] {
            assert!(tagged(tags).is_empty(), "{tags:?}");
        }
    }
}
