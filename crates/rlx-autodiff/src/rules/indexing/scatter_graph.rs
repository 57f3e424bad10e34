//! Rules of `scatter_graph`, with a graph as combiner.

use super::sequential::sequential;
use super::{Front, batched};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::options::Options;
use crate::rules::folding::named;
use crate::rules::{Batch, Jvp, Rules, Transpose, pointwise};
use crate::trace;
use rlx_ir::{Combiner, Graph, Op, Shape, Tensor};

pub(in crate::rules) const SCATTER_GRAPH: Rules = Rules {
    jvp: Jvp::Equivalent(equivalent),
    transpose: Transpose::Equivalent(equivalent),
    batch: Batch::Rule(batch),
};

/// The op on operands of these shapes: a scatter with a named combiner if it is one, otherwise a loop over windows.
fn equivalent(op: &Op, shapes: Vec<Shape>, options: &Options) -> Result<Graph, Error> {
    let Op::ScatterGraph { dims, body } = op else {
        return Err(Error::no_rule("derivative", "not a scatter by a sub-graph"));
    };
    let n = shapes.len() / 2;
    trace::graph(op.mnemonic(), shapes, |builder, args| {
        let (xs, indices, updates) = (&args[..n], &args[n], &args[n + 1..]);
        if let (1, Some(combiner)) = (n, combiner(body)) {
            let scatter = Op::Scatter { dims: dims.clone(), combiner };
            return Ok(vec![xs[0].apply(scatter, &[indices, &updates[0]])]);
        }
        sequential(builder, dims, xs, indices, updates, &|builder, old, new| {
            pointwise::apply(builder, options, body, &[old, new].concat())
        })
    })
}

/// The named combiner that is the same as a graph over an old element and an update, if there is one.
fn combiner(body: &Graph) -> Option<Combiner> {
    let second = body.inputs().nth(1).map(|n| n.id());
    if body.inputs().count() == 2 && body.outputs().first().copied() == second {
        return Some(Combiner::Set);
    }
    named(body).map(Combiner::Reduce)
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let Op::ScatterGraph { dims, body } = op else {
        return Err(Error::no_rule("batching rule", "not a scatter by a sub-graph"));
    };
    let indices = operands.len() / 2;
    let front = if operands[indices].batched { Front::Both } else { Front::Tensor };
    let given = |(i, x): (usize, &Batched)| if i == indices { x.value.clone() } else { cx.front(x) };
    let operands: Vec<Tensor> = operands.iter().enumerate().map(given).collect();
    Ok(cx.apply(Op::ScatterGraph { dims: batched(dims, front), body: body.clone() }, &operands))
}
