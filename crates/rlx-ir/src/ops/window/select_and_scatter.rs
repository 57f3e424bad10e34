//! `select_and_scatter`: sends values back to the elements that windows select.

use crate::dtype::DType;
use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::{OpError, WindowSpec};
use crate::ops::body::{check_signature, combine, elements, holds, repeated};
use crate::shape::Shape;
use std::slice::from_ref;

pub(crate) fn infer(
    x: &Shape,
    source: &Shape,
    init: &Shape,
    select: &Graph,
    scatter: &Graph,
    spec: &WindowSpec,
) -> Result<Shape, OpError> {
    let places = x.with_dims(spec.places(x)?);
    OpError::check_same("source", source, "the places of the window", &places)?;
    let element = Shape::scalar(x.dtype());
    OpError::check_same("init", init, "an element of x", &element)?;
    let two = vec![element.clone(), element.clone()];
    check_signature("select", select, two.clone(), &[Shape::scalar(DType::Bool)])?;
    check_signature("scatter", scatter, two, &[element])?;
    Ok(x.clone())
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    source: &Value,
    init: &Value,
    select: &Graph,
    scatter: &Graph,
    spec: &WindowSpec,
) -> Result<Value, OpError> {
    let mut selected: Vec<Option<usize>> = vec![None; source.len()];
    spec.geometry().for_each_seen(x.dims(), &spec.window, source.dims(), |place, at| {
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
