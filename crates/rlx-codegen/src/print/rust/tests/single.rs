//! Compares the functions of f32 with f64 over numbers of every exponent, and prints the largest errors in units in the
//! last place of the exact result.

mod fused;
mod separate;

mod libm {
    pub fn sin(x: f64) -> f64 {
        x.sin()
    }
    pub fn cos(x: f64) -> f64 {
        x.cos()
    }
    pub fn sqrtf(x: f32) -> f32 {
        x.sqrt()
    }
    pub fn floorf(x: f32) -> f32 {
        x.floor()
    }
    pub fn ceilf(x: f32) -> f32 {
        x.ceil()
    }
    pub fn rintf(x: f32) -> f32 {
        x.round_ties_even()
    }
}

/// A function: its name, the function under test (fused, separate), the exact one, and the allowed error of each.
type Row = (&'static str, [fn(f32) -> f32; 2], fn(f64) -> f64, [f64; 2]);

macro_rules! row {
    ($name:ident, $exact:expr, $bounds:expr) => {
        (stringify!($name), [fused::functions::$name, separate::functions::$name], $exact, $bounds)
    };
}

/// Conformance allows 2 units for exp, log, rsqrt, sin and cos, 16 for erfc, 4 for the others, which round, and 1 for sqrt.
const ROWS: [Row; 15] = [
    row!(exp, f64::exp, [1.1, 1.1]),
    row!(expm1, f64::exp_m1, [1.5, 1.5]),
    row!(log, f64::ln, [0.9, 0.9]),
    row!(log1p, f64::ln_1p, [1.5, 1.5]),
    row!(tanh, f64::tanh, [2.5, 2.5]),
    row!(logistic, rlx_ir::math::logistic, [2.3, 2.3]),
    row!(erf, rlx_ir::math::erf, [1.3, 1.3]),
    row!(erfc, rlx_ir::math::erfc, [5.5, 6.5]),
    row!(sin, f64::sin, [1.6, 1.6]),
    row!(cos, f64::cos, [1.6, 1.6]),
    row!(sqrt, f64::sqrt, [0.5, 0.5]),
    row!(rsqrt, |x| 1.0 / x.sqrt(), [1.5, 1.5]),
    row!(floor, f64::floor, [0.0, 0.0]),
    row!(ceil, f64::ceil, [0.0, 0.0]),
    row!(round_even, f64::round_ties_even, [0.0, 0.0]),
];

/// Every exponent with many significands, both signs, densely around 0, and special values.
fn inputs() -> Vec<f32> {
    let mut list: Vec<f32> = (0..u32::MAX / 8209).map(|step| f32::from_bits(step * 8209)).collect();
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

/// Returns the distance in units in the last place of `exact`.
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
#[allow(clippy::print_stdout)]
fn errors_are_within_their_bounds() {
    let inputs = inputs();
    for (name, functions, exact, bounds) in ROWS {
        for ((function, bound), kind) in functions.iter().zip(bounds).zip(["fused", "separate"]) {
            let worst = inputs.iter().map(|&x| (error(function(x), exact(f64::from(x))), x));
            let (error, x) =
                worst.fold((0.0, 0.0), |worst, this| if this.0 > worst.0 { this } else { worst });
            println!("{name} {kind}: {error:.2} at {x:e}");
            assert!(error <= bound, "{name}({x:e}), {kind}: {error} units, {bound} are allowed");
        }
    }
}
