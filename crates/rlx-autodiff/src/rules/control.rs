//! Ops that hold graphs.

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use rlx_ir::{Op, Shape, Tensor};

pub(super) const OPTIMIZATION_BARRIER: Rules = super::UNWRITTEN;
pub(super) const IF: Rules = super::UNWRITTEN;
pub(super) const CASE: Rules = super::UNWRITTEN;
pub(super) const WHILE: Rules = super::UNWRITTEN;
pub(super) const SCAN: Rules = super::UNWRITTEN;
pub(super) const CUSTOM: Rules = super::UNWRITTEN;
pub(super) const CALL: Rules = super::COMPOSITE;
pub(super) const CUSTOM_FN: Rules = super::COMPOSITE;
pub(super) const CHECKPOINT: Rules = super::COMPOSITE;
pub(super) const LINEAR_CALL: Rules =
    Rules { jvp: Jvp::Decompose, transpose: Transpose::Rule(linear_call_transpose), batch: Batch::None };
pub(super) const FUSION: Rules = super::COMPOSITE;

/// The transpose that the call brings along; through the function itself where an operand that counts as known varies.
fn linear_call_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let Op::LinearCall { transpose, known, .. } = op else {
        return Err(Error::no_rule("transpose", "this is not a linear_call"));
    };
    let (known, linear) = operands.split_at(*known);
    if known.iter().any(Arg::is_linear) {
        let shapes: Vec<Shape> = operands.iter().map(Arg::shape).collect();
        return cx.graph(&op.decompose(&shapes)?, operands, cts.each());
    }
    let mut args: Vec<Tensor> = known.iter().map(|x| x.known().cloned()).collect::<Result<_, _>>()?;
    args.extend(cts.all(cx.builder));
    let given = cx.builder.inline(transpose, &args)?;
    let given = linear.iter().zip(given).map(|(operand, ct)| operand.is_linear().then_some(ct));
    Ok(known.iter().map(|_| None).chain(given).collect())
}
