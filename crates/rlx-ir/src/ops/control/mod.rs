//! Ops that contain or order other ops: branches, loops, calls and custom ops. A sub-graph captures nothing: the values that it
//! needs are operands, and its symbolic dimensions are those of the surrounding graph.

pub(crate) mod branch;
pub(crate) mod build;
pub(crate) mod call;
pub(crate) mod custom;
pub(crate) mod looping;
pub(crate) mod scan;
mod signature;

/// Returns its operands; the compiler moves nothing across it.
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
