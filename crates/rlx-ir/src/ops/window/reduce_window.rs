//! `reduce_window`: reduces the elements in a moving window with a named reduction.

use crate::eval::{EvalCx, Value};
use crate::op::kinds::ReduceOp;
use crate::op::{OpError, WindowSpec};
use crate::ops::reduction::{accumulate, repeated};
use crate::shape::Shape;

pub(crate) fn infer(x: &Shape, kind: ReduceOp, spec: &WindowSpec) -> Result<Shape, OpError> {
    OpError::check_reduction(kind, ReduceOp::BINARY)?;
    OpError::check_dtype("x", x.dtype(), kind.accepts())?;
    Ok(x.with_dims(spec.places(x)?))
}

pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, kind: ReduceOp, spec: &WindowSpec) -> Result<Value, OpError> {
    let (dtype, places) = (x.dtype(), cx.dims());
    let (op, identity) = repeated(kind, dtype)?;
    let mut totals = vec![identity; places.iter().product()];
    spec.geometry().for_each_seen(x.dims(), &spec.window, &places, |place, at| {
        totals[place] = accumulate(op, dtype, totals[place], x.get(at));
        Ok::<(), OpError>(())
    })?;
    Ok(Value::from_fn(places, dtype, |i| totals[i]))
}
