//! Turns what is wanted into what will be fetched and where it will go, before anything is.

use super::reference::Reference;
use metier_core::{ResourcePath, SkillName};
use std::fmt;

/// Which skills of a place are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// The one that is there.
    Only,
    /// The one of this name.
    Named(SkillName),
    /// All of them.
    All,
}

/// What will be fetched, and where it will go. Nothing has happened yet.
///
/// ```
/// use metier::install::{Plan, PlannedFetch, Selection};
///
/// let mut plan = Plan::default();
/// plan.fetches.push(PlannedFetch::new("acme/skills#v1@pdf".parse().unwrap()));
/// assert_eq!(plan.to_string(), "fetch `pdf` of acme/skills#v1@pdf into .agents/skills\n");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "callers put in what they want")]
pub struct Plan {
    /// One place after the other.
    pub fetches: Vec<PlannedFetch>,
}

/// One place to fetch from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedFetch {
    /// The place.
    pub reference: Reference,
    /// Which of its skills.
    pub select: Selection,
    /// The folder that the skill's folder will stand in, from the root; the usual one without.
    pub into: Option<ResourcePath>,
    /// Agents whose folders will show it too.
    pub links: Vec<String>,
}

impl PlannedFetch {
    /// The skill that the reference names, or the only one there is.
    pub fn new(reference: Reference) -> Self {
        let select = match reference.skill() {
            Some(name) => Selection::Named(name.clone()),
            None => Selection::Only,
        };
        Self { reference, select, into: None, links: Vec::new() }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fetches.iter().try_for_each(|fetch| writeln!(f, "{fetch}"))
    }
}

impl fmt::Display for PlannedFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let into = self.into.as_ref().map_or(super::location::USUAL, ResourcePath::as_str);
        match &self.select {
            Selection::Only => write!(f, "fetch {} into {into}", self.reference),
            Selection::All => write!(f, "fetch all of {} into {into}", self.reference),
            Selection::Named(name) => {
                write!(f, "fetch `{}` of {} into {into}", name.as_str(), self.reference)
            }
        }
    }
}
