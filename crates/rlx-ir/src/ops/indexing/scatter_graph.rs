//! `scatter_graph`: updates windows of several tensors at once, with a sub-graph.

use super::Windows;
use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::{OpError, ScatterDims};
use crate::ops::body::{check_signature, combine, scalars};
use crate::ops::elementwise::merge;
use crate::shape::Shape;

/// Splits the operands into tensors, indices and updates.
fn split<T>(args: &[T]) -> Result<(&[T], &T, &[T]), OpError> {
    let n = args.len() / 2;
    match args[n..].split_first() {
        Some((indices, updates)) if n > 0 && updates.len() == n => Ok((&args[..n], indices, updates)),
        _ => Err(OpError::shape(format!(
            "takes n tensors, indices and n updates, which is an odd number of operands; got {}",
            args.len()
        ))),
    }
}

pub(crate) fn infer(args: &[Shape], dims: &ScatterDims, body: &Graph) -> Result<Vec<Shape>, OpError> {
    let windows = Windows::of_scatter(dims);
    let (xs, indices, updates) = split(args)?;
    let (mut x, mut update) = (xs[0].clone(), updates[0].clone());
    for (other_x, other_update) in xs.iter().zip(updates) {
        windows.check_updates(other_x, indices, other_update)?;
        OpError::check_same("the first tensor", &x, "another", &other_x.with_dtype(x.dtype()))?;
        OpError::check_same(
            "the first updates",
            &update,
            "others",
            &other_update.with_dtype(update.dtype()),
        )?;
        x = merge(&x, other_x);
        update = merge(&update, other_update);
    }
    let elements = scalars(xs);
    check_signature("body", body, [elements.clone(), elements.clone()].concat(), &elements)?;
    Ok(xs.iter().map(|other| x.with_dtype(other.dtype())).collect())
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    args: &[Value],
    dims: &ScatterDims,
    body: &Graph,
) -> Result<Vec<Value>, OpError> {
    let windows = Windows::of_scatter(dims);
    let (xs, indices, updates) = split(args)?;
    let mut out = xs.to_vec();
    windows.for_each_update(&xs[0], indices, updates[0].dims(), |to, from| {
        combine(cx, body, &mut out, to, updates, from)
    })?;
    Ok(out)
}
