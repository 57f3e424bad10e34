//! `reduce_window_graph`: reduces the elements of several tensors in a moving window with a sub-graph.

use super::geometry::Geometry;
use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::body::{combine, repeated};
use crate::ops::reduction::reduce_graph::{check_body, split};
use crate::shape::Shape;

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn infer(
    args: &[Shape],
    body: &Graph,
    window: &[usize],
    strides: &[usize],
    base_dilation: &[usize],
    window_dilation: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Vec<Shape>, OpError> {
    let xs = check_body(args, body)?;
    let geometry = Geometry { strides, base_dilation, window_dilation, low, high };
    xs.iter().map(|x| Ok(x.with_dims(geometry.infer(x, window)?))).collect()
}

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn eval(
    cx: &EvalCx<'_>,
    args: &[Value],
    body: &Graph,
    window: &[usize],
    strides: &[usize],
    base_dilation: &[usize],
    window_dilation: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Vec<Value>, OpError> {
    let (xs, inits) = split(args)?;
    let geometry = Geometry { strides, base_dilation, window_dilation, low, high };
    let places = cx.dims();
    let mut totals = repeated(inits, &places);
    geometry.for_each_seen(xs[0].dims(), window, &places, |place, at| {
        combine(cx, body, &mut totals, place, xs, at)
    })?;
    Ok(totals)
}
