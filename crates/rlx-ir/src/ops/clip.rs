//! Clipping to constant limits.

use crate::dtype::DTypeSet;
use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// min(max(x, low), high), without the limits that are `None`; NaN if x is NaN.
pub(crate) fn clip(x: &Tensor, low: Option<f64>, high: Option<f64>) -> Result<Tensor, OpError> {
    OpError::check_dtype("x", x.dtype(), DTypeSet::REAL)?;
    for limit in [low, high].into_iter().flatten() {
        if limit.is_nan() || (x.dtype().is_int() && limit.fract() != 0.0) {
            let message = format!("the limit {limit} is not a value of element type {}", x.dtype());
            return Err(OpError::attribute(message));
        }
    }
    let raised = low.map_or_else(|| x.clone(), |low| x.maximum(&x.scalar_like(low)));
    Ok(high.map_or_else(|| raised.clone(), |high| raised.minimum(&x.scalar_like(high))))
}

impl Tensor {
    /// min(max(x, low), high), without the limits that are `None`.
    #[track_caller]
    pub fn clip(&self, low: Option<f64>, high: Option<f64>) -> Tensor {
        self.apply(Op::Clip { low, high }, &[])
    }
}
