//! Turns points into how sure it is that a skill is meant, from 0 to 1.

/// What each kind of evidence is worth, found by logistic regression over the first five hits of
/// 4 000 queries in four catalogs; `docs/ranking.md` has how well it holds.
const START: f64 = -1.72;
const AMOUNT: f64 = 1.38;
const LEAD: f64 = 4.23;

/// Points seen against those of the other skills of one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// What the rarest word is worth in this catalog: the unit in which points mean the same in all.
    pub(super) unit: f32,
    /// The points of the first skill, and of the second.
    pub(super) first: f32,
    pub(super) second: f32,
}

impl Scale {
    /// How sure it is that the skill with these points is meant. More points, surer.
    ///
    /// Two things count: how much evidence there is, in rare words, and how far ahead of the best
    /// other skill it is, or how far behind.
    pub(super) fn confidence(&self, points: f32) -> f64 {
        if points <= 0.0 || self.first <= 0.0 {
            return 0.0;
        }
        let other = if points >= self.first { self.second } else { self.first };
        let lead = f64::from((points - other) / (self.first + self.unit));
        let amount = f64::from(points / self.unit.max(f32::MIN_POSITIVE)).ln();
        1.0 / (1.0 + (-(START + AMOUNT * amount + LEAD * lead)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn more_is_surer_and_stays_between_nothing_and_certain() {
        let scale = Scale { unit: 9.0, first: 40.0, second: 30.0 };
        let scores: Vec<f64> =
            [0.0, 0.1, 10.0, 29.0, 30.0, 40.0].map(|points| scale.confidence(points)).into();
        assert!(scores.is_sorted_by(|one, other| one < other), "{scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
        let far = Scale { second: 2.0, ..scale };
        assert!(far.confidence(40.0) > scale.confidence(40.0));
        assert!(Scale { unit: 0.0, first: 0.0, second: 0.0 }.confidence(1.0) < f64::EPSILON);
    }
}
