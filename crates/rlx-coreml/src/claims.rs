//! What ML Programs say natively.

use rlx_compile::Claims;
use rlx_ir::{Op, Shape};
use rlx_mil::emit::{Opset, has_form};

/// The ops that programs of an opset have operations for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoremlClaims {
    /// The opset.
    pub opset: Opset,
}

impl Claims for CoremlClaims {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        has_form(op, operands, results, self.opset)
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }
}
