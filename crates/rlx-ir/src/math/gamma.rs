//! The logarithm of the gamma function and its derivatives (DLMF chapter 5).
//!
//! Values at poles follow `jax.lax`: `lgamma` is +∞, `digamma` is NaN, and `polygamma` is +∞ where both sides agree in sign (odd
//! order) and NaN otherwise.

use super::dd::Dd;
use super::zeta::{hurwitz_integer, hurwitz_scaled};

/// Bernoulli numbers `B₂, B₄, …, B₃₀` as numerator and denominator (DLMF 24.2).
pub(super) const BERNOULLI: [(f64, f64); 15] = [
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
    (-3617.0, 510.0),
    (43867.0, 798.0),
    (-174611.0, 330.0),
    (854513.0, 138.0),
    (-236364091.0, 2730.0),
    (8553103.0, 6.0),
    (-23749461029.0, 870.0),
    (8615841276005.0, 14322.0),
];

/// `½ ln 2π`.
const HALF_LN_TAU: Dd = Dd { hi: 0.9189385332046728, lo: -3.8782941580672414e-17 };

/// From here on, the asymptotic series with fifteen Bernoulli terms reach double-double accuracy.
pub(super) const STIRLING_FROM: f64 = 30.0;

/// Below this, relative accuracy does not need the recurrence any more: `Γ` is so small between its poles that no f64 lies near a
/// zero of `ln |Γ|`.
const RECURRENCE_DOWN_TO: f64 = -25.0;

/// `ln |Γ(x)|` (DLMF 5.2.1); +∞ at the poles and at ±∞.
pub fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x == x.floor()) {
        return f64::INFINITY;
    }
    if x > 0.0 {
        return libm::lgamma(x);
    }
    if x > RECURRENCE_DOWN_TO {
        return ln_gamma_shifted(Dd::from(x)).to_f64();
    }
    // Reflection, Γ(x) Γ(1-x) = π / sin πx (DLMF 5.5.3).
    let (sin, _) = Dd::sin_cos_pi(x);
    libm::log(core::f64::consts::PI) - libm::log(sin.hi.abs()) - libm::log(-x) - libm::lgamma(-x)
}

/// `ln Γ(x)` for `x > 0`, to double-double accuracy.
pub(super) fn ln_gamma(x: Dd) -> Dd {
    if x.hi >= STIRLING_FROM { stirling(x) } else { ln_gamma_shifted(x) }
}

/// `ln |Γ(x)| = ln Γ(x+n) - ln |x (x+1) … (x+n-1)|` (DLMF 5.5.1).
fn ln_gamma_shifted(x: Dd) -> Dd {
    let (mut product, mut z) = (Dd::ONE, x);
    while z.hi < STIRLING_FROM {
        product = product * z;
        z = z + Dd::ONE;
    }
    let magnitude = if product.hi < 0.0 { -product } else { product };
    stirling(z) - magnitude.ln()
}

/// `ln Γ(x) = (x - ½) ln x - x + ½ ln 2π + S(x)` (DLMF 5.11.1).
fn stirling(x: Dd) -> Dd {
    (x - Dd::from(0.5)) * x.ln() - x + HALF_LN_TAU + stirling_remainder(x)
}

/// `S(x) = Σ B₂ₖ / (2k (2k-1) x^{2k-1})` (DLMF 5.11.1), for `x` of at least [`STIRLING_FROM`].
pub(super) fn stirling_remainder(x: Dd) -> Dd {
    let mut power = Dd::ONE / x;
    let step = power * power;
    let mut sum = Dd::ZERO;
    for (k, (num, den)) in BERNOULLI.iter().enumerate() {
        let two_k = 2.0 * (k as f64 + 1.0);
        sum = sum + power * Dd::ratio(*num, den * two_k * (two_k - 1.0));
        power = power * step;
    }
    sum
}

/// `ln Γ(1+a)` for `a` in `[0, 1]`, with a small relative error even near zero.
pub(super) fn ln_gamma_1p(a: f64) -> Dd {
    if a > 1e-8 {
        return ln_gamma(super::dd::two_sum(1.0, a));
    }
    // -γa + ζ(2)a²/2 - ζ(3)a³/3 + … (DLMF 5.7.3); the omitted terms are below 1e-24 of the result.
    const EULER: Dd = Dd { hi: 0.5772156649015329, lo: -4.942915152430645e-18 };
    const ZETA_2: Dd = Dd { hi: 1.6449340668482264, lo: 3.040672350398476e-17 };
    const ZETA_3: f64 = 1.2020569031595942;
    let a = Dd::from(a);
    a * ((ZETA_2 * Dd::from(0.5) - a * Dd::from(ZETA_3 / 3.0)) * a - EULER)
}

