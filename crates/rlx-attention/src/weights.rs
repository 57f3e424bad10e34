//! Converts a row of scores to a row of weights: scale, soft cap, mask or bias, softmax.

use super::matrices::Rows;
use rlx_simd::norm::keep_first;
use rlx_simd::simd::F32Vector;
use rlx_simd::sums::Total;
use rlx_simd::vector;

/// What an operand does to the scores of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extra {
    None,
    /// Keys count where this row is nonzero.
    Mask(*const f32),
    /// This row is added.
    Bias(*const f32),
}

/// What is done to scores before the softmax.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    pub(super) scale: f32,
    pub(super) softcap: Option<f32>,
    pub(super) extra: Extra,
    /// Whether a row of −∞ gives zeros rather than NaN.
    pub(super) zero_if_empty: bool,
}

/// A row of `width` scores, of which those of the keys `from..to` count.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) scores: Rows,
    pub(super) row: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) width: usize,
}

impl Row {
    /// Converts the scores that count to weights and the others to zeros. Unless the weights are to be final, returns the factor that they
    /// must still be multiplied by.
    ///
    /// # Safety
    /// The row exists; the row of the edit's operand is valid for `width` elements.
    #[inline(always)]
    pub(super) unsafe fn weights<V: F32Vector>(self, token: V::Token, edit: &Edit, is_final: bool) -> f32 {
        let Row { scores, row, from, to, .. } = self;
        // SAFETY: vectors begin inside `from..to`, so they end inside the room of their run.
        unsafe {
            let Some((_, sum)) = self.powers::<V>(token, edit) else { return 1.0 };
            let factor = 1.0 / sum;
            if is_final {
                let factor = V::splat(token, factor);
                for (_, len, start) in scores.runs(row, from, to) {
                    for j in (0..len).step_by(V::LANES) {
                        (V::load(token, start.add(j)) * factor).store(start.add(j));
                    }
                }
            }
            factor
        }
    }

    /// Converts the scores that count to e^(score − largest) and the others to zeros. Returns the largest score and the sum, or `None` for
    /// a row of zeros.
    ///
    /// # Safety
    /// As for [`weights`](Row::weights).
    #[inline(always)]
    pub(super) unsafe fn powers<V: F32Vector>(self, token: V::Token, edit: &Edit) -> Option<(f32, f32)> {
        let Row { scores, row, from, to, width } = self;
        // SAFETY: vectors begin inside `from..to`, so they end inside the room of their run.
        unsafe {
            let max = if from < to { self.edited::<V>(token, edit) } else { f32::NEG_INFINITY };
            if from >= to || (edit.zero_if_empty && max == f32::NEG_INFINITY && !self.has_nan()) {
                scores.clear(row, 0, width);
                return None;
            }
            let sum = self.exponentials::<V>(token, max);
            scores.clear(row, 0, from);
            scores.clear(row, to, width);
            Some((max, sum))
        }
    }

    /// Applies `edit`, fills the last vector of each run with −∞ and returns the largest score that is not NaN.
    ///
    /// # Safety
    /// As for [`weights`](Row::weights).
    #[inline(always)]
    unsafe fn edited<V: F32Vector>(self, token: V::Token, edit: &Edit) -> f32 {
        let least = V::splat(token, f32::NEG_INFINITY);
        let (scale, zero) = (V::splat(token, edit.scale), V::splat(token, 0.0));
        let mut max = least;
        for (at, len, start) in self.scores.runs(self.row, self.from, self.to) {
            for j in (0..len).step_by(V::LANES) {
                let count = len - j;
                // SAFETY: the run lies in the row of scores, whose runs are padded to whole vectors, and the caller
                // vouches for the row and the operand.
                unsafe {
                    let mut x = V::load(token, start.add(j)) * scale;
                    if let Some(cap) = edit.softcap {
                        let cap = V::splat(token, cap);
                        x = vector::tanh(x / cap) * cap;
                    }
                    x = match edit.extra {
                        Extra::None => x,
                        Extra::Mask(mask) => {
                            V::select(partial::<V>(token, mask.add(at + j), count).eq(zero), least, x)
                        }
                        Extra::Bias(bias) => x + partial::<V>(token, bias.add(at + j), count),
                    };
                    x = keep_first(token, x, count, least);
                    x.store(start.add(j));
                    max = x.max(max);
                }
            }
        }
        max.max_lanes()
    }

    /// Converts scores to e^(score − max) and returns their sum, run by run. The padding of the last vectors becomes 0.
    ///
    /// # Safety
    /// As for [`weights`](Row::weights), after [`edited`](Row::edited).
    #[inline(always)]
    unsafe fn exponentials<V: F32Vector>(self, token: V::Token, max: f32) -> f32 {
        let max = V::splat(token, max);
        let zero = V::splat(token, 0.0);
        let mut total = Total::new(token);
        for (_, len, start) in self.scores.runs(self.row, self.from, self.to) {
            let (mut j, mut sum) = (0, [zero; 2]);
            // SAFETY: the run lies in the row of scores, whose runs are padded to whole vectors, and the caller
            // vouches for the row.
            unsafe {
                while j + V::LANES < len {
                    let a = vector::exp(V::load(token, start.add(j)) - max);
                    let b = vector::exp(V::load(token, start.add(j + V::LANES)) - max);
                    a.store(start.add(j));
                    b.store(start.add(j + V::LANES));
                    sum = [sum[0] + a, sum[1] + b];
                    j += 2 * V::LANES;
                }
                if j < len {
                    let a = vector::exp(V::load(token, start.add(j)) - max);
                    a.store(start.add(j));
                    sum[0] = sum[0] + a;
                }
            }
            total.add(sum);
        }
        let [a, b] = total.get();
        (a + b).sum_lanes()
    }

    /// Returns whether a score is NaN.
    ///
    /// # Safety
    /// As for [`weights`](Row::weights).
    #[cold]
    unsafe fn has_nan(self) -> bool {
        self.scores.runs(self.row, self.from, self.to).any(|(_, len, start)| {
            // SAFETY: the caller vouches for the row.
            let run = unsafe { std::slice::from_raw_parts(start, len) };
            run.iter().any(|x| x.is_nan())
        })
    }
}

/// Reads `LANES` elements, or `count` elements if that is less.
///
/// # Safety
/// `source` is valid for `count` elements.
#[inline(always)]
unsafe fn partial<V: F32Vector>(token: V::Token, source: *const f32, count: usize) -> V {
    // SAFETY: the caller vouches for the elements.
    unsafe { if count >= V::LANES { V::load(token, source) } else { V::load_partial(token, source, count) } }
}
