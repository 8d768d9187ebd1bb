//! Turns a query and the skills to choose from into hits: what a program brings along to choose with.

use crate::{Hit, SkillText};

/// A way of choosing that is given its skills with each query. Any function of that shape is one;
/// zerodep calls it a `Selector`.
///
/// ```
/// use metier_core::{Hit, Keyword, Matcher, Selector, SkillText};
///
/// let keyword = |query: &str, skills: &[SkillText<'_>], limit: usize| {
///     Keyword::new(skills.iter().cloned()).search(query, limit)
/// };
/// let pdf = SkillText { id: "pdf", name: "pdf", ..SkillText::default() };
/// assert_eq!(Selector::select(&keyword, "pdf", &[pdf], 5), [Hit::new("pdf", 1.0)]);
/// ```
pub trait Selector: Send + Sync {
    /// The skills that fit, the best first, at most `limit`.
    fn select(&self, query: &str, skills: &[SkillText<'_>], limit: usize) -> Vec<Hit>;
}

impl<F> Selector for F
where
    F: Fn(&str, &[SkillText<'_>], usize) -> Vec<Hit> + Send + Sync,
{
    fn select(&self, query: &str, skills: &[SkillText<'_>], limit: usize) -> Vec<Hit> {
        self(query, skills, limit)
    }
}
