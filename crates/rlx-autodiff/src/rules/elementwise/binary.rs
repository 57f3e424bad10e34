//! Derivatives of functions of two numbers.

use super::{indicator, lgamma, special, total, wide};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace::{full_like, zeros_like};
use rlx_ir::{BinaryOp, Op, Tensor, UnaryOp};

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Binary { op: function }, [a, b]) = (op, operands) else {
        return Err(Error::no_rule("derivative", "it is not a function of two tensors"));
    };
    let y = cx.apply(op, &[a.primal.clone(), b.primal.clone()]).swap_remove(0);
    let tangent = match function {
        BinaryOp::Add => total([a.tangent.clone(), b.tangent.clone()]),
        BinaryOp::Sub => match (&a.tangent, &b.tangent) {
            (Some(ta), Some(tb)) => Some(ta - tb),
            (ta, tb) => ta.clone().or(tb.as_ref().map(|t| -t)),
        },
        BinaryOp::Complex => Some(a.tangent_or_zeros().binary(BinaryOp::Complex, &b.tangent_or_zeros())),
        _ => {
            let part = |of: &Dual, partial: Partial| -> Result<Option<Tensor>, Error> {
                let Some(t) = &of.tangent else { return Ok(None) };
                contribution(cx, *function, partial, &a.primal, &b.primal, &y, t)
            };
            total([part(a, Partial::Lhs)?, part(b, Partial::Rhs)?])
        }
    };
    Ok(vec![Dual { primal: y, tangent }])
}

/// The operand to differentiate by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partial {
    Lhs,
    Rhs,
}

/// The contribution of the tangent `t` of one operand to the tangent of y = f(a, b).
fn contribution(
    cx: &Forward<'_>,
    function: BinaryOp,
    partial: Partial,
    a: &Tensor,
    b: &Tensor,
    y: &Tensor,
    t: &Tensor,
) -> Result<Option<Tensor>, Error> {
    use Partial::{Lhs, Rhs};
    Ok(Some(match (function, partial) {
        (BinaryOp::Mul, Lhs) => t * b,
        (BinaryOp::Mul, Rhs) => t * a,
        (BinaryOp::Div, Lhs) => t / b,
        (BinaryOp::Div, Rhs) => -(t * (y / b)),
        (BinaryOp::Rem, Lhs) => t.clone(),
        // For a fraction of a step, both neighbors are equally near.
        (BinaryOp::NextAfter, _) => {
            let why = "it steps from one representable number to the next; stop the gradient of its operands";
            return Err(Error::no_rule("derivative", why));
        }
        (
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightArithmetic
            | BinaryOp::ShiftRightLogical,
            _,
        ) => return Ok(None),
        (BinaryOp::Zeta, Lhs) => {
            t * where_defined(y, &special::slope(cx, &Op::Binary { op: function }, &[a, b], 0)?)
        }
        (BinaryOp::Igamma | BinaryOp::Igammac, Lhs) => {
            t * where_defined(y, &special::slope_of_loop(cx, &Op::Binary { op: function }, &[a, b], 0, &[0])?)
        }
        _ => {
            let inner = wide(y.dtype());
            let [a, b, y] = [a, b, y].map(|x| x.convert(inner));
            t * formula(function, partial, &a, &b, &y)?.convert(t.dtype())
        }
    }))
}

/// The slope, or NaN where the function is NaN.
fn where_defined(y: &Tensor, slope: &Tensor) -> Tensor {
    y.equal(y).select(slope, &full_like(slope, f64::NAN))
}

/// ∂f/∂a or ∂f/∂b for y = f(a, b).
fn formula(
    function: BinaryOp,
    partial: Partial,
    a: &Tensor,
    b: &Tensor,
    y: &Tensor,
) -> Result<Tensor, Error> {
    use Partial::{Lhs, Rhs};
    Ok(match (function, partial) {
        // The whole quotient, without the error of a rounded one.
        (BinaryOp::Rem, Rhs) => -((a - y) / b).unary(UnaryOp::RoundEven),
        (BinaryOp::Pow, Lhs) => {
            // x⁰ is 1 everywhere, even at 0, where x⁻¹ is infinite. Elsewhere, b x^(b−1) must remain differentiable by b.
            let constant = b.equal(&zeros_like(b)).and(&a.equal(&zeros_like(a)));
            let slope = b * a.pow(&(b - 1.0));
            constant.select(&zeros_like(b), &slope)
        }
        (BinaryOp::Pow, Rhs) => {
            let zero = a.equal(&zeros_like(a));
            zero.select(&full_like(a, 1.0), a).log() * y
        }
        (BinaryOp::Max | BinaryOp::Min, Lhs) => share(a, b, y),
        (BinaryOp::Max | BinaryOp::Min, Rhs) => share(b, a, y),
        (BinaryOp::Atan2, Lhs) => b / (a * a + b * b),
        (BinaryOp::Atan2, Rhs) => -a / (a * a + b * b),
        (BinaryOp::Polygamma, Rhs) => (a + 1.0).binary(BinaryOp::Polygamma, b),
        (BinaryOp::Polygamma, Lhs) => {
            return Err(Error::no_rule(
                "derivative",
                "its order is an integer; stop the gradient of the first operand",
            ));
        }
        (BinaryOp::Zeta, Rhs) => -(a * (a + 1.0).binary(BinaryOp::Zeta, b)),
        (BinaryOp::Igamma, Rhs) => gamma_density(a, b),
        (BinaryOp::Igammac, Rhs) => -gamma_density(a, b),
        _ => return Err(Error::no_rule("derivative", "it is not a smooth function of its operands")),
    })
}

/// The share of `a` in the tangent of the maximum or minimum of a and b: all of it, half of it if they are equal, or none.
fn share(a: &Tensor, b: &Tensor, y: &Tensor) -> Tensor {
    let alone = b.equal(y).select(&full_like(a, 0.5), &full_like(a, 1.0));
    indicator(&a.equal(y), a) * alone
}

/// e^−x x^(a−1) / Γ(a), the density of the gamma distribution, computed as a e^−x x^(a−1) / Γ(a + 1), so that its derivatives are
/// finite even at a = 0, where Γ has a pole.
fn gamma_density(a: &Tensor, x: &Tensor) -> Tensor {
    let unit = a.equal(&full_like(a, 1.0)).and(&x.equal(&zeros_like(x)));
    // x⁰ is 1 even at 0.
    let base = unit.select(&full_like(x, 1.0), x);
    a * ((a - 1.0) * base.log() - x - lgamma(&(a + 1.0))).exp()
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::Binary { op: function }, [a, b]) = (op, operands) else { return Ok(Vec::new()) };
    let ct = cts.first(cx.builder);
    let each = |of_a: &dyn Fn() -> Tensor, of_b: &dyn Fn() -> Tensor| {
        vec![a.is_linear().then(of_a), b.is_linear().then(of_b)]
    };
    Ok(match function {
        BinaryOp::Add => each(&|| ct.clone(), &|| ct.clone()),
        BinaryOp::Sub => each(&|| ct.clone(), &|| -&ct),
        BinaryOp::Complex => each(&|| ct.unary(UnaryOp::Real), &|| -ct.unary(UnaryOp::Imag)),
        BinaryOp::Mul if a.is_linear() => vec![Some(&ct * b.known()?), None],
        BinaryOp::Mul => vec![None, Some(&ct * a.known()?)],
        BinaryOp::Div => vec![Some(&ct / b.known()?), None],
        _ => return Err(Error::no_rule("transpose", "it is not linear in its operands")),
    })
}
