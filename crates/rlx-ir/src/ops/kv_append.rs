//! Writes keys or values into a cache of fixed capacity.
//!
//! A position that would write past the end is clamped, as in slices, whether there is one position for all sequences or one per
//! sequence.

use crate::dtype::DTypeSet;
use crate::op::kinds::Combiner;
use crate::op::{Op, OpError, ScatterDims};
use crate::tensor::Tensor;

/// The cache with `new` written along `axis`, starting at `position`: an integer scalar, or `[batch]` with one position per entry
/// of axis 0. Entries that would go past the end are moved back, over the newest ones. Callers must keep position + length within
/// the capacity.
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
            "new {} must have the element type and, except along axis {axis}, the dimensions of the cache {}",
            new.shape(),
            cache.shape()
        )));
    }
    if position.rank() == 0 {
        let zero = position.builder().int(0, position.dtype());
        let starts = (0..cache.rank()).map(|a| if a == axis { position } else { &zero });
        let operands: Vec<&Tensor> = std::iter::once(new).chain(starts).collect();
        return Ok(cache.apply(Op::DynamicUpdateSlice {}, &operands));
    }
    check_positions(cache, position, axis)?;
    // A scatter skips windows that go out of bounds, so positions are clamped first.
    let first = position.limited(&(cache.size(axis) - new.size(axis)));
    let dims = ScatterDims {
        update_window_dims: (1..cache.rank()).collect(),
        inserted_window_dims: Vec::new(),
        input_batching_dims: vec![0],
        scatter_indices_batching_dims: vec![0],
        scatter_dims_to_operand_dims: vec![axis],
        index_vector_dim: 1,
    };
    Ok(cache.apply(Op::Scatter { dims, combiner: Combiner::Set }, &[&first, new]))
}

/// Fails unless there is one position per entry of axis 0, and axis 0 is not the axis of positions.
fn check_positions(cache: &Tensor, position: &Tensor, axis: usize) -> Result<(), OpError> {
    if axis != 0 && position.rank() == 1 && position.dim(0).compatible(&cache.dim(0)) {
        return Ok(());
    }
    Err(OpError::shape(format!(
        "position must be a scalar or, where axis {axis} is not the first, one for each entry of axis 0 of the cache {}, got {}",
        cache.shape(),
        position.shape()
    )))
}

impl Tensor {
    /// This cache with `new` written along `axis`, starting at `position`: a scalar, or one position per entry of axis 0.
    #[track_caller]
    pub fn kv_append(&self, new: &Tensor, position: &Tensor, axis: usize) -> Tensor {
        self.apply(Op::KvAppend { axis }, &[new, position])
    }
}
