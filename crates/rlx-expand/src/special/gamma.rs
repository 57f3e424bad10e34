//! Expands the logarithm of the gamma function and its derivative (DLMF chapter 5), and parts of the incomplete functions.

use super::{by_type, nan};
use crate::build::{Expression, horner};
use rlx_ir::{DType, Tensor};
use std::f64::consts::{PI, TAU};

/// Where the asymptotic series begins.
fn shift(dtype: DType) -> i32 {
    by_type(dtype, 4, 8)
}

/// Bernoulli numbers B₂, B₄, … (DLMF 24.2).
pub(super) const BERNOULLI: [f64; 12] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
    854513.0 / 138.0,
    -236364091.0 / 2730.0,
];

/// Σ cₖ z^−(2k−1) with the coefficients of k = 1, 2, ….
fn odd_inverse_powers(z: &Tensor, coefficient: impl Fn(f64, f64) -> f64) -> Tensor {
    let terms = by_type(z.dtype(), 5, BERNOULLI.len());
    let list: Vec<f64> = BERNOULLI[..terms]
        .iter()
        .enumerate()
        .map(|(i, &b)| coefficient(b, 2.0 * (i + 1) as f64))
        .rev()
        .collect();
    let inverse = z.filled(1.0) / z;
    horner(&(&inverse * &inverse), &list) * inverse
}

/// z, shifted to where the series begins if it is smaller than that.
fn shifted(z: &Tensor) -> (Tensor, Tensor) {
    let from = f64::from(shift(z.dtype()));
    let small = z.less(&z.scalar_like(from));
    (small.select(&(z + from), z), small)
}

/// S(z) = ln Γ(z) − (z − ½)·ln z + z − ½ ln 2π for z > 0: its asymptotic series (DLMF 5.11.1), after steps of S(z) = S(z + 1) +
/// (z + ½)·ln(1 + 1/z) − 1. With r = 1/(2z + 1), a step adds r²/3 + r⁴/5 + …, in which nothing cancels.
pub(super) fn stirling_remainder(z: &Tensor) -> Tensor {
    let (far, small) = shifted(z);
    let tail = odd_inverse_powers(&far, |b, k| b / (k * (k - 1.0)));
    let one = z.filled(1.0);
    let first = (z + 0.5) * (&one / z).log1p() - 1.0;
    let list: Vec<f64> =
        (1..=by_type(z.dtype(), 7, 16)).rev().map(|k| 1.0 / (2.0 * f64::from(k) + 1.0)).collect();
    let step = |i: i32| {
        let r = &one / (z * 2.0 + (2.0 * f64::from(i) + 1.0));
        let square = &r * &r;
        horner(&square, &list) * square
    };
    // Smallest terms first.
    let steps = (1..shift(z.dtype())).rev().fold(z.filled(0.0), |sum, i| sum + step(i)) + first;
    small.select(&(&tail + steps), &tail)
}

/// δ − ln(1 + δ), without the cancellation for small δ > −1. With r = δ/(2 + δ) it is δ·r − 2(r³/3 + r⁵/5 + …) (DLMF 4.6.4).
pub(super) fn log1p_rest(delta: &Tensor) -> Tensor {
    let r = delta / (delta + 2.0);
    let square = &r * &r;
    let terms = by_type(delta.dtype(), 9, 20);
    let list: Vec<f64> = (1..=terms).rev().map(|k| 2.0 / (2.0 * f64::from(k) + 1.0)).collect();
    let near = delta * &r - &square * &r * horner(&square, &list);
    let direct = delta - delta.log1p();
    delta.abs().less(&delta.scalar_like(0.5)).select(&near, &direct)
}

/// The difference between x and its nearest integer, times π. The parity is dropped, because sin² and tan of πx do not need it.
fn reduced_angle(x: &Tensor) -> Tensor {
    (x - x.unary(rlx_ir::UnaryOp::RoundEven)) * PI
}

/// Whether x is a pole of Γ.
fn pole(x: &Tensor) -> Tensor {
    x.less_equal(&x.scalar_like(0.0)).and(&x.equal(&x.floor()))
}

/// ln |Γ(x)|: Stirling's formula for x ≥ ½, the reflection Γ(x)·Γ(1 − x) = π/sin πx (DLMF 5.5.3) below.
pub(crate) fn lgamma(x: &Tensor) -> Tensor {
    let half = x.scalar_like(0.5);
    let mirrored = x.less(&half);
    let z = mirrored.select(&(x.scalar_like(1.0) - x), x);
    let constant = TAU.ln() / 2.0 - 0.5;
    let value = (&z - 0.5) * (z.log() - 1.0) + stirling_remainder(&z) + constant;
    let reflected = x.filled(PI.ln()) - reduced_angle(x).sin().abs().log() - &value;
    let value = mirrored.select(&reflected, &value);
    // Near the pole at 0, the angle would lose the digits of subnormal numbers.
    let value = x.abs().less(&x.scalar_like(1e-20)).select(&-x.abs().log(), &value);
    let infinite = pole(x).or(&x.abs().equal(&x.scalar_like(f64::INFINITY)));
    infinite.select(&x.scalar_like(f64::INFINITY), &value)
}

/// ψ(x): ln x − 1/(2x) − Σ B₂ₖ/(2k·x^2k) (DLMF 5.11.2) after the recurrence, and the reflection ψ(1 − x) − ψ(x) = π·cot πx
/// (DLMF 5.5.4) below 0.
pub(crate) fn digamma(x: &Tensor) -> Tensor {
    let zero = x.scalar_like(0.0);
    let mirrored = x.less(&zero);
    let z = mirrored.select(&(x.scalar_like(1.0) - x), x);
    let (far, small) = shifted(&z);
    let one = far.filled(1.0);
    let inverse = &one / &far;
    let tail = odd_inverse_powers(&far, |b, k| b / k) * &inverse;
    let asymptotic = far.log() - &inverse * 0.5 - tail;
    let step = |i: i32| &one / (&z + f64::from(i));
    // Smallest terms first.
    let steps = (0..shift(x.dtype()) - 1).rev().fold(step(shift(x.dtype()) - 1), |sum, i| sum + step(i));
    let value = small.select(&(&asymptotic - steps), &asymptotic);
    let angle = reduced_angle(x);
    let value = mirrored.select(&(&value - x.filled(PI) * angle.cos() / angle.sin()), &value);
    let undefined = pole(x).or(&x.equal(&x.scalar_like(f64::NEG_INFINITY)));
    let value = x.equal(&x.scalar_like(f64::INFINITY)).select(x, &value);
    undefined.select(&nan(x), &value)
}

/// ln Γ(1 + a) / a for |a| ≤ ½. After separating −ln(1 + a), it is 1 − γ + Σ (ζ(k) − 1)·(−a)^k / (k·a) from k = 2 on
/// (DLMF 5.7.3).
fn lgamma_1p_over(a: &Tensor) -> Tensor {
    const EULER: f64 = 0.577_215_664_901_532_9;
    let terms = by_type(a.dtype(), 13, 28);
    let coefficient = |k: i32| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        sign * rlx_ir::math::zeta(f64::from(k), 2.0) / f64::from(k)
    };
    let list: Vec<f64> = (2..=terms).rev().map(coefficient).collect();
    horner(a, &list) * a + (1.0 - EULER)
}

/// ln Γ(1 + a) for |a| ≤ ½, with a small relative error even near 0.
pub(super) fn lgamma_1p(a: &Tensor) -> Tensor {
    a * lgamma_1p_over(a) - a.log1p()
}
