//! Turns a seed into choices that are the same on every platform and in every release.

/// SplitMix64: small, and good enough to make up text. Whole numbers only, so nothing rounds.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The choices of one item of a seeded series; an item does not depend on those before it.
    pub(crate) fn new(seed: u64, item: usize) -> Self {
        let mut random = Self(seed);
        random.0 = random.next() ^ (item as u64).wrapping_mul(0xd134_2543_de82_ef95);
        random
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but without, `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// A number from `first` to `last`, both included.
    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// True in so many of a thousand cases.
    pub(crate) fn permille(&mut self, share: usize) -> bool {
        self.below(1000) < share
    }

    /// One of some things, all alike.
    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }

    /// One of some things, each as often as its weight says.
    pub(crate) fn weighted<T: Copy>(&mut self, things: &[(T, usize)]) -> T {
        let mut at = self.below(things.iter().map(|(_, weight)| weight).sum());
        for &(thing, weight) in things {
            if at < weight {
                return thing;
            }
            at -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_series_is_the_published_one() {
        // The first outputs of SplitMix64 for the seed 0.
        let mut random = Random(0);
        assert_eq!(random.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.next(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn numbers_stay_in_their_range_and_reach_its_ends() {
        let mut random = Random::new(7, 0);
        let drawn: Vec<_> = (0..1000).map(|_| random.between(3, 6)).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&3), Some(&6)));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn weights_are_kept() {
        let mut random = Random::new(7, 1);
        let rare = (0..10_000).filter(|_| random.weighted(&[("a", 9), ("b", 1)]) == "b").count();
        assert!((900..1100).contains(&rare), "{rare}");
    }
}
