//! Rules of running reductions. All except sums are differentiated as the tree of an associative scan, which is exact if elements
//! are zero, and splits ties as JAX does.

use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::rules::{Batch, Jvp, Rules, Transpose};
use crate::trace;
use crate::vmap::move_axis;
use rlx_ir::{Builder, Dim, Op, ReduceOp, ScanOperands, Tensor, UnaryOp};

pub(in crate::rules) const CUMULATIVE: Rules =
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Cumulative { op: kind, axis, exclusive, reverse }, [Dual { primal: x, tangent: Some(t) }]) =
        (op, operands)
    else {
        return Err(Error::no_rule("derivative", "not a running reduction"));
    };
    if *kind == ReduceOp::Sum {
        let y = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
        return Ok(vec![Dual::new(y, t.apply(op.clone(), &[]))]);
    }
    let equivalent = trace::graph(op.mnemonic(), vec![x.shape()], |builder, args| {
        let Some(n) = x.dim(*axis).as_static() else {
            return Ok(vec![one_by_one(builder, *kind, &args[0], (*axis, *exclusive, *reverse))]);
        };
        let turned = |x: Tensor| match reverse {
            true => x.apply(Op::Reverse { axes: vec![*axis] }, &[]),
            false => x,
        };
        let scanned = running(*kind, &turned(args[0].clone()), *axis, n);
        let moved = if *exclusive && n > 0 { moved_on(*kind, &scanned, *axis, n) } else { scanned };
        Ok(vec![turned(moved)])
    })?;
    cx.through(op, operands, &equivalent)
}

/// The running reduction as a loop, for a number of elements that is not known yet.
fn one_by_one(
    builder: &Builder,
    kind: ReduceOp,
    x: &Tensor,
    (axis, exclusive, reverse): (usize, bool, bool),
) -> Tensor {
    let lines = move_axis(x, axis, 0);
    let carry = [identity(kind, &lines, 0).squeeze(0)];
    let operands = ScanOperands { consts: &[], carry: &carry, xs: &[lines] };
    let results = builder.scan(operands, x.dim(axis), reverse, &|_, args| {
        let next = combined(kind, &args[0], &args[1]);
        let shown = if exclusive { args[0].clone() } else { next.clone() };
        vec![next, shown]
    });
    move_axis(&results[1], 0, axis)
}

/// The running reduction of `n` elements along an axis: reduces pairs, and computes the result from the running reduction of the
/// pairs.
fn running(kind: ReduceOp, x: &Tensor, axis: usize, n: usize) -> Tensor {
    if n < 2 {
        return x.clone();
    }
    let pairs = combined(kind, &every_other(x, axis, 0, n - 1), &every_other(x, axis, 1, n));
    let odd = running(kind, &pairs, axis, n / 2);
    let before = if n.is_multiple_of(2) { odd.slice_axis(axis, 0, n / 2 - 1) } else { odd.clone() };
    let even = combined(kind, &before, &every_other(x, axis, 2, n));
    let even = x.slice_axis(axis, 0, 1).apply(Op::Concatenate { axis }, &[&even]);
    interleaved(&even, &odd, axis, n)
}

/// Every second element along an axis.
fn every_other(x: &Tensor, axis: usize, start: usize, limit: usize) -> Tensor {
    let (mut starts, mut limits, mut strides) = (vec![Dim::Static(0); x.rank()], x.dims(), vec![1; x.rank()]);
    (starts[axis], limits[axis], strides[axis]) = (Dim::Static(start), Dim::Static(limit), 2);
    x.apply(Op::Slice { starts, limits, strides }, &[])
}

/// Interleaves the elements of two tensors, `n` elements in total.
fn interleaved(even: &Tensor, odd: &Tensor, axis: usize, n: usize) -> Tensor {
    let spread = |x: &Tensor, low: i64, count: usize| {
        let mut padding = [vec![0; x.rank()], vec![0; x.rank()]];
        let mut interior = vec![0; x.rank()];
        padding[0][axis] = low;
        padding[1][axis] = i64::from(n > 2 * count - 1 + usize::from(low > 0));
        interior[axis] = 1;
        let [low, high] = padding;
        x.apply(Op::Pad { low, high, interior }, &[&x.scalar_like(0.0)])
    };
    spread(even, 0, n.div_ceil(2)) + spread(odd, 1, n / 2)
}

/// Shifts the elements by one, and puts the identity before them.
fn moved_on(kind: ReduceOp, x: &Tensor, axis: usize, n: usize) -> Tensor {
    identity(kind, x, axis).apply(Op::Concatenate { axis }, &[&x.slice_axis(axis, 0, n - 1)])
}

/// The identity of the reduction, with size 1 along the axis.
fn identity(kind: ReduceOp, x: &Tensor, axis: usize) -> Tensor {
    let none = x.slice_axis(axis, 0, 0);
    match kind.binary() {
        Some(_) => none.reduce(kind, &[axis], true),
        None => {
            let zero = none.reduce(ReduceOp::Sum, &[axis], true);
            trace::full_like(&zero, f64::NEG_INFINITY)
        }
    }
}

fn combined(kind: ReduceOp, a: &Tensor, b: &Tensor) -> Tensor {
    match kind.binary() {
        Some(op) => a.binary(op, b),
        None => log_add_exp(a, b),
    }
}

/// log(e^a + e^b): the larger one, plus a term in the distance of the other. If the larger one is infinite, the term is zero, and
/// no branch has an infinite slope.
fn log_add_exp(a: &Tensor, b: &Tensor) -> Tensor {
    let (large, small) = (a.maximum(b), a.minimum(b));
    let finite = large.unary(UnaryOp::IsFinite);
    let base = finite.select(&large, &large.scalar_like(0.0));
    let small = finite.select(&small, &small.scalar_like(f64::NEG_INFINITY));
    large + (small - base).exp().log1p()
}

fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    _: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let Op::Cumulative { op: ReduceOp::Sum, axis, exclusive, reverse } = *op else {
        return Err(Error::no_rule("transpose", "only sums are linear"));
    };
    let back = Op::Cumulative { op: ReduceOp::Sum, axis, exclusive, reverse: !reverse };
    Ok(vec![Some(cts.first(cx.builder).apply(back, &[]))])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let mut op = op.clone();
    if let Op::Cumulative { axis, .. } = &mut op {
        *axis += 1;
    }
    Ok(cx.apply(op, &[operands[0].value.clone()]))
}
