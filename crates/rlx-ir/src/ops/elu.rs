//! The exponential linear unit (Clevert, Unterthiner and Hochreiter, 2015).

use crate::op::{Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// x where x > 0, alpha · (e^x − 1) elsewhere.
pub(crate) fn elu(x: &Tensor, alpha: f64) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    let zero = x.scalar_like(0.0);
    // The branch that is not taken must stay finite, or its derivative would be NaN.
    Ok(x.greater(&zero).select(x, &(x.minimum(&zero).expm1() * alpha)))
}

impl Tensor {
    /// x where x > 0, alpha · (e^x − 1) elsewhere.
    #[track_caller]
    pub fn elu(&self, alpha: f64) -> Tensor {
        self.apply(Op::Elu { alpha }, &[])
    }
}
