//! e^x and what follows from it. Reduction: x = n·ln 2 + r with |r| ≤ ln 2 / 2, then the Taylor series of e^r − 1 to the
//! seventh power, whose remainder is below 2⁻²⁶ of the value.

use crate::simd::F32Vector;

/// ln 2 in two parts; the first has few enough bits that n times it is exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// n and e^r − 1 for x = n·ln 2 + r.
#[inline(always)]
fn reduced<V: F32Vector>(x: V) -> (V, V) {
    let n = (x * x.lit(std::f32::consts::LOG2_E)).round_even();
    let r = n.neg_mul_add(x.lit(LN2_HIGH), x);
    let r = n.neg_mul_add(x.lit(LN2_LOW), r);
    let mut q = x.lit(1.0 / 5040.0);
    for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5] {
        q = q.mul_add(r, x.lit(c));
    }
    (n, (r * r).mul_add(q, r))
}

/// e^x within 2 ulp; +∞ above 88.73, 0 below −103.98, subnormal results included.
#[inline(always)]
pub fn exp<V: F32Vector>(x: V) -> V {
    let limited = x.min(x.lit(89.0)).max(x.lit(-104.0));
    let (n, p) = reduced(limited);
    let result = (p + x.lit(1.0)).scale_by_power(n);
    V::select(x.is_nan(), x, result)
}

/// e^x − 1 within 3 ulp, accurate near 0.
#[inline(always)]
pub fn expm1<V: F32Vector>(x: V) -> V {
    let one = x.lit(1.0);
    let limited = x.min(x.lit(89.0)).max(x.lit(-30.0));
    let (n, p) = reduced(limited);
    // 2ⁿ·(p + 1) − 1; for the largest n half of it, so that 2ⁿ itself does not overflow.
    let power = one.scale_by_power(n - one);
    let half = power.mul_add(p, power - x.lit(0.5));
    let result = half + half;
    let result = V::select(x.abs().lt(x.lit(1e-8)), x, result);
    V::select(x.is_nan(), x, result)
}

/// tanh x within 4 ulp: with t = e^2|x| − 1 it is t / (t + 2).
#[inline(always)]
pub fn tanh<V: F32Vector>(x: V) -> V {
    let twice = x.abs().min(x.lit(10.0));
    let t = expm1(twice + twice);
    let result = (t / (t + x.lit(2.0))).copysign(x);
    V::select(x.is_nan(), x, result)
}
