//! Kernels that read and write windows at offsets from a tensor.

mod gather;
mod scatter;
pub(crate) mod windows;

use super::{PrepareContext, missing};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};

/// Returns whether the family runs the op.
pub(crate) const fn claims(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Gather | Scatter)
}

/// Prepares the kernel of a node that reads or writes windows.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.node.op() {
        Op::Gather { .. } => gather::prepare(cx),
        Op::Scatter { .. } => scatter::prepare(cx),
        _ => missing(cx),
    }
}
