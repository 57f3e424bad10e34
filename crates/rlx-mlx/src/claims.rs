//! What MLX has.

use crate::emit::declined;
use rlx_compile::Claims;
use rlx_ir::{Op, Shape};

/// The ops that MLX has a form of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MlxClaims;

impl Claims for MlxClaims {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        declined(op, operands, results).is_none()
    }

    fn refusal(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Option<String> {
        declined(op, operands, results)
    }
}
