//! Slices of a tensor selected by index: along any axis, and as rows of an embedding table.

use crate::dim::Dim;
use crate::op::{GatherDims, Op, OpError};
use crate::tensor::Tensor;

/// The slices of x along `axis` at indices of any shape: `x[.., indices, ..]` of NumPy, except that an index outside the axis is
/// clamped.
pub(crate) fn take(x: &Tensor, indices: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    OpError::check_axis(axis, x.rank())?;
    let mut slice_sizes = x.dims();
    slice_sizes[axis] = thin(&slice_sizes[axis]);
    let gather = Op::Gather { dims: GatherDims::slices(axis, 0, x.rank(), indices.rank()), slice_sizes };
    Ok(x.apply(gather, &[indices]))
}

/// The size of a slice of one element: 0 along an empty axis.
pub(crate) fn thin(dim: &Dim) -> Dim {
    Dim::Static(usize::from(*dim != Dim::Static(0)))
}

/// Rows of table `[rows, d]`: ids `[…]` → `[…, d]`. An id outside the table is clamped.
pub(crate) fn embedding(table: &Tensor, ids: &Tensor) -> Result<Tensor, OpError> {
    if table.rank() != 2 {
        return Err(OpError::shape(format!("the table must be [rows, d], got {}", table.shape())));
    }
    take(table, ids, 0)
}

impl Tensor {
    /// The slices along `axis` at `indices`, which may have any shape.
    #[track_caller]
    pub fn take(&self, indices: &Tensor, axis: usize) -> Tensor {
        self.apply(Op::Take { axis }, &[indices])
    }

    /// The rows of this table `[rows, d]` at `ids`, along a new last axis.
    #[track_caller]
    pub fn embedding(&self, ids: &Tensor) -> Tensor {
        self.apply(Op::Embedding {}, &[ids])
    }
}
