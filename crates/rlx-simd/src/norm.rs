//! Normalizes rows of f32: layer and RMS norm, softmax and log-softmax.
//!
//! A row is summed in four vectors, which are then added by halves, in an order that depends only on its length. Statistics are computed in
//! two passes, so that a mean far from zero does not spoil the variance. A sum over n elements has a relative error below
//! (m / (2 · lanes) + 8) · 2⁻²⁴ of the sum of magnitudes, where m is the smaller of n and 4,096: a longer row is summed in parts, whose sums
//! are added without loss.
//!
//! This module owns the arithmetic of rows. It knows nothing of shapes, axes or threads.

use crate::isa::Cpu;
use crate::simd::{F32Vector, Kernel, Simd, Vector};
use crate::sums::Total;
use crate::vector;

/// What is computed from each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowKind {
    /// (x − mean) / sqrt(variance + eps) · gamma + beta.
    Layer {
        /// Added to the variance.
        eps: f32,
    },
    /// x / sqrt(mean of squares + eps) · gamma + beta.
    Rms {
        /// Added to the mean of the squares.
        eps: f32,
    },
    /// e^(x−m) / Σ e^(x−m), where m is the largest element.
    Softmax,
    /// (x−m) − log Σ e^(x−m), where m is the largest element.
    LogSoftmax,
}

/// Rows of `len` elements, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// What is computed from each row.
    pub kind: RowKind,
    /// Number of elements in a row.
    pub len: usize,
    /// Number of rows.
    pub rows: usize,
    /// The rows.
    pub x: *const f32,
    /// Rows that are added first, or null.
    pub residual: *const f32,
    /// One row with a factor for each element, or null.
    pub gamma: *const f32,
    /// One row with an addend for each element, or null.
    pub beta: *const f32,
    /// The results; may be the same pointer as `x` or `residual`.
    pub y: *mut f32,
}

// SAFETY: only the pointers keep it from being `Send`; the caller of `run` vouches for what they point to.
unsafe impl Send for Rows {}
// SAFETY: threads that share it only copy the pointers; threads that follow them work on rows of their own.
unsafe impl Sync for Rows {}

impl Rows {
    /// Returns rows `range` of these.
    ///
    /// # Safety
    /// The range lies within `0..rows`.
    pub unsafe fn part(&self, range: std::ops::Range<usize>) -> Rows {
        let at = range.start * self.len;
        // SAFETY: the caller vouches for the range; a missing residual stays missing.
        unsafe {
            Rows {
                rows: range.len(),
                x: self.x.add(at),
                residual: if self.residual.is_null() { self.residual } else { self.residual.add(at) },
                y: self.y.add(at),
                ..*self
            }
        }
    }

    /// Computes the results.
    ///
    /// # Safety
    /// `x`, `y` and `residual` are valid for `rows · len` elements, and `gamma` and `beta` for `len`, unless they are null. `y` overlaps
    /// none of them, or is exactly `x` or `residual`. Nobody writes to any of them at the same time.
    pub unsafe fn run(self, cpu: Cpu) {
        match self.len <= PART {
            true => cpu.dispatch(RowKernel::<false>(self)),
            false => cpu.dispatch(RowKernel::<true>(self)),
        }
    }
}

/// Rows that are summed in several parts if `LONG`, else in one. There are two kernels because what long rows need would take registers
/// from short ones.
struct RowKernel<const LONG: bool>(Rows);

impl<const LONG: bool> Kernel for RowKernel<LONG> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        let r = self.0;
        for row in 0..r.rows {
            // SAFETY: the caller of `Rows::run` vouches for the rows.
            unsafe {
                let (mut x, y) = (r.x.add(row * r.len), r.y.add(row * r.len));
                if !r.residual.is_null() {
                    add_rows::<S::F32>(token, x, r.residual.add(row * r.len), y, r.len);
                    x = y.cast_const();
                }
                match r.kind {
                    RowKind::Layer { eps } => {
                        let mean = sum::<S::F32, LONG>(token, x, r.len) / r.len as f32;
                        standardise::<S::F32, LONG>(token, x, y, &r, mean, eps);
                    }
                    RowKind::Rms { eps } => standardise::<S::F32, LONG>(token, x, y, &r, 0.0, eps),
                    RowKind::Softmax => softmax::<S::F32, LONG>(token, x, y, r.len),
                    RowKind::LogSoftmax => log_softmax::<S::F32, LONG>(token, x, y, r.len),
                }
            }
        }
    }
}

