//! `top_k`: the largest elements along the last axis.

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Scalar, Value};
use crate::op::{Op, OpError};
use crate::ops::lines::lines;
use crate::ops::scalar;
use crate::shape::Shape;
use crate::tensor::Tensor;
use std::cmp::Ordering;

pub(crate) fn infer(x: &Shape, k: usize) -> Result<[Shape; 2], OpError> {
    OpError::check_dtype("x", x.dtype(), DTypeSet::REAL.or(DTypeSet::BOOL))?;
    let Some((last, lead)) = x.dims().split_last() else {
        return Err(OpError::shape("x is a scalar; top_k needs an axis"));
    };
    if last.as_static().is_some_and(|n| k > n) {
        return Err(OpError::attribute(format!("k is {k}, but the last axis of x {x} has {last} elements")));
    }
    let dims = [lead, &[Dim::Static(k)]].concat();
    Ok([Shape::from_dims(&dims, x.dtype()), Shape::from_dims(&dims, DType::I32)])
}

pub(crate) fn eval(cx: &EvalCx<'_>, x: &Value, k: usize) -> Result<[Value; 2], OpError> {
    let axis = x.dims().len() - 1;
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for line in lines(x.dims(), axis) {
        let mut order: Vec<usize> = (0..line.len).collect();
        let element = |i: usize| x.get(line.at(i));
        order.sort_by(|&a, &b| scalar::order(element(b), element(a), true).unwrap_or(Ordering::Equal));
        positions.extend(order.iter().take(k).map(|&i| line.at(i)));
        indices.extend(order.iter().take(k).map(|&i| i as i128));
    }
    let values = Value::from_fn(cx.dims(), x.dtype(), |i| x.get(positions[i]));
    let indices = Value::from_fn(cx.dims(), DType::I32, |i| Scalar::Int(indices[i]));
    Ok([values, indices])
}

impl Tensor {
    /// The k largest elements along the last axis, largest first, and their i32 indices.
    #[track_caller]
    pub fn top_k(&self, k: usize) -> (Tensor, Tensor) {
        let mut results = self.apply_many(Op::TopK { k }, &[]).into_iter();
        // If the op was rejected, both results are void.
        let values = results.next().unwrap_or_else(|| self.clone());
        let indices = results.next().unwrap_or_else(|| values.clone());
        (values, indices)
    }
}
