//! The rectifier with a slope for negative values.

use crate::op::{Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// x where x ≥ 0, slope · x elsewhere.
pub(crate) fn leaky_relu(x: &Tensor, slope: f64) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    Ok(x.greater_equal(&x.scalar_like(0.0)).select(x, &(x * slope)))
}

impl Tensor {
    /// x where x ≥ 0, slope · x elsewhere.
    #[track_caller]
    pub fn leaky_relu(&self, slope: f64) -> Tensor {
        self.apply(Op::LeakyRelu { slope }, &[])
    }
}
