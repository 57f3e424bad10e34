//! Values that follow from shapes alone.

use super::{Site, missing};
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::BackendError;
use rlx_ir::Op;

struct Size(i64);

/// The kernel that writes the size of a dimension.
pub(crate) fn prepare(site: &Site<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let size = match site.node.op() {
        Op::DimSize { axis } => site.dims(0).get(*axis).and_then(|&n| i64::try_from(n).ok()),
        _ => None,
    };
    match size {
        Some(n) => Ok(Box::new(Size(n))),
        None => missing(site),
    }
}

impl OpKernel for Size {
    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        cx.output::<i64>(0).fill(self.0);
        Ok(())
    }
}
