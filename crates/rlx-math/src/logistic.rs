//! The logistic function and the activations that are made from it.

use super::exponential::{LOWEST, exp_parts};
use super::number::Number;

/// Computes `numerator · σ(t)`, where the numerator is 1, or its magnitude for t < 0 is at most that of `t` and of [`LOWEST`].
///
/// e⁻|t| never overflows. Where it is small, it is multiplied by the numerator before the scaling by 2ⁿ, so that subnormal results round
/// only once.
#[inline(always)]
fn times_logistic<N: Number>(numerator: N, t: N) -> N {
    let (power, n) = exp_parts(-t.abs());
    let denominator = power.scale_by_power(n) + t.lit(1.0);
    let negative = t.lt(t.lit(0.0));
    let quotient = N::select(negative, numerator * power, numerator) / denominator;
    N::select(negative, quotient.scale_by_power(n), quotient)
}

/// 1/(1 + e⁻ˣ).
#[inline(always)]
pub fn sigmoid<N: Number>(x: N) -> N {
    times_logistic(x.lit(1.0), x)
}

/// x/(1 + e⁻ˣ); NaN for −∞, as x·sigmoid(x) is.
#[inline(always)]
pub fn silu<N: Number>(x: N) -> N {
    no_limit(x, times_logistic(x.lit(LOWEST).max(x), x))
}

/// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2, which is x·σ(2√(2/π)·(x + 0.044715·x³)); NaN for −∞.
#[inline(always)]
pub fn gelu_tanh<N: Number>(x: N) -> N {
    // 2√(2/π), and the same times 0.044715.
    const LINEAR: f32 = 1.595_769;
    const CUBIC: f32 = 0.071_354_814;
    let t = x * (x * x).mul_add(x.lit(CUBIC), x.lit(LINEAR));
    no_limit(x, times_logistic(x.lit(LOWEST).max(x), t))
}

/// Returns `result`, but NaN where `x` is −∞: there the functions are defined as products of −∞ and 0.
#[inline(always)]
pub(super) fn no_limit<N: Number>(x: N, result: N) -> N {
    N::select(x.eq(x.lit(f32::NEG_INFINITY)), x.lit(f32::NAN), result)
}
