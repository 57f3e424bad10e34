//! `ragged_dot`: groups of rows, each multiplied by its own matrix.

use super::sums::{self, Number, Sums};
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Value};
use crate::op::OpError;
use crate::shape::Shape;
use std::ops::Range;

pub(crate) fn infer(
    lhs: &Shape,
    rhs: &Shape,
    group_sizes: &Shape,
    dtype: Option<DType>,
) -> Result<Shape, OpError> {
    let dtype = super::result_dtype(lhs, rhs, dtype)?;
    OpError::check_dtype("group_sizes", group_sizes.dtype(), DTypeSet::INT)?;
    let ([m, k], [groups, rhs_k, n], [sizes]) = (lhs.dims(), rhs.dims(), group_sizes.dims()) else {
        return Err(OpError::shape(format!(
            "takes lhs [m,k], rhs [groups,k,n] and group_sizes [groups], got {lhs}, {rhs} and {group_sizes}"
        )));
    };
    if !k.compatible(rhs_k) {
        return Err(OpError::shape(format!(
            "rows of lhs {lhs} have {k} elements, but columns of rhs {rhs} have {rhs_k}"
        )));
    }
    if !groups.compatible(sizes) {
        return Err(OpError::shape(format!("rhs {rhs} has {groups} matrices, but group_sizes has {sizes}")));
    }
    Ok(Shape::from_dims(&[m.clone(), n.clone()], dtype))
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    lhs: &Value,
    rhs: &Value,
    group_sizes: &Value,
    _: Option<DType>,
) -> Result<Value, OpError> {
    let [rows, inner] = [lhs.dims()[0], lhs.dims()[1]];
    let mut end = 0i128;
    let row = |n: i128| n.clamp(0, rows as i128) as usize;
    let groups = group_sizes.to_ints().into_iter().map(|size| {
        let start = end;
        end = end.saturating_add(size);
        row(start)..row(end)
    });
    let plan = RaggedSums { groups: groups.collect(), rows, inner, columns: rhs.dims()[2] };
    Ok(sums::eval(cx, lhs, rhs, &plan))
}

struct RaggedSums {
    /// The rows of each group.
    groups: Vec<Range<usize>>,
    rows: usize,
    inner: usize,
    columns: usize,
}

impl Sums for RaggedSums {
    fn run<T: Number>(&self, lhs: &[T], rhs: &[T]) -> Vec<T> {
        let mut out = vec![T::ZERO; self.rows * self.columns];
        for (group, rows) in self.groups.iter().enumerate() {
            for row in rows.clone() {
                for column in 0..self.columns {
                    let sum = &mut out[row * self.columns + column];
                    for i in 0..self.inner {
                        let b = rhs[(group * self.inner + i) * self.columns + column];
                        *sum = sum.add_product(lhs[row * self.inner + i], b);
                    }
                }
            }
        }
        out
    }
}
