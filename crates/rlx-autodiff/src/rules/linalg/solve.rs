//! Rules of linear solves: A·Ẋ = Ḃ − Ȧ·X. A tangent is one more system with the same matrix, and the transpose is a system with
//! the transpose of the matrix.

use super::matrix::{Triangular, conjugate, lower, system, upper};
use crate::backward::Arg;
use crate::backward::{Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use crate::vmap::move_axis;
use rlx_ir::{Dim, Op, Tensor, TransposeOp};

fn triangular(op: &Op) -> Result<Triangular, Error> {
    match *op {
        Op::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            Ok(Triangular { left_side, lower, unit_diagonal, transpose })
        }
        _ => Err(Error::no_rule("rule", "this is not a triangular_solve")),
    }
}

pub(super) fn triangular_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [a, b] = operands else { return cx.decomposed(op, operands) };
    let system = triangular(op)?;
    let x = system.solve(&a.primal, &b.primal);
    let moved = a.tangent.as_ref().map(|t| {
        let t = if system.lower { lower(t, system.unit_diagonal) } else { upper(t, system.unit_diagonal) };
        let t = match system.transpose {
            TransposeOp::None => t,
            TransposeOp::Transpose => t.transpose_last(),
            TransposeOp::Adjoint => super::matrix::adjoint(&t),
        };
        -(if system.left_side { t.matmul(&x) } else { x.matmul(&t) })
    });
    let tangent = trace::sum([b.tangent.clone(), moved]).map(|rhs| system.solve(&a.primal, &rhs));
    Ok(vec![Dual { primal: x, tangent }])
}

pub(super) fn triangular_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let of = triangular(op)?;
    let a = system(operands)?;
    // The transpose of the conjugate transpose is the conjugate.
    let (transpose, a) = match of.transpose {
        TransposeOp::None => (TransposeOp::Transpose, a.clone()),
        TransposeOp::Transpose => (TransposeOp::None, a.clone()),
        TransposeOp::Adjoint => (TransposeOp::None, conjugate(a)),
    };
    Ok(vec![None, Some(Triangular { transpose, ..of }.solve(&a, &cts.first(cx.builder)))])
}

pub(super) fn triangular_batch(
    cx: &Batching<'_>,
    op: &Op,
    operands: &[Batched],
) -> Result<Vec<Batched>, Error> {
    let [a, b] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    if a.batched {
        return Ok(cx.apply(op.clone(), &[cx.front(a), cx.front(b)]));
    }
    // The matrix is the same for the whole batch, so the right-hand sides are concatenated horizontally or vertically.
    let own = b.own_shape().rank();
    let axis = if triangular(op)?.left_side { own - 1 } else { own - 2 };
    Ok(vec![side_by_side(&b.value, axis, &cx.size, |b| a.value.apply(op.clone(), &[b]))])
}

/// Applies `f` with the batch merged into an axis of the operand, and splits that axis of the result again.
pub(super) fn side_by_side(
    b: &Tensor,
    axis: usize,
    size: &Dim,
    f: impl FnOnce(&Tensor) -> Tensor,
) -> Batched {
    let moved = move_axis(b, 0, axis);
    let apart = moved.dims();
    let mut dims = apart.clone();
    let one = size * &apart[axis + 1];
    dims.splice(axis..=axis + 1, [one]);
    Batched::each(move_axis(&f(&moved.reshape(&dims)).reshape(&apart), axis, 0))
}

pub(super) fn dense_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [a, b] = operands else { return cx.decomposed(op, operands) };
    let x = cx.apply(op, &[a.primal.clone(), b.primal.clone()]).swap_remove(0);
    let moved = a.tangent.as_ref().map(|t| {
        let is_vector = b.primal.rank() < a.primal.rank();
        let columns = if is_vector { x.unsqueeze(x.rank()) } else { x.clone() };
        -t.matmul(&columns).reshape(&x.dims())
    });
    let Some(rhs) = trace::sum([b.tangent.clone(), moved]) else { return Ok(vec![Dual::constant(x)]) };
    // Uses the decomposition, so that the factors are separate values: they are those of x, and are kept for the transpose.
    let solved =
        cx.builder.inline(&op.decompose(&[a.primal.shape(), rhs.shape()])?, &[a.primal.clone(), rhs])?;
    Ok(solved.into_iter().map(|tangent| Dual::new(x.clone(), tangent)).collect())
}

pub(super) fn dense_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [a, b] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    if a.batched {
        return Ok(cx.apply(Op::BatchedDenseSolve {}, &[cx.front(a), cx.front(b)]));
    }
    let (order, own) = (a.value.rank(), b.own_shape().rank());
    if own == order {
        return Ok(vec![side_by_side(&b.value, own - 1, &cx.size, |b| a.value.apply(op.clone(), &[b]))]);
    }
    let columns = move_axis(&b.value, 0, own);
    Ok(vec![Batched::each(move_axis(&a.value.apply(op.clone(), &[&columns]), own, 0))])
}
