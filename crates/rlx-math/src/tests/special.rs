//! Compares the special functions with goldens of mpmath, which `scripts/special_goldens.py` computes.

use super::{Plain, error};
use crate::{Fused, Separate, Single};

/// A name, the function of each kind of number, the allowed error, and the magnitude below which the last place is that of this number.
type Row = (&'static str, [fn(f32) -> f32; 3], fn(f32) -> f64, fn(f32) -> f64);

macro_rules! row {
    ($name:ident, $bound:expr, $scale:expr) => {
        (
            stringify!($name),
            [
                |x| crate::$name(Single::<Fused>::new(x)).get(),
                |x| crate::$name(Single::<Separate>::new(x)).get(),
                |x| crate::$name(Plain(Single::new(x))).0.get(),
            ],
            $bound,
            $scale,
        )
    };
}

/// The errors that the table of the crate states.
const ROWS: [Row; 5] = [
    row!(erf_inv, |_| 2.5, |_| 0.0),
    row!(lgamma, |x| if x > 0.0 { 3.0 } else { 12.0 }, |x| if x > 0.0 { 0.0 } else { 1.0 }),
    row!(digamma, |x| if x > 0.0 { 3.0 } else { 8.0 }, |x| if x > 0.0 {
        0.0
    } else {
        f64::from(1.0 - x).ln().max(1.0)
    }),
    row!(bessel_i0e, |_| 4.0, |_| 0.0),
    row!(bessel_i1e, |_| 4.0, |_| 0.0),
];

#[test]
fn special_functions_are_those_of_mpmath() {
    let mut counts = [0; ROWS.len()];
    for line in include_str!("../../tests/special.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, bits, value] = words[..] else { panic!("{line:?} has no three words") };
        let at = ROWS.iter().position(|row| row.0 == name).unwrap_or_else(|| panic!("no function {name}"));
        let x = f32::from_bits(u32::from_str_radix(bits, 16).unwrap());
        let exact: f64 = value.parse().unwrap();
        let (_, functions, bound, scale) = ROWS[at];
        for (function, kind) in functions.iter().zip(["fused", "separate", "plain"]) {
            let got = function(x);
            let scale = scale(x);
            // Below the scale, in units of its last place.
            let error = if exact.abs() < scale && got.is_finite() {
                (f64::from(got) - exact).abs() / (scale * f64::from(f32::EPSILON))
            } else {
                error(got, exact)
            };
            assert!(error <= bound(x), "{name}({x:e}), {kind}, is {got:e}, not {exact:e}: {error} units");
        }
        counts[at] += 1;
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn special_functions_at_the_edges() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let cases = [
        (
            "erf_inv",
            [(0.0, 0.0), (-0.0, -0.0), (1.0, inf), (-1.0, -inf), (2.0, nan), (-inf, nan), (1e-45, 1e-45)],
        ),
        ("lgamma", [(0.0, inf), (-0.0, inf), (1.0, 0.0), (2.0, 0.0), (-3.0, inf), (-inf, inf), (inf, inf)]),
        (
            "digamma",
            [(0.0, nan), (-0.0, nan), (-2.0, nan), (-1e30, nan), (-inf, nan), (inf, inf), (1e-45, -inf)],
        ),
        (
            "bessel_i0e",
            [(0.0, 1.0), (-0.0, 1.0), (1e-45, 1.0), (inf, 0.0), (-inf, 0.0), (nan, nan), (nan, nan)],
        ),
        (
            "bessel_i1e",
            [(0.0, 0.0), (-0.0, -0.0), (inf, 0.0), (-inf, -0.0), (nan, nan), (nan, nan), (nan, nan)],
        ),
    ];
    for (name, pairs) in cases {
        let (_, functions, ..) = ROWS.iter().find(|row| row.0 == name).expect("it is a row");
        for (x, expected) in pairs.into_iter().chain([(nan, nan)]) {
            for function in functions {
                let got = function(x);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "{name}({x:e}) is {got:e}, not {expected:e}");
            }
        }
    }
}
