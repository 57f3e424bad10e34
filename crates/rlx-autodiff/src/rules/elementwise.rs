//! Functions of numbers.

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{BinaryOp, Op, Tensor, UnaryOp};

pub(super) const UNARY: Rules = Rules {
    jvp: Jvp::Rule(unary_jvp),
    transpose: Transpose::Rule(unary_transpose),
    batch: Batch::Elementwise,
};
pub(super) const BINARY: Rules = Rules {
    jvp: Jvp::Rule(binary_jvp),
    transpose: Transpose::Rule(binary_transpose),
    batch: Batch::Elementwise,
};

fn unary_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Unary { op: function } = op else {
        return Err(Error::no_rule("derivative", "not a unary function"));
    };
    let [Dual { primal: x, tangent: Some(t) }] = operands else { return Ok(Vec::new()) };
    let y = cx.apply(op, &[x.clone()]).swap_remove(0);
    let tangent = match function {
        UnaryOp::Neg => -t,
        UnaryOp::Exp => t * &y,
        UnaryOp::Sin => t * x.cos(),
        UnaryOp::Cos => -(t * x.sin()),
        UnaryOp::Tanh => t * (1.0 - &y * &y),
        _ => return Err(Error::no_rule("derivative", format!("`{function}` has none yet"))),
    };
    Ok(vec![Dual::new(y, tangent)])
}

fn unary_transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let ct = cts.first(cx.builder);
    Ok(vec![Some(match op {
        Op::Unary { op: UnaryOp::Neg } => -ct,
        _ => return Err(Error::no_rule("transpose", "it is not linear in its operand")),
    })])
}

fn binary_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [a, b] = operands else { return Ok(Vec::new()) };
    let y = cx.apply(op, &[a.primal.clone(), b.primal.clone()]).swap_remove(0);
    let of_a = a.tangent.as_ref();
    let of_b = b.tangent.as_ref();
    let (da, db) = match op {
        Op::Binary { op: BinaryOp::Add } => (of_a.cloned(), of_b.cloned()),
        Op::Binary { op: BinaryOp::Sub } => (of_a.cloned(), of_b.map(|t| -t)),
        Op::Binary { op: BinaryOp::Mul } => (of_a.map(|t| t * &b.primal), of_b.map(|t| t * &a.primal)),
        _ => return Err(Error::no_rule("derivative", "no rule yet")),
    };
    let tangent = match (da, db) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
    Ok(vec![Dual { primal: y, tangent }])
}

fn binary_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let ct = cts.first(cx.builder);
    let [a, b] = operands else { return Ok(Vec::new()) };
    let when = |arg: &Arg, ct: Tensor| arg.is_linear().then_some(ct);
    Ok(match op {
        Op::Binary { op: BinaryOp::Add } => vec![when(a, ct.clone()), when(b, ct)],
        Op::Binary { op: BinaryOp::Sub } => vec![when(a, ct.clone()), b.is_linear().then(|| -&ct)],
        Op::Binary { op: BinaryOp::Mul } if a.is_linear() => vec![Some(ct * b.known()?), None],
        Op::Binary { op: BinaryOp::Mul } => vec![None, Some(ct * a.known()?)],
        _ => return Err(Error::no_rule("transpose", "it is not linear")),
    })
}

pub(super) const COMPARE: Rules = super::UNWRITTEN;
pub(super) const SELECT: Rules = super::UNWRITTEN;
pub(super) const CLAMP: Rules = super::UNWRITTEN;
pub(super) const BETAINC: Rules = super::UNWRITTEN;
