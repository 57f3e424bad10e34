//! The edges of the real functions' domains: the values of `jax.lax` (x64, CPU).
//!
//! Three kinds of edges differ from JAX, where its formulas compute ∞ · 0: `igamma(∞, x)` and `igammac(∞, x)` at finite `x`,
//! `zeta` at infinite arguments, and `polygamma` at +∞ are limits here (as in SciPy) and NaN there. JAX also flushes subnormal
//! numbers to zero on the CPU; nothing here does.

use super::super::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Whether the numbers are equal, including the sign of zeros, or both NaN.
fn same(got: f64, want: f64) -> bool {
    (got.is_nan() && want.is_nan()) || got.to_bits() == want.to_bits()
}

fn check<const N: usize>(name: &str, cases: &[([f64; N], f64)], f: impl Fn(&[f64; N]) -> f64) {
    for (arguments, want) in cases {
        let got = f(arguments);
        assert!(same(got, *want), "{name}{arguments:?}: got {got}, want {want}");
    }
}

#[test]
fn one_argument() {
    check("lgamma", &[([0.0], INF), ([-0.0], INF), ([-1.0], INF), ([-2.0], INF)], |a| lgamma(a[0]));
    check("lgamma", &[([INF], INF), ([-INF], INF), ([NAN], NAN), ([1e306], INF)], |a| lgamma(a[0]));
    check("lgamma", &[([-1e17], INF), ([1.0], 0.0), ([2.0], 0.0)], |a| lgamma(a[0]));
    check("digamma", &[([0.0], NAN), ([-0.0], NAN), ([-1.0], NAN), ([-2.0], NAN)], |a| digamma(a[0]));
    check("digamma", &[([INF], INF), ([-INF], NAN), ([NAN], NAN), ([-1e17], NAN)], |a| digamma(a[0]));
    check("erf", &[([INF], 1.0), ([-INF], -1.0), ([NAN], NAN), ([-0.0], -0.0)], |a| erf(a[0]));
    check("erfc", &[([INF], 0.0), ([-INF], 2.0), ([NAN], NAN), ([0.0], 1.0)], |a| erfc(a[0]));
    check("erf_inv", &[([1.0], INF), ([-1.0], -INF), ([2.0], NAN), ([-2.0], NAN)], |a| erf_inv(a[0]));
    check("erf_inv", &[([0.0], 0.0), ([-0.0], -0.0), ([INF], NAN), ([NAN], NAN)], |a| erf_inv(a[0]));
    check("i0e", &[([INF], 0.0), ([-INF], 0.0), ([NAN], NAN), ([-0.0], 1.0)], |a| bessel_i0e(a[0]));
    check("i1e", &[([INF], 0.0), ([-INF], -0.0), ([NAN], NAN), ([-0.0], -0.0)], |a| bessel_i1e(a[0]));
    check("logistic", &[([INF], 1.0), ([-INF], 0.0), ([NAN], NAN), ([0.0], 0.5)], |a| logistic(a[0]));
    check("sign", &[([INF], 1.0), ([-3.0], -1.0), ([NAN], NAN), ([-0.0], -0.0)], |a| sign(a[0]));
    check("rsqrt", &[([0.0], INF), ([-0.0], -INF), ([-1.0], NAN), ([INF], 0.0)], |a| rsqrt(a[0]));
}

#[test]
fn rounding() {
    check("even", &[([0.5], 0.0), ([1.5], 2.0), ([2.5], 2.0), ([-0.5], -0.0)], |a| round_half_even(a[0]));
    check("away", &[([0.5], 1.0), ([1.5], 2.0), ([2.5], 3.0), ([-0.5], -1.0)], |a| round_half_away(a[0]));
    let just_below_half = 0.5 - f64::EPSILON / 4.0;
    check("away", &[([just_below_half], 0.0), ([NAN], NAN), ([-INF], -INF)], |a| round_half_away(a[0]));
}

#[test]
fn neighbors() {
    let next = |a: &[f64; 2]| nextafter(a[0], a[1]);
    check("nextafter", &[([0.0, 1.0], 5e-324), ([0.0, -1.0], -5e-324), ([1.0, 1.0], 1.0)], next);
    check("nextafter", &[([0.0, -0.0], -0.0), ([-0.0, 0.0], 0.0), ([INF, 0.0], f64::MAX)], next);
    check("nextafter", &[([f64::MAX, INF], INF), ([1.0, NAN], NAN), ([NAN, 1.0], NAN)], next);
    check("nextafter", &[([1.0, 2.0], 1.0 + f64::EPSILON), ([5e-324, 0.0], 0.0)], next);
}

