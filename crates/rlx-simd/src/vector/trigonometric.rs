//! Sine and cosine.
//!
//! x = n·π/2 + r with |r| ≤ π/4. r is computed in `f64`, which has enough bits for |x| up to [`LIMIT`]. Larger numbers, which are rare, are
//! computed one at a time.

use super::polynomial::polynomial;
use crate::simd::{F32Vector, I32Vector, Mask, Vector};

/// Up to here, n has at most 20 bits, so its product with `HALF_PI_HIGH` is exact in `f64`.
const LIMIT: f32 = 1_048_576.0;
/// The upper 33 bits of π/2, split as in Sun Microsystems' fdlibm (1993).
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
/// π/2 − `HALF_PI_HIGH`.
const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;

/// (sin r − r)/r³ as a polynomial in r², fitted with errors relative to sin r.
const SINE: [f32; 4] = [-0.166_666_67, 0.008_333_38, -0.000_198_534_98, 2.837_247_4e-6];
/// (cos r − 1 + r²/2)/r⁴ as a polynomial in r², fitted with errors relative to cos r.
const COSINE: [f32; 4] = [0.041_666_668, -0.001_388_898, 2.482_200_8e-5, -2.887_843_8e-7];

/// The sine; NaN for ±∞.
#[inline(always)]
pub fn sin<V: F32Vector>(x: V) -> V {
    let result = quarter_turned(x, 0);
    let result = V::select(x.eq(x.lit(0.0)), x, result);
    one_by_one(x, result, |x| libm::sin(f64::from(x)) as f32)
}

/// The cosine; NaN for ±∞.
#[inline(always)]
pub fn cos<V: F32Vector>(x: V) -> V {
    one_by_one(x, quarter_turned(x, 1), |x| libm::cos(f64::from(x)) as f32)
}

/// sin(x + quarters·π/2), for |x| up to [`LIMIT`].
#[inline(always)]
fn quarter_turned<V: F32Vector>(x: V, quarters: i32) -> V {
    let magic = x.lit(12_582_912.0);
    let n = x.mul_add(x.lit(std::f32::consts::FRAC_2_PI), magic) - magic;
    let r = remainder(x, n);
    let square = r * r;
    let sine = (square * r).mul_add(polynomial(square, SINE), r);
    let cosine =
        (square * square).mul_add(polynomial(square, COSINE), square.mul_add(r.lit(-0.5), r.lit(1.0)));
    let quadrant = n.to_int();
    let quadrant = quadrant.add(quadrant.lit(quarters));
    let odd = quadrant.and(quadrant.lit(1)).to_float().eq(x.lit(1.0));
    let sign = quadrant.and(quadrant.lit(2)).shift_left(30).from_bits();
    V::select(odd, cosine, sine).xor(sign)
}

/// x − n·π/2.
#[inline(always)]
fn remainder<V: F32Vector>(x: V, n: V) -> V {
    let ((x_low, x_high), (n_low, n_high)) = (x.widen(), n.widen());
    V::narrow(remainder_wide(x_low, n_low), remainder_wide(x_high, n_high))
}

#[inline(always)]
fn remainder_wide<W: Vector<Elem = f64>>(x: W, n: W) -> W {
    n.neg_mul_add(n.lit(HALF_PI_LOW), n.neg_mul_add(n.lit(HALF_PI_HIGH), x))
}

/// Returns `result`, but `function` of those lanes of `x` that are beyond [`LIMIT`].
#[inline(always)]
fn one_by_one<V: F32Vector>(x: V, result: V, function: impl Fn(f32) -> f32) -> V {
    let within = x.abs().le(x.lit(LIMIT));
    if within.not().any() { V::select(within, result, x.map_lanes(function)) } else { result }
}
