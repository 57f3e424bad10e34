//! Activations of models.

use super::error_function::erf;
use super::exponential::{exp, tanh};
use crate::simd::F32Vector;

/// x Φ(x) = x (1 + erf(x/√2)) / 2, within 2⁻²² |x| absolute.
#[inline(always)]
pub fn gelu<V: F32Vector>(x: V) -> V {
    let half = x * x.lit(0.5);
    erf(x * x.lit(std::f32::consts::FRAC_1_SQRT_2)).mul_add(half, half)
}

/// x (1 + tanh(√(2/π)(x + 0.044715 x³))) / 2, within 2⁻²² |x| absolute.
#[inline(always)]
pub fn gelu_tanh<V: F32Vector>(x: V) -> V {
    let cubic = (x * x * x).mul_add(x.lit(0.044_715), x);
    let half = x * x.lit(0.5);
    tanh(cubic * x.lit(0.797_884_6)).mul_add(half, half)
}

/// 1 / (1 + e^−x) within 4 ulp, as e^x / (1 + e^x) for negative x.
#[inline(always)]
pub fn sigmoid<V: F32Vector>(x: V) -> V {
    let one = x.lit(1.0);
    let e = exp(-x.abs());
    V::select(x.lt(x.lit(0.0)), e, one) / (one + e)
}

/// x / (1 + e^−x) within 5 ulp; at −∞ it is NaN, as the product x·sigmoid(x) is.
#[inline(always)]
pub fn silu<V: F32Vector>(x: V) -> V {
    x * sigmoid(x)
}
