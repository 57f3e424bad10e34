//! Elementwise functions.

use super::{Declined, Site, Step, arithmetic, host, step};
use crate::launch::Launch;
use rlx_ir::{BinaryOp, CompareOp, Op, UnaryOp};
use rlx_mlx_sys::{Binary, ElementType, MlxArray, MlxError, Unary};

/// Returns MLX's function for a function of real numbers, if MLX has one that is as accurate as the evaluator's.
fn of_reals(op: UnaryOp, element: ElementType) -> Option<Unary> {
    let is_float = element.is_float();
    Some(match op {
        UnaryOp::Neg if element != ElementType::Bool => Unary::Negative,
        UnaryOp::Abs => Unary::Abs,
        UnaryOp::Not if element == ElementType::Bool => Unary::LogicalNot,
        UnaryOp::Not => Unary::BitwiseInvert,
        UnaryOp::Floor => Unary::Floor,
        UnaryOp::Ceil => Unary::Ceil,
        UnaryOp::RoundEven => Unary::Round,
        UnaryOp::IsFinite => Unary::IsFinite,
        UnaryOp::Exp if is_float => Unary::Exp,
        UnaryOp::Expm1 if is_float => Unary::Expm1,
        UnaryOp::Log if is_float => Unary::Log,
        UnaryOp::Log1p if is_float => Unary::Log1p,
        UnaryOp::Sqrt if is_float => Unary::Sqrt,
        UnaryOp::Rsqrt if is_float => Unary::Rsqrt,
        UnaryOp::Sin if is_float => Unary::Sin,
        UnaryOp::Cos if is_float => Unary::Cos,
        UnaryOp::Tan if is_float => Unary::Tan,
        UnaryOp::Asin if is_float => Unary::Arcsin,
        UnaryOp::Acos if is_float => Unary::Arccos,
        UnaryOp::Atan if is_float => Unary::Arctan,
        UnaryOp::Sinh if is_float => Unary::Sinh,
        UnaryOp::Cosh if is_float => Unary::Cosh,
        UnaryOp::Tanh if is_float => Unary::Tanh,
        UnaryOp::Asinh if is_float => Unary::Arcsinh,
        UnaryOp::Acosh if is_float => Unary::Arccosh,
        UnaryOp::Atanh if is_float => Unary::Arctanh,
        UnaryOp::Logistic if is_float => Unary::Sigmoid,
        UnaryOp::Erf if is_float => Unary::Erf,
        UnaryOp::ErfInv if is_float => Unary::Erfinv,
        _ => return None,
    })
}

/// Returns the same for complex numbers.
fn of_complex(op: UnaryOp) -> Option<Unary> {
    Some(match op {
        UnaryOp::Neg => Unary::Negative,
        UnaryOp::Abs => Unary::Abs,
        UnaryOp::Exp => Unary::Exp,
        UnaryOp::Log => Unary::Log,
        UnaryOp::Sqrt => Unary::Sqrt,
        UnaryOp::Rsqrt => Unary::Rsqrt,
        UnaryOp::Sin => Unary::Sin,
        UnaryOp::Cos => Unary::Cos,
        UnaryOp::Tanh => Unary::Tanh,
        UnaryOp::Real => Unary::Real,
        UnaryOp::Imag => Unary::Imag,
        UnaryOp::Conj => Unary::Conjugate,
        UnaryOp::Sign => Unary::Sign,
        _ => return None,
    })
}

pub(super) fn unary(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Unary { op } = site.op else { return site.decline("here") };
    let element = site.x().element;
    if host::is_coarse(op, element) {
        return host::step(site);
    }
    if element == ElementType::F64 && matches!(op, UnaryOp::Logistic | UnaryOp::Erf | UnaryOp::ErfInv) {
        return site.decline("for f64 that is accurate enough");
    }
    let named = if element == ElementType::C64 { of_complex(op) } else { of_reals(op, element) };
    if let Some(code) = named {
        return step(move |cx, x| cx.unary(code, x[0]));
    }
    match op {
        UnaryOp::Sign => step(arithmetic::sign),
        UnaryOp::Real | UnaryOp::Conj => step(|_, x| Ok(x[0].clone())),
        UnaryOp::Imag => {
            let dims = site.result().dims.clone();
            step(move |cx, x| cx.full(&dims, &cx.number_like(0, x[0])?))
        }
        _ => site.decline(&format!("for {element:?} named {op}")),
    }
}

