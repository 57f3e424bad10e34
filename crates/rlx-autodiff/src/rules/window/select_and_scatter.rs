//! Rules of `select_and_scatter`. The selection of elements has no derivative.

use super::selected::selected;
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::rules::folding::named;
use crate::rules::{Batch, Jvp, Rules, Transpose};
use crate::trace;
use rlx_ir::{Graph, Op, ReduceOp, Shape, Tensor};

pub(in crate::rules) const SELECT_AND_SCATTER: Rules =
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

/// The op on operands of these shapes, as a scatter to the selected elements.
fn equivalent(op: &Op, shapes: Vec<Shape>) -> Result<Graph, Error> {
    let Op::SelectAndScatter { select, scatter, spec } = op else {
        return Err(Error::no_rule("derivative", "not select_and_scatter"));
    };
    trace::graph(op.mnemonic(), shapes, |builder, args| {
        let [x, source, init] = args else { return Ok(Vec::new()) };
        let selected = selected(builder, x, spec, select)?;
        let start = init.broadcast_to(&x.dims());
        Ok(vec![match named(scatter) {
            Some(ReduceOp::Sum) => selected.add(&start, source),
            _ => selected.write(&start, source, |dims| Op::ScatterGraph { dims, body: scatter.clone() }),
        }])
    })
}

fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [x, source, init] = operands else {
        return Err(Error::no_rule("derivative", "not select_and_scatter"));
    };
    let operands = [Dual::constant(x.primal.clone()), source.clone(), init.clone()];
    cx.through(op, &operands, &equivalent(op, operands.iter().map(|d| d.primal.shape()).collect())?)
}

fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    cx.graph(&equivalent(op, operands.iter().map(Arg::shape).collect())?, operands, cts.each())
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Op::SelectAndScatter { select, scatter, spec }, [x, source, init]) = (op, operands) else {
        return Err(Error::no_rule("batching rule", "not select_and_scatter"));
    };
    if init.batched {
        return cx.graph(&equivalent(op, operands.iter().map(Batched::own_shape).collect())?, operands, &[]);
    }
    let (select, scatter) = (select.clone(), scatter.clone());
    let batched = Op::SelectAndScatter { select, scatter, spec: spec.batched() };
    Ok(cx.apply(batched, &[cx.front(x), cx.front(source), init.value.clone()]))
}
