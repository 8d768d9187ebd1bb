//! Turns what a search is to give into options, and what it gave into values.

use crate::Hit;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// What a search looks among, and how much of it is wanted.
#[derive(Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "callers fill it in with struct update syntax")]
pub struct SearchOptions<'a> {
    /// At most so many hits.
    pub limit: usize,
    /// Only hits of at least this score, from 0 to 1.
    pub min_score: f64,
    /// Only skills whose id this keeps. What it leaves out takes no place in the list.
    pub keep: Option<&'a (dyn Fn(&str) -> bool + Sync)>,
    /// What becomes of skills that say the same as one above them.
    pub duplicates: Duplicates,
}

impl Default for SearchOptions<'_> {
    fn default() -> Self {
        Self { limit: 10, min_score: 0.0, keep: None, duplicates: Duplicates::Collapse }
    }
}

impl fmt::Debug for SearchOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchOptions")
            .field("limit", &self.limit)
            .field("min_score", &self.min_score)
            .field("keep", &self.keep.map(|_| "fn"))
            .field("duplicates", &self.duplicates)
            .finish()
    }
}

/// What becomes of skills that say the same as one above them, under whatever name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Duplicates {
    /// They are named on the hit above, and leave their places to others.
    #[default]
    Collapse,
    /// They are hits of their own.
    Keep,
}

/// A hit, and the skills that say the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ranked {
    /// The skill, and from 0 to 1 how sure it is that it fits.
    #[serde(flatten)]
    pub hit: Hit,
    /// The skills that say the same, sorted by id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub duplicates: Vec<Arc<str>>,
}
