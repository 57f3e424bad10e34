//! Special functions compared with the tables.

use super::super::*;
use super::relative_error;
use super::tables::{error_bessel, gamma, incomplete};

/// The accuracy that the module promises, with room for only a few roundings.
const TOLERANCE: f64 = 3e-15;

fn check<const N: usize>(name: &str, table: &[[f64; N]], f: impl Fn(&[f64; N]) -> f64) {
    check_column(name, table, N - 1, f);
}

fn check_column<const N: usize>(name: &str, table: &[[f64; N]], column: usize, f: impl Fn(&[f64; N]) -> f64) {
    assert!(!table.is_empty());
    for row in table {
        let (got, want) = (f(row), row[column]);
        let error = relative_error(got, want);
        assert!(error <= TOLERANCE, "{name}{row:?}: got {got:e}, relative error {error:e}");
    }
}

#[test]
fn error_functions() {
    check("erf", error_bessel::ERF, |r| erf(r[0]));
    check("erfc", error_bessel::ERFC, |r| erfc(r[0]));
    check("erf_inv", error_bessel::ERF_INV, |r| erf_inv(r[0]));
}

#[test]
fn bessel_functions() {
    check("i0e", error_bessel::I0E, |r| bessel_i0e(r[0]));
    check("i1e", error_bessel::I1E, |r| bessel_i1e(r[0]));
}

#[test]
fn gamma_functions() {
    // At the f64 next to a zero on the negative axis, the value is of the order of 1e-16, so the error of the double-double sum,
    // 1e-30, is visible.
    let (near_zero, rest): (Vec<_>, Vec<_>) =
        gamma::LGAMMA.iter().copied().partition(|r: &[f64; 2]| r[1].abs() < 1e-15);
    assert!(!near_zero.is_empty());
    for [x, want] in near_zero {
        assert!((lgamma(x) - want).abs() < 1e-29, "lgamma {x}: got {:e}, want {want:e}", lgamma(x));
    }
    check("lgamma", &rest, |r| lgamma(r[0]));
    check("digamma", gamma::DIGAMMA, |r| digamma(r[0]));
    check("polygamma", gamma::POLYGAMMA, |r| polygamma(r[0], r[1]));
    check("zeta", gamma::ZETA, |r| zeta(r[0], r[1]));
}

#[test]
fn incomplete_functions() {
    check_column("igamma", incomplete::IGAMMA, 2, |r| igamma(r[0], r[1]));
    check_column("igammac", incomplete::IGAMMA, 3, |r| igammac(r[0], r[1]));
    check("betainc", incomplete::BETAINC, |r| betainc(r[0], r[1], r[2]));
}

#[test]
fn incomplete_functions_of_huge_parameters() {
    // One standard deviation above the mean: the normal limit, which is approached with the square root of `a`.
    let normal = 0.5 * erfc(-std::f64::consts::FRAC_1_SQRT_2);
    for a in [26, 40, 60].map(|k| 2f64.powi(k)) {
        let got = igamma(a, a + a.sqrt());
        assert!((got - normal).abs() < 1.0 / a.sqrt(), "igamma({a}, a + √a) = {got}");
        let got = betainc(a, a, 0.5);
        assert!((got - 0.5).abs() < 1e-14, "betainc({a}, {a}, 1/2) = {got}");
        // The median is near a - 1/3.
        let got = igamma(a, a);
        let skew = 1.0 / (3.0 * (std::f64::consts::TAU * a).sqrt());
        assert!((got - 0.5 - skew).abs() < 1e-14 + 1.0 / a, "igamma({a}, {a}) = {got}");
    }
}

#[test]
fn probabilities_stay_in_range_and_terminate() {
    let scale = [5e-324, 1e-300, 1e-17, 1e-3, 0.4, 1.0, 7.0, 49.0, 51.0, 1e4, 1e9, 1e17, 1e100, 1e308];
    let unit = [5e-324, 1e-300, 1e-17, 1e-3, 0.3, 0.5, 0.999, 1.0 - 1e-16];
    for a in scale {
        for x in scale {
            let (p, q) = (igamma(a, x), igammac(a, x));
            assert!((0.0..=1.0).contains(&p) && (0.0..=1.0).contains(&q), "igamma({a:e}, {x:e}) = {p}, {q}");
            assert!((p + q - 1.0).abs() < 1e-14, "igamma({a:e}, {x:e}): {p} + {q}");
            for t in unit {
                let i = betainc(a, x, t);
                assert!((0.0..=1.0).contains(&i), "betainc({a:e}, {x:e}, {t:e}) = {i}");
            }
        }
    }
}