/// Number of accumulators for a row.
const CHAINS: usize = 4;

/// Number of elements that are summed in them before the sums are put aside; a whole number of vectors for each.
const PART: usize = 4096;

/// Returns the start and the length of each part of a row of `n` elements.
#[inline(always)]
fn parts(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(PART).map(move |start| (start, PART.min(n - start)))
}

/// Returns the sum of all lanes, added by halves.
#[inline(always)]
fn total<V: Vector<Elem = f32>>(acc: [V; CHAINS]) -> f32 {
    ((acc[0] + acc[1]) + (acc[2] + acc[3])).sum_lanes()
}

/// Reads `LANES` elements, or the last `count` elements of a row followed by zeros.
///
/// # Safety
/// `source` is valid for `count` elements, at least 1.
#[inline(always)]
unsafe fn load<V: F32Vector>(token: V::Token, source: *const f32, count: usize) -> V {
    // SAFETY: the caller vouches for `count` elements.
    unsafe { if count >= V::LANES { V::load(token, source) } else { V::load_partial(token, source, count) } }
}

/// Writes `LANES` elements, or the last `count` elements of a row.
///
/// # Safety
/// `target` is valid for `count` elements.
#[inline(always)]
unsafe fn store<V: F32Vector>(value: V, target: *mut f32, count: usize) {
    // SAFETY: the caller vouches for `count` elements.
    unsafe { if count >= V::LANES { value.store(target) } else { value.store_partial(target, count) } }
}

/// Returns `value` in the first `count` lanes and `other` in the rest.
#[inline(always)]
pub fn keep_first<V: F32Vector>(token: V::Token, value: V, count: usize, other: V) -> V {
    const NUMBERS: [f32; 16] = [0., 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12., 13., 14., 15.];
    if count >= V::LANES {
        return value;
    }
    // SAFETY: no vector has more than 16 lanes.
    let lane = unsafe { V::load(token, NUMBERS.as_ptr()) };
    V::select(lane.lt(value.lit(count as f32)), value, other)
}

/// y = a + b.
///
/// # Safety
/// All are valid for `n` elements; y may be a or b.
#[inline(always)]
unsafe fn add_rows<V: F32Vector>(token: V::Token, a: *const f32, b: *const f32, y: *mut f32, n: usize) {
    let mut i = 0;
    while i < n {
        // SAFETY: the caller vouches for `n` elements, and `n − i` of them are left.
        unsafe {
            let value = load::<V>(token, a.add(i), n - i) + load::<V>(token, b.add(i), n - i);
            store(value, y.add(i), n - i);
        }
        i += V::LANES;
    }
}

/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn sum<V: F32Vector, const LONG: bool>(token: V::Token, x: *const f32, n: usize) -> f32 {
    // SAFETY: the caller vouches for the row, and so for all parts of it.
    unsafe {
        if !LONG {
            return total(sums_of_part::<V>(token, x, n));
        }
        let mut all = Total::new(token);
        for (start, n) in parts(n) {
            all.add(sums_of_part::<V>(token, x.add(start), n));
        }
        total(all.get())
    }
}

/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn sums_of_part<V: F32Vector>(token: V::Token, x: *const f32, n: usize) -> [V; CHAINS] {
    let mut acc = [V::splat(token, 0.0); CHAINS];
    let mut i = 0;
    // SAFETY: the caller vouches for `n` elements.
    unsafe {
        while i + CHAINS * V::LANES <= n {
            for (c, acc) in acc.iter_mut().enumerate() {
                *acc = *acc + V::load(token, x.add(i + c * V::LANES));
            }
            i += CHAINS * V::LANES;
        }
        while i < n {
            acc[0] = acc[0] + load::<V>(token, x.add(i), n - i);
            i += V::LANES;
        }
    }
    acc
}

