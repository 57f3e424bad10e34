//! What elementwise primitives compute, one element at a time, in the numbers of the evaluator.

use crate::dtype::DType;
use crate::numeric::{Scalar, reduce_precision};
use crate::op::Op;
use crate::op::kinds::BinaryOp;
use crate::ops::scalar;

/// The element of `op`'s result from those of its operands, not yet rounded to the result's type. `dtype` is the element type of
/// the first operand that is a number. `None` if the op is not an elementwise primitive with one result, or takes other operands.
pub fn element(op: &Op, dtype: DType, operands: &[Scalar]) -> Option<Scalar> {
    Some(match (op, operands) {
        (Op::Unary { op }, &[x]) => scalar::unary(*op, dtype, x),
        (Op::Binary { op }, &[a, b]) => scalar::binary(*op, dtype, a, b),
        (Op::Compare { op, total_order }, &[a, b]) => {
            Scalar::Int(i128::from(scalar::compare(*op, a, b, *total_order)))
        }
        (Op::Select {}, &[pred, on_true, on_false]) => select(pred, on_true, on_false),
        (Op::Clamp {}, &[low, x, high]) => clamp(dtype, low, x, high),
        (Op::Betainc {}, &[a, b, x]) => betainc(a, b, x),
        (Op::Convert { dtype }, &[x]) => x.convert(*dtype),
        (Op::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
            Scalar::Float(reduce_precision(x.to_f64(), *exponent_bits, *mantissa_bits))
        }
        _ => return None,
    })
}

pub(super) fn select(pred: Scalar, on_true: Scalar, on_false: Scalar) -> Scalar {
    if pred == Scalar::Int(1) { on_true } else { on_false }
}

pub(super) fn clamp(dtype: DType, low: Scalar, x: Scalar, high: Scalar) -> Scalar {
    scalar::binary(BinaryOp::Min, dtype, scalar::binary(BinaryOp::Max, dtype, x, low), high)
}

pub(super) fn betainc(a: Scalar, b: Scalar, x: Scalar) -> Scalar {
    Scalar::Float(crate::math::betainc(a.to_f64(), b.to_f64(), x.to_f64()))
}
