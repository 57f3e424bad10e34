//! `sort`: sorts by the order of numbers.

use crate::eval::{EvalCx, Scalar, Value};
use crate::op::OpError;
use crate::op::kinds::SortOrder;
use crate::shape::Shape;
use std::cmp::Ordering;

pub(crate) fn infer(
    xs: &[Shape],
    axis: usize,
    _order: SortOrder,
    num_keys: usize,
    _stable: bool,
) -> Result<Vec<Shape>, OpError> {
    let shapes = super::infer_together(xs, axis)?;
    if !(1..=xs.len()).contains(&num_keys) {
        return Err(OpError::attribute(format!(
            "num_keys must be between 1 and the number of operands ({}), got {num_keys}",
            xs.len()
        )));
    }
    Ok(shapes)
}

pub(crate) fn eval(
    _: &EvalCx<'_>,
    xs: &[Value],
    axis: usize,
    order: SortOrder,
    num_keys: usize,
    _stable: bool,
) -> Result<Vec<Value>, OpError> {
    let keys = &xs[..num_keys];
    let compare = |a: usize, b: usize| {
        keys.iter().map(|x| key_order(x.get(a), x.get(b))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    super::rearrange(xs, axis, |mut line| {
        line.sort_by(|&a, &b| match order {
            SortOrder::Ascending => compare(a, b),
            SortOrder::Descending => compare(b, a),
        });
        Ok(line)
    })
}

/// NaN comes last, −0 equals 0, and complex numbers compare by real part and then by imaginary part.
fn key_order(a: Scalar, b: Scalar) -> Ordering {
    let floats = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        (Scalar::Complex(a), Scalar::Complex(b)) => floats(a.re, b.re).then(floats(a.im, b.im)),
        (a, b) => floats(a.to_f64(), b.to_f64()),
    }
}
