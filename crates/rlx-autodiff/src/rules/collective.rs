//! Rules of collectives: their derivatives, which are collectives too, and vectorization over the axis that they name.

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::rules::elementwise::indicator;
use crate::vmap::move_axis;
use rlx_ir::{DType, Dim, Op, OpKind, ReduceOp, Shape, Tensor};

const fn collective(jvp: Jvp) -> Rules {
    Rules { jvp, transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) }
}

const REDUCING: Rules = collective(Jvp::Rule(reducing_jvp));
const MOVING: Rules = collective(Jvp::Table);
const AXIS_INDEX: Rules = Rules { jvp: Jvp::Zero, transpose: Transpose::None, batch: Batch::Rule(batch) };

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::AllReduce | OpKind::ReduceScatter => REDUCING,
        OpKind::AllGather | OpKind::AllToAll | OpKind::Permute => MOVING,
        OpKind::AxisIndex => AXIS_INDEX,
        _ => return None,
    })
}

/// Sums are linear. A maximum or minimum passes on the mean of the tangents of the participants that have it.
fn reducing_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [Dual { primal: x, tangent: Some(t) }] = operands else {
        return Err(Error::no_rule("derivative", "it is not a collective of one tensor"));
    };
    let y = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let tangent = match op {
        Op::AllReduce { op: ReduceOp::Sum, .. } | Op::ReduceScatter { op: ReduceOp::Sum, .. } => {
            t.apply(op.clone(), &[])
        }
        Op::AllReduce { op: ReduceOp::Max | ReduceOp::Min, axis_name } => {
            let has_it = indicator(&x.equal(&y), x);
            (t * (&has_it / has_it.psum(axis_name))).psum(axis_name)
        }
        _ => {
            let why = "only sums, and maxima and minima that every participant gets, have one; gather the values and reduce them";
            return Err(Error::no_rule("derivative", why));
        }
    };
    Ok(vec![Dual::new(y, tangent)])
}

fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let op = match op.clone() {
        sum @ Op::AllReduce { op: ReduceOp::Sum, .. } => sum,
        Op::AllGather { axis, axis_name, size, tiled } => {
            Op::ReduceScatter { op: ReduceOp::Sum, axis, axis_name, size, tiled }
        }
        Op::ReduceScatter { op: ReduceOp::Sum, axis, axis_name, size, tiled } => {
            Op::AllGather { axis, axis_name, size, tiled }
        }
        Op::AllToAll { split_axis, concat_axis, axis_name, size, tiled } => {
            Op::AllToAll { split_axis: concat_axis, concat_axis: split_axis, axis_name, size, tiled }
        }
        Op::Permute { sources, targets, axis_name } => {
            Op::Permute { sources: targets, targets: sources, axis_name }
        }
        _ => return Err(Error::no_rule("transpose", "it is not linear in its operand")),
    };
    Ok(vec![Some(cts.first(cx.builder).apply(op, &[]))])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    if op.axis_name() != cx.axis_name {
        let fronts: Vec<Tensor> = operands.iter().map(|x| cx.front(x)).collect();
        return Ok(cx.apply(shifted(op.clone()), &fronts));
    }
    check_size(cx, op)?;
    let Some(x) = operands.first() else {
        let counted = Shape::from_dims(std::slice::from_ref(&cx.size), DType::I32);
        return Ok(vec![Batched::each(cx.builder.iota(counted, 0))]);
    };
    Ok(vec![match op {
        Op::AllReduce { op, .. } => Batched::shared(reduced(cx, *op, x)),
        Op::AllGather { axis, tiled, .. } => Batched::shared(joined(&cx.front(x), *axis, *tiled)),
        Op::ReduceScatter { op, axis, tiled, .. } => {
            Batched::each(parted(cx, &reduced(cx, *op, x), *axis, *tiled))
        }
        Op::AllToAll { split_axis, concat_axis, tiled, .. } => {
            // The senders stay on axis 1 while the receivers are moved to the front.
            let by_receiver = parted(cx, &cx.front(x), split_axis + 1, *tiled);
            Batched::each(joined_at(&by_receiver, 1, concat_axis + 1, *tiled))
        }
        Op::Permute { sources, targets, .. } => Batched::each(permuted(cx, &cx.front(x), sources, targets)?),
        _ => return Err(Error::no_rule("batching rule", "it is not a collective")),
    }])
}

