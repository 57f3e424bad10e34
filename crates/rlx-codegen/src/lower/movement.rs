//! Lowers ops that only move elements: an element is one of an operand at other indices, or a fill value.

use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::Guard;
use rlx_ir::{Dim, Node, Op};

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let x = node.inputs()[0];
    let dims = reader.shape(x).dims();
    match node.op() {
        Op::Transpose { perm } => {
            let mut source = vec![Dim::Static(0); perm.len()];
            perm.iter().zip(at).for_each(|(&axis, index)| source[axis] = index.clone());
            reader.element(w, x, &source)
        }
        Op::BroadcastInDim { axes, .. } => {
            let along = |(axis, dim): (&usize, &Dim)| match dim {
                Dim::Static(1) => Dim::Static(0),
                Dim::Static(_) => at[*axis].clone(),
                _ if *dim == reader.shape(node.id()).dims()[*axis] => at[*axis].clone(),
                // The size may be 1 when it is bound. In that case the last index, which is 0, is used everywhere.
                _ => &at[*axis] - &(&at[*axis] - &dim.offset(-1)).larger(&Dim::Static(0)),
            };
            reader.element(w, x, &axes.iter().zip(dims).map(along).collect::<Vec<_>>())
        }
        Op::Slice { starts, strides, .. } => {
            let along = |((index, start), &stride): ((&Dim, &Dim), &usize)| start + &(index * stride);
            reader.element(w, x, &at.iter().zip(starts).zip(strides).map(along).collect::<Vec<_>>())
        }
        Op::Reverse { axes } => {
            let along = |(axis, (index, dim)): (usize, (&Dim, &Dim))| match axes.contains(&axis) {
                true => (dim - index).offset(-1),
                false => index.clone(),
            };
            reader.element(w, x, &at.iter().zip(dims).enumerate().map(along).collect::<Vec<_>>())
        }
        Op::Pad { low, interior, .. } => pad(reader, w, node, at, (low, interior)),
        Op::Concatenate { axis } => concatenate(reader, w, node, at, *axis),
        Op::Reshape { .. } => reshape(reader, w, node, at),
        Op::OptimizationBarrier {} => reader.element(w, x, at),
        Op::Permute { targets, .. } if targets.is_empty() => {
            alone(node)?;
            Ok(w.constant(node.shape().dtype(), rlx_ir::Scalar::Int(0)))
        }
        Op::AllReduce { .. }
        | Op::AllGather { .. }
        | Op::ReduceScatter { .. }
        | Op::AllToAll { .. }
        | Op::Permute { .. } => {
            alone(node)?;
            reshape(reader, w, node, at)
        }
        _ => Err(LowerError::unruled(node)),
    }
}

/// Fails for a collective with several participants. With a single one, its value stays the same.
fn alone(node: &Node) -> Result<(), LowerError> {
    let why = "it has several participants, but nothing has mapped the graph over its axis";
    node.op().check_alone().map_err(|_| LowerError::NotLowered { op: node.op().mnemonic(), why })
}

/// Returns the element of x, or the padding value between and around elements.
fn pad(
    reader: &mut Reader<'_>,
    w: &mut Writer,
    node: &Node,
    at: &[Dim],
    (low, interior): (&[i64], &[usize]),
) -> Lowered {
    let (x, value) = (node.inputs()[0], node.inputs()[1]);
    let fill = reader.element(w, value, &[])?;
    let mut guard = Guard::default();
    let mut source = Vec::with_capacity(at.len());
    for (axis, index) in at.iter().enumerate() {
        let dim = &reader.shape(x).dims()[axis];
        let step = interior[axis] + 1;
        let inside = index.offset(-low[axis]);
        let from = inside.floor_div(&Dim::Static(step));
        if step > 1 {
            // Between two elements the remainder is not 0.
            guard = guard.and(Guard(vec![&(&from * step) - &inside]));
        }
        if low[axis] != 0 || step > 1 || reader.shape(node.id()).dims()[axis] != *dim {
            guard = guard.and(Guard::inside(&from, dim));
        }
        source.push(from);
    }
    reader.element_where(w, x, &source, guard, fill)
}

