//! The element type in which composites compute what narrow floats would spoil: statistics, attention scores,
//! losses. Knows nothing of the ops that use it.

use crate::dtype::{DType, DTypeSet};
use crate::op::OpError;
use crate::tensor::Tensor;

/// f32 for the formats below it, otherwise the type itself.
pub(crate) fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        other => other,
    }
}

/// Fails unless `x` is of a real floating point type.
pub(crate) fn check_float(operand: &'static str, x: &Tensor) -> Result<(), OpError> {
    OpError::check_dtype(operand, x.dtype(), DTypeSet::FLOAT)
}

/// Fails unless `w` is of the element type of `x` or of the wide one that goes with it.
pub(crate) fn check_companion(operand: &'static str, w: &Tensor, x: &Tensor) -> Result<(), OpError> {
    let accepted = DTypeSet::of(&[x.dtype(), wide(x.dtype())]);
    OpError::check_dtype(operand, w.dtype(), accepted)
}

/// Fails unless `value` is a finite number that is not negative.
pub(crate) fn check_epsilon(value: f64) -> Result<(), OpError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(OpError::attribute(format!("eps must be a finite number, 0 or larger, got {value}")))
}

impl Tensor {
    /// The tensor in the type that composites compute in: f32 for the floats below it, otherwise its own.
    #[track_caller]
    pub fn widened(&self) -> Tensor {
        self.convert(wide(self.dtype()))
    }
}
