//! Modified Bessel functions of the first kind, scaled (DLMF chapter 10).
//!
//! Up to 8, I₀(x) and I₁(x)/x are polynomials in x² whose coefficients are all positive, which the exponential scales. Above,
//! e⁻ˣ·√x·I(x) is a polynomial in 1/x.

use super::exponential::exp;
use super::number::Number;
use super::polynomial::polynomial;

/// Where the functions of 1/x begin.
const FAR: f32 = 8.0;

/// I₀(x) as a polynomial in (x/8)² for |x| ≤ 8, fitted with relative errors.
const NEAR_0: [f32; 12] = [
    1.0,
    16.0,
    64.0,
    113.777_78,
    113.777_75,
    72.818_146,
    32.361_168,
    10.575_839,
    2.624_100_4,
    0.545_809_6,
    0.064_270_25,
    0.019_255_957,
];
/// 2·I₁(x)/x as a polynomial in (x/8)² for |x| ≤ 8, fitted with relative errors.
const NEAR_1: [f32; 12] = [
    1.0,
    8.0,
    21.333_334,
    28.444_422,
    22.755_856,
    12.134_285,
    4.631_090_6,
    1.302_886_8,
    0.319_479_7,
    0.029_983_722,
    0.017_810_22,
    -0.000_863_207_1,
];
/// e⁻ˣ·√x·I₀(x) as a polynomial in 8/x for x ≥ 8, fitted with relative errors.
const FAR_0: [f32; 7] = [
    0.398_942_3,
    0.006_232_673_3,
    0.000_447_789_5,
    1.547_244_6e-5,
    9.393_382e-5,
    -7.462_847e-5,
    2.882_074_7e-5,
];
/// e⁻ˣ·√x·I₁(x) as a polynomial in 8/x for x ≥ 8, fitted with relative errors.
const FAR_1: [f32; 7] = [
    0.398_942_3,
    -0.018_701_17,
    -0.000_722_146_7,
    -0.000_113_814_865,
    4.771_911e-5,
    -5.392_686e-5,
    1.332_389_4e-5,
];

/// e^−|x|·I₀(x).
#[inline(always)]
pub fn bessel_i0e<N: Number>(x: N) -> N {
    let magnitude = x.abs();
    let near = exp(-magnitude) * polynomial(square(x), NEAR_0);
    N::select(magnitude.lt(x.lit(FAR)), near, far(magnitude, FAR_0))
}

/// e^−|x|·I₁(x).
#[inline(always)]
pub fn bessel_i1e<N: Number>(x: N) -> N {
    let magnitude = x.abs();
    let near = exp(-magnitude) * polynomial(square(x), NEAR_1) * x.lit(0.5) * magnitude;
    N::select(magnitude.lt(x.lit(FAR)), near, far(magnitude, FAR_1)).copysign(x)
}

/// (x/8)².
#[inline(always)]
fn square<N: Number>(x: N) -> N {
    let eighth = x * x.lit(1.0 / FAR);
    eighth * eighth
}

/// A polynomial in 8/x, divided by √x.
#[inline(always)]
fn far<N: Number, const LENGTH: usize>(x: N, coefficients: [f32; LENGTH]) -> N {
    polynomial(x.lit(FAR) / x, coefficients) / x.sqrt()
}
