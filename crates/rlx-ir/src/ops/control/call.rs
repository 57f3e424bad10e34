//! `call`, `checkpoint`, `fusion` and others: graphs applied to values as one node.

use crate::graph::Graph;
use crate::op::OpError;
use crate::op::kinds::{CheckpointPolicy, FusionKind};
use crate::ops::control::signature;
use crate::shape::Shape;
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

/// A graph with user-defined derivatives. Both rules take the arguments, then the results, then the tangents or cotangents. Only
/// floats and complex numbers have these, in the order of the arguments or results.
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

/// A graph whose intermediate values are recomputed in reverse mode.
pub(crate) fn checkpoint(
    args: &[Tensor],
    body: &Graph,
    _policy: CheckpointPolicy,
) -> Result<Vec<Tensor>, OpError> {
    let shapes: Vec<_> = args.iter().map(Tensor::shape).collect();
    signature::check("body", body, &shapes)?;
    call(args, body)
}

/// A linear function with its transpose.
pub(crate) fn linear_call(
    args: &[Tensor],
    forward: &Graph,
    transpose: &Graph,
    known: usize,
) -> Result<Vec<Tensor>, OpError> {
    if known > args.len() {
        let message = format!("known = {known}, but there are only {} operand(s)", args.len());
        return Err(OpError::attribute(message));
    }
    let shapes: Vec<Shape> = args.iter().map(Tensor::shape).collect();
    let (known, linear) = shapes.split_at(known);
    let results = signature::check("forward", forward, &shapes)?;
    let given = signature::check("transpose", transpose, &[known, &results[..]].concat())?;
    signature::agree("transpose", &given, "the list of linear operands", linear)?;
    call(args, forward)
}
