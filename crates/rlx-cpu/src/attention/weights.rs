//! From a row of scores to a row of weights: scale, soft cap, mask or bias, softmax.

use crate::norm::keep_first;
use crate::simd::F32Vector;
use crate::vector;

/// What an operand does to the scores of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extra {
    None,
    /// Keys count where the row is not 0.
    Mask(*const f32),
    /// The row is added.
    Bias(*const f32),
}

/// What happens to scores before the softmax.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit {
    pub(super) scale: f32,
    pub(super) softcap: Option<f32>,
    pub(super) extra: Extra,
    /// Whether a row of −∞ gives zeros, instead of NaN.
    pub(super) zero_if_empty: bool,
}

/// Turns the scores `from..to` of a row into weights and the rest of its `width` elements into zeros.
///
/// # Safety
/// `row` is valid for `width` elements and a vector; the row of `extra` for `width`.
#[inline(always)]
pub(super) unsafe fn weights<V: F32Vector>(
    token: V::Token,
    row: *mut f32,
    from: usize,
    to: usize,
    width: usize,
    edit: &Edit,
) {
    // SAFETY: vectors begin inside `from..to`, so they end inside the row's room.
    unsafe {
        let max = if from < to { edited::<V>(token, row, from, to, edit) } else { f32::NEG_INFINITY };
        if from >= to || (edit.zero_if_empty && max == f32::NEG_INFINITY && !has_nan(row, from, to)) {
            row.write_bytes(0, width);
            return;
        }
        let total = exponentials::<V>(token, row, from, to, max);
        let factor = V::splat(token, 1.0 / total);
        let mut j = from;
        while j < to {
            (V::load(token, row.add(j)) * factor).store(row.add(j));
            j += V::LANES;
        }
        row.write_bytes(0, from);
        if to < width {
            row.add(to).write_bytes(0, width - to);
        }
    }
}

/// Applies `edit`, fills the last vector with −∞ and returns the largest score that is not NaN.
///
/// # Safety
/// As for [`weights`].
#[inline(always)]
unsafe fn edited<V: F32Vector>(token: V::Token, row: *mut f32, from: usize, to: usize, edit: &Edit) -> f32 {
    let least = V::splat(token, f32::NEG_INFINITY);
    let (scale, zero) = (V::splat(token, edit.scale), V::splat(token, 0.0));
    let mut max = least;
    let mut j = from;
    while j < to {
        let count = to - j;
        // SAFETY: as in `weights`.
        unsafe {
            let mut x = V::load(token, row.add(j)) * scale;
            if let Some(cap) = edit.softcap {
                let cap = V::splat(token, cap);
                x = vector::tanh(x / cap) * cap;
            }
            x = match edit.extra {
                Extra::None => x,
                Extra::Mask(mask) => V::select(partial::<V>(token, mask.add(j), count).eq(zero), least, x),
                Extra::Bias(bias) => x + partial::<V>(token, bias.add(j), count),
            };
            x = keep_first(token, x, count, least);
            x.store(row.add(j));
            max = x.max(max);
        }
        j += V::LANES;
    }
    max.max_lanes()
}

/// Reads `LANES` elements, or `count` if that is less.
///
/// # Safety
/// `source` is valid for `count` elements.
#[inline(always)]
unsafe fn partial<V: F32Vector>(token: V::Token, source: *const f32, count: usize) -> V {
    // SAFETY: the caller vouches for the elements.
    unsafe { if count >= V::LANES { V::load(token, source) } else { V::load_partial(token, source, count) } }
}

/// Turns scores into e^(score − max) and returns their sum; what fills the last vector becomes 0.
///
/// # Safety
/// As for [`weights`], after [`edited`].
#[inline(always)]
unsafe fn exponentials<V: F32Vector>(
    token: V::Token,
    row: *mut f32,
    from: usize,
    to: usize,
    max: f32,
) -> f32 {
    let max = V::splat(token, max);
    let mut sum = [V::splat(token, 0.0); 2];
    let mut j = from;
    // SAFETY: as in `weights`.
    unsafe {
        while j + V::LANES < to {
            let a = vector::exp(V::load(token, row.add(j)) - max);
            let b = vector::exp(V::load(token, row.add(j + V::LANES)) - max);
            a.store(row.add(j));
            b.store(row.add(j + V::LANES));
            sum = [sum[0] + a, sum[1] + b];
            j += 2 * V::LANES;
        }
        if j < to {
            let a = vector::exp(V::load(token, row.add(j)) - max);
            a.store(row.add(j));
            sum[0] = sum[0] + a;
        }
    }
    (sum[0] + sum[1]).sum_lanes()
}

/// Whether a score is NaN.
///
/// # Safety
/// As for [`weights`].
#[cold]
unsafe fn has_nan(row: *const f32, from: usize, to: usize) -> bool {
    // SAFETY: the caller vouches for the row.
    unsafe { std::slice::from_raw_parts(row.add(from), to - from) }.iter().any(|x| x.is_nan())
}
