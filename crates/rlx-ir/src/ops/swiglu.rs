//! The gated unit of most language models (Shazeer, 2020).

use crate::op::{Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// silu(gate) · up; narrow floats are computed in f32.
pub(crate) fn swiglu(gate: &Tensor, up: &Tensor) -> Result<Tensor, OpError> {
    check_float("gate", gate)?;
    OpError::check_same("gate", &gate.shape(), "up", &up.shape())?;
    Ok((gate.widened().silu() * up.widened()).convert(gate.dtype()))
}

impl Tensor {
    /// silu(self) · up.
    #[track_caller]
    pub fn swiglu(&self, up: &Tensor) -> Tensor {
        self.apply(Op::Swiglu {}, &[up])
    }
}
