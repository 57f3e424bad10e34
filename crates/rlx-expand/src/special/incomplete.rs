//! Expands the regularized incomplete gamma functions (DLMF chapter 8): a series for small x, a continued fraction beyond a,
//! quadrature for large a.
//!
//! All of these use the density x^a·e^−x/Γ(a + 1) = e^(−a·(δ − ln(1 + δ)) − S(a))/√(2πa), δ = x/a − 1. Its exponent is as small
//! as the result allows.

use super::gamma::{lgamma_1p, log1p_rest, stirling_remainder};
use super::{by_type, epsilon, iterate, nan, quadrature};
use crate::build::Expression;
use rlx_ir::Tensor;
use std::f64::consts::TAU;

/// From here on, the density is smooth enough for quadrature.
const LARGE: f64 = 10.0;

/// P and Q.
pub(crate) fn tails(a: &Tensor, x: &Tensor) -> [Tensor; 2] {
    let (zero, one) = (a.scalar_like(0.0), a.scalar_like(1.0));
    let infinity = a.scalar_like(f64::INFINITY);
    // From here on, the density is narrower than the spacing of numbers.
    let step_from = a.scalar_like(by_type(a.dtype(), 1e16, 1e33));
    let positive = a.greater(&zero).and(&x.greater(&zero));
    let ordinary = positive.and(&a.less(&step_from)).and(&x.less(&infinity));
    let [p, q] = ordinary_tails(&ordinary.select(a, &one), &ordinary.select(x, &one));
    let half = x.equal(a).select(&a.scalar_like(0.5), &a.greater(x).select(&zero, &one));
    let all = x.equal(&infinity).or(&a.equal(&zero));
    let none = x.equal(&zero).or(&a.equal(&infinity));
    let limit = all.select(&one, &none.select(&zero, &half));
    let invalid = a.greater_equal(&zero).and(&x.greater_equal(&zero)).logical_not();
    let invalid = invalid.or(&a.equal(&zero).and(&x.equal(&zero)));
    let limit = invalid.select(&nan(a), &limit);
    [ordinary.select(&p, &limit), ordinary.select(&q, &(&one - &limit))]
}

/// x^a·e^−x/Γ(a + 1).
fn density(a: &Tensor, x: &Tensor) -> Tensor {
    let delta = (x - a) / a;
    let near = a * log1p_rest(&delta);
    // Far out, ln(1 + δ) is a difference of logarithms, and δ may overflow.
    let far = (x - a) - a * (x.log() - a.log());
    let exponent = delta.greater(&delta.scalar_like(1.0)).select(&far, &near);
    let value = (-exponent - stirling_remainder(a)).exp() / (a * TAU).sqrt();
    // For small a, the two factors of that are far apart.
    let half = a.scalar_like(0.5);
    let small = a.minimum(&half.spread(a));
    let direct = (&small * x.log() - x - lgamma_1p(&small)).exp();
    a.less(&half).select(&direct, &value)
}

/// P and Q for positive finite numbers.
fn ordinary_tails(a: &Tensor, x: &Tensor) -> [Tensor; 2] {
    let one = a.scalar_like(1.0);
    let large = a.greater_equal(&a.scalar_like(LARGE));
    let beyond = x.greater_equal(&(a + 1.0));
    let (by_fraction, by_series) = (beyond.and(&large.logical_not()), beyond.or(&large).logical_not());
    let only = |mask: &Tensor, value: &Tensor, other: f64| mask.select(value, &value.scalar_like(other));
    let weight = density(a, x);

    let p = &weight * series(&only(&by_series, a, 1.0), &only(&by_series, x, 0.5));
    let tiny = a.less(&a.scalar_like(0.5)).and(&by_series);
    let q = tiny.select(&small_a_complement(&only(&tiny, a, 0.25), &only(&tiny, x, 0.5)), &(&one - &p));

    let fraction = fraction(&only(&by_fraction, a, 1.0), &only(&by_fraction, x, 8.0));
    let far = &weight * a * fraction;
    let (a, x, weight) = (only(&large, a, 16.0), only(&large, x, 16.0), only(&large, &weight, 0.0));
    let (tail, upper) = by_quadrature(&a, &x, &weight);
    let rest = &one - &tail;
    let p = large.select(&upper.select(&rest, &tail), &by_fraction.select(&(&one - &far), &p));
    let q = large.select(&upper.select(&tail, &rest), &by_fraction.select(&far, &q));
    [p, q]
}

