//! Sizes as values: what a composite computes with when a dimension is only known at run time.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::Op;
use crate::tensor::Tensor;

impl Tensor {
    /// The size of an axis as an i32 scalar: a constant where it is static.
    pub(crate) fn size(&self, axis: usize) -> Tensor {
        match self.dim(axis) {
            Dim::Static(n) => self.builder().int(i64::try_from(n).unwrap_or(i64::MAX), DType::I32),
            _ => self.apply(Op::DimSize { axis }, &[]).convert(DType::I32),
        }
    }
}
