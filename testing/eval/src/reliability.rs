//! Turns scores and what was right into how often a score is.

use crate::Set;
use metier_core::Matcher;
use std::fmt;

/// How many hits of a query are looked at.
const DEPTH: usize = 5;

/// How many hits have a score, and how many of these are right, for scores in tenths from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reliability {
    /// All hits, and the right ones.
    pub tenths: [(u32, u32); 10],
}

impl Reliability {
    /// Asks a matcher every query of a set.
    pub fn of(matcher: &dyn Matcher, set: &Set) -> Self {
        let mut made = Self::default();
        for query in &set.queries {
            for hit in matcher.search(&query.text, DEPTH) {
                made.add(hit.score, query.right.contains(&*hit.id));
            }
        }
        made
    }

    fn add(&mut self, score: f64, is_right: bool) {
        let tenth = (1..10u8).rev().find(|&tenth| score * 10.0 >= f64::from(tenth)).unwrap_or(0);
        let (all, right) = &mut self.tenths[usize::from(tenth)];
        *all += 1;
        *right += u32::from(is_right);
    }
}

impl fmt::Display for Reliability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("right by tenths:")?;
        for (all, right) in self.tenths {
            let share = 100.0 * f64::from(right) / f64::from(all.max(1));
            write!(f, " {share:.0}% of {all},")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Reliability;

    #[test]
    fn scores_are_counted_in_their_tenth() {
        let mut made = Reliability::default();
        for (score, is_right) in
            [(0.0, false), (0.31, true), (0.39, false), (1.0, true), (7.5, true)]
        {
            made.add(score, is_right);
        }
        assert_eq!(made.tenths[0], (1, 0));
        assert_eq!(made.tenths[3], (2, 1));
        assert_eq!(made.tenths[9], (2, 2));
    }
}
