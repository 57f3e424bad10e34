//! The natural logarithm of x and of 1 + x.
//!
//! x = 2ᵉ·m with √½ ≤ m < √2, and log m is a polynomial in m − 1.

use super::number::{Int, Mask, Number};
use super::polynomial::polynomial;

/// The upper part of ln 2. It has so few bits that its product with an exponent is exact. The split is that of W. J. Cody and W. Waite
/// ("Software manual for the elementary functions", 1980), with the numbers of S. Moshier's Cephes library.
const LN2_HIGH: f32 = 355.0 / 512.0;
/// ln 2 − `LN2_HIGH`.
const LN2_LOW: f32 = -2.121_944_4e-4;

/// (log(1 + f) − f + f²/2)/f³ for √½ ≤ 1 + f ≤ √2, fitted with errors relative to log(1 + f).
const LOG: [f32; 9] = [
    0.333_333_13,
    -0.250_000_12,
    0.200_021_07,
    -0.166_679_46,
    0.142_195_22,
    -0.124_057_665,
    0.118_886_99,
    -0.116_759_41,
    0.067_460_12,
];

/// Returns `(e, m)` of a positive normal number.
#[inline(always)]
fn split<N: Number>(x: N) -> (N, N) {
    let bits = x.to_bits();
    // The bits of √½: the exponent rises by one where m would otherwise not be below √2.
    let exponent = bits.sub(bits.lit(0x3f35_04f3)).shift_right_signed(23);
    (N::from_int(exponent), N::from_bits(bits.sub(exponent.shift_left(23))))
}

/// e·ln 2 + log(1 + f).
#[inline(always)]
fn assemble<N: Number>(e: N, f: N) -> N {
    let square = f * f;
    let tail = (square * f).mul_add(polynomial(f, LOG), square * f.lit(-0.5));
    let low = e.mul_add(e.lit(LN2_LOW), tail);
    e.mul_add(e.lit(LN2_HIGH), f + low)
}

/// The natural logarithm: −∞ for ±0, NaN for negative numbers.
#[inline(always)]
pub fn log<N: Number>(x: N) -> N {
    let zero = x.lit(0.0);
    let subnormal = x.lt(x.lit(f32::MIN_POSITIVE));
    let normal = N::select(subnormal, x * x.lit(8_388_608.0), x);
    let (e, m) = split(normal);
    let e = N::select(subnormal, e - x.lit(23.0), e);
    let result = assemble(e, m - x.lit(1.0));
    edges(x, result, x.lt(zero), x.eq(zero))
}

/// log(1 + x), accurate near 0: −∞ for −1, NaN below.
#[inline(always)]
pub fn log1p<N: Number>(x: N) -> N {
    let one = x.lit(1.0);
    let sum = x + one;
    let (e, m) = split(sum);
    // What the sum lost, at the scale of m. Above 2²⁵ it is negligible, and 2⁻ᵉ would underflow.
    let lost = N::select(x.lt(x.lit(33_554_432.0)), x - (sum - one), x.lit(0.0));
    let f = (m - one) + lost.scale_by_power(-e);
    let result = assemble(e, f);
    let result = edges(x, result, x.lt(-one), x.eq(-one));
    // Where the sum is 1, the result is x, and x² may underflow and lose its sign.
    N::select(sum.eq(one), x, result)
}

/// log(sum + rest) for a positive normal sum and a rest below its last place; the rest itself if the sum is 1.
#[inline(always)]
pub(super) fn log_of_sum<N: Number>(sum: N, rest: N) -> N {
    let (e, m) = split(sum);
    let result = assemble(e, (m - sum.lit(1.0)) + rest.scale_by_power(-e));
    N::select(sum.eq(sum.lit(1.0)), rest, result)
}

/// Returns −∞ where the argument of the logarithm is 0, NaN where it is negative, and keeps +∞ and NaN. The NaN has its sign bit set, like
/// the NaN that x86 computes from numbers: its place in a total order of floats depends on that bit.
#[inline(always)]
fn edges<N: Number>(x: N, result: N, negative: N::Mask, zero: N::Mask) -> N {
    let result = N::select(negative, x.lit(-f32::NAN), result);
    let result = N::select(zero, x.lit(f32::NEG_INFINITY), result);
    N::select(x.eq(x.lit(f32::INFINITY)).or(x.is_nan()), x, result)
}
