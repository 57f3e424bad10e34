//! `reduce_graph`: combines elements of several tensors at once, with a sub-graph.

use crate::eval::{EvalCx, Value, for_each_index, linear};
use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::body::{check_signature, combine, repeated, scalars};
use crate::ops::elementwise::merge;
use crate::shape::Shape;

/// Splits the operands into tensors and initial values.
pub(crate) fn split<T>(args: &[T]) -> Result<(&[T], &[T]), OpError> {
    if args.is_empty() || !args.len().is_multiple_of(2) {
        return Err(OpError::shape(format!(
            "takes n tensors and n initial values, which is an even number of operands; got {}",
            args.len()
        )));
    }
    Ok(args.split_at(args.len() / 2))
}

/// The shapes of the tensors. Fails unless they agree, the initial values are elements of them, and `body` maps accumulators and
/// elements to accumulators.
pub(crate) fn check_body(args: &[Shape], body: &Graph) -> Result<Vec<Shape>, OpError> {
    let (xs, inits) = split(args)?;
    let elements = scalars(xs);
    let mut shape = xs[0].clone();
    for (i, x) in xs.iter().enumerate() {
        OpError::check_same("tensors reduced together", &shape, "another", &x.with_dtype(shape.dtype()))?;
        OpError::check_same("an initial value", &inits[i], "an element of its tensor", &elements[i])?;
        shape = merge(&shape, x);
    }
    check_signature("body", body, [elements.clone(), elements.clone()].concat(), &elements)?;
    Ok(xs.iter().map(|x| shape.with_dtype(x.dtype())).collect())
}

pub(crate) fn infer(args: &[Shape], body: &Graph, axes: &[usize]) -> Result<Vec<Shape>, OpError> {
    let xs = check_body(args, body)?;
    OpError::check_axes(axes, xs[0].rank())?;
    Ok(xs.iter().map(|x| x.without_axes(axes)).collect())
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    args: &[Value],
    body: &Graph,
    axes: &[usize],
) -> Result<Vec<Value>, OpError> {
    let (xs, inits) = split(args)?;
    let dims = cx.dims();
    let strides = super::strides_without(xs[0].dims(), &dims, axes);
    let mut totals = repeated(inits, &dims);
    let (mut from, mut result) = (0, Ok(()));
    for_each_index(xs[0].dims(), |index| {
        if result.is_ok() {
            result = combine(cx, body, &mut totals, linear(index, &strides), xs, from);
        }
        from += 1;
    });
    result.map(|()| totals)
}
