//! The error function. Below 1 an odd polynomial; above, 1 − e^−q with q a polynomial fit of −log erfc on [0.98, 4], where
//! erf rounds to 1 at the end. Coefficients: least squares at Chebyshev points, in f64, rounded to f32.

use super::exponential::exp;
use crate::simd::F32Vector;

/// erf(x)/x in x², on |x| ≤ 1, highest power first.
const SMALL: [f32; 7] = [
    7.813_504e-5,
    -7.996_235e-4,
    5.186_451_6e-3,
    -2.685_259_3e-2,
    1.128_354_7e-1,
    -3.761_262e-1,
    std::f32::consts::FRAC_2_SQRT_PI,
];

/// −log erfc in x − 2, on 0.98 ≤ x ≤ 4, highest power first.
const LARGE: [f32; 8] = [
    1.851_370_7e-5,
    -1.403_561_8e-4,
    7.350_723_6e-4,
    -3.566_039_7e-3,
    1.646_47e-2,
    9.237_496e-1,
    4.418_161,
    5.364_941,
];

/// erf x within 2⁻²² absolute, and within 4 ulp for |x| ≤ 1.
#[inline(always)]
pub fn erf<V: F32Vector>(x: V) -> V {
    let magnitude = x.abs();
    let square = x * x;
    let mut small = x.lit(SMALL[0]);
    for c in &SMALL[1..] {
        small = small.mul_add(square, x.lit(*c));
    }
    let s = magnitude.min(x.lit(4.0)) - x.lit(2.0);
    let mut q = x.lit(LARGE[0]);
    for c in &LARGE[1..] {
        q = q.mul_add(s, x.lit(*c));
    }
    let large = (x.lit(1.0) - exp(-q)).copysign(x);
    let result = V::select(magnitude.lt(x.lit(1.0)), small * x, large);
    V::select(x.is_nan(), x, result)
}
