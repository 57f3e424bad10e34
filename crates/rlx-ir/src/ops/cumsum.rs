//! Running sums.

use crate::op::kinds::ReduceOp;
use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// Sums of the elements up to and including each one along `axis`.
pub(crate) fn cumsum(x: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    Ok(x.apply(Op::Cumulative { op: ReduceOp::Sum, axis, exclusive: false, reverse: false }, &[]))
}

impl Tensor {
    /// Sums of the elements up to and including each one along an axis.
    #[track_caller]
    pub fn cumsum(&self, axis: usize) -> Tensor {
        self.apply(Op::Cumsum { axis }, &[])
    }
}
