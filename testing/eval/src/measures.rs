//! Turns what a matcher answered into figures from 0 to 1.

use crate::Set;
use metier_core::Matcher;
use std::collections::BTreeSet;
use std::fmt;

/// How far down a list is looked at.
const DEPTH: usize = 50;

/// Means over the queries of a set.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// The share of queries whose first hit is right.
    pub hit1: f64,
    /// The share of the right skills among the first 1, 5, 10 and 50.
    pub recall: [f64; 4],
    /// How high the right skills stand among the first 10, against the best order there could be.
    pub ndcg10: f64,
    /// One over the place of the first right skill.
    pub mrr: f64,
}

impl Measures {
    /// Asks a matcher every query of a set, on two threads: the figures of each, in order.
    pub fn of_each(matcher: &dyn Matcher, set: &Set) -> Vec<Self> {
        let half = set.queries.len() / 2;
        let ask = |queries: &[crate::Query]| -> Vec<Self> {
            let one = |query: &crate::Query| {
                let hits = matcher.search(&query.text, DEPTH);
                let ids: Vec<&str> = hits.iter().map(|hit| &*hit.id).collect();
                Self::one(&ids, &query.right)
            };
            queries.iter().map(one).collect()
        };
        std::thread::scope(|scope| {
            let second = scope.spawn(|| ask(&set.queries[half..]));
            let mut all = ask(&set.queries[..half]);
            all.extend(second.join().unwrap_or_default());
            all
        })
    }

    /// The means of figures.
    pub fn mean(each: &[Self]) -> Self {
        each.iter().fold(Self::default(), |sum, one| sum.plus(*one)).over(each.len())
    }

    /// The means of every `folds`th query, starting at each of the first: how much a figure changes when
    /// other queries are asked.
    pub fn folds(each: &[Self], folds: usize) -> Vec<Self> {
        let fold =
            |first| each.iter().skip(first).step_by(folds.max(1)).copied().collect::<Vec<_>>();
        (0..folds).map(|first| Self::mean(&fold(first))).collect()
    }

    /// The figures of one query, from the ids of its hits.
    pub fn one(ids: &[&str], right: &BTreeSet<String>) -> Self {
        let is_right = |id: &&str| right.contains(*id);
        let found = |depth: usize| ids.iter().take(depth).filter(|id| is_right(id)).count();
        let share = |depth: usize| found(depth) as f64 / right.len().max(1) as f64;
        let gain = |at: usize| 1.0 / (at as f64 + 2.0).log2();
        let gained: f64 = ids
            .iter()
            .take(10)
            .enumerate()
            .filter(|(_, id)| is_right(id))
            .map(|(at, _)| gain(at))
            .sum();
        let best: f64 = (0..right.len().min(10)).map(gain).sum();
        let first = ids.iter().position(is_right);
        Self {
            hit1: found(1) as f64,
            recall: [share(1), share(5), share(10), share(DEPTH)],
            ndcg10: if best > 0.0 { gained / best } else { 0.0 },
            mrr: first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0)),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            hit1: self.hit1 + other.hit1,
            recall: std::array::from_fn(|at| self.recall[at] + other.recall[at]),
            ndcg10: self.ndcg10 + other.ndcg10,
            mrr: self.mrr + other.mrr,
        }
    }

    fn over(self, count: usize) -> Self {
        let count = count.max(1) as f64;
        Self {
            hit1: self.hit1 / count,
            recall: self.recall.map(|sum| sum / count),
            ndcg10: self.ndcg10 / count,
            mrr: self.mrr / count,
        }
    }
}

impl fmt::Display for Measures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| 100.0 * share;
        let [one, five, ten, fifty] = self.recall.map(percent);
        let (hit1, ndcg, mrr) = (percent(self.hit1), percent(self.ndcg10), percent(self.mrr));
        write!(
            f,
            "hit@1 {hit1:5.1}  recall@1 {one:5.1}  @5 {five:5.1}  @10 {ten:5.1}  @50 {fifty:5.1}  "
        )?;
        write!(f, "nDCG@10 {ndcg:5.1}  MRR {mrr:5.1}")
    }
}

#[cfg(test)]
mod tests {
    use super::Measures;
    use std::collections::BTreeSet;

    fn one(ids: &[&str], right: &[&str]) -> Measures {
        Measures::one(ids, &right.iter().map(ToString::to_string).collect::<BTreeSet<_>>())
    }

    #[test]
    fn a_right_first_hit_is_all_there_is_to_reach() {
        let measures = one(&["a", "b"], &["a"]);
        assert_eq!(
            (measures.hit1, measures.recall, measures.ndcg10, measures.mrr),
            (1.0, [1.0; 4], 1.0, 1.0)
        );
    }

    #[test]
    fn places_further_down_count_less() {
        let measures = one(&["x", "a", "y", "b"], &["a", "b"]);
        assert_eq!(
            (measures.hit1, measures.recall, measures.mrr),
            (0.0, [0.0, 1.0, 1.0, 1.0], 0.5)
        );
        let gained = 1.0 / 3f64.log2() + 1.0 / 5f64.log2();
        let best = 1.0 + 1.0 / 3f64.log2();
        assert!((measures.ndcg10 - gained / best).abs() < 1e-12);
    }

    #[test]
    fn folds_share_the_queries_among_them() {
        let each = [one(&["a"], &["a"]), one(&["x"], &["a"]), one(&["a"], &["a"])];
        let hits: Vec<f64> = Measures::folds(&each, 2).iter().map(|fold| fold.hit1).collect();
        assert_eq!(hits, [1.0, 0.0]);
        assert!((Measures::mean(&each).hit1 - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_was_not_found_is_nothing() {
        assert_eq!(one(&["x"], &["a"]), Measures::default());
        assert_eq!(one(&[], &["a"]), Measures::default());
    }
}
