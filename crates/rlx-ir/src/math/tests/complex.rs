//! Complex functions compared with mpmath at ordinary arguments and with NumPy at special ones.

use super::super::Complex64;
use super::tables::{complex, complex_binary, complex_special};

fn unary(name: &str, z: Complex64) -> Complex64 {
    match name {
        "exp" => z.exp(),
        "expm1" => z.exp_m1(),
        "log" => z.ln(),
        "log1p" => z.ln_1p(),
        "sqrt" => z.sqrt(),
        "rsqrt" => z.rsqrt(),
        "cbrt" => z.cbrt(),
        "sin" => z.sin(),
        "cos" => z.cos(),
        "tan" => z.tan(),
        "sinh" => z.sinh(),
        "cosh" => z.cosh(),
        "tanh" => z.tanh(),
        "asin" => z.asin(),
        "acos" => z.acos(),
        "atan" => z.atan(),
        "asinh" => z.asinh(),
        "acosh" => z.acosh(),
        "atanh" => z.atanh(),
        "logistic" => z.logistic(),
        "sign" => z.sign(),
        _ => panic!("no function {name}"),
    }
}

/// The distance, relative to the modulus of the expected value.
fn error(got: Complex64, want: Complex64) -> f64 {
    if got == want {
        return 0.0;
    }
    // Scaled, so that values near the largest f64 can be subtracted and measured.
    let (got, want) = (got.scale(0.25), want.scale(0.25));
    (got - want).abs() / want.abs()
}

#[test]
fn functions() {
    for &(name, x, y, re, im) in complex::UNARY {
        let (z, want) = (Complex64::new(x, y), Complex64::new(re, im));
        let got = unary(name, z);
        assert!(error(got, want) <= 1e-15, "{name} {z:?}: got {got:?}, want {want:?}");
    }
}

#[test]
fn parts_are_accurate_on_their_own() {
    // Functions with parts that do not cancel, or with compensated cancellation. A part in the subnormal range has fewer correct
    // digits.
    let exceptions = ["expm1", "logistic"];
    for &(name, x, y, re, im) in complex::UNARY.iter().filter(|row| !exceptions.contains(&row.0)) {
        let got = unary(name, Complex64::new(x, y));
        for (got, want) in [(got.re, re), (got.im, im)] {
            let error = (got - want).abs() / want.abs().max(f64::MIN_POSITIVE);
            assert!(got == want || error <= 2e-15, "{name} ({x:e}, {y:e}): got {got:e}, want {want:e}");
        }
    }
}

#[test]
fn special_values() {
    let same = |got: f64, want: f64, strict: bool| {
        (got.is_nan() && want.is_nan())
            || (got == want && (!strict || got.is_sign_negative() == want.is_sign_negative()))
            || (got - want).abs() <= 1e-15 * want.abs()
    };
    for &(name, x, y, re, im) in complex_special::SPECIAL {
        let got = unary(name, Complex64::new(x, y));
        // Next to a NaN, the sign of a zero is unspecified; so are both signs of exp(-∞ ± i∞).
        let unspecified = re.is_nan() || im.is_nan() || (name == "exp" && y.is_infinite());
        let ok = same(got.re, re, !unspecified) && same(got.im, im, !unspecified);
        assert!(ok, "{name} ({x}, {y}): got {got:?}, want ({re}, {im})");
    }
}

#[test]
fn powers_and_quotients() {
    for r in complex_binary::POW {
        let (z, w, want) =
            (Complex64::new(r[0], r[1]), Complex64::new(r[2], r[3]), Complex64::new(r[4], r[5]));
        // The angle of the result is Im(w ln z) before reduction, rounded to f64.
        let tolerance = 1e-15 * (1.0 + (w * z.ln()).abs());
        assert!(error(z.pow(w), want) <= tolerance, "{z:?} ^ {w:?}: got {:?}, want {want:?}", z.pow(w));
    }
    for r in complex_binary::DIV {
        let (z, w, want) =
            (Complex64::new(r[0], r[1]), Complex64::new(r[2], r[3]), Complex64::new(r[4], r[5]));
        assert!(error(z / w, want) <= 1e-15, "{z:?} / {w:?}: got {:?}, want {want:?}", z / w);
    }
}

#[test]
fn powers_of_zero_and_to_zero() {
    let (zero, two) = (Complex64::ZERO, Complex64::from(2.0));
    assert_eq!(zero.pow(zero), Complex64::ONE);
    assert_eq!(two.pow(zero), Complex64::ONE);
    assert_eq!(zero.pow(two), zero);
    assert!(zero.pow(-two).is_nan());
    assert!(zero.pow(Complex64::I).is_nan());
    assert_eq!((-two).pow(two), Complex64::from(4.0));
}

#[test]
fn infinite_and_zero_quotients() {
    let inf = f64::INFINITY;
    let quotient = |a, b, c, d| Complex64::new(a, b) / Complex64::new(c, d);
    assert_eq!(quotient(1.0, 1.0, 0.0, 0.0), Complex64::new(inf, inf));
    assert_eq!(quotient(inf, inf, 1.0, 0.0), Complex64::new(inf, inf));
    assert_eq!(quotient(1.0, 0.0, inf, 0.0), Complex64::ZERO);
    assert!(quotient(0.0, 0.0, 0.0, 0.0).is_nan());
}
