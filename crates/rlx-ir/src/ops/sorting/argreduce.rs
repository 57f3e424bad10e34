//! `argreduce`: the index of the largest or smallest element along an axis.

use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Scalar, Value};
use crate::op::kinds::{ArgOp, CompareOp};
use crate::op::{Op, OpError};
use crate::ops::lines::{Line, lines};
use crate::ops::scalar;
use crate::shape::Shape;
use crate::tensor::Tensor;

pub(crate) fn infer(x: &Shape, _op: ArgOp, axis: usize, dtype: DType) -> Result<Shape, OpError> {
    OpError::check_dtype("x", x.dtype(), DTypeSet::REAL.or(DTypeSet::BOOL))?;
    OpError::check_dtype("the index", dtype, DTypeSet::INT)?;
    OpError::check_axis(axis, x.rank())?;
    let largest = dtype.int_range().map_or(0, |(_, high)| high);
    match x.dim(axis).as_static() {
        Some(0) => {
            Err(OpError::shape(format!("axis {axis} of x {x} is empty: there is nothing to point at")))
        }
        Some(n) if n as i128 - 1 > largest => Err(OpError::attribute(format!(
            "axis {axis} of x {x} has more elements than {dtype} can count; choose a wider dtype"
        ))),
        _ => Ok(x.without_axes(&[axis]).with_dtype(dtype)),
    }
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    op: ArgOp,
    axis: usize,
    dtype: DType,
) -> Result<Value, OpError> {
    let found: Vec<usize> = lines(x.dims(), axis).map(|line| first_extreme(x, op, line)).collect();
    Ok(Value::from_fn(cx.dims(), dtype, |i| Scalar::Int(found[i] as i128)))
}

fn first_extreme(x: &Value, op: ArgOp, line: Line) -> usize {
    let better = match op {
        ArgOp::Max => CompareOp::Gt,
        ArgOp::Min => CompareOp::Lt,
    };
    let mut best = 0;
    for i in 0..line.len {
        let candidate = x.get(line.at(i));
        if candidate.to_f64().is_nan() {
            return i;
        }
        if scalar::compare(better, candidate, x.get(line.at(best)), false) {
            best = i;
        }
    }
    best
}

impl Tensor {
    /// The i32 index of the largest element along an axis, which disappears.
    #[track_caller]
    pub fn argmax(&self, axis: usize) -> Tensor {
        self.apply(Op::ArgReduce { op: ArgOp::Max, axis, dtype: DType::I32 }, &[])
    }
}
