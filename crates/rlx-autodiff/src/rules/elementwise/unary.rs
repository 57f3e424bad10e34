//! Derivatives of functions of one number.

use super::{except_where, wide};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace::{full_like, zeros_like};
use rlx_ir::{BinaryOp, DType, Op, Tensor, UnaryOp};
use std::f64::consts::{FRAC_2_SQRT_PI, PI};

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Unary { op: function }, [Dual { primal: x, tangent: Some(t) }]) = (op, operands) else {
        return Err(Error::no_rule("derivative", "it is not a function of one tensor"));
    };
    let primal = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let tangent = tangent(*function, x, &primal, t);
    Ok(vec![Dual { primal, tangent }])
}

/// The tangent of y = f(x) for the tangent t of x; `None` if it is zero everywhere.
pub(crate) fn tangent(function: UnaryOp, x: &Tensor, y: &Tensor, t: &Tensor) -> Option<Tensor> {
    use UnaryOp::*;
    match function {
        Floor | Ceil | RoundEven | RoundAway | IsFinite | Not | Popcnt | Clz => None,
        Imag if !x.dtype().is_complex() => None,
        Neg | Real | Imag | Conj => Some(t.unary(function)),
        Abs if x.dtype().is_complex() => Some(modulus_tangent(x, y, t)),
        Sign if x.dtype().is_complex() => Some(direction_tangent(x, y, t)),
        Sign => None,
        _ => Some(t * derivative(function, x, y)?),
    }
}

/// f′(x) for y = f(x), computed in a wide type.
fn derivative(function: UnaryOp, x: &Tensor, y: &Tensor) -> Option<Tensor> {
    let dtype = y.dtype();
    let inner = wide(dtype);
    formula(function, &x.convert(inner), &y.convert(inner)).map(|d| d.convert(dtype))
}

/// f′(x) for y = f(x); for a complex function, the complex derivative.
fn formula(function: UnaryOp, x: &Tensor, y: &Tensor) -> Option<Tensor> {
    use UnaryOp::*;
    Some(match function {
        // Of the two slopes at 0, the one to the right, as in JAX.
        Abs => x.greater_equal(&zeros_like(x)).select(&full_like(x, 1.0), &full_like(x, -1.0)),
        Exp => y.clone(),
        Expm1 => y + 1.0,
        Log => 1.0 / x,
        Log1p => 1.0 / (x + 1.0),
        Sqrt => 0.5 / y,
        Rsqrt => -0.5 * (y / x),
        Cbrt => (1.0 / 3.0) / (y * y),
        Sin => x.cos(),
        Cos => -x.sin(),
        Tan => y * y + 1.0,
        Asin => ((1.0 - x) * (x + 1.0)).rsqrt(),
        Acos => -((1.0 - x) * (x + 1.0)).rsqrt(),
        Atan => 1.0 / (x * x + 1.0),
        Sinh => x.unary(Cosh),
        Cosh => x.unary(Sinh),
        Tanh => (1.0 - y) * (y + 1.0),
        Asinh => (x * x + 1.0).rsqrt(),
        // Two roots, because the root of the product has the wrong sign in the left half plane.
        Acosh => (x - 1.0).rsqrt() * (x + 1.0).rsqrt(),
        Atanh => 1.0 / ((1.0 - x) * (x + 1.0)),
        Logistic => y * (1.0 - y),
        Erf => (-(x * x)).exp() * FRAC_2_SQRT_PI,
        Erfc => (-(x * x)).exp() * -FRAC_2_SQRT_PI,
        ErfInv => (y * y).exp() * (PI.sqrt() / 2.0),
        Lgamma => x.unary(Digamma),
        Digamma => full_like(x, 1.0).binary(BinaryOp::Polygamma, x),
        BesselI0e => x.unary(BesselI1e) - x.sign() * y,
        BesselI1e => i1e_derivative(x, y),
        Neg | Real | Imag | Conj | Sign | Floor | Ceil | RoundEven | RoundAway | IsFinite | Not | Popcnt
        | Clz => return None,
    })
}

/// I₁′ = I₀ − I₁/x (DLMF 10.29.2), scaled; 1/2 at 0.
fn i1e_derivative(x: &Tensor, y: &Tensor) -> Tensor {
    let tiny = x.abs().less_equal(&full_like(x, epsilon(x.dtype())));
    let safe = tiny.select(&full_like(x, 1.0), x);
    let slope = safe.unary(UnaryOp::BesselI0e) - y * (safe.sign() + 1.0 / &safe);
    tiny.select(&full_like(x, 0.5), &slope)
}

/// The distance from 1 to the next larger number of a type.
fn epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

/// Re(t · conj(x)/|x|), or 0 at 0.
fn modulus_tangent(x: &Tensor, y: &Tensor, t: &Tensor) -> Tensor {
    let zero = y.equal(&zeros_like(y));
    let modulus = zero.select(&full_like(y, 1.0), y).convert(x.dtype());
    (t * (x.unary(UnaryOp::Conj) / modulus)).unary(UnaryOp::Real)
}

/// The tangent of z/|z|: t without its component along z, divided by |z|; 0 at 0.
fn direction_tangent(x: &Tensor, y: &Tensor, t: &Tensor) -> Tensor {
    let modulus = x.abs();
    let zero = modulus.equal(&zeros_like(&modulus));
    let inverse = except_where(&zero, &(1.0 / only_nonzero(&zero, &modulus))).convert(x.dtype());
    let along = (t * y.unary(UnaryOp::Conj)).unary(UnaryOp::Real).convert(x.dtype());
    (t - along * y) * inverse
}

/// The tensor with its zeros replaced by 1.
fn only_nonzero(zero: &Tensor, x: &Tensor) -> Tensor {
    zero.select(&full_like(x, 1.0), x)
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Unary { op: function }, [operand]) = (op, operands) else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let complex = operand.shape().dtype().is_complex();
    Ok(vec![match function {
        UnaryOp::Neg => Some(-ct),
        UnaryOp::Conj => Some(ct.unary(UnaryOp::Conj)),
        UnaryOp::Real if complex => Some(ct.binary(BinaryOp::Complex, &zeros_like(&ct))),
        UnaryOp::Imag if complex => Some(zeros_like(&ct).binary(BinaryOp::Complex, &-ct)),
        UnaryOp::Real => Some(ct),
        UnaryOp::Imag => None,
        _ => return Err(Error::no_rule("transpose", "it is not linear in its operand")),
    }])
}
