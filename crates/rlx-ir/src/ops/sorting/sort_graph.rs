//! `sort_graph`: sorts with a comparator sub-graph.

use crate::dtype::DType;
use crate::eval::{EvalCx, Value};
use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::body::{check_signature, elements, holds, scalars};
use crate::shape::Shape;

pub(crate) fn infer(
    xs: &[Shape],
    axis: usize,
    _stable: bool,
    comparator: &Graph,
) -> Result<Vec<Shape>, OpError> {
    let shapes = super::infer_together(xs, axis)?;
    let pairs = scalars(xs).into_iter().flat_map(|s| [s.clone(), s]).collect();
    check_signature("comparator", comparator, pairs, &[Shape::scalar(DType::Bool)])?;
    Ok(shapes)
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    xs: &[Value],
    axis: usize,
    _stable: bool,
    comparator: &Graph,
) -> Result<Vec<Value>, OpError> {
    let mut before = |a: usize, b: usize| {
        let pairs: Vec<Value> = elements(xs, a).zip(elements(xs, b)).flat_map(|(a, b)| [a, b]).collect();
        holds(cx, comparator, &pairs)
    };
    super::rearrange(xs, axis, |line| merge_sort(line, &mut before))
}

/// A stable sort that terminates with some permutation, whatever `before` returns, because a comparator need not be an order.
fn merge_sort(
    mut items: Vec<usize>,
    before: &mut impl FnMut(usize, usize) -> Result<bool, OpError>,
) -> Result<Vec<usize>, OpError> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let mut merged = Vec::with_capacity(items.len() + right.len());
    let mut left = merge_sort(items, before)?.into_iter().peekable();
    let mut right = merge_sort(right, before)?.into_iter().peekable();
    while let (Some(&l), Some(&r)) = (left.peek(), right.peek()) {
        let next = if before(r, l)? { right.next() } else { left.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
