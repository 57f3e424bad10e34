//! The arithmetic mean.

use crate::op::OpError;
use crate::op::kinds::ReduceOp;
use crate::tensor::{Tensor, check_inexact};

/// Σ x / n along axes; NaN along an empty axis. Narrow floats are computed in f32, which can represent any n.
pub(crate) fn mean(x: &Tensor, axes: &[usize], keep_dims: bool) -> Result<Tensor, OpError> {
    check_inexact(x)?;
    OpError::check_axes(axes, x.rank())?;
    let wide = x.widened();
    Ok((wide.reduce(ReduceOp::Sum, axes, keep_dims) / wide.count(axes)).convert(x.dtype()))
}