/// A collective over another axis, on tensors with a leading batch axis.
fn shifted(op: Op) -> Op {
    match op {
        Op::AllGather { axis, axis_name, size, tiled } => {
            Op::AllGather { axis: axis + 1, axis_name, size, tiled }
        }
        Op::ReduceScatter { op, axis, axis_name, size, tiled } => {
            Op::ReduceScatter { op, axis: axis + 1, axis_name, size, tiled }
        }
        Op::AllToAll { split_axis, concat_axis, axis_name, size, tiled } => {
            Op::AllToAll { split_axis: split_axis + 1, concat_axis: concat_axis + 1, axis_name, size, tiled }
        }
        other => other,
    }
}

/// Fails if a collective states a number of participants that differs from the actual one.
fn check_size(cx: &Batching<'_>, op: &Op) -> Result<(), Error> {
    let (Op::AllGather { size, .. } | Op::ReduceScatter { size, .. } | Op::AllToAll { size, .. }) = op else {
        return Ok(());
    };
    if size.compatible(&cx.size) {
        return Ok(());
    }
    let (op, name) = (op.mnemonic(), cx.axis_name.unwrap_or_default());
    Err(Error::Axis(format!("`{op}` is over {size} participants, but axis {name:?} has size {}", cx.size)))
}

/// Combines the values of all participants. A value that is the same for all is multiplied instead of summed if that is exact.
fn reduced(cx: &Batching<'_>, op: ReduceOp, x: &Batched) -> Tensor {
    // Narrow types do not represent every count.
    let exact = x.value.dtype().size() >= 4;
    match op {
        ReduceOp::Max | ReduceOp::Min | ReduceOp::And | ReduceOp::Or if !x.batched => x.value.clone(),
        ReduceOp::Sum if !x.batched && exact => {
            let counted = x.value.scalar_like(0.0).broadcast_to(std::slice::from_ref(&cx.size));
            &x.value * counted.count(&[0])
        }
        _ => cx.front(x).reduce(op, &[0], false),
    }
}

/// Moves the leading axis to `axis`, or joins it with that axis.
fn joined(x: &Tensor, axis: usize, tiled: bool) -> Tensor {
    joined_at(x, 0, axis, tiled)
}

/// Moves axis `from` to `to` among the remaining axes, or joins it with the axis that is there.
fn joined_at(x: &Tensor, from: usize, to: usize, tiled: bool) -> Tensor {
    let moved = move_axis(x, from, to);
    if !tiled {
        return moved;
    }
    let mut dims = moved.dims();
    let count = dims.remove(to);
    dims[to] = &dims[to] * &count;
    moved.reshape(&dims)
}

/// Splits an axis among the participants, whose axis becomes the first.
fn parted(cx: &Batching<'_>, x: &Tensor, axis: usize, tiled: bool) -> Tensor {
    if !tiled {
        return move_axis(x, axis, 0);
    }
    let mut dims = x.dims();
    dims[axis] = dims[axis].floor_div(&cx.size);
    dims.insert(axis, cx.size.clone());
    move_axis(&x.reshape(&dims), axis, 0)
}

/// The slices of the senders at the indices of the receivers, and zeros elsewhere.
fn permuted(cx: &Batching<'_>, x: &Tensor, sources: &[usize], targets: &[usize]) -> Result<Tensor, Error> {
    let name = cx.axis_name.unwrap_or_default();
    let Some(size) = cx.size.as_static() else {
        let message = format!("`permute` over axis {name:?} needs its size; state it with `VmapAxes::size`");
        return Err(Error::Axis(message));
    };
    if let Some(i) = sources.iter().chain(targets).find(|&&i| i >= size) {
        let message = format!("`permute` names participant {i} of axis {name:?}, which has only {size}");
        return Err(Error::Axis(message));
    }
    let zeros = || x.scalar_like(0.0).broadcast_to(&slice_dims(x));
    let slice = |receiver: usize| match targets.iter().position(|&t| t == receiver) {
        Some(i) => x.slice_axis(0, sources[i], sources[i] + 1),
        None => zeros(),
    };
    let slices: Vec<Tensor> = (0..size).map(slice).collect();
    Ok(cx.builder.apply(Op::Concatenate { axis: 0 }, &slices.iter().collect::<Vec<_>>()))
}

/// The dimensions of one slice along the leading axis.
fn slice_dims(x: &Tensor) -> Vec<Dim> {
    let mut dims = x.dims();
    dims[0] = Dim::Static(1);
    dims
}
