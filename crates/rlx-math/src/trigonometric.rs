//! Sine and cosine.
//!
//! x = n·π/2 + r with |r| ≤ π/4. Numbers that have f64 compute r in it, which has enough bits for |x| up to [`LIMIT`], and compute larger
//! numbers, which are rare, one at a time. Others compute r from the bits of x, for all x (`turns.rs`).

use super::number::{Int, Number};
use super::polynomial::polynomial;

/// Up to here, n has at most 20 bits, so its product with `HALF_PI_HIGH` is exact in `f64`.
pub const LIMIT: f32 = 1_048_576.0;
/// The upper 33 bits of π/2, split as in Sun Microsystems' fdlibm (1993).
pub const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
/// π/2 − `HALF_PI_HIGH`.
pub const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;

/// (sin r − r)/r³ as a polynomial in r², fitted with errors relative to sin r.
const SINE: [f32; 4] = [-0.166_666_67, 0.008_333_38, -0.000_198_534_98, 2.837_247_4e-6];
/// (cos r − 1 + r²/2)/r⁴ as a polynomial in r², fitted with errors relative to cos r.
const COSINE: [f32; 4] = [0.041_666_668, -0.001_388_898, 2.482_200_8e-5, -2.887_843_8e-7];

/// The sine; NaN for ±∞.
#[inline(always)]
pub fn sin<N: Number>(x: N) -> N {
    let result = quarter_turned(x, 0);
    let result = N::select(x.eq(x.lit(0.0)), x, result);
    x.replace_far(result, 0)
}

/// The cosine; NaN for ±∞.
#[inline(always)]
pub fn cos<N: Number>(x: N) -> N {
    x.replace_far(quarter_turned(x, 1), 1)
}

/// sin(x + quarters·π/2), for |x| up to where [`Number::replace_far`] begins.
#[inline(always)]
fn quarter_turned<N: Number>(x: N, quarters: i32) -> N {
    let (r, n) = x.quarter_turns();
    let square = r * r;
    let sine = (square * r).mul_add(polynomial(square, SINE), r);
    let cosine =
        (square * square).mul_add(polynomial(square, COSINE), square.mul_add(r.lit(-0.5), r.lit(1.0)));
    let quadrant = n.add(n.lit(quarters));
    let odd = N::from_int(quadrant.and(quadrant.lit(1))).eq(x.lit(1.0));
    N::select(odd, cosine, sine).flip_bits(quadrant.and(quadrant.lit(2)).shift_left(30))
}
