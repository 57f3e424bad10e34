//! The elementwise functions on single numbers. Floats are computed in f64 and integers in i128; the caller rounds or wraps the
//! results.

use crate::dtype::DType;
use crate::float_format::FloatFormat;
use crate::math as special;
use crate::math::complex::Complex64;
use crate::numeric::{Scalar, wrap_int};
use crate::op::kinds::{BinaryOp, CompareOp, UnaryOp};
use std::cmp::Ordering;

/// `op(x)` for an operand of type `dtype`.
pub fn unary(op: UnaryOp, dtype: DType, x: Scalar) -> Scalar {
    match x {
        Scalar::Float(x) => float_unary(op, x),
        Scalar::Int(x) => Scalar::Int(int_unary(op, dtype, x)),
        Scalar::Complex(z) => complex_unary(op, z),
    }
}

fn float_unary(op: UnaryOp, x: f64) -> Scalar {
    use UnaryOp::*;
    Scalar::Float(match op {
        Neg => -x,
        Abs => x.abs(),
        Sign if x == 0.0 || x.is_nan() => x,
        Sign => 1f64.copysign(x),
        Floor => x.floor(),
        Ceil => x.ceil(),
        RoundEven => x.round_ties_even(),
        RoundAway => x.round(),
        Exp => libm::exp(x),
        Expm1 => libm::expm1(x),
        Log => libm::log(x),
        Log1p => libm::log1p(x),
        Sqrt => x.sqrt(),
        Rsqrt => 1.0 / x.sqrt(),
        Cbrt => libm::cbrt(x),
        Sin => libm::sin(x),
        Cos => libm::cos(x),
        Tan => libm::tan(x),
        Asin => libm::asin(x),
        Acos => libm::acos(x),
        Atan => libm::atan(x),
        Sinh => libm::sinh(x),
        Cosh => libm::cosh(x),
        Tanh => libm::tanh(x),
        Asinh => libm::asinh(x),
        // libm returns numbers for large negative arguments.
        Acosh if x < 1.0 => f64::NAN,
        Acosh => libm::acosh(x),
        Atanh => libm::atanh(x),
        Logistic => special::logistic(x),
        Erf => special::erf(x),
        Erfc => special::erfc(x),
        ErfInv => special::erf_inv(x),
        Lgamma => special::lgamma(x),
        Digamma => special::digamma(x),
        BesselI0e => special::bessel_i0e(x),
        BesselI1e => special::bessel_i1e(x),
        IsFinite => return Scalar::Int(i128::from(x.is_finite())),
        Imag => 0.0,
        Real | Conj | Not | Popcnt | Clz => x,
    })
}

fn int_unary(op: UnaryOp, dtype: DType, x: i128) -> i128 {
    use UnaryOp::*;
    match op {
        Neg => -x,
        Abs => x.abs(),
        Sign => x.signum(),
        Not if dtype == DType::Bool => 1 - x,
        Not => !x,
        Popcnt => i128::from(bits_of(x, dtype).count_ones()),
        Clz => i128::from(bits_of(x, dtype).leading_zeros() - (128 - dtype.bits())),
        Real | Conj => x,
        Imag => 0,
        IsFinite => 1,
        // Only for floats and complex numbers.
        Floor | Ceil | RoundEven | RoundAway | Exp | Expm1 | Log | Log1p | Sqrt | Rsqrt | Cbrt | Sin
        | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Logistic | Erf
        | Erfc | ErfInv | Lgamma | Digamma | BesselI0e | BesselI1e => x,
    }
}

/// The two's complement bits of an integer in the width of its type.
fn bits_of(x: i128, dtype: DType) -> u128 {
    let unused = 128 - dtype.bits();
    (x as u128) << unused >> unused
}

