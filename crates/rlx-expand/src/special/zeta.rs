//! Expands the Hurwitz zeta function (DLMF 25.11) and the polygamma functions (DLMF 5.15).

use super::gamma::{BERNOULLI, digamma, stirling_remainder};
use super::{by_type, nan};
use crate::build::Expression;
use rlx_ir::Tensor;
use std::f64::consts::TAU;

/// Number of terms that are summed before the Euler–Maclaurin formula.
const TERMS: usize = 10;

/// q^s·ζ(s, q) = Σ (1 + k/q)^−s for s > 1 and q > 0: the first terms, and the rest by the Euler–Maclaurin formula (DLMF 25.11.7).
/// Large s are clamped, because only the first terms matter there.
fn scaled_hurwitz(s: &Tensor, q: &Tensor) -> Tensor {
    let power = |k: usize| (-(s * (q.filled(k as f64) / q).log1p())).exp();
    let sum = (1..TERMS).rev().fold(s.filled(0.0), |sum, k| sum + power(k)) + 1.0;
    let w = q + TERMS as f64;
    let bounded = s.minimum(&s.filled(200.0));
    let mut factor = &bounded / (&w * 2.0);
    let mut tail = s.filled(0.5) + &w / (s - 1.0);
    for (j, &b) in BERNOULLI.iter().take(by_type(s.dtype(), 7, 12)).enumerate() {
        let n = 2.0 * j as f64 + 1.0;
        tail = tail + &factor * b;
        factor =
            factor * ((&bounded + n) / &w) * ((&bounded + (n + 1.0)) / &w) * (1.0 / ((n + 2.0) * (n + 3.0)));
    }
    let last = power(TERMS);
    let rest = last.greater(&last.scalar_like(0.0)).select(&(&last * tail), &last);
    sum + rest
}

/// ζ(s, q) for s > 1 and q > 0.
fn positive(s: &Tensor, q: &Tensor) -> Tensor {
    q.pow(&-s) * scaled_hurwitz(s, q)
}

/// Whether an integer is even.
fn even(x: &Tensor) -> Tensor {
    let half = x * 0.5;
    half.equal(&half.floor())
}

/// ζ(s, q) for an integer s ≥ 2 and q ≤ 0: the sum over the integers from q up, with the part below mirrored. +∞ or NaN at the
/// integers.
fn mirrored(s: &Tensor, is_even: &Tensor, q: &Tensor) -> Tensor {
    let (above, below) = (q - q.floor(), q.ceil() - q);
    let one = q.scalar_like(1.0);
    let integer = q.equal(&q.floor());
    let safe = |x: &Tensor| integer.select(&one, x);
    let part = positive(s, &safe(&below)) - positive(s, &safe(&(&one - q)));
    let part = is_even.select(&part, &-&part);
    let value = positive(s, &safe(&above)) + part;
    let at_integer = is_even.select(&q.filled(f64::INFINITY), &nan(q));
    integer.select(&at_integer, &value)
}

/// ζ(s, q), with the values of `jax.lax.zeta` at the edges.
pub(crate) fn zeta(s: &Tensor, q: &Tensor) -> Tensor {
    let (zero, one) = (s.scalar_like(0.0), s.scalar_like(1.0));
    let infinity = s.scalar_like(f64::INFINITY);
    let invalid = s.is_nan().or(&q.is_nan()).or(&s.less(&one));
    let negative = q.less_equal(&zero);
    let finite = s.is_finite().and(&s.greater(&one));
    let regular = finite.and(&q.is_finite());
    let two = s.scalar_like(2.0);
    let (s_, q_) = (regular.select(s, &two), regular.select(q, &one));
    let by_side = positive(&s_, &negative.select(&one, &q_));
    let whole = s.equal(&s.floor());
    let below = mirrored(&s_, &even(&s_), &negative.select(&q_, &(&zero - 0.5)));
    let below = whole.and(&s.is_finite()).select(&below, &nan(s));
    // At infinite s, the limit is q^−s.
    let limit = q.less(&one).select(&infinity, &q.equal(&one).select(&one, &zero));
    let limit = s.equal(&infinity).select(&limit, &by_side);
    let value = q.equal(&infinity).select(&zero, &limit);
    // −∞ counts as an integer.
    let endless = q.equal(&s.scalar_like(f64::NEG_INFINITY));
    let at_integer = even(s).and(&s.is_finite()).select(&infinity, &nan(s));
    let below = endless.select(&at_integer, &below);
    let value = negative.select(&below, &value);
    let value = invalid.select(&nan(s), &value);
    s.equal(&one).select(&infinity, &value)
}

/// ψ⁽ⁿ⁾(x) = (−1)^(n+1)·n!·ζ(n + 1, x) for n ≥ 1 (DLMF 25.11.12), and the digamma function for n = 0.
pub(crate) fn polygamma(n: &Tensor, x: &Tensor) -> Tensor {
    let (zero, one) = (n.scalar_like(0.0), n.scalar_like(1.0));
    let valid = n.greater(&zero).and(&n.equal(&n.floor())).and(&n.is_finite()).and(&x.is_nan().logical_not());
    let n_ = valid.select(n, &one);
    // The even-order derivatives of cot πx, by which the two sides differ (DLMF 5.15.6), are 0 halfway between integers.
    let halfway = even(&n_).and(&(x - x.floor()).equal(&n.scalar_like(0.5))).and(&x.less(&zero));
    let x = &halfway.select(&(&one - x), x);
    // For a large order, n + 1 may round to n.
    let even_s = even(&n_).logical_not();
    let sign = even(&n_).select(&n.filled(-1.0), &one);
    let s = &n_ + 1.0;
    let positive_x = x.greater(&zero).and(&x.is_finite());
    let x_ = positive_x.select(x, &one);
    // n!·x^−n·(Σ (1 + k/x)^−s)/x, with ln n! − n·ln x from Stirling's formula: n·(ln(n/x) − 1) + ½ ln 2πn + S(n).
    let small = (1..=12).rev().fold(n.filled(0.0), |value, k| {
        let factorial: f64 = (1..=k).map(f64::from).product();
        n_.equal(&n.scalar_like(f64::from(k))).select(&n.scalar_like(factorial), &value)
    });
    let by_power = &small * x_.pow(&-&n_);
    let exponent = &n_ * ((&n_ / &x_).log() - 1.0) + (n_.log() + TAU.ln()) * 0.5 + stirling_remainder(&n_);
    let scale = small.greater(&zero).and(&by_power.is_finite()).select(&by_power, &exponent.exp());
    let above = scale * (scaled_hurwitz(&s, &x_) / &x_);
    let factorial = small.greater(&zero).select(
        &small,
        &((&n_ * (n_.log() - 1.0)) + (n_.log() + TAU.ln()) * 0.5 + stirling_remainder(&n_)).exp(),
    );
    let mirror = x.less_equal(&zero).and(&x.is_finite());
    let q = mirror.select(x, &(&zero - 0.5));
    let below = mirrored(&s, &even_s, &q);
    let below = below.is_finite().and(&below.not_equal(&zero)).select(&(factorial * &below), &below);
    let value = positive_x.select(&above, &below);
    let value = x.equal(&n.scalar_like(f64::INFINITY)).select(&zero, &value);
    let value = x
        .equal(&n.scalar_like(f64::NEG_INFINITY))
        .select(&even_s.select(&n.filled(f64::INFINITY), &nan(n)), &value);
    let value = valid.select(&(sign * value), &nan(n));
    n.equal(&zero).select(&digamma(x), &value)
}
