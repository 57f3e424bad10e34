//! `cumulative`: running reductions along an axis.

use crate::eval::{EvalCx, Scalar, Value};
use crate::op::OpError;
use crate::op::kinds::ReduceOp;
use crate::ops::lines::lines;
use crate::ops::reduction::{accumulate, repeated};
use crate::shape::Shape;

pub(crate) fn infer(
    x: &Shape,
    op: ReduceOp,
    axis: usize,
    _exclusive: bool,
    _reverse: bool,
) -> Result<Shape, OpError> {
    OpError::check_reduction(op, ReduceOp::RUNNING)?;
    OpError::check_dtype("x", x.dtype(), op.accepts())?;
    OpError::check_axis(axis, x.rank())?;
    Ok(x.clone())
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    op: ReduceOp,
    axis: usize,
    exclusive: bool,
    reverse: bool,
) -> Result<Value, OpError> {
    let dtype = x.dtype();
    let (start, binary) = match op {
        ReduceOp::LogSumExp => (Scalar::Float(f64::NEG_INFINITY), None),
        _ => repeated(op, dtype).map(|(binary, identity)| (identity, Some(binary)))?,
    };
    let step = |total: Scalar, x: Scalar| match binary {
        Some(binary) => accumulate(binary, dtype, total, x),
        None => Scalar::Float(log_add_exp(total.to_f64(), x.to_f64())),
    };
    let mut out = vec![start; x.len()];
    for line in lines(x.dims(), axis) {
        let mut total = start;
        for i in 0..line.len {
            let at = line.at(if reverse { line.len - 1 - i } else { i });
            let next = step(total, x.get(at));
            out[at] = if exclusive { total } else { next };
            total = next;
        }
    }
    Ok(Value::from_fn(cx.dims(), dtype, |i| out[i]))
}

/// log(e^a + e^b) without overflow.
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    let (large, small) = if a >= b { (a, b) } else { (b, a) };
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if large.is_infinite() { large } else { large + libm::log1p(libm::exp(small - large)) }
}
