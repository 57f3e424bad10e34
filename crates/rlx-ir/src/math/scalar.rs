//! Elementary real functions whose edge cases must be specified.
//!
//! If `libm` already has the right function (`expm1`, `log1p`, `cbrt`, `atan2`, `hypot`, …), the evaluator calls it directly.

/// The next f64 after `x` towards `y`; `y` itself, with its sign, if they are equal; NaN if either is NaN.
pub fn nextafter(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    if y > x { x.next_up() } else { x.next_down() }
}

/// Rounds to the nearest integer, ties to even.
pub fn round_half_even(x: f64) -> f64 {
    x.round_ties_even()
}

/// Rounds to the nearest integer, ties away from zero.
pub fn round_half_away(x: f64) -> f64 {
    x.round()
}

/// `1 / (1 + e^{-x})`, with a small relative error in both tails.
pub fn logistic(x: f64) -> f64 {
    // For x < 0 the exponential is the small term of the denominator, so neither form cancels, or overflows to a wrong limit.
    if x >= 0.0 { 1.0 / (1.0 + libm::exp(-x)) } else { libm::exp(x) / (1.0 + libm::exp(x)) }
}

/// `-1`, `±0` or `1` with the sign of `x`; NaN for NaN.
pub fn sign(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() { x } else { 1f64.copysign(x) }
}

/// `1 / √x`; ±∞ at ±0, NaN below zero.
pub fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}
