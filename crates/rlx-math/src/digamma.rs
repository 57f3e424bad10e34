//! The logarithmic derivative of the gamma function (DLMF chapter 5).
//!
//! Between 1 and 2 it is the distance from its zero times a polynomial, up to 4 a polynomial, and above the asymptotic series. Below 1 it
//! follows from ψ(x) = ψ(x + 1) − 1/x, and below 0 from the reflection ψ(1 − x) − ψ(x) = π·cot πx.

use core::f32::consts::PI;

use super::half_turns::{cosine_of_half_turns, sine_of_half_turns};
use super::logarithm::log;
use super::number::{Mask, Number};
use super::polynomial::polynomial;

/// The positive zero of ψ, in two parts.
const ZERO: [f32; 2] = [1.461_632_1, 1.243_815e-8];
/// ψ(1½ + a)/(1½ + a − zero) for |a| ≤ ½, fitted with relative errors.
const NEAR_1: [f32; 10] = [
    0.951_055_9,
    -0.423_627_47,
    0.240_539_09,
    -0.148_400_47,
    0.095_107_17,
    -0.062_033_277,
    0.039_417_118,
    -0.025_906_539,
    0.023_825_2,
    -0.016_162_539,
];
/// ψ(3 + a) for |a| ≤ 1, fitted with relative errors.
const NEAR_3: [f32; 10] = [
    0.922_784_3,
    0.394_934_2,
    -0.077_056_32,
    0.019_821_191,
    -0.005_683_048_6,
    0.001_726_529,
    -0.000_521_359,
    0.000_156_990_09,
    -7.258_056e-5,
    2.775_914e-5,
];
/// (log x − 1/(2x) − ψ(x))·x² as a polynomial in 1/x², for x ≥ 4; an error counts as one of ψ(x).
const ASYMPTOTIC: [f32; 4] = [0.083_333_33, -0.008_332_484, 0.003_924_647_3, -0.003_259_923];

/// ψ(x). NaN for −∞ and at the poles, which are the integers up to 0.
#[inline(always)]
pub fn digamma<N: Number>(x: N) -> N {
    let (zero, one) = (x.lit(0.0), x.lit(1.0));
    let reflected = x.lt(zero);
    let positive = N::select(reflected, one - x, x);
    let small = positive.lt(one);
    let z = N::select(small, positive + one, positive);
    let result = N::select(z.lt(x.lit(4.0)), near(z), far(z));
    let result = N::select(small, result - one / positive, result);
    // Exact, so that the quotient keeps its digits next to the poles.
    let distance = x - x.round_even();
    let cotangent = x.lit(PI) * cosine_of_half_turns(distance) / sine_of_half_turns(distance);
    let result = N::select(reflected, result - cotangent, result);
    let pole = N::select(x.lt(one), distance, one).eq(zero).or(x.eq(x.lit(f32::NEG_INFINITY)));
    N::select(pole, x.lit(f32::NAN), result)
}

/// ψ(x) for 1 ≤ x < 4.
#[inline(always)]
fn near<N: Number>(x: N) -> N {
    let [high, low] = ZERO;
    let distance = (x - x.lit(high)) - x.lit(low);
    let below = distance * polynomial(x - x.lit(1.5), NEAR_1);
    N::select(x.lt(x.lit(2.0)), below, polynomial(x - x.lit(3.0), NEAR_3))
}

/// ψ(x) for x ≥ 4 (DLMF 5.11.2).
#[inline(always)]
fn far<N: Number>(x: N) -> N {
    let inverse = x.lit(1.0) / x;
    let square = inverse * inverse;
    let rest = square.mul_add(polynomial(square, ASYMPTOTIC), inverse * x.lit(0.5));
    let result = log(x) - rest;
    N::select(x.eq(x.lit(f32::INFINITY)), x, result)
}
