//! Pseudo-random numbers that are the same on every platform. Element `i` of a stream is a hash of the seed and `i`, so
//! data can be regenerated from a seed alone.

use rlx_ir::math::random::SplitMix64;

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    seed: u64,
    counter: u64,
}

impl Stream {
    /// Creates the stream of this seed.
    pub fn new(seed: u64) -> Self {
        Stream { seed: SplitMix64::mix(seed ^ 0x9e37_79b9_7f4a_7c15), counter: 0 }
    }

    /// Returns an independent stream with the same seed.
    pub fn split(&self, label: u64) -> Stream {
        Stream::new(self.seed ^ SplitMix64::mix(label.wrapping_add(1)))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.counter += 1;
        SplitMix64::mix(self.seed ^ SplitMix64::mix(self.counter))
    }

    /// Returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        SplitMix64::unit_of(self.bits())
    }

    /// Returns a uniform number between `low` and `high`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Returns a uniform integer in `low..=high`.
    pub fn integer(&mut self, low: i64, high: i64) -> i64 {
        let span = (i128::from(high) - i128::from(low) + 1).max(1);
        (i128::from(low) + ((u128::from(self.bits()) * span as u128) >> 64) as i128) as i64
    }

    /// Returns a uniform integer in `0..n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        SplitMix64::below_of(self.bits(), n)
    }

    /// Returns true once in `n` times on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    ///
    /// # Panics
    ///
    /// Panics if there are no items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns a random permutation of `0..n`.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// Returns the 64-bit FNV-1a hash of `bytes`, continued from `state`.
pub fn fnv1a(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The initial state of an FNV-1a hash.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_gives_the_published_values() {
        assert_eq!(fnv1a(FNV_START, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV_START, b"foobar"), 0x85944171f73967e8);
    }

    #[test]
    fn integers_stay_in_range_and_reach_its_ends() {
        let mut s = Stream::new(1);
        let seen: std::collections::BTreeSet<i64> = (0..200).map(|_| s.integer(-2, 3)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
        assert_eq!(s.integer(i64::MIN, i64::MIN), i64::MIN);
    }

    #[test]
    fn a_permutation_holds_each_index_once() {
        let mut order = Stream::new(7).permutation(50);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