pub(super) fn binary(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Binary { op } = site.op else { return site.decline("here") };
    let element = site.x().element;
    let is_bool = element == ElementType::Bool;
    let is_integer = element.integer().is_some();
    let code = match op {
        BinaryOp::Add if is_bool => Binary::LogicalOr,
        BinaryOp::Mul if is_bool => Binary::LogicalAnd,
        BinaryOp::Max if is_bool => Binary::LogicalOr,
        BinaryOp::Min if is_bool => Binary::LogicalAnd,
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Subtract,
        BinaryOp::Mul if element == ElementType::C64 => {
            return step(|cx, x| match cx.is_cpu() {
                true => arithmetic::complex_product(cx, x[0], x[1]),
                false => cx.binary(Binary::Multiply, x[0], x[1]),
            });
        }
        BinaryOp::Mul => Binary::Multiply,
        BinaryOp::Div if !is_integer => Binary::Divide,
        BinaryOp::Pow if element == ElementType::C64 => return step(arithmetic::power_of_complex),
        BinaryOp::Pow if !is_integer => Binary::Power,
        BinaryOp::Max if element != ElementType::C64 => Binary::Maximum,
        BinaryOp::Min if element != ElementType::C64 => Binary::Minimum,
        BinaryOp::Atan2 => Binary::Arctan2,
        BinaryOp::And if is_bool => Binary::LogicalAnd,
        BinaryOp::Or if is_bool => Binary::LogicalOr,
        BinaryOp::Xor if is_bool => Binary::NotEqual,
        BinaryOp::And => Binary::BitwiseAnd,
        BinaryOp::Or => Binary::BitwiseOr,
        BinaryOp::Xor => Binary::BitwiseXor,
        BinaryOp::Div => return step(arithmetic::quotient),
        BinaryOp::Rem if is_integer => return step(arithmetic::remainder_of_integers),
        BinaryOp::Rem if element.is_float() => return step(arithmetic::remainder_of_floats),
        BinaryOp::Pow => return step(arithmetic::power_of_integers),
        BinaryOp::ShiftLeft => return step(|cx, x| arithmetic::shifted(cx, x, true, false)),
        BinaryOp::ShiftRightLogical => return step(|cx, x| arithmetic::shifted(cx, x, false, false)),
        BinaryOp::ShiftRightArithmetic => return step(|cx, x| arithmetic::shifted(cx, x, false, true)),
        BinaryOp::Complex if element == ElementType::F32 => return step(complex),
        _ => return site.decline(&format!("for {element:?} named {op}")),
    };
    step(move |cx, x| cx.binary(code, x[0], x[1]))
}

/// Makes complex numbers from their parts. Multiplying by i instead would turn infinities into NaN.
pub(super) fn complex(cx: &Launch<'_>, x: &[&MlxArray]) -> Result<MlxArray, MlxError> {
    let dims = x[0].dims();
    let mut one = dims.clone();
    one.push(1);
    let (re, im) = (cx.reshape(x[0], &one)?, cx.reshape(x[1], &one)?);
    let pairs = cx.concatenate(&[&re, &im], dims.len())?;
    cx.reshape(&cx.view(&pairs, ElementType::C64)?, &dims)
}

fn comparison(op: CompareOp) -> Binary {
    match op {
        CompareOp::Eq => Binary::Equal,
        CompareOp::Ne => Binary::NotEqual,
        CompareOp::Lt => Binary::Less,
        CompareOp::Le => Binary::LessEqual,
        CompareOp::Gt => Binary::Greater,
        CompareOp::Ge => Binary::GreaterEqual,
    }
}

pub(super) fn compare(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Compare { op, total_order } = site.op else { return site.decline("here") };
    let element = site.x().element;
    let code = comparison(op);
    if element == ElementType::C64 && !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return step(move |cx, x| lexicographic(cx, x, op));
    }
    if total_order && element.is_float() {
        return step(move |cx, x| {
            cx.binary(code, &arithmetic::total_key(cx, x[0])?, &arithmetic::total_key(cx, x[1])?)
        });
    }
    step(move |cx, x| cx.binary(code, x[0], x[1]))
}

/// Compares complex numbers by their real parts, and by their imaginary parts if the real parts are equal.
fn lexicographic(cx: &Launch<'_>, x: &[&MlxArray], op: CompareOp) -> Result<MlxArray, MlxError> {
    let strict = match op {
        CompareOp::Le => Binary::Less,
        CompareOp::Ge => Binary::Greater,
        op => comparison(op),
    };
    let (re, im) = (Unary::Real, Unary::Imag);
    let (a, b) = (cx.unary(re, x[0])?, cx.unary(re, x[1])?);
    let first = cx.binary(strict, &a, &b)?;
    let equal = cx.binary(Binary::Equal, &a, &b)?;
    let second = cx.binary(comparison(op), &cx.unary(im, x[0])?, &cx.unary(im, x[1])?)?;
    cx.binary(Binary::LogicalOr, &first, &cx.binary(Binary::LogicalAnd, &equal, &second)?)
}

pub(super) fn select(_: &Site<'_>) -> Result<Step, Declined> {
    step(|cx, x| cx.select(x[0], x[1], x[2]))
}

pub(super) fn clamp(site: &Site<'_>) -> Result<Step, Declined> {
    if site.x().element == ElementType::C64 {
        return site.decline("of complex numbers");
    }
    if site.x().element == ElementType::Bool {
        return step(|cx, x| cx.binary(Binary::LogicalAnd, &cx.binary(Binary::LogicalOr, x[1], x[0])?, x[2]));
    }
    step(|cx, x| cx.binary(Binary::Minimum, &cx.binary(Binary::Maximum, x[1], x[0])?, x[2]))
}