#[test]
fn the_largest_and_smallest_numbers() {
    const MAX: f64 = f64::MAX;
    let tiny = f64::from_bits(1);
    let polygammas = [([1.0, MAX], 1.0 / MAX), ([MAX, 1.0], -INF), ([MAX, MAX], -0.0), ([MAX, -tiny], INF)];
    check("polygamma", &polygammas, |a| polygamma(a[0], a[1]));
    // For an even order, the contributions of the poles on both sides cancel, and n! dominates 3.5ⁿ.
    check("polygamma", &[([MAX, -2.5], -INF), ([2.0, INF], -0.0)], |a| polygamma(a[0], a[1]));
    check("zeta", &[([1.0, NAN], INF), ([NAN, 1.0], NAN)], |a| zeta(a[0], a[1]));
    let steps = [([MAX, 3.0], 0.0), ([MAX, MAX], 0.5), ([1e200, 2e200], 1.0)];
    check("igamma", &steps, |a| igamma(a[0], a[1]));
    check("igammac", &[([MAX, 3.0], 1.0), ([MAX, MAX], 0.5)], |a| igammac(a[0], a[1]));
}

#[test]
fn polygamma_and_zeta() {
    let f = |a: &[f64; 2]| polygamma(a[0], a[1]);
    check("polygamma", &[([0.0, 0.0], NAN), ([1.0, 0.0], INF), ([2.0, 0.0], NAN), ([3.0, -0.0], INF)], f);
    check("polygamma", &[([0.0, -1.0], NAN), ([1.0, -1.0], INF), ([2.0, -1.0], NAN)], f);
    check("polygamma", &[([1.5, 1.0], NAN), ([-1.0, 1.0], NAN), ([INF, 2.0], NAN), ([NAN, 1.0], NAN)], f);
    check("polygamma", &[([1.0, NAN], NAN), ([1.0, INF], 0.0), ([1.0, -INF], INF), ([2.0, -INF], NAN)], f);
    let f = |a: &[f64; 2]| zeta(a[0], a[1]);
    check("zeta", &[([1.0, 2.0], INF), ([1.0, -1.0], INF), ([1.0, 0.0], INF), ([0.5, 2.0], NAN)], f);
    check("zeta", &[([2.0, 0.0], INF), ([2.0, -1.0], INF), ([3.0, -1.0], NAN), ([2.5, -1.0], NAN)], f);
    check("zeta", &[([2.5, -0.5], NAN), ([-1.0, 2.0], NAN), ([0.5, -1.0], NAN), ([2.0, -INF], INF)], f);
    check("zeta", &[([NAN, 1.0], NAN), ([2.0, NAN], NAN), ([2.0, INF], 0.0), ([INF, 2.0], 0.0)], f);
    check("zeta", &[([INF, 1.0], 1.0), ([INF, 0.5], INF), ([INF, -3.0], NAN), ([3.0, 1e200], 0.0)], f);
}

#[test]
fn incomplete_gamma() {
    // a, x and P; Q is the complement.
    let cases = [
        ([0.0, 0.0], NAN),
        ([0.0, 1.0], 1.0),
        ([0.0, INF], 1.0),
        ([-0.0, 2.0], 1.0),
        ([-1.0, 1.0], NAN),
        ([1.0, -1.0], NAN),
        ([5.0, -INF], NAN),
        ([1.0, INF], 1.0),
        ([INF, INF], 1.0),
        ([INF, 1.0], 0.0),
        ([INF, 0.0], 0.0),
        ([NAN, 1.0], NAN),
        ([1.0, NAN], NAN),
        ([0.0, NAN], NAN),
        ([0.0, -1.0], NAN),
        ([1.0, 0.0], 0.0),
        ([1.0, -0.0], 0.0),
    ];
    check("igamma", &cases, |a| igamma(a[0], a[1]));
    check("igammac", &cases.map(|(a, p)| (a, 1.0 - p)), |a| igammac(a[0], a[1]));
}

#[test]
fn incomplete_beta() {
    let cases = [
        ([0.0, 0.0, 0.5], NAN),
        ([0.0, 1.0, 0.0], 0.0),
        ([0.0, 1.0, 0.5], 1.0),
        ([1.0, 0.0, 0.0], 0.0),
        ([1.0, 0.0, 0.5], 0.0),
        ([1.0, 0.0, 1.0], 1.0),
        ([INF, 1.0, 0.0], 0.0),
        ([INF, 1.0, 0.5], 0.0),
        ([INF, 1.0, 1.0], 1.0),
        ([1.0, INF, 0.0], 0.0),
        ([1.0, INF, 0.5], 1.0),
        ([0.0, INF, 0.5], 1.0),
        ([INF, INF, 0.5], NAN),
        ([-1.0, 1.0, 0.5], NAN),
        ([1.0, -1.0, 0.5], NAN),
        ([1.0, 1.0, -0.1], NAN),
        ([1.0, 1.0, 1.1], NAN),
        ([0.0, 1.0, NAN], NAN),
        ([NAN, 1.0, 0.5], NAN),
        ([1.0, NAN, 0.5], NAN),
        ([2.0, 3.0, 0.0], 0.0),
        ([2.0, 3.0, 1.0], 1.0),
        ([1.0, 1.0, -0.0], 0.0),
    ];
    check("betainc", &cases, |a| betainc(a[0], a[1], a[2]));
}
