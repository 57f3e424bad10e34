//! Sums of many parts whose rounding errors do not grow with the number of parts. The error of each addition is
//! found and summed separately.

use crate::simd::Vector;

/// `total + x` rounded, and the error of that rounding (Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2, theorem B).
#[inline(always)]
pub fn two_sum<V: Vector>(total: V, x: V) -> (V, V) {
    let sum = total + x;
    let taken = sum - total;
    (sum, (total - (sum - taken)) + (x - taken))
}

/// `sum + low`, where `low` is the sum of the errors of `sum`; `sum` itself where it is infinite or NaN, and so has no known error.
#[inline(always)]
pub fn corrected<V: Vector>(sum: V, low: V) -> V {
    V::select(low.is_nan(), sum, sum + low)
}

/// `N` vectors of sums of parts.
#[derive(Clone, Copy)]
pub struct Total<V, const N: usize> {
    sum: [V; N],
    low: [V; N],
}

impl<V: Vector, const N: usize> Total<V, N> {
    /// Sums of no parts.
    #[inline(always)]
    pub fn new(token: V::Token) -> Self {
        let zero = [V::splat(token, Default::default()); N];
        Total { sum: zero, low: zero }
    }

    /// Adds a part to each.
    #[inline(always)]
    pub fn add(&mut self, part: [V; N]) {
        for ((sum, low), x) in self.sum.iter_mut().zip(&mut self.low).zip(part) {
            let (next, error) = two_sum(*sum, x);
            *sum = next;
            *low = *low + error;
        }
    }

    /// The sums.
    #[inline(always)]
    pub fn get(self) -> [V; N] {
        let mut sums = self.sum;
        sums.iter_mut().zip(self.low).for_each(|(sum, low)| *sum = corrected(*sum, low));
        sums
    }
}
