//! Which elementwise functions are expanded, and by what, for each element type. Types narrower than f32 are computed in f32.

use crate::Rule;
use rlx_ir::{BinaryOp, DType, UnaryOp};

/// The expansion of a function of one tensor.
pub(crate) fn unary(_op: UnaryOp, _dtype: DType) -> Option<Rule<'static>> {
    None
}

/// The expansion of a function of two tensors.
pub(crate) fn binary(_op: BinaryOp, _dtype: DType) -> Option<Rule<'static>> {
    None
}
