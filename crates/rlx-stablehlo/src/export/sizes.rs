//! Symbolic dimensions: which values hold the sizes of symbols, and how expressions over them are computed.

use super::writer::{Value, Writer};
use rlx_ir::Dim;

impl Writer<'_, '_> {
    /// The sizes as a vector, for the ops that take a shape as an operand.
    pub(super) fn shape_vector(&mut self, dims: &[Dim]) -> Option<Value> {
        let sizes: Vec<String> = dims.iter().map(ToString::to_string).collect();
        self.problem(format!("the sizes [{}] are symbolic; bind them before the export", sizes.join(", ")));
        None
    }
}
