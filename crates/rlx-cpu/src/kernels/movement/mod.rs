//! Kernels of ops that only move elements, each as a list of strided copies.

mod dynamic;
mod iota;
pub(crate) mod strided;

use super::{PrepareContext, Way, missing, num_bytes, sizes};
use crate::exec::{LaunchContext, OpKernel, RunError};
pub(crate) use dynamic::read_index;
use iota::Iota;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{Dim, Op, OpKind};
use strided::{CopyAxis, StridedCopy};

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        Transpose | BroadcastInDim | Slice | Pad | Concatenate | Reverse | DynamicSlice
        | DynamicUpdateSlice | AllReduce | AllGather | ReduceScatter | AllToAll | Permute => {
            Way::Kernel(prepare)
        }
        _ => return None,
    })
}

/// Prepares the kernel of a node that moves elements.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let steps = match cx.node.op() {
        Op::Transpose { perm } => vec![transpose(cx, perm)],
        Op::BroadcastInDim { axes, .. } => vec![broadcast(cx, axes)],
        Op::Slice { starts, strides, .. } => vec![slice(cx, starts, strides)],
        Op::Reverse { axes } => vec![reverse(cx, axes)],
        Op::Pad { low, interior, .. } => pad(cx, low, interior),
        Op::Concatenate { axis } => concatenate(cx, *axis),
        Op::OptimizationBarrier { .. } => barrier(cx),
        Op::Iota { shape, axis } => return Ok(Box::new(Iota::new(&sizes(shape), *axis, shape.dtype()))),
        op if op.axis_name().is_some() => {
            op.check_alone().map_err(|e| BackendError::Unsupported(format!("`{}`: {e}", op.mnemonic())))?;
            if matches!(op, Op::Permute { targets, .. } if targets.is_empty()) {
                return Ok(Box::new(Zeros));
            }
            barrier(cx)
        }
        Op::DynamicSlice { .. } | Op::DynamicUpdateSlice { .. } => return Ok(dynamic::prepare(cx)),
        _ => return missing(cx),
    };
    let whole = matches!(cx.node.op(), Op::OptimizationBarrier { .. }) || cx.node.op().axis_name().is_some();
    let in_place = if whole { vec![0] } else { Vec::new() };
    Ok(Box::new(Moves { steps, in_place }))
}

/// Copies that run one after the other.
struct Moves {
    steps: Vec<Step>,
    in_place: Vec<usize>,
}

/// One copy, with the offsets of its first element in bytes.
struct Step {
    copy: StridedCopy,
    operand: usize,
    result: usize,
    from: isize,
    to: isize,
}

impl Step {
    fn of(copy: StridedCopy, from: isize) -> Step {
        Step { copy, operand: 0, result: 0, from, to: 0 }
    }
}

impl OpKernel for Moves {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: 0, in_place: self.in_place.clone() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        for step in &self.steps {
            if cx.input_ptr(step.operand) == cx.output_ptr(step.result).cast_const() {
                continue;
            }
            // SAFETY: the copy was planned from the shapes of operand and result. Only an op that copies its whole operand runs in place,
            // and then its copy is skipped.
            unsafe { step.copy.share(cx, step.operand, step.result, step.from, step.to) };
        }
        Ok(())
    }
}

/// Returns, for each axis, the distance in bytes between neighbors in a row-major tensor.
pub(crate) fn byte_strides(dims: &[usize], size: usize) -> Vec<isize> {
    let mut strides = vec![size as isize; dims.len()];
    for axis in (1..dims.len()).rev() {
        // Wraps only if another dimension is 0, and then no stride is used.
        strides[axis - 1] = strides[axis].wrapping_mul(dims[axis] as isize);
    }
    strides
}

/// Combines dimensions with their strides on both sides.
pub(crate) fn axes(dims: &[usize], from: &[isize], to: &[isize]) -> Vec<CopyAxis> {
    let strides = from.iter().zip(to);
    dims.iter().zip(strides).map(|(&size, (&from, &to))| CopyAxis::new(size, from, to)).collect()
}

fn size_of_element(cx: &PrepareContext<'_>) -> usize {
    cx.node.shape().dtype().size()
}

/// Returns a copy from operand 0 to the whole first result.
fn gathered(cx: &PrepareContext<'_>, from: &[isize], start: isize) -> Step {
    let (dims, size) = (cx.out_dims(), size_of_element(cx));
    Step::of(StridedCopy::new(size, &axes(&dims, from, &byte_strides(&dims, size))), start)
}

fn transpose(cx: &PrepareContext<'_>, perm: &[usize]) -> Step {
    let own = byte_strides(&cx.dims(0), size_of_element(cx));
    let from: Vec<isize> = perm.iter().map(|&p| own[p]).collect();
    gathered(cx, &from, 0)
}

