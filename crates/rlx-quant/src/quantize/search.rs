//! Searches for scales with little weighted error, for parts of a block that share one.

/// The weight of each value in the error. Larger values count more, because they affect results more; an importance is an additional
/// factor.
pub(crate) fn weights(values: &[f32], importance: Option<&[f32]>) -> Vec<f32> {
    let mean = values.iter().map(|v| v * v).sum::<f32>() / values.len() as f32;
    match importance {
        None => values.iter().map(|v| mean.sqrt() + v.abs()).collect(),
        // If nothing was observed, only the values themselves are known.
        Some(seen) if seen.iter().all(|&w| w == 0.0) => weights(values, None),
        Some(seen) => values.iter().zip(seen).map(|(v, w)| w * (mean + v * v).sqrt()).collect(),
    }
}

/// The numbers that a value divided by its scale is rounded to.
pub(crate) trait Levels {
    /// The number that represents the largest magnitude; it may be negative.
    const EXTREME: f32;
    /// The nearest level.
    fn nearest(x: f32) -> f32;
}

/// The nearest integer, ties to even, of a number whose magnitude is at most 2^22: from 1.5·2^23 on there are no bits for a fraction. On
/// processors without an instruction for rounding this is a few additions, where `round_ties_even` calls a function.
#[inline]
fn whole(x: f32) -> f32 {
    const NO_FRACTION: f32 = 12_582_912.0;
    (x + NO_FRACTION) - NO_FRACTION
}

/// Number of terms that are added side by side, so that vectors can be used.
const LANES: usize = 8;

/// The sums of the numbers that `terms` computes from each value and weight.
#[inline]
fn totals<const N: usize>(values: &[f32], weights: &[f32], terms: impl Fn(f32, f32) -> [f32; N]) -> [f32; N] {
    let mut lanes = [[0f32; LANES]; N];
    let (values, last_values) = values.as_chunks::<LANES>();
    let (weights, last_weights) = weights.as_chunks::<LANES>();
    for (values, weights) in values.iter().zip(weights) {
        for lane in 0..LANES {
            let terms = terms(values[lane], weights[lane]);
            for (lanes, term) in lanes.iter_mut().zip(terms) {
                lanes[lane] += term;
            }
        }
    }
    for (lane, (&v, &w)) in last_values.iter().zip(last_weights).enumerate() {
        for (lanes, term) in lanes.iter_mut().zip(terms(v, w)) {
            lanes[lane] += term;
        }
    }
    lanes.map(|lanes| lanes.iter().sum())
}

/// Integers from −N to N − 1.
pub(crate) struct Whole<const N: i32>;

impl<const N: i32> Levels for Whole<N> {
    const EXTREME: f32 = -(N as f32);

    #[inline]
    fn nearest(x: f32) -> f32 {
        whole(x.clamp(-(N as f32), N as f32 - 1.0))
    }
}

/// Integers from 0 to N.
pub(crate) struct UpTo<const N: i32>;

impl<const N: i32> Levels for UpTo<N> {
    const EXTREME: f32 = N as f32;

    #[inline]
    fn nearest(x: f32) -> f32 {
        whole(x.clamp(0.0, N as f32))
    }
}

/// How good a scale is: returns the best scale for the levels that it leads to, and how much of Σ w·x² they explain.
fn fitted<L: Levels>(values: &[f32], weights: &[f32], inverse: f32) -> (f32, f32) {
    let [along, square] = totals(values, weights, |v, w| {
        let level = L::nearest(v * inverse);
        [w * v * level, w * level * level]
    });
    if square > 0.0 { (along / square, along * along / square) } else { (0.0, 0.0) }
}

/// Returns the scale with the least error that was found, and how much of Σ w·x² it explains.
pub(crate) fn scale<L: Levels>(values: &[f32], weights: &[f32]) -> (f32, f32) {
    let most = super::extreme(values);
    // Too small for half precision.
    if most.abs() < 1e-15 {
        return (0.0, 0.0);
    }
    let mut best = (0.0, 0.0);
    for side in [L::EXTREME, -L::EXTREME] {
        for step in -8..=8 {
            let candidate = fitted::<L>(values, weights, (side + side * 0.02 * step as f32) / most);
            if candidate.1 > best.1 {
                best = candidate;
            }
        }
    }
    for _ in 0..4 {
        let next = fitted::<L>(values, weights, 1.0 / best.0);
        if next.1 <= best.1 {
            break;
        }
        best = next;
    }
    best
}

/// Returns the scale and the minimum (which is not positive) with the least error for levels 0 to `top`.
pub(crate) fn scale_and_min(values: &[f32], weights: &[f32], top: f32) -> (f32, f32) {
    let (min, max) = values.iter().fold((0f32, f32::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    if max - min < 1e-15 {
        // All values are equal, so the minimum represents them.
        return (0.0, min);
    }
    let mut best = None;
    for step in 0..=20 {
        let inverse = (top - 1.0 + 0.1 * step as f32) / (max - min);
        let candidate = line(values, weights, |v| whole((inverse * (v - min)).clamp(0.0, top)));
        let candidate = refined(values, weights, candidate, top);
        if best.is_none_or(|(_, _, error)| candidate.2 < error) {
            best = Some(candidate);
        }
    }
    best.map_or((0.0, min), |(scale, min, _)| (scale, min))
}

/// Refits a fit to its own levels as long as that reduces the error.
fn refined(values: &[f32], weights: &[f32], mut fit: (f32, f32, f32), top: f32) -> (f32, f32, f32) {
    for _ in 0..2 {
        let (scale, min, error) = fit;
        if scale <= 0.0 {
            break;
        }
        let next = line(values, weights, |v| whole(((v - min) / scale).clamp(0.0, top)));
        if next.2 >= error {
            break;
        }
        fit = next;
    }
    fit
}

/// The line through these levels with the least weighted error and a start that is not positive: slope, start, error.
fn line(values: &[f32], weights: &[f32], level: impl Fn(f32) -> f32) -> (f32, f32, f32) {
    let [w0, l1, l2, x1, lx] = totals(values, weights, |v, w| {
        let l = level(v);
        [w, w * l, w * l * l, w * v, w * l * v]
    });
    let determinant = w0 * l2 - l1 * l1;
    let (mut slope, mut start) = (0.0, (x1 / w0.max(f32::MIN_POSITIVE)).min(0.0));
    if determinant > 0.0 {
        (slope, start) = ((w0 * lx - x1 * l1) / determinant, (l2 * x1 - l1 * lx) / determinant);
        if start > 0.0 {
            (slope, start) = (lx / l2.max(f32::MIN_POSITIVE), 0.0);
        }
    }
    let [error] = totals(values, weights, |v, w| {
        let off = slope * level(v) + start - v;
        [w * off * off]
    });
    (slope, start, error)
}
