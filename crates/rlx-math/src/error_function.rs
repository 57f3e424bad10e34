//! The error function and its complement.
//!
//! Below 1, erf is an odd polynomial. Elsewhere both functions follow from erfc x = e^(−x²)·R(x) for x ≥ 0, where R is a quotient of
//! polynomials whose coefficients are all positive, so nothing cancels.

use super::exponential::exp_parts;
use super::number::Number;
use super::polynomial::polynomial;

/// erf(x)/x − 1 as a polynomial in x², for |x| ≤ 1, fitted with errors relative to erf(x)/x.
const SMALL: [f32; 7] = [
    0.128_379_17,
    -0.376_126_26,
    0.112_835_854,
    -0.026_853_813,
    0.005_188_325,
    -0.000_801_018_2,
    7.853_896_4e-5,
];

/// The quotient R on [0, 10.2], fitted with relative errors.
const NUMERATOR: [f32; 5] = [1.0, 1.239_258_4, 0.732_493_46, 0.229_643_09, 0.032_885_738];
const DENOMINATOR: [f32; 6] = [1.0, 2.367_638, 2.404_077_5, 1.327_028_9, 0.407_057_76, 0.058_287_77];

/// Above this, erfc rounds to 0.
const HIGHEST: f32 = 10.2;

/// erfc of a number that is not negative.
#[inline(always)]
fn complement<N: Number>(x: N) -> N {
    let x = x.lit(HIGHEST).min(x);
    // The rounding error of x² matters, because the exponential magnifies it.
    let (square, error) = x.square_parts();
    let (power, n) = exp_parts(-square);
    let quotient = power * polynomial(x, NUMERATOR) / polynomial(x, DENOMINATOR);
    error.neg_mul_add(quotient, quotient).scale_by_power(n)
}

/// The error function.
#[inline(always)]
pub fn erf<N: Number>(x: N) -> N {
    let magnitude = x.abs();
    let one = x.lit(1.0);
    let small = x.mul_add(polynomial(x * x, SMALL), x);
    let large = (one - complement(magnitude)).copysign(x);
    let result = N::select(magnitude.lt(one), small, large);
    // Keeps −0.
    N::select(x.eq(x.lit(0.0)), x, result)
}

/// 1 − erf(x), accurate where the result is small.
#[inline(always)]
pub fn erfc<N: Number>(x: N) -> N {
    let tail = complement(x.abs());
    N::select(x.lt(x.lit(0.0)), x.lit(2.0) - tail, tail)
}
