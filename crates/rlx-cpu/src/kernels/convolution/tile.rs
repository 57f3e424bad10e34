//! Adds multiples of lines to sums.

use crate::kernels::contraction::number::Number;
use crate::simd::{Kernel, MAX_LANES, Simd, Vector};

/// The number of sums is padded to a multiple of this.
pub(super) const PADDED: usize = MAX_LANES;

/// Adds the contributions of taps. Tap `i` adds its factor times a stretch of a row, which begins where the elements for the sums are.
pub(super) struct AddTaps<'a, T> {
    /// Their number is a multiple of [`PADDED`].
    pub(super) sums: &'a mut [T],
    pub(super) factors: &'a [T],
    /// The elements: row i contains every `stride`-th element of a line, starting at element i. Each row has `row` elements.
    pub(super) rows: &'a [T],
    pub(super) row: usize,
    pub(super) stride: usize,
    /// The distance between taps along the line.
    pub(super) dilation: usize,
}

/// Numbers that can add the contributions of taps.
pub(crate) trait Tiled: Number {
    /// Adds them to sums, the number of which is a multiple of [`PADDED`].
    fn add_taps<S: Simd>(token: S, taps: AddTaps<'_, Self>);
}

impl<T: Number> AddTaps<'_, T> {
    /// Returns whether the rows contain what the last tap uses, and so what every tap uses.
    fn is_within(&self) -> bool {
        let reach = self.factors.len().saturating_sub(1) * self.dilation;
        let farthest = reach / self.stride + self.sums.len();
        self.stride > 0 && farthest <= self.row && self.rows.len() >= self.row * self.stride
    }

    /// Calls `f` with the factor of each tap and where its elements begin in the rows.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(T, usize)) {
        let (rows_on, on) = (self.dilation % self.stride, self.dilation / self.stride);
        let (mut row, mut at) = (0, 0);
        for &factor in self.factors {
            f(factor, row * self.row + at);
            (row, at) = (row + rows_on, at + on);
            if row >= self.stride {
                (row, at) = (row - self.stride, at + 1);
            }
        }
    }

    /// Computes sums in `N` vectors, which stay in registers; returns where the next ones are.
    ///
    /// # Safety
    /// There are that many sums starting at `done`, and the rows contain what their taps use.
    #[inline(always)]
    unsafe fn tile<V: Vector<Elem = T>, const N: usize>(&mut self, token: V::Token, done: usize) -> usize {
        let mut totals = [V::splat(token, T::ZERO); N];
        // SAFETY: the caller vouches for the sums and for what taps use.
        unsafe {
            for (i, total) in totals.iter_mut().enumerate() {
                *total = V::load(token, self.sums.as_ptr().add(done + i * V::LANES));
            }
            let rows = self.rows.as_ptr().wrapping_add(done);
            self.each(
                #[inline(always)]
                |factor, at| {
                    let factor = V::splat(token, factor);
                    for (i, total) in totals.iter_mut().enumerate() {
                        let x = V::load(token, rows.add(at + i * V::LANES));
                        *total = x.mul_add(factor, *total);
                    }
                },
            );
            for (i, total) in totals.iter().enumerate() {
                total.store(self.sums.as_mut_ptr().add(done + i * V::LANES));
            }
        }
        done + N * V::LANES
    }

    #[inline(always)]
    fn vectors<V: Vector<Elem = T>>(mut self, token: V::Token) {
        assert!(self.is_within(), "the rows must contain what the taps use");
        let (mut done, lanes) = (0, self.sums.len());
        // SAFETY: that many sums are left, and the rows were checked.
        unsafe {
            while done + 8 * V::LANES <= lanes {
                done = self.tile::<V, 8>(token, done);
            }
            while done + 4 * V::LANES <= lanes {
                done = self.tile::<V, 4>(token, done);
            }
            while done + V::LANES <= lanes {
                done = self.tile::<V, 1>(token, done);
            }
        }
    }
}

impl<T: Tiled> Kernel for AddTaps<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        T::add_taps(token, self);
    }
}

impl Tiled for f32 {
    #[inline(always)]
    fn add_taps<S: Simd>(token: S, taps: AddTaps<'_, f32>) {
        taps.vectors::<S::F32>(token);
    }
}

impl Tiled for f64 {
    #[inline(always)]
    fn add_taps<S: Simd>(token: S, taps: AddTaps<'_, f64>) {
        taps.vectors::<S::F64>(token);
    }
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Tiled for $t {
            #[inline(always)]
            fn add_taps<S: Simd>(_: S, taps: AddTaps<'_, $t>) {
                assert!(taps.is_within(), "the rows must contain what the taps use");
                let (rows, lanes) = (taps.rows, taps.sums.len());
                for done in (0..lanes).step_by(PADDED) {
                    let mut totals = [0; PADDED];
                    taps.each(
                        #[inline(always)]
                        |factor, at| {
                            let x = &rows[at + done..at + done + PADDED];
                            let pairs = totals.iter_mut().zip(x);
                            pairs.for_each(|(total, &x): (&mut $t, _)| *total = total.add_product(factor, x));
                        },
                    );
                    let sums = taps.sums[done..].iter_mut().zip(totals);
                    sums.for_each(|(sum, total)| *sum = sum.wrapping_add(total));
                }
            }
        }
    )*};
}
integers! { u8 u16 u32 u64 }

/// Adds multiples of a line to sums that are `step` apart.
pub(super) struct AddLine<'a, T> {
    pub(super) sums: &'a mut [T],
    pub(super) step: usize,
    pub(super) factor: T,
    pub(super) line: &'a [T],
}

impl<T: Number> Kernel for AddLine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let factor = self.factor;
        if self.step == 1 {
            let pairs = self.sums.iter_mut().zip(self.line);
            pairs.for_each(|(sum, &x)| *sum = sum.add_product(factor, x));
        } else {
            let pairs = self.sums.iter_mut().step_by(self.step.max(1)).zip(self.line);
            pairs.for_each(|(sum, &x)| *sum = sum.add_product(factor, x));
        }
    }
}