/// Σ (x − mean)² and Σ (x − mean).
///
/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn squares<V: F32Vector, const LONG: bool>(
    token: V::Token,
    x: *const f32,
    n: usize,
    mean: f32,
) -> (f32, f32) {
    // SAFETY: the caller vouches for the row, and so for all parts of it.
    unsafe {
        if !LONG {
            let (squares, rest) = squares_of_part::<V>(token, x, n, mean);
            return (total(squares), total(rest));
        }
        let (mut all_squares, mut all_rest) = (Total::new(token), Total::new(token));
        for (start, n) in parts(n) {
            let (squares, rest) = squares_of_part::<V>(token, x.add(start), n, mean);
            all_squares.add(squares);
            all_rest.add(rest);
        }
        (total(all_squares.get()), total(all_rest.get()))
    }
}

/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn squares_of_part<V: F32Vector>(
    token: V::Token,
    x: *const f32,
    n: usize,
    mean: f32,
) -> ([V; CHAINS], [V; CHAINS]) {
    let (mean, zero) = (V::splat(token, mean), V::splat(token, 0.0));
    let (mut squares, mut rest) = ([zero; CHAINS], [zero; CHAINS]);
    let mut i = 0;
    // SAFETY: the caller vouches for `n` elements.
    unsafe {
        while i + CHAINS * V::LANES <= n {
            for c in 0..CHAINS {
                let centered = V::load(token, x.add(i + c * V::LANES)) - mean;
                squares[c] = centered.mul_add(centered, squares[c]);
                rest[c] = rest[c] + centered;
            }
            i += CHAINS * V::LANES;
        }
        while i < n {
            let centered = keep_first(token, load::<V>(token, x.add(i), n - i) - mean, n - i, zero);
            squares[0] = centered.mul_add(centered, squares[0]);
            rest[0] = rest[0] + centered;
            i += V::LANES;
        }
    }
    (squares, rest)
}

/// y = (x − mean) / sqrt(mean of its squares + eps) · gamma + beta.
///
/// # Safety
/// `x`, `y`, and the gamma and beta of `rows` if present, are valid for a row; y may be x.
#[inline(always)]
unsafe fn standardise<V: F32Vector, const LONG: bool>(
    token: V::Token,
    x: *const f32,
    y: *mut f32,
    rows: &Rows,
    mean: f32,
    eps: f32,
) {
    let n = rows.len;
    // SAFETY: the caller vouches for the row.
    let (squares, rest) = unsafe { squares::<V, LONG>(token, x, n, mean) };
    // The part of the mean that rounding lost. RMS norm does not subtract a mean, so nothing has to be shifted.
    let shift = if matches!(rows.kind, RowKind::Layer { .. }) { rest / n as f32 } else { 0.0 };
    let variance = squares / n as f32 - shift * shift;
    // Only rounding makes it negative. NaN stays.
    let variance = if variance < 0.0 { 0.0 } else { variance };
    let inverse = V::splat(token, (1.0 / f64::from(variance + eps).sqrt()) as f32);
    // If it were added to the mean, rounding would lose it.
    let (mean, shift) = (V::splat(token, mean), V::splat(token, shift));
    let mut i = 0;
    while i < n {
        // SAFETY: `i < n`, the row and its weights are valid for `n` elements, and `load` and `store` touch no more
        // than the `n - i` that are left.
        unsafe {
            let mut value = (load::<V>(token, x.add(i), n - i) - mean - shift) * inverse;
            if !rows.gamma.is_null() {
                value = value * load::<V>(token, rows.gamma.add(i), n - i);
            }
            if !rows.beta.is_null() {
                value = value + load::<V>(token, rows.beta.add(i), n - i);
            }
            store(value, y.add(i), n - i);
        }
        i += V::LANES;
    }
}

/// Returns the largest element that is not NaN, or −∞ if there is none.
///
/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn largest<V: F32Vector>(token: V::Token, x: *const f32, n: usize) -> f32 {
    let least = V::splat(token, f32::NEG_INFINITY);
    let mut acc = [least; CHAINS];
    let mut i = 0;
    // SAFETY: the caller vouches for `n` elements.
    unsafe {
        while i + CHAINS * V::LANES <= n {
            for (c, acc) in acc.iter_mut().enumerate() {
                *acc = V::load(token, x.add(i + c * V::LANES)).max(*acc);
            }
            i += CHAINS * V::LANES;
        }
        while i < n {
            acc[0] = keep_first(token, load::<V>(token, x.add(i), n - i), n - i, least).max(acc[0]);
            i += V::LANES;
        }
    }
    acc[0].max(acc[1]).max(acc[2].max(acc[3])).max_lanes()
}

