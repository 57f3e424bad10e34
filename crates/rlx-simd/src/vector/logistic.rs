//! The logistic function and the activations that are made from it.

use super::exponential::{LOWEST, exp_parts};
use crate::simd::F32Vector;

/// Computes `numerator · σ(t)`, where the numerator is 1, or its magnitude for t < 0 is at most that of `t` and of [`LOWEST`].
///
/// e⁻|t| never overflows. Where it is small, it is multiplied by the numerator before the scaling by 2ⁿ, so that subnormal results round
/// only once.
#[inline(always)]
fn times_logistic<V: F32Vector>(numerator: V, t: V) -> V {
    let (power, n) = exp_parts(-t.abs());
    let denominator = power.scale_by_power(n) + t.lit(1.0);
    let negative = t.lt(t.lit(0.0));
    let quotient = V::select(negative, numerator * power, numerator) / denominator;
    V::select(negative, quotient.scale_by_power(n), quotient)
}

/// 1/(1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid<V: F32Vector>(x: V) -> V {
    times_logistic(x.lit(1.0), x)
}

/// x/(1 + e⁻ˣ); NaN for −∞, as x·sigmoid(x) is.
#[inline(always)]
pub fn silu<V: F32Vector>(x: V) -> V {
    no_limit(x, times_logistic(x.lit(LOWEST).max(x), x))
}

/// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2, which is x·σ(2√(2/π)·(x + 0.044715·x³)); NaN for −∞.
#[inline(always)]
pub fn gelu_tanh<V: F32Vector>(x: V) -> V {
    // 2√(2/π), and the same times 0.044715.
    const LINEAR: f32 = 1.595_769;
    const CUBIC: f32 = 0.071_354_814;
    let t = x * (x * x).mul_add(x.lit(CUBIC), x.lit(LINEAR));
    no_limit(x, times_logistic(x.lit(LOWEST).max(x), t))
}

/// Returns `result`, but NaN where `x` is −∞: there the functions are defined as products of −∞ and 0.
#[inline(always)]
pub(super) fn no_limit<V: F32Vector>(x: V, result: V) -> V {
    V::select(x.eq(x.lit(f32::NEG_INFINITY)), x.lit(f32::NAN), result)
}
