//! Rules of `call`, whose graph is applied as one node, and of `checkpoint`, for which reverse mode keeps only some values.

use super::order::barrier;
use super::parts::{Parts, duals, has_tangent, primals, spread, tangents};
use crate::backward::{Arg, Backward, Cotangents, transpose_graph};
use crate::batching::{Batched, Batching, batch_graph};
use crate::error::Error;
use crate::forward::{Dual, Forward, Mode, jvp_graph};
use crate::trace;
use rlx_ir::{CheckpointPolicy, Graph, Node, Op, SubGraph, Tensor};

/// The graph of a call.
fn body(op: &Op) -> Result<&SubGraph, Error> {
    match op {
        Op::Call { body } | Op::Checkpoint { body, .. } => Ok(body),
        _ => Err(Error::no_rule("rule as a call", "it does not contain a single graph")),
    }
}

/// The same op around another graph.
fn around(op: &Op, body: Graph) -> Op {
    let body = SubGraph::new(body);
    match op {
        Op::Checkpoint { policy, .. } => Op::Checkpoint { body, policy: *policy },
        _ => Op::Call { body },
    }
}

/// Whether reverse mode through the op keeps the value of a node of its graph.
fn keeps(op: &Op, graph: &Graph, node: &Node) -> bool {
    let Op::Checkpoint { policy, .. } = op else { return true };
    match policy {
        CheckpointPolicy::Nothing => false,
        CheckpointPolicy::Dots => product(graph, node).is_some(),
        CheckpointPolicy::DotsWithoutBatch => product(graph, node) == Some(false),
        CheckpointPolicy::Everything => true,
    }
}

/// Whether a contraction or convolution has batch axes; `None` for other ops.
fn product(graph: &Graph, node: &Node) -> Option<bool> {
    match node.op() {
        Op::DotGeneral { dims, .. } => Some(!dims.lhs_batch.is_empty()),
        Op::Matmul {} => Some(node.inputs().iter().all(|&i| graph.shape(i).rank() > 2)),
        Op::Convolution { .. }
        | Op::Conv2d { .. }
        | Op::ConvTranspose2d { .. }
        | Op::RaggedDot { .. }
        | Op::LoraMatMul { .. }
        | Op::DequantMatMul { .. }
        | Op::DequantGroupedMatMul { .. } => Some(false),
        _ => None,
    }
}

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let body = body(op)?;
    let has = has_tangent(operands);
    let wants = vec![false; body.outputs().len()];
    let given = primals(operands);
    if cx.mode == Mode::Forward {
        let dual = jvp_graph(body, &has, &wants, cx.mode, cx.options)?;
        let operands = [given, tangents(operands, &has)].concat();
        let mut results = cx.apply(&around(op, dual.graph), &operands);
        let of_results = results.split_off(wants.len().min(results.len()));
        return Ok(duals(&results, &dual.tangents, of_results));
    }
    let keep = |graph: &Graph, node: &Node| keeps(op, graph, node);
    let Some(parts) = Parts::of(body, &has, &wants, &keep, cx.options)? else {
        return Ok(cx.apply(op, &given).into_iter().map(Dual::constant).collect());
    };
    let results = cx.apply(&around(op, parts.known.clone()), &given);
    let linear = [parts.residual_values(&given, &results), tangents(operands, &has)].concat();
    let of_results = cx.apply(&around(op, parts.linear.clone()), &linear);
    Ok(duals(&results, &parts.tangents, of_results))
}

/// The transpose of a checkpointed graph is behind a barrier with its cotangents, so that what it recomputes is neither merged
/// with what was computed before, nor computed before it is needed.
pub(super) fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let body = body(op)?;
    let linear: Vec<bool> = operands.iter().map(Arg::is_linear).collect();
    let has: Vec<bool> = cts.each().iter().map(Option::is_some).collect();
    let none = vec![false; linear.len()];
    let Some(transposed) = transpose_graph(body, &linear, &has, &none, cx.options)? else {
        return Ok(vec![None; operands.len()]);
    };
    let recomputes = matches!(op, Op::Checkpoint { policy, .. } if *policy != CheckpointPolicy::Everything);
    let graph = if recomputes { behind_barrier(&transposed.graph)? } else { transposed.graph };
    let known = operands.iter().filter_map(|a| a.known().ok());
    let args: Vec<Tensor> = known.chain(cts.each().iter().flatten()).cloned().collect();
    let results = cx.builder.apply_many(around(op, graph), &args.iter().collect::<Vec<_>>());
    Ok(spread(&transposed.given, results))
}

/// The graph with all inputs that it uses behind one barrier.
fn behind_barrier(graph: &Graph) -> Result<Graph, Error> {
    let users = graph.users();
    let used: Vec<bool> =
        graph.inputs().map(|n| !users.of(n.id()).is_empty() || users.is_output(n.id())).collect();
    trace::graph(graph.name(), graph.input_shapes(), |builder, xs| {
        let behind: Vec<Tensor> =
            xs.iter().zip(&used).filter(|(_, used)| **used).map(|(x, _)| x.clone()).collect();
        let behind = spread(&used, barrier(builder, &behind));
        let args: Vec<Tensor> = xs.iter().zip(behind).map(|(x, b)| b.unwrap_or_else(|| x.clone())).collect();
        Ok(builder.inline(graph, &args)?)
    })
}

pub(super) fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let body = body(op)?;
    let batched: Vec<bool> = operands.iter().map(|x| x.batched).collect();
    let mapped = batch_graph(cx, body, &batched, &vec![false; body.outputs().len()])?;
    let values: Vec<&Tensor> = operands.iter().map(|x| &x.value).collect();
    let results = cx.builder.apply_many(around(op, mapped.graph), &values);
    let result = |(value, batched): (Tensor, bool)| Batched { value, batched };
    Ok(results.into_iter().zip(mapped.batched).map(result).collect())
}
