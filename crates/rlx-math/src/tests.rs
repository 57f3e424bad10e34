//! Compares the functions of scalars with f64, and with numbers that have only the required operations.

mod special;

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::{Fused, Number, Separate, Single};

/// A number without operations of its own where [`Number`] provides them: no f64 and no fused multiply-add.
#[derive(Clone, Copy)]
struct Plain(Single<Separate>);

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Plain {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                Plain($trait::$method(self.0, other.0))
            }
        }
    )*};
}
operators!(Add add Sub sub Mul mul Div div);

impl Neg for Plain {
    type Output = Self;

    fn neg(self) -> Self {
        Plain(-self.0)
    }
}

impl Number for Plain {
    type Mask = bool;
    type Int = i32;

    fn lit(self, value: f32) -> Self {
        Plain(Single::new(value))
    }

    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Plain(self.0.mul_add(factor.0, addend.0))
    }

    fn sqrt(self) -> Self {
        Plain(self.0.sqrt())
    }

    fn abs(self) -> Self {
        Plain(self.0.abs())
    }

    fn copysign(self, sign: Self) -> Self {
        Plain(self.0.copysign(sign.0))
    }

    fn lt(self, other: Self) -> bool {
        self.0.lt(other.0)
    }

    fn eq(self, other: Self) -> bool {
        self.0.eq(other.0)
    }

    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    fn select_int(mask: bool, yes: i32, no: i32) -> i32 {
        if mask { yes } else { no }
    }

    fn to_bits(self) -> i32 {
        self.0.to_bits()
    }

    fn from_bits(bits: i32) -> Self {
        Plain(Number::from_bits(bits))
    }

    fn to_int(self) -> i32 {
        self.0.get() as i32
    }

    fn from_int(int: i32) -> Self {
        Plain(Number::from_int(int))
    }
}

/// A function for each kind of number, the exact one, and the allowed error, with a multiply-add that rounds twice or once.
struct Row {
    name: &'static str,
    fused: fn(f32) -> f32,
    separate: fn(f32) -> f32,
    plain: fn(f32) -> f32,
    exact: fn(f64) -> f64,
    bounds: [fn(f64) -> f64; 2],
}

macro_rules! row {
    ($name:ident, $exact:expr, $separate:expr, $fused:expr) => {
        Row {
            name: stringify!($name),
            fused: |x| crate::$name(Single::<Fused>::new(x)).get(),
            separate: |x| crate::$name(Single::<Separate>::new(x)).get(),
            plain: |x| crate::$name(Plain(Single::new(x))).0.get(),
            exact: $exact,
            bounds: [$separate, $fused],
        }
    };
    ($name:ident, $exact:expr, $bound:expr) => {
        row!($name, $exact, |_| $bound, |_| $bound)
    };
}

