//! Integers for which programs have no type: which of them fit into i32, and how they wrap. Integers of 8 and 16 bits are stored as i32 and
//! wrapped after ops that may leave their range; for wider ones, `intervals` determines which fit in 32 bits.

use super::value::{Elem, Held, Var};
use super::writer::{ProgramWriter, Written};
use rlx_ir::{BinaryOp, DType, Op, ReduceOp, UnaryOp};

/// Whether results of an op on an integer type may be outside of the type's range when the op is written for i32.
pub(super) fn may_leave(op: &Op) -> bool {
    match op {
        Op::Unary { op } => !matches!(op, UnaryOp::Sign | UnaryOp::Popcnt | UnaryOp::Clz),
        Op::Binary { op } => !matches!(op, BinaryOp::Max | BinaryOp::Min | BinaryOp::Rem),
        Op::Reduce { kind, .. } | Op::ReduceWindow { kind, .. } | Op::Cumulative { op: kind, .. } => {
            !matches!(kind, ReduceOp::Max | ReduceOp::Min)
        }
        Op::Scatter { .. } | Op::DotGeneral { .. } | Op::RaggedDot { .. } | Op::Matmul {} => true,
        Op::Activation { .. } | Op::Convolution { .. } => true,
        _ => false,
    }
}

/// Wraps an integer to the range of its type of 8 or 16 bits. Values of other types do not change.
pub(super) fn wrapped(w: &mut ProgramWriter, x: &Var, dtype: DType) -> Var {
    let Some(range) = narrow(dtype).filter(|_| x.elem == Elem::I32) else { return x.clone() };
    let (least, count) = (range.0 as f64, (range.1 - range.0 + 1) as f64);
    if least == 0.0 {
        return w.with("mod", x, count);
    }
    // Overflow of this sum in 32 bits changes it by a multiple of the range.
    let moved = w.with("sub", x, least);
    let inside = w.with("mod", &moved, count);
    w.with("add", &inside, least)
}

/// Returns the range of a type of 8 or 16 bits.
pub(super) fn narrow(dtype: DType) -> Option<(i128, i128)> {
    dtype.int_range().filter(|_| matches!(dtype, DType::I8 | DType::I16 | DType::U8 | DType::U16))
}

/// Returns the minimum and the maximum of an integer type that fits in i32.
pub(super) fn extremes(dtype: DType) -> (f64, f64) {
    let range = narrow(dtype).or(dtype.int_range().filter(|_| dtype == DType::Bool));
    range.map_or((i32::MIN.into(), i32::MAX.into()), |(least, most)| (least as f64, most as f64))
}

/// Whether an op treats booleans as the numbers 0 and 1.
pub(super) fn counts_booleans(op: &Op) -> bool {
    match op {
        Op::Unary { op } => matches!(op, UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign),
        Op::Binary { op } => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul),
        Op::Reduce { kind, .. } => *kind == ReduceOp::Sum,
        Op::ReduceWindow { kind, .. } => !matches!(kind, ReduceOp::And | ReduceOp::Or),
        Op::Scatter { .. } | Op::DotGeneral { .. } | Op::Clamp {} | Op::Cumulative { .. } => true,
        _ => false,
    }
}

/// Writes an op on booleans as one on numbers; nonzero results mean true.
pub(super) fn as_numbers(
    w: &mut ProgramWriter,
    x: &[Held],
    write: impl FnOnce(&mut ProgramWriter, &[Held]) -> Written,
) -> Written {
    let mut number = |x: &Held| match x.elem() {
        Elem::Bool => Held { var: w.cast(&x.var, Elem::I32), dims: x.dims.clone() },
        _ => x.clone(),
    };
    let numbers: Vec<Held> = x.iter().map(&mut number).collect();
    let mut values = write(w, &numbers)?;
    for held in &mut values {
        held.var = w.compare_with("not_equal", &held.var, 0.0);
    }
    Ok(values)
}
