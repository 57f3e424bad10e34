//! Multiples of lines added to sums.

use crate::kernels::contraction::number::Number;
use crate::simd::{Kernel, Simd};

/// Sums of a tile, which stay in registers: of f32, and of numbers twice as wide. What is left over is padded.
const TILE: usize = 64;
const WIDE_TILE: usize = 32;
pub(super) const PADDED: usize = 16;

/// Adds what taps see: tap `i` the multiple by its factor of a row from an element on, so that each sum meets the element that
/// its place does.
pub(super) struct AddTaps<'a, T> {
    /// A multiple of [`PADDED`].
    pub(super) sums: &'a mut [T],
    pub(super) factors: &'a [T],
    /// Elements: each `stride`-th of a line in a row of `row` elements.
    pub(super) rows: &'a [T],
    pub(super) row: usize,
    pub(super) stride: usize,
    /// The distance between taps along the line.
    pub(super) dilation: usize,
}

impl<T: Number> AddTaps<'_, T> {
    #[inline(always)]
    fn tile<const N: usize>(&mut self, done: usize) {
        let Some(sums) = self.sums[done..].first_chunk_mut::<N>() else { return };
        let mut totals = [[T::ZERO; PADDED]; TILE / PADDED];
        for (total, sums) in totals.iter_mut().zip(sums.chunks_exact(PADDED)) {
            total.copy_from_slice(sums);
        }
        let (rows_on, on) = (self.dilation % self.stride, self.dilation / self.stride);
        let (mut row, mut at) = (0, done);
        for &factor in self.factors {
            let Some(x) = self.rows.get(row * self.row + at..).and_then(|x| x.first_chunk::<N>()) else {
                return;
            };
            for part in 0..N / PADDED {
                for lane in 0..PADDED {
                    totals[part][lane] = totals[part][lane].add_product(factor, x[part * PADDED + lane]);
                }
            }
            (row, at) = (row + rows_on, at + on);
            if row >= self.stride {
                (row, at) = (row - self.stride, at + 1);
            }
        }
        for (total, sums) in totals.iter().zip(sums.chunks_exact_mut(PADDED)) {
            sums.copy_from_slice(total);
        }
    }
}

impl<T: Number> Kernel for AddTaps<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, _: S) {
        let (mut done, lanes) = (0, self.sums.len());
        while size_of::<T>() < 8 && done + TILE <= lanes {
            self.tile::<TILE>(done);
            done += TILE;
        }
        while done + WIDE_TILE <= lanes {
            self.tile::<WIDE_TILE>(done);
            done += WIDE_TILE;
        }
        while done < lanes {
            self.tile::<PADDED>(done);
            done += PADDED;
        }
    }
}

/// Adds multiples of a line to sums that lie `step` apart.
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
