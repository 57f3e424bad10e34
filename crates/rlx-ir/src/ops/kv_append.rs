//! Keys or values written into a cache of fixed capacity.

use crate::dtype::DTypeSet;
use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// The cache with `new` written along `axis` from `position` (an integer scalar) on. What would stick out past the end
/// is moved back, over the newest entries: the caller keeps position + length within the capacity.
pub(crate) fn kv_append(
    cache: &Tensor,
    new: &Tensor,
    position: &Tensor,
    axis: usize,
) -> Result<Tensor, OpError> {
    OpError::check_axis(axis, cache.rank())?;
    OpError::check_dtype("position", position.dtype(), DTypeSet::INT)?;
    let fits = new.dtype() == cache.dtype()
        && new.rank() == cache.rank()
        && (0..cache.rank()).filter(|&a| a != axis).all(|a| new.dim(a).compatible(&cache.dim(a)));
    if !fits {
        return Err(OpError::shape(format!(
            "new {} must have the element type and, but along axis {axis}, the dimensions of the cache {}",
            new.shape(),
            cache.shape()
        )));
    }
    let zero = position.builder().int(0, position.dtype());
    let starts = (0..cache.rank()).map(|a| if a == axis { position } else { &zero });
    let operands: Vec<&Tensor> = std::iter::once(new).chain(starts).collect();
    Ok(cache.apply(Op::DynamicUpdateSlice {}, &operands))
}

impl Tensor {
    /// This cache with `new` written along `axis` from `position` on.
    pub fn kv_append(&self, new: &Tensor, position: &Tensor, axis: usize) -> Tensor {
        self.apply(Op::KvAppend { axis }, &[new, position])
    }
}
