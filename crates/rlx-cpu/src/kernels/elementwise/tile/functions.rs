//! Functions of f32 vectors, within a few units in the last place.

use super::{Code, arithmetic};
use rlx_ir::{Activation, UnaryOp};

/// The code of a function of f32, if there is a vector form.
pub(crate) fn unary(op: UnaryOp) -> Option<Code> {
    match op {
        UnaryOp::Rsqrt => Some(arithmetic::inverse_root()),
        _ => None,
    }
}

/// The code of an activation of f32, if it is one instruction.
pub(crate) fn activation(kind: Activation) -> Option<Code> {
    match kind {
        Activation::Relu => Some(arithmetic::relu()),
        Activation::Square => Some(arithmetic::square()),
        Activation::Recip => Some(arithmetic::reciprocal()),
        _ => None,
    }
}
