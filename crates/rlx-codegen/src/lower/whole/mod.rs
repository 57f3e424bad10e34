//! Ops that are not made element by element: each has launches of its own, which pull the elements of its operands.

mod cumulative;

use super::Argument;
use super::LowerError;
use super::frame::Frame;
use super::stored::Reads;
use rlx_ir::{DType, Node, Op};

/// Whether the op is one of these.
pub(super) fn is_whole(op: &Op) -> bool {
    matches!(op, Op::Cumulative { .. })
}

/// How often such an op reads each element of an operand.
pub(super) fn reads(op: &Op, _operand: usize, _operands: usize) -> Reads {
    match op {
        Op::Cumulative { .. } => Reads::Once,
        _ => Reads::Often,
    }
}

/// Adds the launches of such an op; `results` says where its results go, if anybody reads them.
pub(super) fn lower(
    frame: &mut Frame<'_>,
    node: &Node,
    results: &[Option<Argument>],
) -> Result<(), LowerError> {
    match node.op() {
        Op::Cumulative { .. } => cumulative::lower(frame, node, results),
        op => Err(LowerError::NotLowered { op: op.mnemonic(), why: "it is made element by element" }),
    }
}

/// The type in which values of this type are summed up: narrow floats in f32, others in their own.
pub(super) fn accumulator(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        other => other,
    }
}
