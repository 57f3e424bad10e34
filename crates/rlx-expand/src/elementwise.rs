//! Which elementwise functions are expanded, and how, for each element type. Types narrower than f32 are computed in f32.

use crate::build::Expression;
use crate::special::{bessel, beta, error, gamma, incomplete, zeta};
use crate::{Rule, complex, elementary, order};
use rlx_ir::{BinaryOp, CompareOp, DType, Tensor, UnaryOp};

/// A function of one number.
type Function = fn(&Tensor) -> Tensor;
/// A function of two numbers.
type Function2 = fn(&Tensor, &Tensor) -> Tensor;

/// Whether a type is narrower than f32.
fn is_narrow(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2)
}

/// A rule that applies a function in f32 or f64.
fn in_f32_at_least(f: impl FnOnce(&[Tensor]) -> Tensor + 'static) -> Rule<'static> {
    Box::new(move |operands| {
        let Some(dtype) = operands.first().map(Tensor::dtype) else { return Ok(Vec::new()) };
        let wide = |x: &Tensor| if is_narrow(dtype) { x.convert(DType::F32) } else { x.clone() };
        Ok(vec![f(&operands.iter().map(wide).collect::<Vec<_>>()).convert(dtype)])
    })
}

/// A rule that applies a function in the element type itself.
fn as_it_is(f: impl FnOnce(&[Tensor]) -> Tensor + 'static) -> Rule<'static> {
    Box::new(move |operands| Ok(vec![f(operands)]))
}

/// The expansion of a function of one tensor.
pub(crate) fn unary(op: UnaryOp, dtype: DType) -> Option<Rule<'static>> {
    if dtype.is_complex() {
        return complex_unary(op).map(|f| as_it_is(move |x| f(&x[0])));
    }
    let function: Function = match op {
        UnaryOp::Conj => return Some(as_it_is(|x| x[0].clone())),
        UnaryOp::Popcnt => return Some(as_it_is(|x| elementary::popcnt(&x[0]))),
        UnaryOp::Clz => return Some(as_it_is(|x| elementary::clz(&x[0]))),
        UnaryOp::RoundAway => return Some(as_it_is(|x| elementary::round_away(&x[0]))),
        UnaryOp::RoundEven => return Some(as_it_is(|x| elementary::round_even(&x[0]))),
        UnaryOp::Asin => elementary::asin,
        UnaryOp::Acos => elementary::acos,
        UnaryOp::Atan => elementary::atan,
        UnaryOp::Sinh => elementary::sinh,
        UnaryOp::Cosh => elementary::cosh,
        UnaryOp::Asinh => elementary::asinh,
        UnaryOp::Acosh => elementary::acosh,
        UnaryOp::Atanh => elementary::atanh,
        UnaryOp::Tan => elementary::tan,
        UnaryOp::Logistic => elementary::logistic,
        UnaryOp::Expm1 => elementary::expm1,
        UnaryOp::Log1p => elementary::log1p,
        UnaryOp::Cbrt => elementary::cbrt,
        UnaryOp::BesselI0e => bessel::bessel_i0e,
        UnaryOp::BesselI1e => bessel::bessel_i1e,
        UnaryOp::Erf => error::erf,
        UnaryOp::Erfc => error::erfc,
        UnaryOp::ErfInv => error::erf_inv,
        UnaryOp::Lgamma => gamma::lgamma,
        UnaryOp::Digamma => gamma::digamma,
        // Already simple.
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Exp
        | UnaryOp::Log
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Tanh
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::Real
        | UnaryOp::Imag => return None,
    };
    Some(in_f32_at_least(move |x| function(&x[0])))
}

fn complex_unary(op: UnaryOp) -> Option<Function> {
    Some(match op {
        UnaryOp::IsFinite => |x| x.re().is_finite().and(&x.im().is_finite()),
        UnaryOp::Sinh => complex::sinh,
        UnaryOp::Cosh => complex::cosh,
        UnaryOp::Tan => complex::tan,
        UnaryOp::Tanh => complex::tanh,
        UnaryOp::Asin => complex::asin,
        UnaryOp::Acos => complex::acos,
        UnaryOp::Atan => complex::atan,
        UnaryOp::Asinh => complex::asinh,
        UnaryOp::Acosh => complex::acosh,
        UnaryOp::Atanh => complex::atanh,
        UnaryOp::Cbrt => complex::cbrt,
        UnaryOp::Expm1 => complex::expm1,
        UnaryOp::Log1p => complex::log1p,
        UnaryOp::Logistic => complex::logistic,
        // Already simple.
        UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Exp
        | UnaryOp::Log
        | UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Sin
        | UnaryOp::Cos
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Conj => return None,
        // Only for real numbers.
        UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::RoundEven
        | UnaryOp::RoundAway
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::Digamma
        | UnaryOp::BesselI0e
        | UnaryOp::BesselI1e
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::Clz => return None,
    })
}

/// The expansion of a function of two tensors.
pub(crate) fn binary(op: BinaryOp, dtype: DType) -> Option<Rule<'static>> {
    if dtype.is_complex() {
        let wanted = match op {
            BinaryOp::Max => CompareOp::Lt,
            BinaryOp::Min => CompareOp::Gt,
            _ => return None,
        };
        return Some(as_it_is(move |x| order::extreme(&x[0], &x[1], wanted)));
    }
    let function: Function2 = match op {
        BinaryOp::NextAfter => return Some(as_it_is(|x| elementary::next_after(&x[0], &x[1]))),
        BinaryOp::Igamma => |a, x| incomplete::tails(a, x)[0].clone(),
        BinaryOp::Igammac => |a, x| incomplete::tails(a, x)[1].clone(),
        BinaryOp::Zeta => zeta::zeta,
        BinaryOp::Polygamma => zeta::polygamma,
        // Already simple.
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Pow
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::Atan2
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Complex => return None,
    };
    Some(in_f32_at_least(move |x| function(&x[0], &x[1])))
}

/// The expansion of the incomplete beta function.
pub(crate) fn betainc() -> Rule<'static> {
    in_f32_at_least(|x| beta::betainc(&x[0], &x[1], &x[2]))
}
