//! Turns scores of queries that fit and of queries that do not into how well a threshold tells them apart.

use crate::Set;
use metier_core::Matcher;
use std::fmt;

/// How well the score of the first hit tells queries that a skill fits from near misses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// The chance that a query with a right skill scores above one without: 0.5 is none, 1 is all.
    pub auc: f64,
    /// The share of near misses whose first hit is a skill that must not be it.
    pub confused: f64,
    /// The median of the first score: where a skill is right, and where it is not.
    pub medians: [f64; 2],
}

impl Separation {
    /// Asks a matcher all queries of sets with answers, and of a set of near misses.
    pub fn of(matcher: &dyn Matcher, answered: &[&Set], misses: &Set) -> Self {
        let first = |text: &str| matcher.search(text, 1).into_iter().next();
        let score = |text: &str| first(text).map_or(0.0, |hit| hit.score);
        let queries = answered.iter().flat_map(|set| &set.queries);
        let mut right: Vec<f64> = queries.map(|query| score(&query.text)).collect();
        let mut wrong: Vec<f64> = misses.queries.iter().map(|query| score(&query.text)).collect();
        let is_confused = |query: &&crate::Query| {
            first(&query.text).is_some_and(|hit| query.wrong.contains(&*hit.id))
        };
        let confused = misses.queries.iter().filter(is_confused).count();
        let above = right.iter().flat_map(|one| wrong.iter().map(move |other| (one, other)));
        let wins: f64 = above
            .map(|(one, other)| match one.total_cmp(other) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
            .sum();
        let pairs = (right.len() * wrong.len()).max(1) as f64;
        Self {
            auc: wins / pairs,
            confused: confused as f64 / misses.queries.len().max(1) as f64,
            medians: [median(&mut right), median(&mut wrong)],
        }
    }
}

fn median(scores: &mut [f64]) -> f64 {
    scores.sort_by(f64::total_cmp);
    scores.get(scores.len() / 2).copied().unwrap_or_default()
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [right, wrong] = self.medians;
        let (auc, confused) = (self.auc, 100.0 * self.confused);
        write!(f, "AUC {auc:.3}, first is wrong {confused:.1}, medians {right:.3} and {wrong:.3}")
    }
}
