//! Kernels that read and write windows at offsets from a tensor.

mod gather;
mod scatter;
pub(crate) mod windows;

use super::{PrepareContext, Way, bodies, missing};
use crate::exec::OpKernel;
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Gather | Scatter => Way::Kernel(prepare),
        ScatterGraph => Way::Kernel(bodies::prepare),
        _ => return None,
    })
}

/// Prepares the kernel of a node that reads or writes windows.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    match cx.node.op() {
        Op::Gather { .. } => gather::prepare(cx),
        Op::Scatter { .. } => scatter::prepare(cx),
        _ => missing(cx),
    }
}
