//! Rules of matrix products that are composites.

use super::contraction::bilinear_jvp;
use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Op, OpKind, Tensor};

const MATMUL: Rules =
    Rules { jvp: Jvp::Rule(bilinear_jvp), transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Matmul => MATMUL,
        _ => return None,
    })
}

/// Stays a `matmul` if no operand has to be repeated: for rows times the same matrix, and for matrices in pairs.
fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let [lhs, rhs] = operands else { return Err(Error::no_rule("batching rule", "it has two operands")) };
    let (l, r) = (lhs.own_shape().rank(), rhs.own_shape().rank());
    let rows = !rhs.batched && r <= 2;
    let pairs = lhs.batched && rhs.batched && l == r && r >= 2;
    if rows || pairs {
        let values: Vec<Tensor> = operands.iter().map(|x| x.value.clone()).collect();
        return Ok(cx.apply(op.clone(), &values));
    }
    cx.decomposed(op, operands)
}
