//! How often axes run, as far as the rules know.

use crate::kernel::{Axis, Kernel};
use crate::range::Ranges;

/// How often an axis runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Runs {
    /// Exactly this often.
    Exactly(u32),
    /// At most this often, because the size is a symbol.
    UpTo(u32),
}

impl Runs {
    /// Returns how often an axis runs, if it may run more than once.
    pub fn of(kernel: &Kernel, axis: &Axis) -> Option<Runs> {
        let runs = match axis.extent.as_static() {
            Some(extent) => Runs::Exactly(u32::try_from(extent).ok()?),
            None => Runs::UpTo(u32::try_from(Ranges::of_facts(&kernel.facts).most(&axis.extent)?).ok()?),
        };
        Some(runs).filter(|runs| runs.most() > 1)
    }

    /// Returns the maximum number of iterations.
    pub fn most(self) -> u32 {
        let (Runs::Exactly(most) | Runs::UpTo(most)) = self;
        most
    }

    /// Returns the length of parts whose best length is `by`. It is smaller if there may be no full part, so that the
    /// parts of the remainder are smaller again, and have length 1 in the end.
    pub fn part(self, by: u32) -> u32 {
        match self {
            Runs::UpTo(most) if most < 2 * by => self.smaller(),
            _ => by,
        }
    }

    /// Does the same in powers of two, like vectors.
    pub fn lanes(self, by: u32) -> u32 {
        match self {
            Runs::UpTo(most) if most < 2 * by => {
                let quarter = most.div_ceil(4).max(1);
                if quarter.is_power_of_two() { quarter } else { quarter.next_power_of_two() / 2 }
            }
            _ => by,
        }
    }

    fn smaller(self) -> u32 {
        if self.most() < 4 { 1 } else { (self.most() + 1).isqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn what_is_left_over_ends_in_single_ones() {
        let parts = |part: fn(Runs, u32) -> u32, most: u32, by: u32| {
            let (mut most, mut parts) = (most, Vec::new());
            while most > 0 {
                parts.push(part(Runs::UpTo(most), by));
                most = parts[parts.len() - 1] - 1;
            }
            parts
        };
        assert_eq!(parts(Runs::part, 512, 10), [10, 3, 1]);
        assert_eq!(parts(Runs::lanes, 512, 32), [32, 8, 2, 1]);
        assert_eq!(parts(Runs::part, 2, 10), [1]);
        assert_eq!(Runs::Exactly(3).part(10), 10);
    }
}
