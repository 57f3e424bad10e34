//! Ops that hold or order other ops.

/// The values themselves; nothing moves across.
pub(crate) mod optimization_barrier {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(xs: &[Shape]) -> Result<Vec<Shape>, OpError> {
        if xs.is_empty() {
            return Err(OpError::shape("needs at least one operand"));
        }
        Ok(xs.to_vec())
    }

    pub(crate) fn eval(_: &EvalCx<'_>, xs: &[Value]) -> Result<Vec<Value>, OpError> {
        Ok(xs.to_vec())
    }
}

use crate::graph::Graph;
use crate::op::OpError;
use crate::op::kinds::FusionKind;
use crate::tensor::{Builder, Tensor};

/// A group of nodes that one kernel computes.
pub(crate) fn fusion(args: &[Tensor], _kind: FusionKind, body: &Graph) -> Result<Vec<Tensor>, OpError> {
    let Some(first) = args.first() else { return Builder::new("fusion").inline(body, args) };
    first.builder().inline(body, args)
}
