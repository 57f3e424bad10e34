//! What ops with a sub-graph over scalars share: checking its signature, and passing it single elements.

use crate::eval::{EvalCx, Scalar, Value};
use crate::graph::Graph;
use crate::op::OpError;
use crate::shape::Shape;
use crate::tensor::check_args;

/// Fails unless `body` takes values of the shapes `inputs` and returns values of the shapes `outputs`, in order.
pub(crate) fn check_signature(
    what: &str,
    body: &Graph,
    inputs: Vec<Shape>,
    outputs: &[Shape],
) -> Result<(), OpError> {
    check_args(what, body, inputs.into_iter())?;
    let given = body.output_shapes();
    if given.len() != outputs.len() {
        return Err(OpError::shape(format!(
            "{what} must return {} value(s), returns {}",
            outputs.len(),
            given.len()
        )));
    }
    for (i, (given, wanted)) in given.iter().zip(outputs).enumerate() {
        if !given.compatible(wanted) {
            return Err(OpError::shape(format!("result {i} of {what} must be {wanted}, is {given}")));
        }
    }
    Ok(())
}

/// The shapes of single elements of `xs`.
pub(crate) fn scalars(xs: &[Shape]) -> Vec<Shape> {
    xs.iter().map(|x| Shape::scalar(x.dtype())).collect()
}

/// Element `i` of each tensor, as scalar tensors.
pub(crate) fn elements(xs: &[Value], i: usize) -> impl Iterator<Item = Value> + '_ {
    xs.iter().map(move |x| Value::splat(Vec::new(), x.dtype(), x.get(i)))
}

/// Combines element `i` of each accumulator with element `j` of each of `xs` by `body`.
pub(crate) fn combine(
    cx: &EvalCx<'_>,
    body: &Graph,
    accumulators: &mut [Value],
    i: usize,
    xs: &[Value],
    j: usize,
) -> Result<(), OpError> {
    let args: Vec<Value> = elements(accumulators, i).chain(elements(xs, j)).collect();
    let results = cx.call(body, &args)?;
    accumulators.iter_mut().zip(&results).for_each(|(a, r)| a.set_from(i, r, 0));
    Ok(())
}

/// Whether a predicate sub-graph is true for `args`.
pub(crate) fn holds(cx: &EvalCx<'_>, predicate: &Graph, args: &[Value]) -> Result<bool, OpError> {
    Ok(cx.call(predicate, args)?.first().is_some_and(|p| p.get(0) == Scalar::Int(1)))
}

/// Tensors of these sizes, filled with the scalars `inits`.
pub(crate) fn repeated(inits: &[Value], dims: &[usize]) -> Vec<Value> {
    inits.iter().map(|init| Value::splat(dims.to_vec(), init.dtype(), init.get(0))).collect()
}
