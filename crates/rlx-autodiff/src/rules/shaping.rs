//! Rules of ops that move elements. Each op is linear in the elements that it moves; its transpose moves elements back, and adds
//! up those that the op repeated.

mod dynamic;
mod pad;
mod slices;

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use rlx_ir::{Dim, Op, OpKind, ReduceOp, Tensor};

type TransposeRule = fn(&Backward<'_>, &Op, &[Arg], &Cotangents<'_>) -> Result<Vec<Option<Tensor>>, Error>;
type BatchRule = fn(&Batching<'_>, &Op, &[Batched]) -> Result<Vec<Batched>, Error>;

/// An op that moves elements.
const fn moving(transpose: TransposeRule, batch: BatchRule) -> Rules {
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) }
}

const RESHAPE: Rules = moving(reshape_transpose, shifted_batch);
const TRANSPOSE: Rules = moving(transpose_transpose, shifted_batch);
const BROADCAST_IN_DIM: Rules = moving(broadcast_transpose, shifted_batch);
const SLICE: Rules = moving(slices::slice_transpose, shifted_batch);
const PAD: Rules = moving(pad::transpose, pad::batch);
const CONCATENATE: Rules = moving(slices::concatenate_transpose, shifted_batch);
const REVERSE: Rules = moving(reverse_transpose, shifted_batch);
const DYNAMIC_SLICE: Rules = moving(dynamic::slice_transpose, dynamic::slice_batch);
const DYNAMIC_UPDATE_SLICE: Rules = moving(dynamic::update_transpose, dynamic::update_batch);

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Reshape => RESHAPE,
        OpKind::Transpose => TRANSPOSE,
        OpKind::BroadcastInDim => BROADCAST_IN_DIM,
        OpKind::Slice => SLICE,
        OpKind::Pad => PAD,
        OpKind::Concatenate => CONCATENATE,
        OpKind::Reverse => REVERSE,
        OpKind::DynamicSlice => DYNAMIC_SLICE,
        OpKind::DynamicUpdateSlice => DYNAMIC_UPDATE_SLICE,
        _ => return None,
    })
}

/// The op with its axes shifted by one, on operands that all have a leading batch axis.
fn shifted_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let operands: Vec<Tensor> = operands.iter().map(|x| cx.front(x)).collect();
    let shifted = |axes: &[usize]| axes.iter().map(|a| a + 1).collect();
    let with_batch = |axes: &[usize]| std::iter::once(0).chain(axes.iter().map(|a| a + 1)).collect();
    let op = match op {
        Op::Reshape { dims } => Op::Reshape { dims: leading(&cx.size, dims) },
        Op::Transpose { perm } => Op::Transpose { perm: with_batch(perm) },
        Op::BroadcastInDim { dims, axes } => {
            Op::BroadcastInDim { dims: leading(&cx.size, dims), axes: with_batch(axes) }
        }
        Op::Slice { starts, limits, strides } => Op::Slice {
            starts: leading(&Dim::Static(0), starts),
            limits: leading(&cx.size, limits),
            strides: leading(&1, strides),
        },
        Op::Concatenate { axis } => Op::Concatenate { axis: axis + 1 },
        Op::Reverse { axes } => Op::Reverse { axes: shifted(axes) },
        _ => return Err(Error::no_rule("batching rule", "it does not only move elements")),
    };
    Ok(cx.apply(op, &operands))
}

/// The list with `first` prepended.
fn leading<T: Clone>(first: &T, rest: &[T]) -> Vec<T> {
    std::iter::once(first).chain(rest).cloned().collect()
}

fn reshape_transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    Ok(vec![Some(cts.first(cx.builder).reshape(operands[0].shape().dims()))])
}

fn transpose_transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let Op::Transpose { perm } = op else { return Ok(Vec::new()) };
    Ok(vec![Some(cts.first(cx.builder).transpose(&inverse(perm)))])
}

/// The permutation that undoes `perm`.
fn inverse(perm: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; perm.len()];
    perm.iter().enumerate().for_each(|(i, &p)| inverse[p] = i);
    inverse
}

/// Sums over the axes along which the operand was repeated.
fn broadcast_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Op::BroadcastInDim { dims, axes }, [x]) = (op, operands) else { return Ok(Vec::new()) };
    let own = x.shape();
    let one = Dim::Static(1);
    let stays = |axis: usize| axes.iter().position(|&to| to == axis).is_some_and(|i| *own.dim(i) != one);
    let (kept, repeated): (Vec<usize>, Vec<usize>) = (0..dims.len()).partition(|&axis| stays(axis));
    let ct = cts.first(cx.builder);
    let summed = if repeated.is_empty() { ct } else { ct.reduce(ReduceOp::Sum, &repeated, false) };
    // The remaining axes are in the order of the result; reorder them to that of x.
    let order: Vec<usize> = axes.iter().filter_map(|to| kept.iter().position(|axis| axis == to)).collect();
    Ok(vec![Some(summed.transpose(&order).reshape(own.dims()))])
}

fn reverse_transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    Ok(vec![Some(cts.first(cx.builder).apply(op.clone(), &[]))])
}
