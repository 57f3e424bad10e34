//! Which ops StableHLO and CHLO have with exactly RLX's meaning, and on which element types.

use super::elementwise::{binary_name, unary_name};
use super::expansion;
use rlx_ir::{BinaryOp, Op, OpClass, Shape};

/// How an op is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As the operation that StableHLO has for it.
    Own,
    /// As an expansion of this format. StableHLO has the operation, but not for these types or not for all operands.
    Guarded,
    /// As the operation that StableHLO has for it, inside a composite, because the importer reads the operation alone as another op.
    Named,
    /// As its expansion, if it has one.
    Expanded,
}

/// Returns whether [`export()`](crate::export()) writes the op, for operands and results of these shapes, as an
/// operation of StableHLO or CHLO, without expanding it with the crate `rlx-expand`.
pub fn has_form(op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    op.kind().class() != OpClass::Composite && form_of(op, operands, results) != Form::Expanded
}

pub(super) fn form_of(op: &Op, operands: &[Shape], _results: &[Shape]) -> Form {
    if expansion::own(op, operands).is_some() {
        return Form::Guarded;
    }
    if expansion::is_read_as_another(op, operands) {
        return Form::Named;
    }
    let own = match op {
        Op::Unary { op } => unary_name(*op).is_some(),
        // XLA expands these two differently at infinities and poles.
        Op::Binary { op: BinaryOp::Zeta | BinaryOp::Polygamma } => false,
        Op::Binary { op } => binary_name(*op).is_some(),
        op => op.kind().has_stablehlo(),
    };
    if own { Form::Own } else { Form::Expanded }
}