fn complex_unary(op: UnaryOp, z: Complex64) -> Scalar {
    use UnaryOp::*;
    Scalar::Complex(match op {
        Abs => return Scalar::Float(z.abs()),
        Real => return Scalar::Float(z.re),
        Imag => return Scalar::Float(z.im),
        IsFinite => return Scalar::Int(i128::from(z.re.is_finite() && z.im.is_finite())),
        Neg => Complex64 { re: -z.re, im: -z.im },
        Sign => z.sign(),
        Conj => z.conj(),
        Exp => z.exp(),
        Expm1 => z.exp_m1(),
        Log => z.ln(),
        Log1p => z.ln_1p(),
        Sqrt => z.sqrt(),
        Rsqrt => z.rsqrt(),
        Cbrt => z.cbrt(),
        Sin => z.sin(),
        Cos => z.cos(),
        Tan => z.tan(),
        Asin => z.asin(),
        Acos => z.acos(),
        Atan => z.atan(),
        Sinh => z.sinh(),
        Cosh => z.cosh(),
        Tanh => z.tanh(),
        Asinh => z.asinh(),
        Acosh => z.acosh(),
        Atanh => z.atanh(),
        Logistic => z.logistic(),
        // Only for real numbers.
        Floor | Ceil | RoundEven | RoundAway | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e
        | BesselI1e | Not | Popcnt | Clz => z,
    })
}

/// `op(a, b)` for operands of type `dtype`.
pub fn binary(op: BinaryOp, dtype: DType, a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => float_binary(op, dtype, a, b),
        (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(int_binary(op, dtype, a, b)),
        (Scalar::Complex(a), Scalar::Complex(b)) => Scalar::Complex(complex_binary(op, a, b)),
        _ => a,
    }
}

fn float_binary(op: BinaryOp, dtype: DType, a: f64, b: f64) -> Scalar {
    use BinaryOp::*;
    Scalar::Float(match op {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Rem => a % b,
        Pow => libm::pow(a, b),
        Max => maximum(a, b),
        Min => minimum(a, b),
        Atan2 => libm::atan2(a, b),
        NextAfter => next_after(a, b, dtype),
        Complex => return Scalar::Complex(Complex64 { re: a, im: b }),
        Polygamma => special::polygamma(a, b),
        Zeta => special::zeta(a, b),
        Igamma => special::igamma(a, b),
        Igammac => special::igammac(a, b),
        And | Or | Xor | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical => a,
    })
}

/// The maximum; NaN if either is NaN. 0 is above −0.
pub(crate) fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a > b || (a == b && b.is_sign_negative()) { a } else { b }
}

/// The minimum; NaN if either is NaN. −0 is below 0.
pub(crate) fn minimum(a: f64, b: f64) -> f64 {
    -maximum(-a, -b)
}

/// The value of type `dtype` next to `a` in the direction of `b`.
fn next_after(a: f64, b: f64, dtype: DType) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return b;
    }
    let mut bytes = Vec::with_capacity(8);
    let start = if a == 0.0 { 0f64.copysign(b - a) } else { a };
    Scalar::Float(start).write(dtype, &mut bytes);
    let mut word = [0u8; 8];
    word[..bytes.len()].copy_from_slice(&bytes);
    let bits = u64::from_le_bytes(word);
    // Magnitudes are ordered like their bits: one up is away from zero, one down is toward zero.
    let away = a == 0.0 || (b > a) == (a > 0.0);
    let next = if away { bits + 1 } else { bits - 1 };
    Scalar::read(dtype, &next.to_le_bytes()).to_f64()
}

fn int_binary(op: BinaryOp, dtype: DType, a: i128, b: i128) -> i128 {
    use BinaryOp::*;
    let boolean = dtype == DType::Bool;
    let width = i128::from(dtype.bits());
    let in_width = (0..width).contains(&b);
    match op {
        Add if boolean => a | b,
        Mul if boolean => a & b,
        Add => a + b,
        Sub => a - b,
        Mul => a.wrapping_mul(b),
        Div if b == 0 => -1,
        Div => a / b,
        Rem if b == 0 => a,
        Rem => a % b,
        Pow => int_pow(a, b, dtype),
        Max => a.max(b),
        Min => a.min(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        ShiftLeft if in_width => a << b,
        ShiftRightArithmetic => {
            // An unsigned operand is shifted like its two's complement bits.
            let unused = 128 - width as u32;
            let signed = a << unused >> unused;
            signed >> if in_width { b } else { width - 1 }
        }
        ShiftRightLogical if in_width => (bits_of(a, dtype) >> b) as i128,
        ShiftLeft | ShiftRightLogical => 0,
        Atan2 | NextAfter | Complex | Polygamma | Zeta | Igamma | Igammac => a,
    }
}

fn int_pow(base: i128, exponent: i128, dtype: DType) -> i128 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut result, mut base, mut exponent) = (1i128, base, exponent);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = wrap_int(result.wrapping_mul(base), dtype);
        }
        base = wrap_int(base.wrapping_mul(base), dtype);
        exponent >>= 1;
    }
    result
}

