//! eˣ and what follows directly from it: eˣ − 1 and tanh.
//!
//! x = n·ln 2 + r with |r| ≤ ln 2 / 2, so eˣ = 2ⁿ·eʳ.

use core::f32::consts::LOG2_E;

use super::number::{Mask, Number};
use super::polynomial::polynomial;

/// The upper part of ln 2. It has so few bits that its product with an integer of eight bits is exact. The split is that of W. J. Cody and
/// W. Waite ("Software manual for the elementary functions", 1980), with the numbers of S. Moshier's Cephes library.
const LN2_HIGH: f32 = 355.0 / 512.0;
/// ln 2 − `LN2_HIGH`.
const LN2_LOW: f32 = -2.121_944_4e-4;

/// Below this, eˣ rounds to 0, and so does its product with x.
pub(super) const LOWEST: f32 = -128.0;
/// Above this, eˣ is infinite.
const HIGHEST: f32 = 89.0;

/// (eʳ − 1 − r)/r², fitted with errors relative to eʳ.
const EXP: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_355, 0.008_368_691, 0.001_381_326_1];
/// The same, fitted with errors relative to eʳ − 1.
const EXPM1: [f32; 6] = [0.5, 0.166_666_66, 0.041_666_422, 0.008_333_474, 0.001_393_995_5, 0.000_198_455_47];

/// n and r, for |x| below 2²².
#[inline(always)]
fn reduce<N: Number>(x: N) -> (N, N) {
    let n = x.nearest_multiple(LOG2_E);
    let r = n.neg_mul_add(x.lit(LN2_HIGH), x);
    (n, n.neg_mul_add(x.lit(LN2_LOW), r))
}

/// Returns `(eʳ, n)` for `x` at most [`HIGHEST`]; an `x` below [`LOWEST`] counts as [`LOWEST`]. For callers that multiply by a factor
/// before the result is scaled by 2ⁿ into the subnormal numbers.
#[inline(always)]
pub(super) fn exp_parts<N: Number>(x: N) -> (N, N) {
    // This order of operands keeps NaN.
    let (n, r) = reduce(x.lit(LOWEST).max(x));
    let power = (r * r).mul_add(polynomial(r, EXP), r) + r.lit(1.0);
    (power, n)
}

/// eˣ.
#[inline(always)]
pub fn exp<N: Number>(x: N) -> N {
    let (power, n) = exp_parts(x.lit(HIGHEST).min(x));
    power.scale_by_power(n)
}

/// eˣ − 1, accurate near 0.
#[inline(always)]
pub fn expm1<N: Number>(x: N) -> N {
    let (n, r) = reduce(x.lit(LOWEST).max(x.lit(HIGHEST).min(x)));
    let small = (r * r).mul_add(polynomial(r, EXPM1), r);
    // Computed as 2ⁿ·(small + 1) − 1 from half of it, because 2ⁿ itself may overflow.
    let half_power = r.lit(0.5).scale_by_power(n);
    let half = half_power.mul_add(small, half_power - r.lit(0.5));
    let zero = r.lit(0.0);
    let result = N::select(n.eq(zero), small, half + half);
    // Keeps −0.
    N::select(x.eq(zero), x, result)
}

/// The hyperbolic tangent, computed as t/(t + 2) with t = e²ˣ − 1.
#[inline(always)]
pub fn tanh<N: Number>(x: N) -> N {
    let magnitude = x.abs();
    // Above 10 the result rounds to 1.
    let limited = x.lit(10.0).min(magnitude);
    let t = expm1(limited + limited);
    let result = t / (t + x.lit(2.0));
    // If t is subnormal, half of it may not be a float, so the quotient would lose a bit.
    let tiny = magnitude.lt(x.lit(1e-30)).or(x.is_nan());
    N::select(tiny, x, result.copysign(x))
}
