//! Turns any query into every skill, and leaves the choice to the model: PromptKit's `ModelDrivenSelector`.

use crate::{Hit, Matcher, SkillText};
use std::sync::Arc;

/// Finds every skill, in the order given, with a score of 1. Right for catalogs that fit the model's
/// context as they are.
///
/// ```
/// use metier_core::{Everything, Matcher, SkillText};
///
/// let skills = ["b", "a"].map(|id| SkillText { id, ..SkillText::default() });
/// let hits = Everything::new(skills).search("", 5);
/// assert_eq!(hits.iter().map(|hit| &*hit.id).collect::<Vec<_>>(), ["b", "a"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Everything {
    ids: Vec<Arc<str>>,
}

impl Everything {
    /// Remembers the skills.
    pub fn new<'a>(skills: impl IntoIterator<Item = SkillText<'a>>) -> Self {
        Self { ids: skills.into_iter().map(|skill| skill.id.into()).collect() }
    }
}

impl Matcher for Everything {
    fn search(&self, _query: &str, limit: usize) -> Vec<Hit> {
        self.ids.iter().take(limit).map(|id| Hit::new(id.clone(), 1.0)).collect()
    }
}
