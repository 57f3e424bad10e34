//! The Hurwitz zeta function (DLMF chapter 25.11).

use super::gamma::BERNOULLI;

/// `ζ(x, q) = Σ_{k>=0} (q+k)^{-x}` for `x > 1`.
///
/// Follows `jax.lax.zeta`: +∞ at `x = 1` for any `q`, and NaN for `x < 1`. For `q <= 0`, `x` must be an integer (NaN otherwise),
/// and a non-positive integer `q` gives +∞ for even `x` and NaN for odd `x`. Infinite `x` or `q` give the limits.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x.is_nan() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if q <= 0.0 {
        return if x == x.floor() && x.is_finite() {
            hurwitz_integer(x, x % 2.0 == 0.0, q)
        } else {
            f64::NAN
        };
    }
    if q == f64::INFINITY {
        return 0.0;
    }
    if x == f64::INFINITY {
        return if q < 1.0 { f64::INFINITY } else { f64::from(q == 1.0) };
    }
    positive(x, q)
}

/// `ζ(s, q)` for a finite integer `s >= 2` and any `q`. Whether `s` is even is a separate argument, because `n + 1` may round to
/// `n`.
///
/// For negative `q` the sum runs over the integers from `q` up. The part missing from the two-sided sum is a zeta value of
/// positive arguments.
pub(super) fn hurwitz_integer(s: f64, even: bool, q: f64) -> f64 {
    if q > 0.0 {
        return positive(s, q);
    }
    if q == q.floor() {
        return if even { f64::INFINITY } else { f64::NAN };
    }
    // Distances to the neighboring integers. They are exact, or rounded where that does not matter.
    let (above, below) = (q - q.floor(), q.ceil() - q);
    let mirrored = positive(s, below) - positive(s, 1.0 - q);
    positive(s, above) + if even { mirrored } else { -mirrored }
}

/// `ζ(s, q)` for `s > 1` and `q > 0`, both finite.
fn positive(s: f64, q: f64) -> f64 {
    libm::pow(q, -s) * hurwitz_scaled(s, q)
}

/// `q^s ζ(s, q) = Σ (1 + k/q)^{-s}` for `s > 1` and `q > 0`, which neither overflows nor underflows for large `s`.
///
/// Sums terms until `q + k` is well above `s` or the terms are negligible, then finishes with the Euler–Maclaurin formula
/// (DLMF 25.11.7).
pub(super) fn hurwitz_scaled(s: f64, q: f64) -> f64 {
    let mut sum = 0.0;
    let mut k = 0.0;
    loop {
        let term = power_of_shift(s, q, k);
        if q + k >= s + 10.0 {
            return sum + term * euler_maclaurin_tail(s, q + k);
        }
        sum += term;
        if term.is_nan() || term < sum * 1e-18 {
            return sum;
        }
        k += 1.0;
    }
}

/// `((q+k)/q)^{-s}`, correcting the rounding of `q + k` and of the quotient to first order, because the power multiplies it by
/// `s`.
fn power_of_shift(s: f64, q: f64, k: f64) -> f64 {
    if k == 0.0 {
        return 1.0;
    }
    if k / q > 1e300 {
        return 0.0;
    }
    let ratio = super::dd::two_sum(q, k) / super::dd::Dd::from(q);
    let power = libm::pow(ratio.hi, -s);
    if power == 0.0 { 0.0 } else { power * libm::exp(-s * ratio.lo / ratio.hi) }
}

/// `w/(s-1) + 1/2 + Σ B₂ⱼ/(2j)! s(s+1)…(s+2j-2) w^{1-2j}`: the rest of the sum from `w` on, divided by `w^{-s}`.
fn euler_maclaurin_tail(s: f64, w: f64) -> f64 {
    let mut factor = s / (2.0 * w);
    let mut tail = 0.0;
    for (j, (num, den)) in BERNOULLI.iter().enumerate() {
        tail += num / den * factor;
        let n = 2.0 * j as f64 + 1.0;
        factor *= (s + n) / w * ((s + n + 1.0) / w) / ((n + 2.0) * (n + 3.0));
    }
    tail + 0.5 + w / (s - 1.0)
}