fn broadcast(cx: &PrepareContext<'_>, places: &[usize]) -> Step {
    let dims = cx.dims(0);
    let own = byte_strides(&dims, size_of_element(cx));
    let mut from = vec![0; cx.out_dims().len()];
    for (axis, &place) in places.iter().enumerate() {
        from[place] = if dims[axis] == 1 { 0 } else { own[axis] };
    }
    gathered(cx, &from, 0)
}

fn slice(cx: &PrepareContext<'_>, starts: &[Dim], strides: &[usize]) -> Step {
    let own = byte_strides(&cx.dims(0), size_of_element(cx));
    let from: Vec<isize> =
        own.iter().zip(strides).map(|(own, &step)| own.wrapping_mul(step as isize)).collect();
    let first = |(own, start): (&isize, &Dim)| own.wrapping_mul(start.as_static().unwrap_or(0) as isize);
    let start = own.iter().zip(starts).map(first).fold(0, isize::wrapping_add);
    gathered(cx, &from, start)
}

fn reverse(cx: &PrepareContext<'_>, reversed: &[usize]) -> Step {
    let dims = cx.dims(0);
    let mut from = byte_strides(&dims, size_of_element(cx));
    let mut start = 0;
    for &axis in reversed {
        start = from[axis].wrapping_mul(dims[axis].saturating_sub(1) as isize).wrapping_add(start);
        from[axis] = from[axis].wrapping_neg();
    }
    gathered(cx, &from, start)
}

/// Returns a copy of the padding value to all elements, followed by a copy of the elements of x that stay inside.
fn pad(cx: &PrepareContext<'_>, low: &[i64], interior: &[usize]) -> Vec<Step> {
    let (dims, out, size) = (cx.dims(0), cx.out_dims(), size_of_element(cx));
    let (own, to) = (byte_strides(&dims, size), byte_strides(&out, size));
    let (mut from_start, mut to_start) = (0, 0);
    let mut inside = Vec::with_capacity(dims.len());
    for axis in 0..dims.len() {
        let (step, low) = (interior[axis] as i128 + 1, i128::from(low[axis]));
        // Elements first..end are those for which 0 ≤ i · step + low < out.
        let first = (-low).max(0).div_euclid(step) + i128::from((-low).max(0) % step != 0);
        let end = (out[axis] as i128 - low + step - 1).div_euclid(step).clamp(0, dims[axis] as i128);
        let count = (end - first).max(0) as usize;
        if count > 0 {
            from_start += own[axis] * first as isize;
            to_start += to[axis] * (first * step + low) as isize;
        }
        // The step between two elements is used only if there are two.
        let wide = if count > 1 { to[axis] * step as isize } else { 0 };
        inside.push(CopyAxis::new(count, own[axis], wide));
    }
    let moved = StridedCopy::new(size, &inside);
    let whole = inside.iter().zip(&out).all(|(a, &n)| a.size == n);
    let fill = StridedCopy::new(size, &axes(&out, &vec![0; out.len()], &to));
    let fill = Step { copy: fill, operand: 1, result: 0, from: 0, to: 0 };
    let moved = Step { copy: moved, operand: 0, result: 0, from: from_start, to: to_start };
    if whole { vec![moved] } else { vec![fill, moved] }
}

fn concatenate(cx: &PrepareContext<'_>, axis: usize) -> Vec<Step> {
    let size = size_of_element(cx);
    let to = byte_strides(&cx.out_dims(), size);
    let mut offset = 0;
    let mut steps = Vec::with_capacity(cx.node.inputs().len());
    for operand in 0..cx.node.inputs().len() {
        let dims = cx.dims(operand);
        let copy = StridedCopy::new(size, &axes(&dims, &byte_strides(&dims, size), &to));
        steps.push(Step { copy, operand, result: 0, from: 0, to: offset });
        offset = to[axis].wrapping_mul(dims[axis] as isize).wrapping_add(offset);
    }
    steps
}

/// Copies each operand whole: barriers, and collectives with one participant.
fn barrier(cx: &PrepareContext<'_>) -> Vec<Step> {
    let bytes = |i: usize| num_bytes(cx.operand(i));
    let step = |i: usize| Step { copy: StridedCopy::plain(bytes(i)), operand: i, result: i, from: 0, to: 0 };
    (0..cx.node.inputs().len()).map(step).collect()
}

/// A value with the bit pattern of zero of every type.
struct Zeros;

impl OpKernel for Zeros {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        cx.output::<u8>(0).fill(0);
        Ok(())
    }
}
