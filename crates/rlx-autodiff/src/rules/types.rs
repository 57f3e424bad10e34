//! Rules of conversions between element types.

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{DType, Op, OpKind, Tensor, UnaryOp};

/// No tangent passes to or from integers.
const CONVERT: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(convert_transpose), batch: Batch::Table };
const BITCAST_CONVERT: Rules = Rules {
    jvp: Jvp::Rule(bitcast_jvp),
    transpose: Transpose::Rule(bitcast_transpose),
    batch: Batch::Elementwise,
};
/// Rounding is treated as the identity, except that tangents are rounded too.
const REDUCE_PRECISION: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(reduce_precision_transpose), batch: Batch::Table };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Convert => CONVERT,
        OpKind::BitcastConvert => BITCAST_CONVERT,
        OpKind::ReducePrecision => REDUCE_PRECISION,
        _ => return None,
    })
}

fn convert_transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [x] = operands else { return Ok(Vec::new()) };
    Ok(vec![Some(cts.first(cx.builder).convert(x.shape().dtype()))])
}

/// Whether a reinterpreted value is a linear function of the original: a complex number read as its parts, or the other way
/// around.
fn is_linear_bitcast(from: DType, to: DType) -> bool {
    from == to || from.complex() == Some(to) || to.complex() == Some(from)
}

fn bitcast_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::BitcastConvert { dtype }, [Dual { primal: x, tangent: Some(t) }]) = (op, operands) else {
        return Err(Error::no_rule("derivative", "it does not reinterpret its operand as another type"));
    };
    let primal = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let tangent = is_linear_bitcast(x.dtype(), *dtype).then(|| t.apply(op.clone(), &[]));
    Ok(vec![Dual { primal, tangent }])
}

/// The parts of a complex number are transposed as in `real` and `imag`: the imaginary part changes its sign.
fn bitcast_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::BitcastConvert { dtype }, [x]) = (op, operands) else { return Ok(Vec::new()) };
    let from = x.shape().dtype();
    if !is_linear_bitcast(from, *dtype) {
        return Err(Error::no_rule("transpose", "it is not linear in its operand"));
    }
    let ct = cts.first(cx.builder);
    let read = |ct: Tensor| ct.apply(Op::BitcastConvert { dtype: from }, &[]);
    Ok(vec![Some(match (from.is_complex(), dtype.is_complex()) {
        (true, false) => read(ct).unary(UnaryOp::Conj),
        (false, true) => read(ct.unary(UnaryOp::Conj)),
        _ => ct,
    })])
}

fn reduce_precision_transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    Ok(vec![Some(cts.first(cx.builder).apply(op.clone(), &[]))])
}
