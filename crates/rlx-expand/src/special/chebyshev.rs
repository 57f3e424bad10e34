//! Chebyshev series of smooth functions on intervals (DLMF 3.11.ii), fitted when the graph is built.

use super::by_type;
use crate::build::Expression;
use rlx_ir::{DType, Tensor};

/// Number of points at which a function is sampled; far more than the longest series has terms.
const SAMPLES: usize = 96;

/// The coefficients of `f` on an interval, truncated where they are below the rounding of the type.
fn coefficients(f: impl Fn(f64) -> f64, low: f64, high: f64, dtype: DType) -> Vec<f64> {
    // cos(n·π·(k + ½)/SAMPLES). The angle is reduced while it is an integer multiple.
    let wave = |k: usize, n: usize| {
        let steps = (2 * k + 1) * n % (4 * SAMPLES);
        (std::f64::consts::PI * steps as f64 / (2 * SAMPLES) as f64).cos()
    };
    let (middle, half) = ((high + low) / 2.0, (high - low) / 2.0);
    let values: Vec<f64> = (0..SAMPLES).map(|k| f(middle + half * wave(k, 1))).collect();
    let coefficient = |n: usize| {
        let terms = values.iter().enumerate().map(|(k, v)| v * wave(k, n));
        terms.sum::<f64>() * 2.0 / SAMPLES as f64
    };
    let mut all: Vec<f64> = (0..SAMPLES / 2).map(coefficient).collect();
    let largest = all.iter().fold(0.0f64, |m, c| m.max(c.abs()));
    let noise = largest * by_type(dtype, 5e-10, 2e-17);
    while all.last().is_some_and(|c| c.abs() < noise) {
        all.pop();
    }
    all
}

/// `f` on [low, high] by Clenshaw's recurrence (DLMF 3.11.15) in Reinsch's form, which keeps the digits of the distance to the
/// nearer end: with σ = ±1 there and u = 2(t − σ), it is d ← u·b + σ·d + c, b ← d + σ·b. Outside of the interval the result is
/// unspecified.
pub(super) fn series(x: &Tensor, f: impl Fn(f64) -> f64, low: f64, high: f64) -> Tensor {
    let all = coefficients(f, low, high, x.dtype());
    let lower = x.less(&x.scalar_like((high + low) / 2.0));
    let sign = lower.select(&x.scalar_like(-1.0), &x.scalar_like(1.0));
    let u = (x - lower.select(&x.scalar_like(low), &x.scalar_like(high))) * (4.0 / (high - low));
    let (mut b, mut d) = (x.filled(0.0), x.filled(0.0));
    for &c in all.iter().skip(1).rev() {
        d = &u * &b + &sign * d + c;
        b = &d + &sign * b;
    }
    let constant = all.first().map_or(0.0, |c| c / 2.0);
    u * b * 0.5 + sign * d + constant
}
