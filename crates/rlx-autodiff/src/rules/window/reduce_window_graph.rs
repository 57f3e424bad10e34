//! Rules of reductions over moving windows with a graph.

use super::patches::{patches, places};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::options::Options;
use crate::rules::folding::{Fold, named};
use crate::rules::{Batch, Jvp, Rules, Transpose};
use crate::trace;
use rlx_ir::{Graph, Op, Shape, Tensor};

pub(in crate::rules) const REDUCE_WINDOW_GRAPH: Rules = Rules {
    jvp: Jvp::Equivalent(equivalent),
    transpose: Transpose::Equivalent(equivalent),
    batch: Batch::Rule(batch),
};

/// The op on operands of these shapes: a named reduction if it is one, otherwise a tree of its body over the elements in windows.
fn equivalent(op: &Op, shapes: Vec<Shape>, options: &Options) -> Result<Graph, Error> {
    let Op::ReduceWindowGraph { body, spec } = op else {
        return Err(Error::no_rule("derivative", "not a window reduction by a sub-graph"));
    };
    let places = places(op, &shapes)?;
    trace::graph(op.mnemonic(), shapes, |builder, args| {
        let (xs, inits) = args.split_at(args.len() / 2);
        if let (Some(kind), [x], [init]) = (named(body), xs, inits)
            && let Some(op) = kind.binary()
        {
            let total = x.apply(Op::ReduceWindow { kind, spec: spec.clone() }, &[]);
            return Ok(vec![init.broadcast_to(&places).binary(op, &total)]);
        }
        let seen = patches(xs, spec, &places);
        Fold { builder, options, body, inits }.run(&seen.elements, Some(&seen.seen))
    })
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let Op::ReduceWindowGraph { body, spec } = op else {
        return Err(Error::no_rule("batching rule", "not a window reduction by a sub-graph"));
    };
    let (xs, inits) = operands.split_at(operands.len() / 2);
    if inits.iter().any(|x| x.batched) {
        let shapes = operands.iter().map(Batched::own_shape).collect();
        return cx.graph(&equivalent(op, shapes, cx.options)?, operands, &[]);
    }
    let operands: Vec<Tensor> =
        xs.iter().map(|x| cx.front(x)).chain(inits.iter().map(|x| x.value.clone())).collect();
    let batched = Op::ReduceWindowGraph { body: body.clone(), spec: spec.batched() };
    Ok(cx.apply(batched, &operands))
}
