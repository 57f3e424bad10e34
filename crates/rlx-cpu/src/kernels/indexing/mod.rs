//! Kernels that read and write windows at offsets that a tensor gives.

mod gather;
mod scatter;
pub(crate) mod windows;

use super::{PrepareContext, missing};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};

/// Whether the family runs the op.
pub(crate) const fn claims(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Gather | Scatter)
}

/// The kernel of a node that reads or writes windows.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.node.op() {
        Op::Gather { .. } => gather::prepare(cx),
        Op::Scatter { .. } => scatter::prepare(cx),
        _ => missing(cx),
    }
}