/// Selects the operand whose part of the axis contains the index.
fn concatenate(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim], axis: usize) -> Lowered {
    let mut end = reader.shape(node.id()).dims()[axis].clone();
    let mut result = None;
    for &x in node.inputs().iter().rev() {
        let start = &end - &reader.shape(x).dims()[axis];
        let mut source = at.to_vec();
        source[axis] = &at[axis] - &start;
        result = Some(match result {
            None if node.inputs().len() == 1 => reader.element(w, x, &source)?,
            // The last operand is only read in its part, like the others.
            None => {
                let zero = w.constant(reader.shape(x).dtype(), rlx_ir::Scalar::Int(0));
                reader.element_where(w, x, &source, Guard(vec![source[axis].clone()]), zero)?
            }
            Some(behind) => {
                let guard = Guard(vec![source[axis].clone(), (&end - &at[axis]).offset(-1)]);
                reader.element_where(w, x, &source, guard, behind)?
            }
        });
        end = start;
    }
    // `infer` does not accept a concatenation without operands.
    result.ok_or(LowerError::NotLowered { op: node.op().mnemonic(), why: "it has no operands" })
}

/// Returns the element at the same position in row-major order.
fn reshape(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let x = node.inputs()[0];
    let source = reshaped(w, at, reader.shape(node.id()).dims(), reader.shape(x).dims());
    reader.element(w, x, &source)
}

/// Converts the indices `at` under sizes `to` to indices under sizes `from`. Equal axes at both ends keep their
/// indices, so that positions are only computed for the axes between them. With symbolic sizes, a quotient could not be
/// simplified to such an index.
pub(super) fn reshaped(w: &Writer, at: &[Dim], to: &[Dim], from: &[Dim]) -> Vec<Dim> {
    let many = |dims: &[Dim]| -> Vec<usize> {
        (0..dims.len()).filter(|&axis| dims[axis] != Dim::Static(1)).collect()
    };
    let (to_axes, from_axes) = (many(to), many(from));
    let same = |(a, b): &(&usize, &usize)| to[**a] == from[**b];
    let head = to_axes.iter().zip(&from_axes).take_while(same).count();
    let (to_left, from_left) = (&to_axes[head..], &from_axes[head..]);
    let tail = to_left.iter().rev().zip(from_left.iter().rev()).take_while(same).count();
    let middle = |axes: &[usize]| head..axes.len() - tail;
    let (to_middle, from_middle) = (&to_axes[middle(&to_axes)], &from_axes[middle(&from_axes)]);
    let of =
        |axes: &[usize], all: &[Dim]| -> Vec<Dim> { axes.iter().map(|&axis| all[axis].clone()).collect() };
    let place = flattened(&of(to_middle, at), &of(to_middle, to));
    let mut source = vec![Dim::Static(0); from.len()];
    let indices = unflattened(w, &place, &of(from_middle, from));
    from_middle.iter().zip(indices).for_each(|(&axis, index)| source[axis] = index);
    let kept = (0..head).chain(from_axes.len() - tail..from_axes.len());
    kept.zip((0..head).chain(to_axes.len() - tail..to_axes.len()))
        .for_each(|(own, index)| source[from_axes[own]] = at[to_axes[index]].clone());
    source
}

/// Returns the position in row-major order.
pub(super) fn flattened(at: &[Dim], dims: &[Dim]) -> Dim {
    at.iter().zip(dims).fold(Dim::Static(0), |place, (index, dim)| &(&place * dim) + index)
}

/// Returns the indices of a position in row-major order. The position is in range, so that the first index takes what is left.
pub(super) fn unflattened(w: &Writer, place: &Dim, dims: &[Dim]) -> Vec<Dim> {
    let mut indices = vec![Dim::Static(0); dims.len()];
    let mut rest = place.clone();
    let outermost = dims.iter().position(|dim| *dim != Dim::Static(1));
    for (axis, dim) in dims.iter().enumerate().rev() {
        if *dim == Dim::Static(0) {
            // There is no such position.
            return indices;
        }
        if outermost == Some(axis) {
            // Nothing is left for the axes before it.
            indices[axis] = w.simplified(&rest);
            return indices;
        }
        let quotient = w.simplified(&rest.floor_div(dim));
        indices[axis] = w.simplified(&(&rest - &(&quotient * dim)));
        rest = quotient;
    }
    indices
}