/// Writes e^(x − max) to y and returns the sum. A NaN in x makes the sum NaN.
///
/// # Safety
/// `x` and `y` are valid for `n` elements; y may be x.
#[inline(always)]
unsafe fn exponentials<V: F32Vector, const LONG: bool>(
    token: V::Token,
    x: *const f32,
    y: *mut f32,
    n: usize,
    max: f32,
) -> f32 {
    let (max, zero) = (V::splat(token, max), V::splat(token, 0.0));
    let mut all = Total::new(token);
    for (start, n) in parts(n) {
        let mut acc = [zero; 2];
        let mut i = 0;
        // SAFETY: the caller vouches for the elements of all parts.
        unsafe {
            let (x, y) = (x.add(start), y.add(start));
            while i + 2 * V::LANES <= n {
                for (c, acc) in acc.iter_mut().enumerate() {
                    let at = i + c * V::LANES;
                    let e = vector::exp(V::load(token, x.add(at)) - max);
                    e.store(y.add(at));
                    *acc = *acc + e;
                }
                i += 2 * V::LANES;
            }
            while i < n {
                let e = vector::exp(load::<V>(token, x.add(i), n - i) - max);
                store(e, y.add(i), n - i);
                acc[0] = acc[0] + keep_first(token, e, n - i, zero);
                i += V::LANES;
            }
        }
        if !LONG {
            return (acc[0] + acc[1]).sum_lanes();
        }
        all.add(acc);
    }
    let [a, b] = all.get();
    (a + b).sum_lanes()
}

/// # Safety
/// `x` and `y` are valid for `n` elements; y may be x.
#[inline(always)]
unsafe fn softmax<V: F32Vector, const LONG: bool>(token: V::Token, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the caller vouches for the row.
    unsafe {
        let max = largest::<V>(token, x, n);
        let total = exponentials::<V, LONG>(token, x, y, n, max);
        scale::<V>(token, y, n, 1.0 / total);
    }
}

/// Multiplies a row by a number.
///
/// # Safety
/// `y` is valid for `n` elements.
#[inline(always)]
unsafe fn scale<V: F32Vector>(token: V::Token, y: *mut f32, n: usize, factor: f32) {
    let factor = V::splat(token, factor);
    let mut i = 0;
    while i < n {
        // SAFETY: the caller vouches for `n` elements.
        unsafe { store(load::<V>(token, y.add(i), n - i) * factor, y.add(i), n - i) };
        i += V::LANES;
    }
}

/// Returns Σ exp(x − max).
///
/// # Safety
/// `x` is valid for `n` elements.
#[inline(always)]
unsafe fn sum_of_exponentials<V: F32Vector, const LONG: bool>(
    token: V::Token,
    x: *const f32,
    n: usize,
    max: f32,
) -> f32 {
    let (max, zero) = (V::splat(token, max), V::splat(token, 0.0));
    let mut all = Total::new(token);
    for (start, n) in parts(n) {
        let (mut acc, mut i) = (zero, 0);
        while i < n {
            // SAFETY: the row is valid for the elements of all parts, and `load` reads no more than the `n - i` that are left of one.
            let shifted = unsafe { load::<V>(token, x.add(start + i), n - i) } - max;
            acc = acc + keep_first(token, vector::exp(shifted), n - i, zero);
            i += V::LANES;
        }
        if !LONG {
            return acc.sum_lanes();
        }
        all.add([acc]);
    }
    let [acc] = all.get();
    acc.sum_lanes()
}

/// # Safety
/// `x` and `y` are valid for `n` elements; y may be x.
#[inline(always)]
unsafe fn log_softmax<V: F32Vector, const LONG: bool>(token: V::Token, x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the caller vouches for the row.
    let largest = unsafe { largest::<V>(token, x, n) };
    let max = V::splat(token, largest);
    // SAFETY: as above.
    let sum = unsafe { sum_of_exponentials::<V, LONG>(token, x, n, largest) };
    let log = V::splat(token, libm::log(f64::from(sum)) as f32);
    let mut i = 0;
    while i < n {
        // SAFETY: `i < n`, both rows are valid for `n` elements, and `load` and `store` touch no more than the `n - i`
        // that are left; an element is read before it is written.
        unsafe { store((load::<V>(token, x.add(i), n - i) - max) - log, y.add(i), n - i) };
        i += V::LANES;
    }
}
