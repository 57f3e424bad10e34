//! What ML Programs say natively.

use rlx_compile::Claims;
use rlx_ir::{Op, Shape};
use rlx_mil::emit::{Dialect, has_form};

/// The ops that programs of a dialect have operations for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CoremlClaims {
    /// How they are written.
    pub dialect: Dialect,
}

impl Claims for CoremlClaims {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        has_form(op, operands, results, self.dialect)
    }

    fn static_sizes(&self, _: &Op, _: &[Shape], _: &[Shape]) -> bool {
        true
    }
}
