//! Ops that hold or order other ops: branches, loops, calls and programs' own ops. A sub-graph captures nothing: what
//! it needs comes as operands, and its symbolic dimensions are those of the graph around it.

pub(crate) mod branch;
pub(crate) mod build;
pub(crate) mod custom;
pub(crate) mod looping;
pub(crate) mod scan;
mod signature;

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
    call(args, body)
}

/// A graph applied to values.
pub(crate) fn call(args: &[Tensor], body: &Graph) -> Result<Vec<Tensor>, OpError> {
    match args.first() {
        Some(first) => first.builder().inline(body, args),
        None => Builder::new(body.name()).inline(body, args),
    }
}

/// A graph with derivatives of its own. Both rules see the arguments, then the results, then the tangents or
/// cotangents; only floats and complex numbers have these, in the order of the arguments or results.
pub(crate) fn custom_fn(
    args: &[Tensor],
    forward: &Graph,
    jvp: Option<&Graph>,
    vjp: Option<&Graph>,
) -> Result<Vec<Tensor>, OpError> {
    let shapes: Vec<_> = args.iter().map(Tensor::shape).collect();
    let results = signature::check("forward", forward, &shapes)?;
    if let Some(rule) = jvp {
        signature::check_rule("jvp", rule, &shapes, &results, &shapes, &results)?;
    }
    if let Some(rule) = vjp {
        signature::check_rule("vjp", rule, &shapes, &results, &results, &shapes)?;
    }
    call(args, forward)
}
