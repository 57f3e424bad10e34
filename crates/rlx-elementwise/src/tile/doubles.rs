//! Functions of f64 from the system's math library, which are accurate to a few units in the last place. The evaluator uses those of the
//! crate `libm`, so the two do not share their errors. Only the error function and its complement are `libm`'s here, because the evaluator
//! has its own.

use super::{Code, Each1, Map1, plain};
use rlx_ir::UnaryOp;
use std::f64::consts::LN_2;

/// Above this, the square of a number plus one equals the square.
const LARGE: f64 = (1u64 << 28) as f64;

macro_rules! functions {
    ($($Name:ident: |$x:ident| $value:expr;)*) => {$(
        struct $Name;
        impl Map1<f64> for $Name {
            type Result = f64;
            #[inline(always)]
            fn apply($x: f64) -> f64 {
                $value
            }
        }
    )*};
}

functions! {
    Exp: |x| x.exp();
    Expm1: |x| x.exp_m1();
    Log: |x| x.ln();
    Log1p: |x| x.ln_1p();
    InverseRoot: |x| 1.0 / x.sqrt();
    CubeRoot: |x| cube_root(x);
    Sin: |x| x.sin();
    Cos: |x| x.cos();
    Tan: |x| x.tan();
    Asin: |x| x.asin();
    Acos: |x| x.acos();
    Atan: |x| x.atan();
    Sinh: |x| x.sinh();
    Cosh: |x| x.cosh();
    Tanh: |x| x.tanh();
    Asinh: |x| inverse_sinh(x);
    Acosh: |x| inverse_cosh(x);
    Atanh: |x| (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x);
    Logistic: |x| logistic(x);
    Erf: |x| libm::erf(x);
    Erfc: |x| libm::erfc(x);
}

/// The system's cube root and a step of Newton's method, because some systems are off by several units in the last place.
fn cube_root(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    // Scales by cubes of powers of two, so that the cube neither overflows nor loses digits.
    let (x, scale) = match x.abs() {
        a if a < 1e-250 => (x * 2f64.powi(162), 2f64.powi(-54)),
        a if a > 1e250 => (x * 2f64.powi(-162), 2f64.powi(54)),
        _ => (x, 1.0),
    };
    let root = x.cbrt();
    (root - (root * root * root - x) / (3.0 * root * root)) * scale
}

/// ln(x + √(x² + 1)), computed according to the magnitude of x.
fn inverse_sinh(x: f64) -> f64 {
    let a = x.abs();
    let value = if a > LARGE { a.ln() + LN_2 } else { (a + a * a / (1.0 + (1.0 + a * a).sqrt())).ln_1p() };
    value.copysign(x)
}

/// ln(x + √(x² - 1)); NaN below 1.
fn inverse_cosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > LARGE {
        return x.ln() + LN_2;
    }
    let above = x - 1.0;
    (above + (2.0 * above + above * above).sqrt()).ln_1p()
}

/// 1 / (1 + e⁻ˣ), with the exponential that cannot overflow.
fn logistic(x: f64) -> f64 {
    let small = (-x.abs()).exp();
    if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

/// Returns the code of a function of f64, or `None` for those that no library has.
pub(crate) fn unary(op: UnaryOp) -> Option<Code> {
    fn code<M: Map1<f64>>(picoseconds: u32) -> Option<Code> {
        Some(Code::new(plain::<Each1<f64, M>>, picoseconds))
    }
    match op {
        UnaryOp::Exp => code::<Exp>(5_000),
        UnaryOp::Expm1 => code::<Expm1>(10_000),
        UnaryOp::Log => code::<Log>(6_000),
        UnaryOp::Log1p => code::<Log1p>(10_000),
        UnaryOp::Rsqrt => code::<InverseRoot>(5_000),
        UnaryOp::Cbrt => code::<CubeRoot>(20_000),
        UnaryOp::Sin => code::<Sin>(10_000),
        UnaryOp::Cos => code::<Cos>(10_000),
        UnaryOp::Tan => code::<Tan>(15_000),
        UnaryOp::Asin => code::<Asin>(10_000),
        UnaryOp::Acos => code::<Acos>(10_000),
        UnaryOp::Atan => code::<Atan>(10_000),
        UnaryOp::Sinh => code::<Sinh>(15_000),
        UnaryOp::Cosh => code::<Cosh>(15_000),
        UnaryOp::Tanh => code::<Tanh>(15_000),
        UnaryOp::Asinh => code::<Asinh>(15_000),
        UnaryOp::Acosh => code::<Acosh>(15_000),
        UnaryOp::Atanh => code::<Atanh>(15_000),
        UnaryOp::Logistic => code::<Logistic>(6_000),
        UnaryOp::Erf => code::<Erf>(15_000),
        UnaryOp::Erfc => code::<Erfc>(15_000),
        _ => None,
    }
}
