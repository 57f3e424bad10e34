//! The element type in which composites compute what narrow floats would make inaccurate: statistics, attention scores, losses.
//! Does not know the ops that use it.

use crate::dtype::{DType, DTypeSet};
use crate::op::OpError;
use crate::tensor::Tensor;

/// f32 for narrower formats, otherwise the type itself.
pub(crate) fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        other => other,
    }
}

/// Fails unless `x` has a real floating point type.
pub(crate) fn check_float(operand: &'static str, x: &Tensor) -> Result<(), OpError> {
    OpError::check_dtype(operand, x.dtype(), DTypeSet::FLOAT)
}

/// Fails unless `w` has the element type of `x` or the corresponding wide type.
pub(crate) fn check_companion(operand: &'static str, w: &Tensor, x: &Tensor) -> Result<(), OpError> {
    let accepted = DTypeSet::of(&[x.dtype(), wide(x.dtype())]);
    OpError::check_dtype(operand, w.dtype(), accepted)
}

/// Fails unless `value` is finite and not negative.
pub(crate) fn check_epsilon(value: f64) -> Result<(), OpError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(OpError::attribute(format!("eps must be a finite number, 0 or larger, got {value}")))
}

impl Tensor {
    /// The tensor in the type in which composites compute: f32 for narrower floats, otherwise its own.
    #[track_caller]
    pub fn widened(&self) -> Tensor {
        self.convert(wide(self.dtype()))
    }
}
