//! Lowers constants, iotas and other ops that read no elements.

use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use rlx_ir::{DType, Dim, Literal, Node, Op, Scalar};

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    match node.op() {
        Op::Constant { value } => constant(w, node, value),
        Op::Iota { axis, .. } => iota(w, node, &at[*axis]),
        Op::DimSize { axis } => dim_size(reader, w, node, *axis),
        _ => Err(LowerError::unruled(node)),
    }
}

/// Returns the single value that all elements of a constant have. Other constants are in memory.
fn constant(w: &mut Writer, node: &Node, value: &Literal) -> Lowered {
    let why = "its elements differ, so the group has to keep it in memory";
    let repeated = repeated(value).ok_or(LowerError::NotLowered { op: node.op().mnemonic(), why })?;
    Ok(w.constant(node.shape().dtype(), repeated))
}

/// Returns the value of all elements of a constant if they are equal bit for bit, or zero if there are none.
pub(super) fn repeated(value: &Literal) -> Option<Scalar> {
    let mut elements = value.bytes().chunks_exact(value.dtype().size());
    match elements.next() {
        None => Some(Scalar::Int(0)),
        Some(first) => elements.all(|e| e == first).then(|| Scalar::read(value.dtype(), first)),
    }
}

/// Returns the value of all elements of a node, if it is a constant whose elements are equal.
pub(super) fn known(node: &Node) -> Option<Scalar> {
    match node.op() {
        Op::Constant { value } => repeated(value),
        _ => None,
    }
}

/// Returns the index along an axis.
fn iota(w: &mut Writer, node: &Node, index: &Dim) -> Lowered {
    let count = w.index(DType::I64, index);
    Ok(w.convert(count, node.shape().dtype()))
}

/// Returns the size of an axis.
fn dim_size(reader: &Reader<'_>, w: &mut Writer, node: &Node, axis: usize) -> Lowered {
    let size = reader.shape(node.inputs()[0]).dim(axis);
    Ok(w.index(DType::I64, size))
}
