//! Lowers elements of gathers and of slices at dynamic offsets.

use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::Guard;
use rlx_ir::{Dim, Node, Op, Scalar};

/// Returns the last position of a window of one size along an axis of another. The window fits, which the shape rule
/// ensures when sizes are bound.
fn last(outer: &Dim, inner: &Dim) -> Dim {
    outer - inner
}

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    match node.op() {
        Op::DynamicSlice { .. } => dynamic_slice(reader, w, node, at),
        Op::DynamicUpdateSlice {} => dynamic_update_slice(reader, w, node, at),
        _ => gather(reader, w, node, at),
    }
}

/// A slice at an offset.
fn dynamic_slice(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let [x, starts @ ..] = node.inputs() else { return Err(LowerError::unruled(node)) };
    let (outer, inner) = (reader.shape(*x).dims(), node.shape().dims());
    let mut source = Vec::with_capacity(at.len());
    for (axis, &start) in starts.iter().enumerate() {
        let start = reader.start(w, start, &last(&outer[axis], &inner[axis]))?;
        source.push(&start + &at[axis]);
    }
    reader.element(w, *x, &source)
}

/// A tensor with a slice replaced.
fn dynamic_update_slice(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let [x, update, starts @ ..] = node.inputs() else { return Err(LowerError::unruled(node)) };
    let (outer, inner) = (node.shape().dims(), reader.shape(*update).dims());
    let mut guard = Guard::default();
    let mut source = Vec::with_capacity(at.len());
    for (axis, &start) in starts.iter().enumerate() {
        let start = reader.start(w, start, &last(&outer[axis], &inner[axis]))?;
        let index = &at[axis] - &start;
        guard = guard.and(Guard::inside(&index, &inner[axis]));
        source.push(index);
    }
    let old = reader.element(w, *x, at)?;
    reader.element_where(w, *update, &source, guard, old)
}

/// Gathers one window for each index vector.
fn gather(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let Op::Gather { dims: gather, slice_sizes } = node.op() else {
        return Err(LowerError::unruled(node));
    };
    let axes = gather.windows();
    let (x, indices) = (node.inputs()[0], node.inputs()[1]);
    let dims = reader.shape(x).dims();
    // The index vector. `at` counts all axes of the indices except its own.
    let vector: Vec<Dim> = axes.counting(at.len()).into_iter().map(|axis| at[axis].clone()).collect();
    let mut source = vec![Dim::Static(0); dims.len()];
    for (item, &axis) in axes.map.iter().enumerate() {
        let mut place = vector.clone();
        if axes.vector_dim < reader.shape(indices).rank() {
            place.insert(axes.vector_dim, Dim::Static(item));
        }
        let start = reader.element(w, indices, &place)?;
        let places = match slice_sizes[axis] {
            // Empty windows are never read, or belong to an empty axis.
            Dim::Static(0) => dims[axis].larger(&Dim::Static(1)),
            _ => last(&dims[axis], &slice_sizes[axis]).offset(1),
        };
        source[axis] = w.clamped(start, &places);
    }
    for (&axis, place) in axes.x_batch.iter().zip(axes.batch_places()) {
        source[axis] = vector[place].clone();
    }
    for (axis, &offset) in axes.x_window(dims.len()).into_iter().zip(axes.window) {
        source[axis] = &source[axis] + &at[offset];
    }
    // Empty windows of a collapsed empty axis leave positions with nothing to read.
    let thin = axes.dropped.iter().chain(axes.x_batch);
    let thin = thin.filter(|&&axis| slice_sizes[axis] == Dim::Static(0));
    let guard = Guard(thin.map(|&axis| dims[axis].offset(-1)).collect());
    let nothing = w.constant(node.shape().dtype(), Scalar::Int(0));
    reader.element_where(w, x, &source, guard, nothing)
}
