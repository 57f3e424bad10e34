//! The regularized incomplete gamma functions (DLMF chapter 8).
//!
//! There are three regimes, each accurate relative to the tail that it computes: a series in double-double for small `x` (so that
//! the complement is accurate too), a continued fraction well beyond `a`, and quadrature of the gamma density for large `a`.

use super::dd::{Dd, two_sum};
use super::gamma::{ln_gamma, ln_gamma_1p, stirling_remainder};
use super::quadrature::decaying_tail;

/// From here on, the density is smooth enough for quadrature, and a series would take too many terms.
const LARGE: f64 = 50.0;

/// From here on, the gamma density is far narrower than the spacing of f64.
const STEP: f64 = 1e100;

/// `x - a` from which the continued fraction converges in a few steps. Below, `Q` is large enough for the subtraction `1 - P` in
/// double-double to resolve it.
const FAR: f64 = 20.0;

/// `P(a, x) = 1/Γ(a) ∫₀ˣ t^{a-1} e^{-t} dt` (DLMF 8.2.4).
///
/// NaN for negative `a` or `x` and at `(0, 0)`. At other edges the limits: 1 for `a = 0` or infinite `x`, 0 for `x = 0` or
/// infinite `a`.
pub fn igamma(a: f64, x: f64) -> f64 {
    tails(a, x).0
}

/// `Q(a, x) = 1 - P(a, x)` (DLMF 8.2.4), with a small relative error in the right tail.
pub fn igammac(a: f64, x: f64) -> f64 {
    tails(a, x).1
}

/// `(P, Q)`.
fn tails(a: f64, x: f64) -> (f64, f64) {
    if a.is_nan() || x.is_nan() || a < 0.0 || x < 0.0 || (a == 0.0 && x == 0.0) {
        return (f64::NAN, f64::NAN);
    }
    if x == f64::INFINITY || a == 0.0 {
        return (1.0, 0.0);
    }
    if x == 0.0 || a == f64::INFINITY {
        return (0.0, 1.0);
    }
    if a >= STEP {
        let p = if x == a { 0.5 } else { f64::from(x > a) };
        return (p, 1.0 - p);
    }
    if a >= LARGE {
        return quadrature(a, x);
    }
    if x >= a + FAR {
        let q = power_over_gamma(a, x).to_f64() * a * continued_fraction(a, x);
        return (1.0 - q, q);
    }
    let p = power_over_gamma(a, x) * series(a, x);
    let q = if a < 0.5 { small_a_complement(a, x) } else { (Dd::ONE - p).to_f64() };
    (p.to_f64(), q)
}

/// `x^a e^{-x} / Γ(a+1)`.
fn power_over_gamma(a: f64, x: f64) -> Dd {
    let ln_gamma = if a < 1.0 { ln_gamma_1p(a) } else { ln_gamma(two_sum(a, 1.0)) };
    (Dd::from(a) * Dd::from(x).ln() - Dd::from(x) - ln_gamma).exp()
}

/// `Σ xⁿ / ((a+1)(a+2)…(a+n))` (DLMF 8.11.4).
fn series(a: f64, x: f64) -> Dd {
    let (mut term, mut sum, mut n) = (Dd::ONE, Dd::ONE, 1.0);
    while term.hi > sum.hi * 1e-33 {
        term = term * Dd::from(x) / two_sum(a, n);
        sum = sum + term;
        n += 1.0;
    }
    sum
}

/// `Q(a, x)` for small `a`, where `1 - P` would cancel.
///
/// With `E = a ln x - ln Γ(1+a)` and `P = e^E (1 + a Σ (-x)ⁿ/(n! (a+n)))` (DLMF 8.7.1).
fn small_a_complement(a: f64, x: f64) -> f64 {
    let exponent = Dd::from(a) * Dd::from(x).ln() - ln_gamma_1p(a);
    let (mut power, mut sum, mut n) = (Dd::ONE, Dd::ZERO, 1.0);
    while f64::abs(power.hi) > 1e-33 {
        power = -(power * Dd::from(x)) / Dd::from(n);
        sum = sum + power / two_sum(a, n);
        n += 1.0;
    }
    (-exponent.exp_m1() - exponent.exp() * Dd::from(a) * sum).to_f64()
}

/// `Γ(a, x) x^{-a} e^x` for `x >= a + FAR`, by the modified Lentz method (DLMF 8.9.2, contracted; 3.10.iii).
fn continued_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut c = f64::INFINITY;
    let mut d = 1.0 / b;
    let mut value = d;
    let mut n = 1.0;
    loop {
        let numerator = -n * (n - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 || n > 500.0 {
            return value;
        }
        n += 1.0;
    }
}

/// Integrates the density `t^{a-1} e^{-t} / Γ(a)` from `x` in the direction away from its mode.
fn quadrature(a: f64, x: f64) -> (f64, f64) {
    let a1 = Dd::from(a) - Dd::ONE;
    let upper = x > a1.hi;
    let sign = if upper { 1.0 } else { -1.0 };
    let slope = (a1 / Dd::from(x) - Dd::ONE).hi.abs();
    let width = 1.0 / (slope + a1.hi.sqrt() / x);
    let limit = if upper { f64::INFINITY } else { x };
    let tail = decaying_tail(width, limit, |u| {
        let u = Dd::from(sign * u);
        if u.hi <= -x {
            return f64::NEG_INFINITY;
        }
        (a1 * (u / Dd::from(x)).ln_1p() - u).to_f64()
    });
    let tail = (density(a, x) * tail).min(1.0);
    if upper { (1.0 - tail, tail) } else { (tail, 1.0 - tail) }
}

/// `x^{a-1} e^{-x} / Γ(a)` for large `a`: with `δ = x/a - 1` it is
/// `√(a/2π) / x · exp(a (ln(1+δ) - δ) - S(a))`, whose exponent never cancels.
fn density(a: f64, x: f64) -> f64 {
    let (ad, xd) = (Dd::from(a), Dd::from(x));
    let delta = (xd - ad) / ad;
    let log_ratio = if x < a / 2.0 { xd.ln() - ad.ln() } else { delta.ln_1p() };
    let exponent = ad * (log_ratio - delta) - stirling_remainder(ad);
    exponent.exp().to_f64() * ((a / core::f64::consts::TAU).sqrt() / x)
}
