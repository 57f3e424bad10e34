//! `select_and_scatter`: sends values back to the elements that windows select.

use super::geometry::Geometry;
use crate::dtype::DType;
use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::body::{check_signature, combine, elements, holds, repeated};
use crate::shape::Shape;
use std::slice::from_ref;

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn infer(
    x: &Shape,
    source: &Shape,
    init: &Shape,
    select: &Graph,
    scatter: &Graph,
    window: &[usize],
    strides: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Shape, OpError> {
    let ones = vec![1; window.len()];
    let geometry = Geometry { strides, base_dilation: &ones, window_dilation: &ones, low, high };
    let places = x.with_dims(geometry.infer(x, window)?);
    OpError::check_same("source", source, "the places of the window", &places)?;
    let element = Shape::scalar(x.dtype());
    OpError::check_same("init", init, "an element of x", &element)?;
    let two = vec![element.clone(), element.clone()];
    check_signature("select", select, two.clone(), &[Shape::scalar(DType::Bool)])?;
    check_signature("scatter", scatter, two, &[element])?;
    Ok(x.clone())
}

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    source: &Value,
    init: &Value,
    select: &Graph,
    scatter: &Graph,
    window: &[usize],
    strides: &[usize],
    low: &[i64],
    high: &[i64],
) -> Result<Value, OpError> {
    let ones = vec![1; window.len()];
    let geometry = Geometry { strides, base_dilation: &ones, window_dilation: &ones, low, high };
    let mut selected: Vec<Option<usize>> = vec![None; source.len()];
    geometry.for_each_seen(x.dims(), window, source.dims(), |place, at| {
        let Some(so_far) = selected[place] else {
            selected[place] = Some(at);
            return Ok(());
        };
        let pair: Vec<Value> = [so_far, at].iter().flat_map(|&i| elements(from_ref(x), i)).collect();
        if !holds(cx, select, &pair)? {
            selected[place] = Some(at);
        }
        Ok(())
    })?;
    let mut out = repeated(from_ref(init), x.dims());
    for (place, selected) in selected.into_iter().enumerate() {
        if let Some(at) = selected {
            combine(cx, scatter, &mut out, at, from_ref(source), place)?;
        }
    }
    Ok(out.swap_remove(0))
}