/// 1/(1 + e⁻ˣ), computed without overflow.
fn logistic(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// The argument of the logistic function in the approximation of GELU.
fn gelu_argument(x: f64) -> f64 {
    2.0 * (2.0 / PI).sqrt() * (x + 0.044715 * x * x * x)
}

fn gelu_tanh_bound(x: f64) -> f64 {
    3.3 + 2.5 * (-gelu_argument(x)).max(0.0)
}

/// The functions with the errors that the table of the crate states.
const ROWS: [Row; 14] = [
    row!(exp, libm::exp, 1.1),
    row!(expm1, libm::expm1, 1.5),
    row!(log, libm::log, 0.9),
    row!(log1p, libm::log1p, 1.5),
    row!(tanh, libm::tanh, 2.5),
    row!(sigmoid, logistic, 2.3),
    row!(silu, |x| x * logistic(x), 3.3),
    row!(erf, libm::erf, 1.3),
    row!(erfc, libm::erfc, |_| 6.5, |_| 5.5),
    row!(gelu, |x| x * (0.5 * libm::erfc(-x * FRAC_1_SQRT_2)), |_| 6.5, |_| 5.8),
    row!(gelu_tanh, |x| x * logistic(gelu_argument(x)), gelu_tanh_bound, gelu_tanh_bound),
    row!(sin, libm::sin, 1.6),
    row!(cos, libm::cos, 1.6),
    row!(rsqrt, |x| 1.0 / x.sqrt(), 1.5),
];

/// Every exponent with many significands, both signs, densely around 0, and special values.
fn inputs() -> Vec<f32> {
    let mut list: Vec<f32> = (0..u32::MAX / 16_411).map(|step| f32::from_bits(step * 16_411)).collect();
    list.extend((-30_000..30_000).map(|step| step as f32 * 0.003_7));
    for edge in
        [0.0, 1.0, f32::MIN_POSITIVE, 0.5, 88.722_84, 103.972_08, 87.336_54, 10.05, 1_048_576.0, f32::MAX]
    {
        for bits in edge.to_bits().saturating_sub(3)..=edge.to_bits() + 3 {
            list.extend([f32::from_bits(bits), -f32::from_bits(bits)]);
        }
    }
    list.extend([f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0]);
    list
}

/// Returns the distance of `got` from `exact` in units of the last place of `exact`.
fn error(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if !got.is_finite() || !rounded.is_finite() {
        let same = got == rounded || got.is_nan() && rounded.is_nan();
        return if same { 0.0 } else { f64::INFINITY };
    }
    if rounded == 0.0 && got == 0.0 {
        return if rounded.is_sign_negative() == got.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let place = f64::from(f32::from_bits(magnitude.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON);
    (f64::from(got) - exact).abs() / place
}

#[test]
fn errors_are_within_the_bounds_stated() {
    let inputs = inputs();
    for Row { name, fused, separate, plain, exact, bounds: [separate_bound, fused_bound] } in ROWS {
        let kinds = [
            ("fused", fused, fused_bound),
            ("separate", separate, separate_bound),
            ("plain", plain, separate_bound),
        ];
        for &x in &inputs {
            let exact = exact(f64::from(x));
            for (kind, function, bound) in kinds {
                let (error, bound) = (error(function(x), exact), bound(f64::from(x)));
                assert!(error <= bound, "{name}({x:e}), {kind}: {error} units, {bound} are allowed");
            }
        }
    }
}

#[test]
fn the_operations_that_numbers_provide_change_no_bit() {
    for Row { name, separate, plain, .. } in ROWS {
        // Without f64, these reduce their operand in another way.
        if matches!(name, "sin" | "cos") {
            continue;
        }
        for x in inputs() {
            let (result, expected) = (plain(x), separate(x));
            let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
            assert!(same, "{name}({x:e}) is {result:e}, not {expected:e}");
        }
    }
}

#[test]
fn squares_are_exact_in_two_parts() {
    for step in 0..100_000u32 {
        let x = f32::from_bits(0x3000_0000 + step * 5_003);
        let (square, error) = Single::<Fused>::new(x).square_parts();
        let (split, rest) = Single::<Separate>::new(x).square_parts();
        assert_eq!((split.get(), rest.get()), (square.get(), error.get()), "{x:e}");
        assert_eq!(f64::from(square.get()) + f64::from(error.get()), f64::from(x) * f64::from(x));
    }
}

#[test]
fn angles_are_reduced_for_numbers_closest_to_quarter_turns() {
    // 16367173·2⁷² is the f32 that is closest to a multiple of π/2 (J.-M. Muller, "Elementary functions", 2016). The others follow from the
    // continued fraction of π.
    for x in [
        16_367_173.0 * 2f32.powi(72),
        core::f32::consts::PI,
        core::f32::consts::TAU,
        355.0,
        710.0,
        104_348.0,
        1_146_408.0,
    ] {
        for function in ["sin", "cos"] {
            let row = ROWS.iter().find(|row| row.name == function).expect("it is a row");
            for sign in [1.0, -1.0] {
                let error = error((row.plain)(sign * x), (row.exact)(f64::from(sign * x)));
                assert!(error <= 1.6, "{function}({x:e}): {error} units");
            }
        }
    }
}
