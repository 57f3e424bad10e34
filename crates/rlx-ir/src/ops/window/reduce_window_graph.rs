//! `reduce_window_graph`: reduces the elements of several tensors in a moving window with a sub-graph.

use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::{OpError, WindowSpec};
use crate::ops::body::{combine, repeated};
use crate::ops::reduction::reduce_graph::{check_body, split};
use crate::shape::Shape;

pub(crate) fn infer(args: &[Shape], body: &Graph, spec: &WindowSpec) -> Result<Vec<Shape>, OpError> {
    let xs = check_body(args, body)?;
    xs.iter().map(|x| Ok(x.with_dims(spec.places(x)?))).collect()
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    args: &[Value],
    body: &Graph,
    spec: &WindowSpec,
) -> Result<Vec<Value>, OpError> {
    let (xs, inits) = split(args)?;
    let places = cx.dims();
    let mut totals = repeated(inits, &places);
    spec.geometry().for_each_seen(xs[0].dims(), &spec.window, &places, |place, at| {
        combine(cx, body, &mut totals, place, xs, at)
    })?;
    Ok(totals)
}