/// Σ xⁿ/((a + 1)(a + 2)…(a + n)) (DLMF 8.11.4).
fn series(a: &Tensor, x: &Tensor) -> Tensor {
    let enough = epsilon(a.dtype()) / 8.0;
    let done = iterate(&[a.clone(), x.clone(), a.filled(1.0), a.filled(1.0)], 500, &|n, state| {
        let [a, x, term, sum] = state else { return (Vec::new(), n.clone()) };
        let term = term * x / (a + n);
        let sum = sum + &term;
        let unfinished = term.greater(&(&sum * enough));
        (vec![a.clone(), x.clone(), term, sum], unfinished)
    });
    done.last().unwrap_or(a).clone()
}

/// Q for a < ½ and small x, where 1 − P would cancel. With E = a·ln x − ln Γ(1 + a), P = e^E·(1 + a·Σ (−x)ⁿ/(n!·(a + n)))
/// (DLMF 8.7.1).
fn small_a_complement(a: &Tensor, x: &Tensor) -> Tensor {
    let exponent = a * x.log() - lgamma_1p(a);
    let enough = epsilon(a.dtype()) / 8.0;
    let done = iterate(&[a.clone(), x.clone(), a.filled(1.0), a.filled(0.0)], 200, &|n, state| {
        let [a, x, power, sum] = state else { return (Vec::new(), n.clone()) };
        let power = -(power * x / n);
        let sum = sum + &power / (a + n);
        let unfinished = power.abs().greater(&power.scalar_like(enough));
        (vec![a.clone(), x.clone(), power, sum], unfinished)
    });
    let sum = done.last().unwrap_or(a);
    -exponent.expm1() - exponent.exp() * a * sum
}

/// Γ(a, x)·x^−a·e^x for x ≥ a + 1, by the modified Lentz method (DLMF 8.9.2, contracted; 3.10.iii).
fn fraction(a: &Tensor, x: &Tensor) -> Tensor {
    let b = x - a + 1.0;
    let d = b.filled(1.0) / &b;
    let enough = 2.0 * epsilon(a.dtype());
    let state = [a.clone(), b.clone(), b.filled(f64::INFINITY), d.clone(), d];
    let done = iterate(&state, 500, &|n, state| {
        let [a, b, c, d, value] = state else { return (Vec::new(), n.clone()) };
        let numerator = (a - n) * n;
        let b = b + 2.0;
        let d = b.filled(1.0) / (&numerator * d + &b);
        let c = &b + numerator / c;
        let factor = &c * &d;
        let unfinished = (&factor - 1.0).abs().greater(&factor.scalar_like(enough));
        let value = value * factor;
        (vec![a.clone(), b, c, d, value], unfinished)
    });
    done.last().unwrap_or(a).clone()
}

/// The tail beyond x as seen from the mode, which is about the smaller one, and whether it is the upper one: the density for
/// large a, integrated from x in the direction away from its mode.
fn by_quadrature(a: &Tensor, x: &Tensor, weight: &Tensor) -> (Tensor, Tensor) {
    let a1 = a - 1.0;
    let upper = x.greater(&a1);
    let fall = upper.select(&(x - &a1), &(&a1 - x)) / x;
    let width = a.filled(1.0) / (&fall + a1.sqrt() / x);
    let limit = upper.select(&x.scalar_like(by_type(x.dtype(), 1e38, 1e300)), x);
    let sign = upper.select(&x.scalar_like(1.0), &x.scalar_like(-1.0));
    let operands = [a1, x.clone(), fall, sign];
    let integral = quadrature::tail(&width, &limit, &operands, &|u, operands| {
        let [a1, x, fall, sign] = operands else { return u.clone() };
        -(fall * u + a1 * log1p_rest(&(sign * u / x)))
    });
    ((weight * a / x * integral).minimum(&a.filled(1.0)), upper)
}
