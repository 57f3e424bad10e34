//! Sizes as values, for composites whose dimensions are known only at run time.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::Op;
use crate::tensor::Tensor;

impl Tensor {
    /// The size of an axis as an i32 scalar, which is a constant if the size is static.
    #[track_caller]
    pub(crate) fn size(&self, axis: usize) -> Tensor {
        match self.dim(axis) {
            Dim::Static(n) => self.builder().int(i64::try_from(n).unwrap_or(i64::MAX), DType::I32),
            _ => self.apply(Op::DimSize { axis }, &[]).convert(DType::I32),
        }
    }

    /// These integers, of any type, as i32 and clamped to 0 … `most`, an i32 scalar.
    #[track_caller]
    pub(crate) fn limited(&self, most: &Tensor) -> Tensor {
        let x = match self.dtype() {
            DType::U64 => self.minimum(&self.builder().int(i64::MAX, DType::U64)).convert(DType::I64),
            DType::U32 | DType::I64 => self.convert(DType::I64),
            _ => self.convert(DType::I32),
        };
        let zero = x.builder().int(0, x.dtype());
        x.maximum(&zero).minimum(&most.convert(x.dtype())).convert(DType::I32)
    }
}
