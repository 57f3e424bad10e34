//! GELU, from the tail of the normal distribution.
//!
//! Φ(−a) = e^(−a²/2)·G(a) for a ≥ 0, where G is a quotient of polynomials whose coefficients are all positive. Then x·Φ(x) is x − x·Φ(−x)
//! above 0 and x·Φ(−|x|) below, without cancellation.

use super::exponential::exp_parts;
use super::logistic::no_limit;
use super::number::Number;
use super::polynomial::polynomial;

/// The quotient G on [0, 14.5], fitted with relative errors.
const NUMERATOR: [f32; 5] = [0.5, 0.438_296_65, 0.183_236_46, 0.040_633_74, 0.004_116_398];
const DENOMINATOR: [f32; 6] = [1.0, 1.674_478_3, 1.202_508_4, 0.469_474_26, 0.101_860_12, 0.010_318_16];

/// Above this, the product x·Φ(−x) rounds to 0.
const HIGHEST: f32 = 14.5;

/// x·Φ(x), where Φ is the distribution function of the normal distribution: x·(1 + erf(x/√2))/2. NaN for −∞.
#[inline(always)]
pub fn gelu<N: Number>(x: N) -> N {
    let a = x.lit(HIGHEST).min(x.abs());
    // The rounding error of a² matters, because the exponential magnifies it.
    let (square, error) = a.square_parts();
    let half = a.lit(0.5);
    let (power, n) = exp_parts(-(square * half));
    let quotient = power * polynomial(a, NUMERATOR) / polynomial(a, DENOMINATOR);
    let tail = (a * (error * half).neg_mul_add(quotient, quotient)).scale_by_power(n);
    no_limit(x, N::select(x.lt(x.lit(0.0)), -tail, x - tail))
}