/// `ln Γ(z+d) - ln Γ(z)` for `z > 0` and `d >= 0`, without the cancellation of the difference.
pub(super) fn ln_gamma_ratio(z: f64, d: f64) -> Dd {
    let (zd, dd) = (Dd::from(z), Dd::from(d));
    if z < 1.0 && d < 1.0 {
        // One step of the recurrence keeps the expansion below away from the pole at zero.
        let step = if d > 1e10 * z { (zd + dd).ln() - zd.ln() } else { (dd / zd).ln_1p() };
        return ln_gamma_ratio_from_1(super::dd::two_sum(1.0, z), d) - step;
    }
    if d < TINY_STEP {
        return ln_gamma_ratio_from_1(zd, d);
    }
    if z < STIRLING_FROM {
        return ln_gamma(zd + dd) - ln_gamma(zd);
    }
    let sum = zd + dd;
    (zd - Dd::from(0.5)) * (dd / zd).ln_1p() + dd * (sum.ln() - Dd::ONE) + stirling_remainder(sum)
        - stirling_remainder(zd)
}

/// Steps below this use a Taylor expansion in [`ln_gamma_ratio`].
const TINY_STEP: f64 = 1e-10;

/// [`ln_gamma_ratio`] for `z >= 1` and small `d`: `d ψ(z) + d² ψ'(z) / 2` when `d` is tiny.
fn ln_gamma_ratio_from_1(z: Dd, d: f64) -> Dd {
    let dd = Dd::from(d);
    if d >= TINY_STEP {
        return ln_gamma(z + dd) - ln_gamma(z);
    }
    dd * (digamma_dd(z) + dd * Dd::from(polygamma(1.0, z.hi) / 2.0))
}

/// `ψ(x) = Γ'(x) / Γ(x)` (DLMF 5.2.2); NaN at the poles and at -∞, +∞ at +∞.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x.abs() < 1e-290 {
        return -1.0 / x;
    }
    if x >= -STIRLING_FROM {
        return digamma_dd(Dd::from(x)).to_f64();
    }
    // Reflection, ψ(1-x) - ψ(x) = π cot πx (DLMF 5.5.4).
    let (sin, cos) = Dd::sin_cos_pi(x);
    (digamma_dd(Dd::ONE - Dd::from(x)) - super::dd::PI * cos / sin).to_f64()
}

/// `ψ(x)` by `ψ(x+n) - Σ 1/(x+k)` (DLMF 5.5.2) and `ln x - 1/(2x) - Σ B₂ₖ / (2k x^{2k})` (DLMF 5.11.2).
fn digamma_dd(x: Dd) -> Dd {
    let (mut poles, mut z) = (Dd::ZERO, x);
    while z.hi < STIRLING_FROM {
        poles = poles + Dd::ONE / z;
        z = z + Dd::ONE;
    }
    let inverse = Dd::ONE / z;
    let step = inverse * inverse;
    let mut power = step;
    let mut tail = inverse * Dd::from(0.5);
    for (k, (num, den)) in BERNOULLI.iter().enumerate() {
        tail = tail + power * Dd::ratio(*num, den * 2.0 * (k as f64 + 1.0));
        power = power * step;
    }
    z.ln() - tail - poles
}

/// `ψ⁽ⁿ⁾(x)`, the n-th derivative of the digamma function (DLMF 5.15); `n = 0` is [`digamma`].
///
/// NaN unless `n` is a non-negative integer. For `n >= 1` it is `(-1)^{n+1} n! ζ(n+1, x)` (DLMF 25.11.12).
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if !(n > 0.0 && n.is_finite() && n == n.floor()) || x.is_nan() {
        return f64::NAN;
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    if x == f64::INFINITY {
        return sign * 0.0;
    }
    let s = n + 1.0;
    let ln_factorial = ln_gamma(Dd::from(s));
    if x > 0.0 {
        if !ln_factorial.hi.is_finite() {
            // By Stirling's formula n! x^{-n} is (n / (e x))ⁿ.
            return sign * if libm::log(n) - 1.0 > libm::log(x) { f64::INFINITY } else { 0.0 };
        }
        // One factor 1/x goes to the sum, which grows like x.
        let scale = (ln_factorial - Dd::from(n) * Dd::from(x).ln()).exp();
        return sign * scale.to_f64() * (hurwitz_scaled(s, x) / x);
    }
    if n % 2.0 == 0.0 && x - x.floor() == 0.5 {
        // The even-order derivatives of cot πx, by which the two sides differ (DLMF 5.15.6), are 0 here.
        return polygamma(n, 1.0 - x);
    }
    let zeta = hurwitz_integer(s, n % 2.0 != 0.0, x);
    if !zeta.is_finite() || zeta == 0.0 {
        return sign * zeta;
    }
    // n! alone may overflow when the product does not.
    let magnitude = (ln_factorial + Dd::from(zeta.abs()).ln()).exp().to_f64();
    sign * magnitude.copysign(zeta)
}
