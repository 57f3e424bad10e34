//! The regularized incomplete beta function (DLMF 8.17).
//!
//! Uses a series or a continued fraction if one parameter is moderate, quadrature of the beta density if both are large, and an
//! expansion that does not cancel if the result is small only because `b` is.

use super::dd::{Dd, two_sum};
use super::gamma::{ln_gamma, ln_gamma_1p, ln_gamma_ratio, stirling_remainder};
use super::quadrature::decaying_tail;

/// If both parameters are at least this, the density is smooth enough for quadrature.
const LARGE: f64 = 50.0;

/// Up to this `a`, the series needs at most a few thousand terms for any `x` below the mean.
const SERIES_UP_TO: f64 = 200.0;

/// `I_x(a, b) = 1/B(a, b) ∫₀ˣ t^{a-1} (1-t)^{b-1} dt` (DLMF 8.17.2).
///
/// NaN for `x` outside `[0, 1]`, for negative `a` or `b`, and if both are at the same end of the range. A zero or infinite
/// parameter moves all mass to one end, as in `jax.lax.betainc`.
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    let mass_at_zero = a == 0.0 || b == f64::INFINITY;
    let mass_at_one = b == 0.0 || a == f64::INFINITY;
    let valid = a >= 0.0 && b >= 0.0 && (0.0..=1.0).contains(&x);
    if !valid || (mass_at_zero && mass_at_one) {
        return f64::NAN;
    }
    if mass_at_zero {
        return f64::from(x > 0.0);
    }
    if mass_at_one {
        return f64::from(x == 1.0);
    }
    if x == 0.0 || x == 1.0 {
        return x.abs();
    }
    if (a + b).is_infinite() {
        // The density is far narrower than the spacing of f64, and still is after scaling.
        return betainc(a / 1024.0, b / 1024.0, x);
    }
    let (xd, yd) = (Dd::from(x), two_sum(1.0, -x));
    if a >= LARGE && b >= LARGE {
        return quadrature(a, b, xd, yd);
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        return head(a, b, xd, yd).to_f64();
    }
    if b < 0.5 { small_b(a, b, yd) } else { (Dd::ONE - head(b, a, yd, xd)).to_f64() }
}

/// `I_x(a, b)` for `x` below the mean: `x^a y^b / (a B(a, b))` times a series or a continued fraction.
fn head(a: f64, b: f64, x: Dd, y: Dd) -> Dd {
    let exponent = Dd::from(a) * x.ln() + Dd::from(b) * ln_of_complement(x, y) - ln_a_beta(a, b);
    if !exponent.hi.is_finite() {
        // A multiple of one of the logarithms, which are negative, overflowed.
        return Dd::ZERO;
    }
    exponent.exp()
        * if a <= SERIES_UP_TO { series(a, b, x) } else { Dd::from(continued_fraction(a, b, x, y)) }
}

/// `Σ (a+b)ₙ xⁿ / (a+1)ₙ`; all terms are positive (DLMF 8.17.8).
fn series(a: f64, b: f64, x: Dd) -> Dd {
    let (sum_ab, a1) = (two_sum(a, b), two_sum(a, 1.0));
    let (mut term, mut sum, mut n) = (Dd::ONE, Dd::ONE, 0.0);
    while term.hi > sum.hi * 1e-33 {
        term = term * x * (sum_ab + Dd::from(n)) / (a1 + Dd::from(n));
        sum = sum + term;
        n += 1.0;
    }
    sum
}

/// `ln y` for `y = 1 - x`, computed from whichever of the two is closer to zero.
fn ln_of_complement(x: Dd, y: Dd) -> Dd {
    if x.hi < 0.5 { (-x).ln_1p() } else { y.ln() }
}

/// `ln (a B(a, b)) = ln Γ(a+1) + ln Γ(b) - ln Γ(a+b)`, with the difference computed for the larger parameter.
fn ln_a_beta(a: f64, b: f64) -> Dd {
    let ln_gamma_a1 = |a: f64| if a < 1.0 { ln_gamma_1p(a) } else { ln_gamma(two_sum(a, 1.0)) };
    if b >= a {
        return ln_gamma_a1(a) - ln_gamma_ratio(b, a);
    }
    // Γ(a+1) / Γ(a+b) · Γ(b) = a/b · Γ(b+1) · Γ(a) / Γ(a+b).
    ln_gamma_a1(b) - ln_gamma_ratio(a, b) + Dd::from(a).ln() - Dd::from(b).ln()
}

