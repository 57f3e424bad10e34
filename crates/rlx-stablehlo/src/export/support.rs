//! Which ops StableHLO and CHLO have in exactly RLX's meaning, on which element types.

use super::elementwise::{binary_name, unary_name};
use rlx_ir::{Op, OpClass, Shape, UnaryOp};

/// How an op is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// As the operation that StableHLO has for it.
    Own,
    /// By its expansion.
    Expanded,
}

/// Whether [`export()`](crate::export()) writes the op, on operands and with results of these shapes, as an operation that
/// StableHLO or CHLO has, rather than by what it expands to.
pub fn has_form(op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
    op.kind().class() != OpClass::Composite && form_of(op, operands, results) == Form::Own
}

pub(super) fn form_of(op: &Op, operands: &[Shape], _results: &[Shape]) -> Form {
    let own = match op {
        Op::Unary { op } => operands.first().is_some_and(|x| unary(*op, x)),
        Op::Binary { op } => binary_name(*op).is_some(),
        // The start offsets of one operation are of one type.
        Op::DynamicSlice { .. } => one_type(operands.get(1..)),
        Op::DynamicUpdateSlice {} => one_type(operands.get(2..)),
        Op::Constant { .. }
        | Op::Iota { .. }
        | Op::DimSize { .. }
        | Op::Compare { .. }
        | Op::Select {}
        | Op::Clamp {}
        | Op::Convert { .. }
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::BroadcastInDim { .. }
        | Op::Slice { .. }
        | Op::Pad { .. }
        | Op::Concatenate { .. }
        | Op::Reverse { .. }
        | Op::Gather { .. }
        | Op::Scatter { .. }
        | Op::ScatterGraph { .. }
        | Op::SortGraph { .. }
        | Op::TopK { .. }
        | Op::DotGeneral { .. }
        | Op::Convolution { .. }
        | Op::Reduce { .. }
        | Op::ReduceGraph { .. }
        | Op::ReduceWindow { .. }
        | Op::ReduceWindowGraph { .. }
        | Op::SelectAndScatter { .. }
        | Op::Cholesky { .. }
        | Op::TriangularSolve { .. }
        | Op::Fft { .. }
        | Op::RngBits { .. }
        | Op::OptimizationBarrier {}
        | Op::If { .. }
        | Op::Case { .. }
        | Op::While { .. }
        | Op::Custom { .. } => true,
        _ => false,
    };
    if own { Form::Own } else { Form::Expanded }
}

fn unary(op: UnaryOp, x: &Shape) -> bool {
    let dtype = x.dtype();
    match op {
        UnaryOp::Abs | UnaryOp::Sign => !rlx_ir::DTypeSet::UNSIGNED.contains(dtype),
        UnaryOp::IsFinite => dtype.is_float(),
        _ => unary_name(op).is_some(),
    }
}

fn one_type(starts: Option<&[Shape]>) -> bool {
    starts.is_none_or(|starts| starts.windows(2).all(|pair| pair[0].dtype() == pair[1].dtype()))
}
