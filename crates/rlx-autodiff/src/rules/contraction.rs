//! Rules of sums of products.

mod convolution;
mod dot_general;
mod ragged_dot;

use super::{Batch, Jvp, Rules, Transpose};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{DType, Op, OpKind, Tensor};

const DOT_GENERAL: Rules = Rules {
    jvp: Jvp::Rule(bilinear_jvp),
    transpose: Transpose::Rule(dot_general::transpose),
    batch: Batch::Rule(dot_general::batch),
};
const CONVOLUTION: Rules = Rules {
    jvp: Jvp::Rule(bilinear_jvp),
    transpose: Transpose::Rule(convolution::transpose),
    batch: Batch::Rule(convolution::batch),
};
const RAGGED_DOT: Rules = Rules {
    jvp: Jvp::Rule(bilinear_jvp),
    transpose: Transpose::Rule(ragged_dot::transpose),
    batch: Batch::Rule(ragged_dot::batch),
};

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::DotGeneral => DOT_GENERAL,
        OpKind::Convolution => CONVOLUTION,
        OpKind::RaggedDot => RAGGED_DOT,
        _ => return None,
    })
}

/// The tangent of a function f that is linear in each operand that has a tangent: Σ f(…, tangent, …), one term per operand.
pub(super) fn bilinear_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    let term = |(i, dual): (usize, &Dual)| {
        let tangent = dual.tangent.clone()?;
        let mut args = primals.clone();
        args[i] = tangent;
        cx.apply(op, &args).into_iter().next()
    };
    let tangent = trace::sum(operands.iter().enumerate().map(term));
    let results = cx.apply(op, &primals);
    Ok(results.into_iter().map(|primal| Dual { primal, tangent: tangent.clone() }).collect())
}

/// The type in which a cotangent of type `ct` is multiplied by an operand of another type, whose sums were rounded to `ct`.
fn meeting(ct: DType, operand: DType) -> DType {
    let wide = [ct, operand].iter().any(|&d| matches!(d.real(), DType::F64));
    match (ct == operand, ct.is_complex() || operand.is_complex(), wide) {
        (true, ..) => ct,
        (_, true, true) => DType::C128,
        (_, true, false) => DType::C64,
        (_, false, true) => DType::F64,
        (_, false, false) => DType::F32,
    }
}

/// The transpose of a product in one operand: `product(ct, known)` on operands of the same type, as a tensor of `dtype`.
fn met(
    ct: &Tensor,
    known: &Tensor,
    dtype: DType,
    product: impl FnOnce(&Tensor, &Tensor) -> Tensor,
) -> Tensor {
    let common = meeting(ct.dtype(), known.dtype());
    product(&ct.convert(common), &known.convert(common)).convert(dtype)
}
