//! Arithmetic mean.

use crate::op::OpError;
use crate::op::kinds::ReduceOp;
use crate::tensor::{Tensor, check_inexact};

/// Σ x / n along axes; over no element it is NaN.
pub(crate) fn mean(x: &Tensor, axes: &[usize], keep_dims: bool) -> Result<Tensor, OpError> {
    check_inexact(x)?;
    OpError::check_axes(axes, x.rank())?;
    Ok(x.reduce(ReduceOp::Sum, axes, keep_dims) / x.count(axes))
}
