//! `reduce_window`: reduces the elements in a moving window with a named reduction.

use super::geometry::Geometry;
use crate::eval::{EvalCx, Value};
use crate::op::OpError;
use crate::op::kinds::ReduceOp;
use crate::ops::reduction::{accumulate, repeated};
use crate::shape::Shape;

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn infer(
    x: &Shape,
    kind: ReduceOp,
    window: &[usize],
    strides: &[usize],
    base_dilation: &[usize],
    window_dilation: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Shape, OpError> {
    OpError::check_reduction(kind, ReduceOp::BINARY)?;
    OpError::check_dtype("x", x.dtype(), kind.accepts())?;
    let geometry = Geometry { strides, base_dilation, window_dilation, low, high };
    Ok(x.with_dims(geometry.infer(x, window)?))
}

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    kind: ReduceOp,
    window: &[usize],
    strides: &[usize],
    base_dilation: &[usize],
    window_dilation: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Value, OpError> {
    let geometry = Geometry { strides, base_dilation, window_dilation, low, high };
    let (dtype, places) = (x.dtype(), cx.dims());
    let (op, identity) = repeated(kind, dtype)?;
    let mut totals = vec![identity; places.iter().product()];
    geometry.for_each_seen(x.dims(), window, &places, |place, at| {
        totals[place] = accumulate(op, dtype, totals[place], x.get(at));
        Ok::<(), OpError>(())
    })?;
    Ok(Value::from_fn(places, dtype, |i| totals[i]))
}