fn complex_binary(op: BinaryOp, a: Complex64, b: Complex64) -> Complex64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Pow => a.pow(b),
        BinaryOp::Max => lexicographic(a, b, Ordering::Greater),
        BinaryOp::Min => lexicographic(a, b, Ordering::Less),
        // Only for real numbers.
        BinaryOp::Rem
        | BinaryOp::Atan2
        | BinaryOp::NextAfter
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Complex
        | BinaryOp::Polygamma
        | BinaryOp::Zeta
        | BinaryOp::Igamma
        | BinaryOp::Igammac => a,
    }
}

/// The operand that has the `wanted` lexicographic order relative to the other one. An operand with a NaN part wins.
fn lexicographic(a: Complex64, b: Complex64, wanted: Ordering) -> Complex64 {
    let nan = |z: Complex64| z.re.is_nan() || z.im.is_nan();
    if nan(a) {
        return a;
    }
    if nan(b) {
        return b;
    }
    let order = a.re.partial_cmp(&b.re).unwrap_or(Ordering::Equal);
    let order = order.then(a.im.partial_cmp(&b.im).unwrap_or(Ordering::Equal));
    if order == wanted || order == Ordering::Equal { a } else { b }
}

/// The order of two scalars of the same class; `None` if one is NaN and `total` is false.
pub(crate) fn order(a: Scalar, b: Scalar, total: bool) -> Option<Ordering> {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) if total => Some(a.total_cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        (Scalar::Complex(a), Scalar::Complex(b)) => {
            let re = order(Scalar::Float(a.re), Scalar::Float(b.re), total)?;
            Some(re.then(order(Scalar::Float(a.im), Scalar::Float(b.im), total)?))
        }
        _ => None,
    }
}

/// Whether the comparison is true.
pub fn compare(op: CompareOp, a: Scalar, b: Scalar, total: bool) -> bool {
    let order = order(a, b, total);
    match op {
        CompareOp::Eq => order == Some(Ordering::Equal),
        CompareOp::Ne => order != Some(Ordering::Equal),
        CompareOp::Lt => order == Some(Ordering::Less),
        CompareOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        CompareOp::Gt => order == Some(Ordering::Greater),
        CompareOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// The reduction's identity in type `dtype`; `None` for a mean.
pub fn identity(kind: crate::op::kinds::ReduceOp, dtype: DType) -> Option<Scalar> {
    use crate::op::kinds::ReduceOp::*;
    let range = dtype.int_range();
    let identity = match (kind, range) {
        (Mean, _) => return None,
        (LogSumExp, _) => lowest(dtype),
        (Sum | Or, Some(_)) => Scalar::Int(0),
        (Prod, Some(_)) => Scalar::Int(1),
        (And, Some(_)) => Scalar::Int(wrap_int(-1, dtype)),
        (Max, Some((low, _))) => Scalar::Int(low),
        (Min, Some((_, high))) => Scalar::Int(high),
        (Max, None) => lowest(dtype),
        (Min, None) => match lowest(dtype) {
            Scalar::Float(x) => Scalar::Float(-x),
            other => other,
        },
        (Prod, None) => Scalar::Float(1.0),
        (Sum | And | Or, None) => Scalar::Float(0.0),
    };
    Some(identity)
}

/// −inf, or the minimum of a format without infinities.
fn lowest(dtype: DType) -> Scalar {
    Scalar::Float(FloatFormat::of(dtype).map_or(f64::NEG_INFINITY, FloatFormat::lowest))
}
