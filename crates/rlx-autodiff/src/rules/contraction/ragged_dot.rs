//! Rules of `ragged_dot`, which is linear in the rows and in the matrices.

use super::met;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::trace;
use rlx_ir::{DType, DotDims, Op, Shape, Tensor};

fn dtype_of(op: &Op) -> Result<Option<DType>, Error> {
    match op {
        Op::RaggedDot { dtype } => Ok(*dtype),
        _ => Err(Error::no_rule("rule", "this is not a ragged_dot")),
    }
}

/// A copy of lhs `[m, k]` for each group, with zeros outside of the group: `[groups, m, k]`.
fn by_run(lhs: &Tensor, sizes: &Tensor) -> Tensor {
    let dims = [&sizes.dims()[..], &lhs.dims()].concat();
    let sizes = sizes.convert(DType::I64);
    let ends = sizes.cumsum(0);
    let along = |x: &Tensor| x.broadcast_in_dim(&dims, &[0]);
    let row = lhs.builder().iota(Shape::from_dims(&dims, DType::I64), 1);
    let inside = along(&(&ends - &sizes)).less_equal(&row).and(&row.less(&along(&ends)));
    inside.select(&lhs.broadcast_in_dim(&dims, &[1, 2]), &lhs.scalar_like(0.0))
}

fn contraction(lhs: &[usize], rhs: &[usize], dtype: Option<DType>) -> Op {
    Op::DotGeneral { dims: DotDims::contracting(lhs, rhs), dtype }
}

pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [lhs, rhs, sizes] = operands else {
        return Err(Error::no_rule("transpose", "it has three operands"));
    };
    dtype_of(op)?;
    let (ct, sizes) = (cts.first(cx.builder), sizes.known()?);
    if lhs.is_linear() {
        let own = met(&ct, rhs.known()?, lhs.shape().dtype(), |ct, rhs| {
            ct.apply(Op::RaggedDot { dtype: None }, &[&rhs.transpose_last(), sizes])
        });
        return Ok(vec![Some(own), None, None]);
    }
    let own = met(&ct, lhs.known()?, rhs.shape().dtype(), |ct, lhs| {
        by_run(lhs, sizes).apply(contraction(&[1], &[0], None), &[ct])
    });
    Ok(vec![None, Some(own), None])
}

/// Over a batch, the sum over groups of the products with their rows.
pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let dtype = dtype_of(op)?;
    let builder = rlx_ir::Builder::new(op.mnemonic());
    let shapes = operands.iter().map(Batched::own_shape).collect();
    let args = trace::inputs(&builder, "x", shapes);
    let [lhs, rhs, sizes] = args.as_slice() else {
        return Err(Error::no_rule("batching rule", "it has three operands"));
    };
    let result = by_run(lhs, sizes).apply(contraction(&[0, 2], &[0, 1], dtype), &[rhs]);
    cx.graph(&trace::finish(&builder, &[&result])?, operands, &[])
}
