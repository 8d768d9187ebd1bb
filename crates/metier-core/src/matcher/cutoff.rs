//! Turns a score into "good enough" or not.

/// Which scores are good enough to be a hit.
///
/// ```
/// use metier_core::Cutoff;
///
/// assert!(Cutoff::AtLeast(0.5).admits(0.5));
/// assert!(!Cutoff::Above(0.5).admits(0.5));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Cutoff {
    /// This score and better ones: how metier compares, unless it is told otherwise.
    AtLeast(f64),
    /// Better scores than this only.
    Above(f64),
}

impl Cutoff {
    /// Whether a score is good enough. What is no number never is.
    pub fn admits(self, score: f64) -> bool {
        match self {
            Self::AtLeast(least) => score >= least,
            Self::Above(limit) => score > limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_better_than_what_is_no_number() {
        for cutoff in [Cutoff::AtLeast(f64::NAN), Cutoff::Above(f64::NAN)] {
            assert!(!cutoff.admits(1.0));
        }
        assert!(!Cutoff::AtLeast(f64::NEG_INFINITY).admits(f64::NAN));
        assert!(Cutoff::AtLeast(f64::NEG_INFINITY).admits(f64::NEG_INFINITY));
    }
}
