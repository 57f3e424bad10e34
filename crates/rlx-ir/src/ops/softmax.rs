//! Softmax, log-softmax and log-sum-exp.

use crate::op::kinds::{CompareOp, ReduceOp};
use crate::op::{Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::{Tensor, check_inexact};

/// e^(x−m) / Σ e^(x−m) along `axis`, where m is the maximum: stable for every finite x.
pub(crate) fn softmax(x: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    check_inexact(x)?;
    OpError::check_axis(axis, x.rank())?;
    let e = (x - x.reduce(ReduceOp::Max, &[axis], true)).exp();
    Ok(&e / e.reduce(ReduceOp::Sum, &[axis], true))
}

/// (x−m) − log Σ e^(x−m) along `axis`, where m is the maximum; narrow floats are computed in f32.
pub(crate) fn log_softmax(x: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    OpError::check_axis(axis, x.rank())?;
    let wide = x.widened();
    let shifted = &wide - wide.reduce(ReduceOp::Max, &[axis], true);
    let total = shifted.exp().reduce(ReduceOp::Sum, &[axis], true);
    Ok((shifted - total.log()).convert(x.dtype()))
}

/// m + log Σ e^(x−m) along `axes`, where m is the maximum if that is finite, otherwise 0. So if all elements are −inf the result
/// is −inf, and if any is +inf it is +inf. Along an empty axis it is −inf. Narrow floats are computed in f32.
pub(crate) fn logsumexp(x: &Tensor, axes: &[usize], keep_dims: bool) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    OpError::check_axes(axes, x.rank())?;
    let wide = x.widened();
    let max = wide.reduce(ReduceOp::Max, axes, true);
    let infinite = max.abs().compare(CompareOp::Eq, &wide.scalar_like(f64::INFINITY));
    let max = infinite.select(&wide.scalar_like(0.0), &max);
    let total = (&wide - &max).exp().reduce(ReduceOp::Sum, axes, true);
    let result = (total.log() + max).convert(x.dtype());
    Ok(if keep_dims { result } else { result.reshape(x.shape().without_axes(axes).dims()) })
}

impl Tensor {
    /// log(e^x / Σ e^x) along an axis, without the overflow of the direct form.
    #[track_caller]
    pub fn log_softmax(&self, axis: usize) -> Tensor {
        self.apply(Op::LogSoftmax { axis }, &[])
    }

    /// log Σ e^x along axes, which disappear, or stay with size 1 if `keep_dims`.
    #[track_caller]
    pub fn logsumexp(&self, axes: &[usize], keep_dims: bool) -> Tensor {
        self.apply(Op::LogSumExp { axes: axes.to_vec(), keep_dims }, &[])
    }
}
