//! Kernels of softmax and log-softmax of f32 along the last axis.

use super::norm::Norm;
use super::{PrepareContext, missing};
use crate::exec::OpKernel;
use crate::norm::RowKind;
use rlx_compile::BackendError;
use rlx_ir::{DType, Op, Shape};

/// Returns how the op changes rows, and along which axis.
fn parts(op: &Op) -> Option<(RowKind, usize)> {
    match *op {
        Op::Softmax { axis } => Some((RowKind::Softmax, axis)),
        Op::LogSoftmax { axis } => Some((RowKind::LogSoftmax, axis)),
        _ => None,
    }
}

/// Returns whether the op has a kernel for this operand.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    let [x] = operands else { return false };
    let last = |(_, axis)| axis + 1 == x.rank();
    x.dtype() == DType::F32 && parts(op).is_some_and(last)
}

/// Prepares the op along the last axis.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match parts(cx.node.op()) {
        Some((kind, axis)) if claims(cx.node.op(), std::slice::from_ref(cx.operand(0))) => {
            Ok(Box::new(Norm::new(kind, axis, &cx.dims(0), 0, None)))
        }
        _ => missing(cx),
    }
}
