//! Integers that programs have no type for: those of 8 and 16 bits are held as i32 and wrapped where an op may leave their range; of wider ones
//! `intervals` says which are within 32 bits.

use super::value::{Elem, Var};
use super::writer::Writer;
use rlx_ir::{BinaryOp, DType, Op, ReduceOp, UnaryOp};

/// Whether results of an op on values of an integer type may be outside of its range, for the op as it is written on i32.
pub(super) fn may_leave(op: &Op) -> bool {
    match op {
        Op::Unary { op } => !matches!(op, UnaryOp::Sign | UnaryOp::Popcnt | UnaryOp::Clz),
        Op::Binary { op } => !matches!(op, BinaryOp::Max | BinaryOp::Min | BinaryOp::Rem),
        Op::Reduce { kind, .. } | Op::ReduceWindow { kind, .. } | Op::Cumulative { op: kind, .. } => {
            !matches!(kind, ReduceOp::Max | ReduceOp::Min)
        }
        Op::Scatter { .. } | Op::DotGeneral { .. } | Op::Matmul {} => true,
        Op::Activation { .. } | Op::Convolution { .. } => true,
        _ => false,
    }
}

/// An integer modulo the range of a type of 8 or 16 bits; values of other types as they are.
pub(super) fn wrapped(w: &mut Writer, x: &Var, dtype: DType) -> Var {
    let Some(range) = narrow(dtype).filter(|_| x.elem == Elem::I32) else { return x.clone() };
    let (least, count) = (range.0 as f64, (range.1 - range.0 + 1) as f64);
    if least == 0.0 {
        return w.with("mod", x, count);
    }
    // What the sum leaves of 32 bits is a multiple of the range.
    let moved = w.with("sub", x, least);
    let inside = w.with("mod", &moved, count);
    w.with("add", &inside, least)
}

/// The range of a type that is held by a wider one.
pub(super) fn narrow(dtype: DType) -> Option<(i128, i128)> {
    dtype.int_range().filter(|_| matches!(dtype, DType::I8 | DType::I16 | DType::U8 | DType::U16))
}
