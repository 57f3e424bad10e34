//! Symbolic dimensions: which values hold the sizes of symbols, and how expressions over them are computed.

use super::writer::{Value, Writer};
use rlx_ir::Dim;
use std::collections::HashMap;

/// Sizes that the function has computed so far, as i32 scalars.
#[derive(Clone, Default)]
pub(super) struct Sizes {
    known: HashMap<Dim, Value>,
}

impl Sizes {
    pub(super) fn learn(&mut self, _values: &[Value]) {}
}

impl Writer<'_, '_> {
    pub(super) fn declare_symbols(&mut self, _inputs: &[Value]) {}

    /// The sizes as a vector, for the ops that take a shape as an operand.
    pub(super) fn shape_vector(&mut self, _dims: &[Dim]) -> Option<Value> {
        None
    }
}
