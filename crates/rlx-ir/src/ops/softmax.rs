//! Normalised exponentials.

use crate::op::OpError;
use crate::op::kinds::Reducer;
use crate::tensor::{Tensor, check_inexact};

/// e^(x−m) / Σ e^(x−m) along `axis`, m the maximum: stable for every finite x.
pub(crate) fn softmax(x: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    check_inexact(x)?;
    OpError::check_axis(axis, x.rank())?;
    let e = (x - x.reduce(Reducer::Max, &[axis], true)).exp();
    Ok(&e / e.reduce(Reducer::Sum, &[axis], true))
}