/// The even part of the continued fraction of DLMF 8.17.22, divided by `a`, by the modified Lentz method.
///
/// The contraction is in terms of `λ = a - (a+b) x`, the distance to the mean, where the plain fraction cancels (Didonato and
/// Morris, "Significant digit computation of the incomplete beta function ratios", 1992, eq. 9).
fn continued_fraction(a: f64, b: f64, x: Dd, y: Dd) -> f64 {
    let lambda = (Dd::from(a) * y - Dd::from(b) * x).to_f64();
    let (x, y) = (x.to_f64(), y.to_f64());
    let denominator = |m: f64| {
        m * (1.0 + (b - m) * x / (a + 2.0 * m - 1.0))
            + (lambda + 1.0 + m * (1.0 + y)) * ((a + m) / (a + 2.0 * m + 1.0))
    };
    let mut value = (lambda + 1.0) * (a / (a + 1.0));
    let (mut c, mut d, mut m) = (value, 0.0, 1.0);
    loop {
        let odd = a + 2.0 * m - 1.0;
        let numerator = ((a + m - 1.0) / odd * x) * ((a + b + m - 1.0) / odd * x) * m * (b - m);
        let beta = denominator(m);
        d = 1.0 / (beta + numerator * d);
        c = beta + numerator / c;
        let change = c * d;
        value *= change;
        if (change - 1.0).abs() < 2e-16 || m > 5000.0 {
            return a / value;
        }
        m += 1.0;
    }
}

/// `I_x(a, b)` for small `b` and `y = 1 - x` so small that `1 - I_y(b, a)` would cancel.
///
/// `I_y(b, a) = e^E (1 + b Σ (1-a)ₙ yⁿ / (n! (b+n)))`, `E = b ln y - ln (b B(a, b))` (DLMF 8.17.7).
fn small_b(a: f64, b: f64, y: Dd) -> f64 {
    let exponent = Dd::from(b) * y.ln() + ln_gamma_ratio(a, b) - ln_gamma_1p(b);
    let (mut power, mut sum, mut n) = (Dd::ONE, Dd::ZERO, 1.0);
    while f64::abs(power.hi) > 1e-33 && n < 2000.0 {
        power = power * (Dd::from(n) - Dd::from(a)) * y / Dd::from(n);
        sum = sum + power / two_sum(b, n);
        n += 1.0;
    }
    (-exponent.exp_m1() - exponent.exp() * Dd::from(b) * sum).to_f64()
}

/// Integrates the density from `x` in the direction away from its mode.
fn quadrature(a: f64, b: f64, x: Dd, y: Dd) -> f64 {
    let (a1, b1) = (Dd::from(a) - Dd::ONE, Dd::from(b) - Dd::ONE);
    let slope = (a1 / x - b1 / y).hi;
    let lower = slope > 0.0;
    let width = 1.0 / (slope.abs() + a1.hi.sqrt() / x.hi + b1.hi.sqrt() / y.hi);
    let limit = if lower { x.hi } else { y.hi };
    let tail = decaying_tail(width, limit, |u| {
        if u >= limit {
            return f64::NEG_INFINITY;
        }
        let u = Dd::from(if lower { -u } else { u });
        (a1 * (u / x).ln_1p() + b1 * (-u / y).ln_1p()).to_f64()
    });
    let tail = (density(a, b, x, y) * tail).min(1.0);
    if lower { tail } else { 1.0 - tail }
}

/// `x^{a-1} y^{b-1} / B(a, b)` for large parameters: with `D = x b - y a` it is
/// `√(ab/(2π(a+b))) / (x y) · exp(a ln(1 + D/a) + b ln(1 - D/b) + S(a+b) - S(a) - S(b))`.
fn density(a: f64, b: f64, x: Dd, y: Dd) -> f64 {
    let (ad, bd) = (Dd::from(a), Dd::from(b));
    let d = x * bd - y * ad;
    let exponent = ad * (d / ad).ln_1p() + bd * (-d / bd).ln_1p() + stirling_remainder(ad + bd)
        - stirling_remainder(ad)
        - stirling_remainder(bd);
    let scale = (a * (b / (a + b)) / core::f64::consts::TAU).sqrt();
    exponent.exp().to_f64() * (scale / x.hi / y.hi)
}
