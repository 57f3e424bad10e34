//! Random numbers and orders that follow from a seed alone, so that an interrupted run continues with the same data.

use rlx_ir::math::random::SplitMix64;

/// The order of examples: each epoch contains all of them once, in a newly shuffled order.
#[derive(Clone, PartialEq, Debug)]
pub struct Order {
    seed: u64,
    examples: usize,
    /// The epoch whose order is in `indices`.
    epoch: Option<u64>,
    indices: Vec<usize>,
}

impl Order {
    /// Creates the order of `examples` examples that follows from a seed.
    pub fn new(seed: u64, examples: usize) -> Self {
        Order { seed, examples, epoch: None, indices: Vec::new() }
    }

    /// Returns the examples of batch `index`, counted from 0. A batch may contain the end of an epoch and the start of the next.
    pub fn batch(&mut self, index: u64, size: usize) -> Vec<usize> {
        if self.examples == 0 {
            return Vec::new();
        }
        let first = index * size as u64;
        (first..first + size as u64).map(|at| self.example(at)).collect()
    }

    fn example(&mut self, at: u64) -> usize {
        let epoch = at / self.examples as u64;
        if self.epoch != Some(epoch) {
            let mut random = SplitMix64::stream(self.seed, epoch);
            self.indices = (0..self.examples).collect();
            for i in (1..self.examples).rev() {
                self.indices.swap(i, random.below(i + 1));
            }
            self.epoch = Some(epoch);
        }
        self.indices[(at % self.examples as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_sees_every_example_once_in_another_order() {
        let mut order = Order::new(7, 10);
        let epochs: Vec<Vec<usize>> =
            (0..2).map(|e| (0..5).flat_map(|b| order.batch(e * 5 + b, 2)).collect()).collect();
        for epoch in &epochs {
            let mut sorted = epoch.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..10).collect::<Vec<_>>());
        }
        assert_ne!(epochs[0], epochs[1]);
        assert_eq!(Order::new(7, 10).batch(6, 2), epochs[1][2..4]);
    }

    #[test]
    fn normal_numbers_have_their_moments() {
        let mut random = SplitMix64::stream(1, 2);
        let numbers: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }
}
