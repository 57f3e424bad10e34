//! Rules of named reductions over moving windows.

use super::patches::{patches, places};
use super::selected::selected;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode};
use crate::rules::{Batch, Jvp, Rules, Transpose, pointwise};
use crate::trace;
use rlx_ir::{DType, Dim, Op, ReduceOp, Shape, SubGraph, Tensor, UndilatedWindow, WindowSpec};

pub(in crate::rules) const REDUCE_WINDOW: Rules =
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

fn attributes(op: &Op) -> Result<(ReduceOp, &WindowSpec), Error> {
    match op {
        Op::ReduceWindow { kind, spec } => Ok((*kind, spec)),
        _ => Err(Error::no_rule("derivative", "not a window reduction")),
    }
}

fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (kind, spec) = attributes(op)?;
    let [Dual { primal: x, tangent: Some(t) }] = operands else {
        return Err(Error::no_rule("derivative", "it takes one operand"));
    };
    let y = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let tangent = match kind {
        ReduceOp::Sum => t.apply(op.clone(), &[]),
        ReduceOp::Max | ReduceOp::Min => pick(cx, kind, spec, [x, t, &y])?,
        ReduceOp::Prod => {
            let places = places(op, &[x.shape()])?;
            let product = trace::graph(op.mnemonic(), vec![x.shape()], |builder, x| {
                let one = builder.scalar(1.0, x[0].dtype());
                let seen = patches(x, spec, &places).filled(0, &one);
                Ok(vec![seen.reduce(ReduceOp::Prod, &[0], false)])
            })?;
            return cx.through(op, operands, &product);
        }
        ReduceOp::And | ReduceOp::Or => return Ok(vec![Dual::constant(y)]),
        ReduceOp::Mean | ReduceOp::LogSumExp => {
            return Err(Error::no_rule("derivative", format!("the op does not take {kind}")));
        }
    };
    Ok(vec![Dual::new(y, tangent)])
}

/// The elements of a tangent at the extremes of x (the first of equal ones), at positions of these dimensions. If windows have no
/// gaps, the transpose is the op that is made for this, `select_and_scatter`.
fn pick(
    cx: &Forward<'_>,
    kind: ReduceOp,
    spec: &WindowSpec,
    [x, t, y]: [&Tensor; 3],
) -> Result<Tensor, Error> {
    let undilated = UndilatedWindow::from_spec(spec.clone()).filter(|_| cx.mode != Mode::Forward);
    let Some(undilated) = undilated else {
        return Ok(selected(cx.builder, x, spec, &*stays(kind, x.dtype())?)?.read(t));
    };
    let forward = trace::graph("pick", vec![x.shape(), t.shape()], |builder, args| {
        let stays = stays(kind, x.dtype())?;
        Ok(vec![selected(builder, &args[0], spec, &stays)?.read(&args[1])])
    })?;
    let transpose = trace::graph("send", vec![x.shape(), y.shape()], |builder, args| {
        // Sums of narrow floats round once.
        let (x, ct) = (args[0].widened(), args[1].widened());
        let dtype = x.dtype();
        let send = Op::SelectAndScatter {
            select: stays(kind, dtype)?,
            scatter: pointwise::body("add", &[dtype; 2], |_, pair| Ok(vec![&pair[0] + &pair[1]]))?,
            spec: undilated,
        };
        Ok(vec![x.apply(send, &[&ct, &builder.scalar(0.0, dtype)]).convert(args[0].dtype())])
    })?;
    let (forward, transpose) = (SubGraph::new(forward), SubGraph::new(transpose));
    Ok(x.apply(Op::LinearCall { forward, transpose, known: 1 }, &[t]))
}

/// Whether the first of two elements stays selected, because it is not worse, or is NaN.
fn stays(kind: ReduceOp, dtype: DType) -> Result<SubGraph, Error> {
    pointwise::body("select", &[dtype; 2], |_, pair| {
        let better = match kind {
            ReduceOp::Max => pair[0].greater_equal(&pair[1]),
            _ => pair[0].less_equal(&pair[1]),
        };
        Ok(vec![better.or(&pair[0].not_equal(&pair[0]))])
    })
}

/// The window reads each position back: the stride becomes the gap between positions, and the gap between elements becomes the
/// stride.
fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (ReduceOp::Sum, spec) = attributes(op)? else {
        return Err(Error::no_rule("transpose", "only sums are linear"));
    };
    let (ct, x) = (cts.first(cx.builder), operands[0].shape());
    let empty = |dims: &[Dim]| dims.contains(&Dim::Static(0));
    if empty(x.dims()) || empty(&ct.dims()) {
        return Ok(vec![None]);
    }
    let mut back = WindowSpec {
        strides: spec.base_dilation.clone(),
        base_dilation: spec.strides.clone(),
        ..spec.clone()
    };
    for axis in 0..x.rank() {
        let padding = padding_back(spec, axis, x.dim(axis), &ct.dim(axis));
        let too_large = || Error::no_rule("transpose", format!("the window along axis {axis} is too large"));
        let number = |n: i128| i64::try_from(n).map_err(|_| too_large());
        (back.low[axis], back.high[axis]) = (number(padding.0)?, number(padding.1)?);
    }
    let read = ct.apply(Op::ReduceWindow { kind: ReduceOp::Sum, spec: back }, &[]);
    Ok(vec![Some(cut(&read, &x))])
}

/// The padding before and after the positions with which a window over them has one position for each of `n` elements, or a few
/// more if sizes are symbolic.
fn padding_back(spec: &WindowSpec, axis: usize, n: &Dim, places: &Dim) -> (i128, i128) {
    let times = |n: usize, by: usize| (n as i128).saturating_mul(by as i128);
    let (stride, base) = (spec.strides[axis], spec.base_dilation[axis]);
    let (before, after) = (i128::from(spec.low[axis]), i128::from(spec.high[axis]));
    let reach = times(spec.window[axis] - 1, spec.window_dilation[axis]);
    let low = reach.saturating_sub(before);
    let high = match (n.as_static(), places.as_static()) {
        (Some(n), Some(places)) => {
            let last = times(n - 1, base).saturating_add(reach);
            last.saturating_sub(times(places - 1, stride)).saturating_sub(low)
        }
        // The last position starts less than a stride before the last possible start.
        _ => reach.saturating_sub(after) + stride as i128 - 1,
    };
    (low, high)
}

/// The first elements, as many as the shape has.
fn cut(x: &Tensor, shape: &Shape) -> Tensor {
    let (rank, limits) = (shape.rank(), shape.dims().to_vec());
    if x.dims() == limits {
        return x.clone();
    }
    x.apply(Op::Slice { starts: vec![Dim::Static(0); rank], limits, strides: vec![1; rank] }, &[])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (kind, spec) = attributes(op)?;
    let batched = Op::ReduceWindow { kind, spec: spec.batched() };
    Ok(cx.apply(batched, &[operands[0].value.clone()]))
}
