//! The identity that blocks derivatives.

use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// x itself. Its derivative is overridden to be zero, because the decomposition alone cannot express that.
pub(crate) fn stop_gradient(x: &Tensor) -> Result<Tensor, OpError> {
    Ok(x.clone())
}

impl Tensor {
    /// This tensor, treated as a constant by every derivative.
    #[track_caller]
    pub fn stop_gradient(&self) -> Tensor {
        self.apply(Op::StopGradient {}, &[])
    }
}
