//! Rules of tridiagonal systems. A·Ẋ = Ḃ − Ȧ·X, and Aᵀ has the same diagonals, with the lower and upper one exchanged.

use super::matrix::column;
use super::solve::side_by_side;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{Op, Tensor};

/// Shifts the elements along an axis by one, forward if `on`, with a zero in the free place.
fn moved(x: &Tensor, axis: usize, on: bool) -> Tensor {
    let step = if on { 1 } else { -1 };
    let at = |step: i64| (0..x.rank()).map(|i| if i == axis { step } else { 0 }).collect::<Vec<i64>>();
    x.apply(Op::Pad { low: at(step), high: at(-step), interior: vec![0; x.rank()] }, &[&x.scalar_like(0.0)])
}

fn solve([lower, diagonal, upper]: [&Tensor; 3], b: &Tensor) -> Tensor {
    lower.apply(Op::TridiagonalSolve {}, &[diagonal, upper, b])
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [lower, diagonal, upper, b] = operands else { return cx.decomposed(op, operands) };
    let of = [&lower.primal, &diagonal.primal, &upper.primal];
    let x = solve(of, &b.primal);
    let rows = x.rank().saturating_sub(2);
    let times = |t: &Dual, x: Tensor| t.tangent.as_ref().map(|t| -(column(t) * x));
    let terms = [
        b.tangent.clone(),
        times(lower, moved(&x, rows, true)),
        times(diagonal, x.clone()),
        times(upper, moved(&x, rows, false)),
    ];
    let tangent = trace::sum(terms).map(|rhs| solve(of, &rhs));
    Ok(vec![Dual { primal: x, tangent }])
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [lower, diagonal, upper, Arg::Linear(_)] = operands else {
        return Err(Error::no_rule("transpose", "it is linear only in its last operand"));
    };
    let (lower, diagonal, upper) = (lower.known()?, diagonal.known()?, upper.known()?);
    let last = diagonal.rank().saturating_sub(1);
    let exchanged = [&moved(upper, last, true), diagonal, &moved(lower, last, false)];
    Ok(vec![None, None, None, Some(solve(exchanged, &cts.first(cx.builder)))])
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [lower, diagonal, upper, b] = operands else {
        return Err(Error::no_rule("batching rule", "it has four operands"));
    };
    let diagonals = [lower, diagonal, upper];
    if diagonals.iter().any(|x| x.batched) {
        let all: Vec<Tensor> = operands.iter().map(|x| cx.front(x)).collect();
        return Ok(cx.apply(op.clone(), &all));
    }
    // The matrix is the same for the whole batch, so the right-hand sides are concatenated.
    let axis = b.own_shape().rank() - 1;
    let of = diagonals.map(|x| &x.value);
    Ok(vec![side_by_side(&b.value, axis, &cx.size, |b| solve(of, b))])
}
