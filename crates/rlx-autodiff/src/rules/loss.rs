//! Rules of losses: derivatives in closed form.

use super::{Batch, Jvp, Rules, Transpose};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{Op, OpKind, ReduceOp, Tensor};

const SOFTMAX_CROSS_ENTROPY: Rules =
    Rules { jvp: Jvp::Rule(cross_entropy_jvp), transpose: Transpose::None, batch: Batch::Elementwise };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::SoftmaxCrossEntropy => SOFTMAX_CROSS_ENTROPY,
        _ => return None,
    })
}

/// The derivative in the logits is softmax(logits) − one_hot(label), or zero in a row with an invalid label; labels have no
/// derivative. Narrow floats are computed in f32, as in the op itself.
fn cross_entropy_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [Dual { primal: logits, tangent }, Dual { primal: labels, .. }] = operands else {
        return Err(Error::no_rule("derivative", "it takes logits and labels"));
    };
    let y = cx.apply(op, &[logits.clone(), labels.clone()]).swap_remove(0);
    let Some(t) = tangent else { return Ok(vec![Dual::constant(y)]) };
    let last = logits.rank() - 1;
    let chosen = labels.class_mask(logits.dim(last));
    let wide = logits.widened();
    let softmax = wide.softmax(last);
    let slope = chosen.select(&(&softmax - 1.0), &softmax);
    let slope = chosen.reduce(ReduceOp::Or, &[last], true).select(&slope, &wide.scalar_like(0.0));
    let tangent: Tensor = (t.widened() * slope).reduce(ReduceOp::Sum, &[last], false);
    Ok(vec![Dual::new(y, tangent.convert(logits.dtype()))])
}
