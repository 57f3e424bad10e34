//! Class ids to indicator vectors.

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::op::{Op, OpError};
use crate::ops::precision::wide;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// ids `[…]` → `[…, depth]`: 1 at the id, 0 elsewhere; all 0 for an id outside 0..depth.
pub(crate) fn one_hot(ids: &Tensor, depth: usize, dtype: DType) -> Result<Tensor, OpError> {
    OpError::check_dtype("ids", ids.dtype(), DTypeSet::INT)?;
    Ok(class_mask(ids, Dim::Static(depth)).convert(dtype))
}

/// Booleans `[…, classes]`, true where the position on the last axis equals the id. Ids may be floats that hold integers.
pub(crate) fn class_mask(ids: &Tensor, classes: Dim) -> Tensor {
    // Counting to `classes` in the type of the ids could wrap.
    let dtype = match ids.dtype() {
        dtype @ (DType::I64 | DType::U64 | DType::U32) => dtype,
        dtype if dtype.is_int() => DType::I32,
        dtype => wide(dtype),
    };
    let mut dims = ids.dims();
    let last = dims.len();
    dims.push(classes);
    let places = ids.builder().iota(Shape::from_dims(&dims, dtype), last);
    let axes: Vec<usize> = (0..last).collect();
    places.equal(&ids.convert(dtype).broadcast_in_dim(&dims, &axes))
}

impl Tensor {
    /// Booleans along a new last axis, true where the position equals this id (an integer, or a float that holds one).
    #[track_caller]
    pub fn class_mask(&self, classes: Dim) -> Tensor {
        class_mask(self, classes)
    }

    /// Indicator vectors of these ids, along a new last axis.
    #[track_caller]
    pub fn one_hot(&self, depth: usize, dtype: DType) -> Tensor {
        self.apply(Op::OneHot { depth, dtype }, &[])
    }
}
