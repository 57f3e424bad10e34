//! Kernels of values that follow from shapes alone.

use super::{PrepareContext, Way, missing, movement};
use crate::exec::{LaunchContext, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind};

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        DimSize => Way::Kernel(prepare),
        Iota => Way::Kernel(movement::prepare),
        _ => return None,
    })
}

/// The kernel of nodes whose results have no elements.
pub(super) struct Nothing;

impl OpKernel for Nothing {
    fn run(&self, _: &mut LaunchContext<'_>) -> Result<(), RunError> {
        Ok(())
    }
}

struct Size(i64);

/// Prepares the kernel that writes the size of a dimension.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let size = match cx.node.op() {
        Op::DimSize { axis } => cx.dims(0).get(*axis).and_then(|&n| i64::try_from(n).ok()),
        _ => None,
    };
    match size {
        Some(n) => Ok(Box::new(Size(n))),
        None => missing(cx),
    }
}

impl OpKernel for Size {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        cx.output::<i64>(0).fill(self.0);
        Ok(())
    }
}
