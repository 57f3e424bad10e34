//! Rules of reductions along axes.

use super::folding::{Fold, named};
use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::options::Options;
use crate::trace;
use rlx_ir::{Dim, Graph, Op, OpKind, ReduceOp, Shape, Tensor};

const REDUCE: Rules = Rules {
    jvp: Jvp::Rule(reduce_jvp),
    transpose: Transpose::Rule(reduce_transpose),
    batch: Batch::Rule(reduce_batch),
};
const REDUCE_GRAPH: Rules = Rules {
    jvp: Jvp::Equivalent(reduce_graph_equivalent),
    transpose: Transpose::Equivalent(reduce_graph_equivalent),
    batch: Batch::Rule(reduce_graph_batch),
};

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Reduce => REDUCE,
        OpKind::ReduceGraph => REDUCE_GRAPH,
        _ => return None,
    })
}

fn reduce_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (Op::Reduce { kind, axes }, [Dual { primal: x, tangent: Some(t) }]) = (op, operands) else {
        return Err(Error::no_rule("derivative", "not a reduction"));
    };
    let y = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let weighted = match kind {
        ReduceOp::Sum => t.clone(),
        ReduceOp::Prod => t * others(x, axes),
        ReduceOp::Max | ReduceOp::Min => t * shares(x, &y, axes),
        ReduceOp::And | ReduceOp::Or => return Ok(vec![Dual::constant(y)]),
        ReduceOp::Mean | ReduceOp::LogSumExp => {
            return Err(Error::no_rule("derivative", format!("the op does not take {kind}")));
        }
    };
    Ok(vec![Dual::new(y, weighted.reduce(ReduceOp::Sum, axes, false))])
}

/// 1/n at each of the n elements of a group that equal its extreme `y`, 0 at the others; NaN where the extreme is NaN.
fn shares(x: &Tensor, y: &Tensor, axes: &[usize]) -> Tensor {
    let equal = x.equal(&repeated(y, &x.dims(), axes)).convert(x.dtype()).widened();
    (&equal / equal.reduce(ReduceOp::Sum, axes, true)).convert(x.dtype())
}

/// For each element, the product of the other elements of its group, computed without division so that zeros are handled
/// correctly.
fn others(x: &Tensor, axes: &[usize]) -> Tensor {
    let Some((&axis, rest)) = axes.split_first() else { return trace::full_like(x, 1.0) };
    let running =
        |reverse| x.apply(Op::Cumulative { op: ReduceOp::Prod, axis, exclusive: true, reverse }, &[]);
    let along = running(false) * running(true);
    if rest.is_empty() { along } else { along * others(&x.reduce(ReduceOp::Prod, &[axis], true), rest) }
}

/// A reduced tensor, repeated along the axes that it lacks.
fn repeated(y: &Tensor, dims: &[Dim], axes: &[usize]) -> Tensor {
    let kept: Vec<usize> = (0..dims.len()).filter(|a| !axes.contains(a)).collect();
    y.broadcast_in_dim(dims, &kept)
}

fn reduce_transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    match op {
        Op::Reduce { kind: ReduceOp::Sum, axes } => {
            Ok(vec![Some(repeated(&cts.first(cx.builder), operands[0].shape().dims(), axes))])
        }
        _ => Err(Error::no_rule("transpose", "only sums are linear")),
    }
}

fn reduce_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let Op::Reduce { kind, axes } = op else {
        return Err(Error::no_rule("batching rule", "not a reduction"));
    };
    Ok(cx.apply(Op::Reduce { kind: *kind, axes: trace::up(axes) }, &[operands[0].value.clone()]))
}

/// The op on operands of these shapes, as a tree of its body or as a named reduction.
fn reduce_graph_equivalent(op: &Op, shapes: Vec<Shape>, options: &Options) -> Result<Graph, Error> {
    let Op::ReduceGraph { body, axes } = op else {
        return Err(Error::no_rule("derivative", "not a reduction by a sub-graph"));
    };
    trace::graph(op.mnemonic(), shapes, |builder, args| {
        let (xs, inits) = args.split_at(args.len() / 2);
        if let (Some(kind), [x], [init]) = (named(body), xs, inits)
            && let Some(op) = kind.binary()
        {
            let total = x.reduce(kind, axes, false);
            return Ok(vec![init.broadcast_to(&total.dims()).binary(op, &total)]);
        }
        let kept: Vec<usize> = (0..xs[0].rank()).filter(|a| !axes.contains(a)).collect();
        let order: Vec<usize> =
            (0..xs[0].rank()).filter(|a| axes.contains(a)).chain(kept.iter().copied()).collect();
        let shape = xs[0].shape();
        let count = axes.iter().fold(Dim::Static(1), |n, &a| &n * shape.dim(a));
        let dims: Vec<Dim> =
            std::iter::once(count).chain(kept.iter().map(|&a| shape.dim(a).clone())).collect();
        let lines: Vec<Tensor> = xs.iter().map(|x| x.transpose(&order).reshape(&dims)).collect();
        Fold { builder, options, body, inits }.run(&lines, None)
    })
}

fn reduce_graph_batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let Op::ReduceGraph { body, axes } = op else {
        return Err(Error::no_rule("batching rule", "not a reduction by a sub-graph"));
    };
    let (xs, inits) = operands.split_at(operands.len() / 2);
    if inits.iter().any(|x| x.batched) {
        let shapes = operands.iter().map(Batched::own_shape).collect();
        return cx.graph(&reduce_graph_equivalent(op, shapes, cx.options)?, operands, &[]);
    }
    let operands: Vec<Tensor> =
        xs.iter().map(|x| cx.front(x)).chain(inits.iter().map(|x| x.value.clone())).collect();
    Ok(cx.apply(Op::ReduceGraph { body: body.clone(), axes: trace::up(axes) }, &operands))
}
