//! Exponentially scaled modified Bessel functions of the first kind, orders 0 and 1 (DLMF chapter 10).

/// Where the ascending series gives way to the asymptotic one. The smallest asymptotic term is about `e^{-2x}` there, far below
/// an ulp.
const LARGE: f64 = 22.0;

/// `e^{-|x|} I₀(x)`; 0 at ±∞.
pub fn bessel_i0e(x: f64) -> f64 {
    let x = x.abs();
    if x < LARGE { ascending(0.0, x) * libm::exp(-x) } else { asymptotic(0.0, x) }
}

/// `e^{-|x|} I₁(x)`; odd, 0 at ±∞.
pub fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    let value = if a < LARGE { a / 2.0 * ascending(1.0, a) * libm::exp(-a) } else { asymptotic(1.0, a) };
    value.copysign(x)
}

/// `I_ν(x) / (x/2)^ν = Σ (x²/4)^k / (k! (k+ν)!)` for `ν` of 0 or 1; every term is positive (DLMF 10.25.2).
fn ascending(order: f64, x: f64) -> f64 {
    let q = x * x / 4.0;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-18 {
        term *= q / (k * (k + order));
        sum += term;
        k += 1.0;
    }
    sum
}

/// `e^{-x} I_ν(x) ~ (2πx)^{-1/2} Σ (-1)^k a_k(ν) / x^k`, `a_k = ∏ (4ν² - (2j-1)²) / (8j)` (DLMF 10.40.1).
fn asymptotic(order: f64, x: f64) -> f64 {
    let mu = 4.0 * order * order;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    // Every term after the first has the same sign, and terms decrease while k < 2x, so the loop ends early.
    while f64::abs(term) > 1e-18 && k < 60.0 {
        let odd = 2.0 * k - 1.0;
        term *= (odd * odd - mu) / (8.0 * k * x);
        sum += term;
        k += 1.0;
    }
    sum / (core::f64::consts::TAU.sqrt() * x.sqrt())
}
