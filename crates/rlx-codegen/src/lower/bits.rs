//! Lowers elements that are read as other types: `bitcast_convert` here, packed blocks in `quantized.rs`.

use super::{LowerError, Lowered, Reader, quantized};
use crate::build::Writer;
use crate::kernel::{Guard, ScalarId};
use rlx_ir::{BinaryOp, DType, Dim, Node, NodeId, Op, Scalar, UnaryOp};

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    match node.op() {
        Op::BitcastConvert { .. } => bitcast_convert(reader, w, node, at),
        Op::DequantizeBlocks { scheme } => quantized::element(reader, w, node, at, *scheme),
        _ => Err(LowerError::unruled(node)),
    }
}

/// Returns the unsigned integer type with this number of bytes.
fn word(bytes: usize) -> DType {
    match bytes {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// Reinterprets the bytes of x as another type, in little-endian order. A wider type removes the last axis, a narrower one adds it.
fn bitcast_convert(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let x = node.inputs()[0];
    let (from, to) = (reader.shape(x).dtype(), node.shape().dtype());
    if from.size() == to.size() {
        let element = reader.element(w, x, at)?;
        return Ok(w.bitcast(element, to));
    }
    if from.size() < to.size() {
        return joined(reader, w, x, at, to);
    }
    let Some((part, at)) = at.split_last() else { return Err(LowerError::unruled(node)) };
    let element = reader.element(w, x, at)?;
    Ok(part_of(w, element, part, to))
}

/// Returns one of the narrower elements that a scalar consists of.
fn part_of(w: &mut Writer, x: ScalarId, part: &Dim, to: DType) -> ScalarId {
    let from = w.dtype(x);
    if from.size() > 8 {
        // There is no 16-byte integer, so the part is taken from one of the two halves.
        let (low, high) = (w.unary(UnaryOp::Real, x), w.unary(UnaryOp::Imag, x));
        let parts = 8 / to.size();
        let second = part.floor_div(&Dim::Static(parts));
        let is_second = w.holds(Guard(vec![second.offset(-1)]));
        let half = w.select(is_second, high, low);
        let rest = w.simplified(&(part - &(&second * parts)));
        return if parts == 1 { w.bitcast(half, to) } else { part_of(w, half, &rest, to) };
    }
    let bits = w.bitcast(x, word(from.size()));
    let distance = w.index(word(from.size()), &(part * (8 * to.size())));
    let bits = w.binary(BinaryOp::ShiftRightLogical, bits, distance);
    let bits = w.convert(bits, word(to.size()));
    w.bitcast(bits, to)
}

/// Joins the narrower elements along the last axis of x to a scalar.
fn joined(reader: &mut Reader<'_>, w: &mut Writer, x: NodeId, at: &[Dim], to: DType) -> Lowered {
    let size = reader.shape(x).dtype().size();
    let mut halves = Vec::new();
    for half in 0..to.size().div_ceil(8) {
        let bytes = to.size().min(8);
        let mut whole = None;
        for part in 0..bytes / size {
            let place = [at, &[Dim::Static(half * (bytes / size) + part)]].concat();
            let element = reader.element(w, x, &place)?;
            let bits = w.bitcast(element, word(size));
            let bits = w.convert(bits, word(bytes));
            let bits = shifted(w, bits, 8 * size * part);
            whole = Some(whole.map_or(bits, |whole| w.binary(BinaryOp::Or, whole, bits)));
        }
        halves.extend(whole);
    }
    Ok(match halves[..] {
        [low, high] => {
            let parts = [low, high].map(|bits| w.bitcast(bits, DType::F64));
            w.binary(BinaryOp::Complex, parts[0], parts[1])
        }
        _ => w.bitcast(halves[0], to),
    })
}

fn shifted(w: &mut Writer, bits: ScalarId, distance: usize) -> ScalarId {
    if distance == 0 {
        return bits;
    }
    let distance = w.constant(w.dtype(bits), Scalar::Int(distance as i128));
    w.binary(BinaryOp::ShiftLeft, bits, distance)
}
