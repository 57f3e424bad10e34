//! Sums of many parts whose rounding errors do not grow with the number of parts. The error of each addition is
//! found and summed separately.

use std::ops::{Add, Sub};

use crate::simd::Vector;

/// What sums of parts are made of: a number, or a vector of numbers.
pub trait Summand: Copy {
    /// `self + x` rounded, and the error of that rounding (Knuth, *The Art of Computer Programming*, volume 2, section 4.2.2, theorem B).
    fn two_sum(self, x: Self) -> (Self, Self);

    /// `self + low`, where `low` is the sum of the errors of `self`; `self` itself where it is infinite or NaN, and so has no known error.
    fn corrected(self, low: Self) -> Self;
}

/// The sum of two floats, or of each lane of two vectors, and its error.
#[inline(always)]
fn float_sum<T: Copy + Add<Output = T> + Sub<Output = T>>(total: T, x: T) -> (T, T) {
    let sum = total + x;
    let taken = sum - total;
    (sum, (total - (sum - taken)) + (x - taken))
}

impl<V: Vector> Summand for V {
    #[inline(always)]
    fn two_sum(self, x: V) -> (V, V) {
        float_sum(self, x)
    }

    #[inline(always)]
    fn corrected(self, low: V) -> V {
        V::select(low.is_nan(), self, self + low)
    }
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        impl Summand for $t {
            #[inline(always)]
            fn two_sum(self, x: $t) -> ($t, $t) {
                float_sum(self, x)
            }

            #[inline(always)]
            fn corrected(self, low: $t) -> $t {
                if low.is_nan() { self } else { self + low }
            }
        }
    )*};
}
floats! { f32 f64 }

/// Integers wrap, and lose nothing.
macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Summand for $t {
            #[inline(always)]
            fn two_sum(self, x: $t) -> ($t, $t) {
                (self.wrapping_add(x), 0)
            }

            #[inline(always)]
            fn corrected(self, _: $t) -> $t {
                self
            }
        }
    )*};
}
integers! { u8 u16 u32 u64 }

/// Adds a vector of a part to `total`, and the error of that to `low`. The first part is stored there; after the last one the sum of all
/// parts goes to `to`, which may be `total`.
///
/// # Safety
/// All pointers are valid for reads and writes of a vector.
#[inline(always)]
pub unsafe fn add_vector<V: Vector>(
    token: V::Token,
    part: V,
    [total, low]: [*mut V::Elem; 2],
    to: *mut V::Elem,
    [is_first, is_last]: [bool; 2],
) {
    // SAFETY: passed on from the caller.
    unsafe {
        if is_first {
            part.store(total);
            return V::splat(token, Default::default()).store(low);
        }
        let (sum, error) = V::load(token, total).two_sum(part);
        let error = V::load(token, low) + error;
        if is_last {
            return sum.corrected(error).store(to);
        }
        sum.store(total);
        error.store(low);
    }
}

/// Adds `len` sums of a part to `totals`, and the errors of that to `lows`. The first part is stored there; the last one becomes the sum
/// of all parts.
///
/// # Safety
/// All pointers are valid for reads and writes of `len` elements, rounded up to whole vectors.
#[inline(always)]
pub unsafe fn add_part<V: Vector>(
    token: V::Token,
    part: *mut V::Elem,
    [totals, lows]: [*mut V::Elem; 2],
    len: usize,
    ends: [bool; 2],
) {
    for i in (0..len).step_by(V::LANES) {
        // SAFETY: the caller vouches for whole vectors at all three places.
        unsafe {
            let place = part.add(i);
            add_vector(token, V::load(token, place), [totals.add(i), lows.add(i)], place, ends);
        }
    }
}

/// Adds `sums` to `totals`, and the errors of that to `errors`, and sets `sums` to `zero`.
#[inline(always)]
pub fn put_aside<T: Summand>(sums: &mut [T], totals: &mut [T], errors: &mut [T], zero: T) {
    for ((sum, total), error) in sums.iter_mut().zip(totals).zip(errors) {
        let (next, lost) = total.two_sum(*sum);
        *total = next;
        // The sum of errors is so small beside the total that its own rounding does not count.
        *error = error.two_sum(lost).0;
        *sum = zero;
    }
}

/// `N` sums of parts.
#[derive(Clone, Copy)]
pub struct Total<T, const N: usize> {
    sum: [T; N],
    low: [T; N],
}

impl<V: Vector, const N: usize> Total<V, N> {
    /// Sums of no parts.
    #[inline(always)]
    pub fn new(token: V::Token) -> Self {
        let zero = [V::splat(token, Default::default()); N];
        Total { sum: zero, low: zero }
    }
}

impl<T: Summand + Default, const N: usize> Default for Total<T, N> {
    #[inline(always)]
    fn default() -> Self {
        let zero = [T::default(); N];
        Total { sum: zero, low: zero }
    }
}

impl<T: Summand, const N: usize> Total<T, N> {
    /// Adds a part to each.
    #[inline(always)]
    pub fn add(&mut self, part: [T; N]) {
        for ((sum, low), x) in self.sum.iter_mut().zip(&mut self.low).zip(part) {
            let (next, error) = sum.two_sum(x);
            *sum = next;
            *low = low.two_sum(error).0;
        }
    }

    /// The sums.
    #[inline(always)]
    pub fn get(self) -> [T; N] {
        let mut sums = self.sum;
        sums.iter_mut().zip(self.low).for_each(|(sum, low)| *sum = sum.corrected(low));
        sums
    }
}
