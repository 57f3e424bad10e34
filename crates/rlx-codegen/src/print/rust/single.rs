//! Functions of f32 in f32 for printed kernels, without branches, so that loops over them run in vector registers.
//!
//! NaN gives NaN, and −0, infinities and subnormal numbers are handled like in IEEE 754 functions. `mul_add` is the
//! machine's instruction, or a product and a sum if it has none. The formulas and fits are those of
//! `rlx-simd/src/vector`, where `scripts/fit_polynomials.py` checks them.

use super::{libm, mul_add};

/// Evaluates the polynomial with these coefficients, starting with that of x⁰, with Horner's scheme.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[N - 1];
    let mut index = N - 1;
    while index > 0 {
        index -= 1;
        sum = mul_add(sum, x, coefficients[index]);
    }
    sum
}

/// x · 2ⁿ for an integer n. Only the last of the two products can round.
#[inline(always)]
fn scale(x: f32, n: f32) -> f32 {
    let n = whole(n);
    let half = n >> 1;
    x * power(half) * power(n - half)
}

/// 2ⁿ, for exponents of normal numbers.
#[inline(always)]
fn power(n: i32) -> f32 {
    f32::from_bits(((n + 127) << 23) as u32)
}

/// Adding 1.5·2²³ leaves no bits for a fraction, and puts the integer in the lower bits.
const MAGIC: f32 = 12_582_912.0;

/// The nearest integer of a number below 2²².
#[inline(always)]
fn nearest(x: f32) -> f32 {
    x + MAGIC - MAGIC
}

/// Converts an integer-valued number below 2²² to an integer.
#[inline(always)]
fn whole(x: f32) -> i32 {
    (x + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits()) as i32
}

/// The smaller number, or `x` if it is NaN.
#[inline(always)]
fn at_most(x: f32, limit: f32) -> f32 {
    if x > limit { limit } else { x }
}

/// The larger number, or `x` if it is NaN.
#[inline(always)]
fn at_least(x: f32, limit: f32) -> f32 {
    if x < limit { limit } else { x }
}

/// The upper part of ln 2, with so few bits that its product with an 8-bit integer is exact (W. J. Cody and W. Waite,
/// "Software manual for the elementary functions", 1980).
const LN2_HIGH: f32 = 355.0 / 512.0;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// Below this, eˣ rounds to 0.
const LOWEST: f32 = -128.0;
/// Above this, eˣ is infinite.
const HIGHEST: f32 = 89.0;
/// (eʳ − 1 − r)/r², relative to eʳ.
const EXP: [f32; 5] = [0.499_999_94, 0.166_665_21, 0.041_668_355, 0.008_368_691, 0.001_381_326_1];
/// The same, relative to eʳ − 1.
const EXPM1: [f32; 6] = [0.5, 0.166_666_66, 0.041_666_422, 0.008_333_474, 0.001_393_995_5, 0.000_198_455_47];

/// Splits x = n·ln 2 + r with |r| ≤ ln 2 / 2 into n and r.
#[inline(always)]
fn reduced(x: f32) -> (f32, f32) {
    let n = nearest(x * core::f32::consts::LOG2_E);
    (n, mul_add(-n, LN2_LOW, mul_add(-n, LN2_HIGH, x)))
}

/// eʳ and n, for x up to `HIGHEST`. Callers may have a factor to apply before 2ⁿ scales into the subnormal numbers.
#[inline(always)]
fn exp_parts(x: f32) -> (f32, f32) {
    let (n, r) = reduced(at_least(x, LOWEST));
    (mul_add(r * r, polynomial(r, EXP), r) + 1.0, n)
}

/// eˣ.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (power, n) = exp_parts(at_most(x, HIGHEST));
    scale(power, n)
}

/// eˣ − 1.
#[inline(always)]
pub fn expm1(x: f32) -> f32 {
    let (n, r) = reduced(at_least(at_most(x, HIGHEST), LOWEST));
    let small = mul_add(r * r, polynomial(r, EXPM1), r);
    // From half of 2ⁿ, because 2ⁿ itself may overflow.
    let half_power = scale(0.5, n);
    let half = mul_add(half_power, small, half_power - 0.5);
    let result = if n == 0.0 { small } else { half + half };
    if x == 0.0 { x } else { result }
}

/// The hyperbolic tangent: t/(t + 2) with t = e²ˣ − 1.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    let limited = at_most(magnitude, 10.0);
    let t = expm1(limited + limited);
    let result = (t / (t + 2.0)).copysign(x);
    // Where t is subnormal, half of it may not be representable.
    if magnitude < 1e-30 { x } else { result }
}

/// 1/(1 + e⁻ˣ).
#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    let (power, n) = exp_parts(-x.abs());
    let denominator = scale(power, n) + 1.0;
    // Below 0 the small term is scaled last, so that it rounds once.
    let above = 1.0 / denominator;
    let below = scale(power / denominator, n);
    if x < 0.0 { below } else { above }
}

/// (log(1 + f) − f + f²/2)/f³ for √½ ≤ 1 + f ≤ √2, relative to log(1 + f).
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

/// Splits a positive normal number m·2ᵉ with √½ ≤ m < √2 into e and m.
#[inline(always)]
fn parted(x: f32) -> (f32, f32) {
    let bits = x.to_bits() as i32;
    let exponent = bits.wrapping_sub(0x3f35_04f3) >> 23;
    (exponent as f32, f32::from_bits(bits.wrapping_sub(exponent << 23) as u32))
}

/// e·ln 2 + log(1 + f).
#[inline(always)]
fn log_of(e: f32, f: f32) -> f32 {
    let square = f * f;
    let tail = mul_add(square * f, polynomial(f, LOG), square * -0.5);
    mul_add(e, LN2_HIGH, f + mul_add(e, LN2_LOW, tail))
}

/// Corrects a logarithm: −∞ if the argument is 0, NaN if it is negative. +∞ and NaN stay.
#[inline(always)]
fn log_edges(x: f32, result: f32, argument: f32) -> f32 {
    let result = if argument < 0.0 { -f32::NAN } else { result };
    let result = if argument == 0.0 { f32::NEG_INFINITY } else { result };
    if x == f32::INFINITY || x.is_nan() { x } else { result }
}

/// The natural logarithm.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let subnormal = x < f32::MIN_POSITIVE;
    let (e, m) = parted(if subnormal { x * 8_388_608.0 } else { x });
    log_edges(x, log_of(if subnormal { e - 23.0 } else { e }, m - 1.0), x)
}

/// log(1 + x).
#[inline(always)]
pub fn log1p(x: f32) -> f32 {
    let sum = x + 1.0;
    let (e, m) = parted(sum);
    // What the sum lost, at the scale of m. Beyond 2²⁵ it no longer matters, and 2⁻ᵉ would underflow.
    let lost = if x < 33_554_432.0 { x - (sum - 1.0) } else { 0.0 };
    let result = log_of(e, (m - 1.0) + scale(lost, -e));
    let result = log_edges(x, result, sum);
    // If the sum is 1 the result is x, while x² may underflow and lose its sign.
    if sum == 1.0 { x } else { result }
}

/// erf(x)/x − 1 in x², for |x| ≤ 1, relative to erf(x)/x.
const SMALL: [f32; 7] = [
    0.128_379_17,
    -0.376_126_26,
    0.112_835_854,
    -0.026_853_813,
    0.005_188_325,
    -0.000_801_018_2,
    7.853_896_4e-5,
];
/// erfc(x)·e^(x²) on [0, 10.2] as a quotient whose coefficients are all positive, so that nothing cancels.
const NUMERATOR: [f32; 5] = [1.0, 1.239_258_4, 0.732_493_46, 0.229_643_09, 0.032_885_738];
const DENOMINATOR: [f32; 6] = [1.0, 2.367_638, 2.404_077_5, 1.327_028_9, 0.407_057_76, 0.058_287_77];

/// erfc of a number that is not negative.
#[inline(always)]
fn complement(x: f32) -> f32 {
    // Above this, erfc rounds to 0.
    let x = at_most(x, 10.2);
    // The rounding error of x² matters because the exponential amplifies it. The square of the leading digits is exact.
    let leading = f32::from_bits(x.to_bits() & 0xffff_f000);
    let square = x * x;
    let error = mul_add(x - leading, x + leading, mul_add(leading, leading, -square));
    let (power, n) = exp_parts(-square);
    let quotient = power * polynomial(x, NUMERATOR) / polynomial(x, DENOMINATOR);
    scale(mul_add(-error, quotient, quotient), n)
}

/// The error function.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let magnitude = x.abs();
    let small = mul_add(x, polynomial(x * x, SMALL), x);
    let large = (1.0 - complement(magnitude)).copysign(x);
    let result = if magnitude < 1.0 { small } else { large };
    if x == 0.0 { x } else { result }
}

/// 1 − erf(x).
#[inline(always)]
pub fn erfc(x: f32) -> f32 {
    let tail = complement(x.abs());
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// Up to this number, the number of quarter turns has so few bits that its product with `HALF_PI_HIGH` is exact in f64.
const TURNS: f32 = 1_048_576.0;
/// The upper 33 bits of π/2, split as in Sun Microsystems' fdlibm (1993), and the rest.
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;
/// (sin r − r)/r³ in r², relative to sin r.
const SINE: [f32; 4] = [-0.166_666_67, 0.008_333_38, -0.000_198_534_98, 2.837_247_4e-6];
/// (cos r − 1 + r²/2)/r⁴ in r², relative to cos r.
const COSINE: [f32; 4] = [0.041_666_668, -0.001_388_898, 2.482_200_8e-5, -2.887_843_8e-7];

/// sin(x + quarters·π/2) for |x| up to `TURNS`.
#[inline(always)]
fn turned(x: f32, quarters: i32) -> f32 {
    let n = nearest(x * core::f32::consts::FRAC_2_PI);
    let wide = f64::from(x) - f64::from(n) * HALF_PI_HIGH;
    let r = (wide - f64::from(n) * HALF_PI_LOW) as f32;
    let square = r * r;
    let sine = mul_add(square * r, polynomial(square, SINE), r);
    let cosine = mul_add(square * square, polynomial(square, COSINE), mul_add(square, -0.5, 1.0));
    let quadrant = whole(n).wrapping_add(quarters);
    let result = if quadrant & 1 == 1 { cosine } else { sine };
    f32::from_bits(result.to_bits() ^ ((quadrant & 2) << 30) as u32)
}

/// The sine, which is NaN for ±∞. Numbers beyond a million are computed one at a time.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    if x.abs() > TURNS {
        return libm::sin(f64::from(x)) as f32;
    }
    if x == 0.0 { x } else { turned(x, 0) }
}

/// The cosine, which is NaN for ±∞. Numbers beyond a million are computed one at a time.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    if x.abs() > TURNS {
        return libm::cos(f64::from(x)) as f32;
    }
    turned(x, 1)
}

/// The square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    libm::sqrtf(x)
}

/// 1 / √x.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    1.0 / libm::sqrtf(x)
}

/// The largest integer that is not above the number.
#[inline(always)]
pub fn floor(x: f32) -> f32 {
    libm::floorf(x)
}

/// The smallest integer that is not below the number.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    libm::ceilf(x)
}

/// The nearest integer, ties to even.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    libm::rintf(x)
}
