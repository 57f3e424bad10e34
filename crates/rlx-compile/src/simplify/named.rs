//! Replaces ops that have a graph over elements with the equivalent named op, such as a reduction with an
//! addition. Windows that contain all elements up to their place become running reductions.
//!
//! Where the order of combination is defined, every rounding is preserved. Reductions may combine elements in any order, but
//! reductions of floats narrower than 32 bits are not replaced, since a named sum rounds once while a graph rounds at each step.

use rlx_ir::op::RunningAxis;
use rlx_ir::rewrite::{Rewrite, rewrite};
use rlx_ir::{BinaryOp, Combiner, CompareOp, DType, Graph, Named, Node, NodeId, Op, ReduceOp, SortOrder};
use std::convert::Infallible;

/// Replaces all ops for which there is a named one. Returns `None` if there are none.
pub fn name_bodies(graph: &Graph) -> Option<Graph> {
    let named = rewrite(graph, |rw, node, inputs| {
        Ok::<_, Infallible>(match node.op() {
            Op::ReduceGraph { .. } | Op::ReduceWindowGraph { .. } => {
                reduction(rw, node, inputs).map(|id| vec![id])
            }
            Op::ReduceWindow { .. } => running(rw, node, inputs).map(|id| vec![id]),
            Op::ScatterGraph { .. } => scatter(rw, node, inputs).map(|id| vec![id]),
            Op::SortGraph { .. } => sort(rw, node, inputs),
            _ => None,
        })
    });
    named.unwrap_or_default()
}

/// Returns the two inputs and the only result of a graph.
fn pair(body: &Graph) -> Option<(NodeId, NodeId, &Node)> {
    let mut inputs = body.inputs().map(Node::id);
    let (Some(a), Some(b), None) = (inputs.next(), inputs.next(), inputs.next()) else { return None };
    let &[output] = body.outputs() else { return None };
    Some((a, b, body.node(output)))
}

/// Returns the function that a graph applies to its two inputs, if their order makes no difference.
fn symmetric(body: &Graph) -> Option<BinaryOp> {
    let (a, b, result) = pair(body)?;
    let Op::Binary { op } = result.op() else { return None };
    let commutes = matches!(
        op,
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min | BinaryOp::And | BinaryOp::Or
    );
    let operands = result.inputs();
    (commutes && (operands == [a, b] || operands == [b, a])).then_some(*op)
}

fn rounds(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Mul)
}

/// Replaces a reduction of one tensor, over axes or windows, which is combined with the initial value.
fn reduction(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let &[x, init] = inputs else { return None };
    let dtype = node.shape().dtype();
    let (Op::ReduceGraph { body, .. } | Op::ReduceWindowGraph { body, .. }) = node.op() else { return None };
    let op = symmetric(body)?;
    if rounds(op) && dtype.is_float() && dtype.size() < 4 {
        return None;
    }
    let kind = ReduceOp::from_binary(op).filter(|kind| kind.accepts().contains(dtype))?;
    let named = match node.op().clone() {
        Op::ReduceGraph { axes, .. } => Op::Reduce { kind, axes },
        Op::ReduceWindowGraph { spec, .. } => Op::ReduceWindow { kind, spec },
        _ => return None,
    };
    let reduced = rw.add(named, &[x]).ok()?;
    let dims = node.shape().dims().to_vec();
    let first = rw.add(Op::BroadcastInDim { dims, axes: Vec::new() }, &[init]).ok()?;
    rw.add(Op::Binary { op }, &[first, reduced]).ok()
}

/// Replaces a window along one axis that contains all elements up to its place, or from it on, including or excluding its own.
fn running(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let &[x] = inputs else { return None };
    let Op::ReduceWindow { kind, spec } = node.op() else { return None };
    if !ReduceOp::RUNNING.contains(kind) {
        return None;
    }
    let RunningAxis { axis, exclusive, reverse } = spec.running(rw.graph().shape(x).dims())?;
    rw.add(Op::Cumulative { op: *kind, axis, exclusive, reverse }, &[x]).ok()
}

/// Replaces a scatter into one tensor.
fn scatter(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let &[x, indices, updates] = inputs else { return None };
    let dtype = node.shape().dtype();
    let Op::ScatterGraph { dims, body } = node.op().clone() else { return None };
    let (_, update, result) = pair(&body)?;
    let op = if result.id() == update { None } else { Some(symmetric(&body)?) };
    let exact = !(dtype.is_float() || dtype.is_complex()) || matches!(dtype, DType::F64 | DType::C128);
    if op.is_some_and(rounds) && !exact {
        return None;
    }
    let combiner =
        Combiner::VARIANTS.iter().copied().find(|c| c.binary() == op && c.accepts().contains(dtype))?;
    rw.add(Op::Scatter { dims, combiner }, &[x, indices, updates]).ok()
}

/// Replaces a sort by the first operand if it has integers. The named sort orders floats differently.
fn sort(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<Vec<NodeId>> {
    let Op::SortGraph { axis, stable, comparator } = node.op() else { return None };
    let [a, b] = [0, 1].map(|i| comparator.inputs().nth(i).map(Node::id));
    let &[output] = comparator.outputs() else { return None };
    let result = comparator.node(output);
    let Op::Compare { op, .. } = result.op() else { return None };
    let &[lhs, rhs] = result.inputs() else { return None };
    let dtype = comparator.shape(lhs).dtype();
    if dtype.is_float() || dtype.is_complex() {
        return None;
    }
    let order = match (op, (Some(lhs), Some(rhs)) == (a, b), (Some(rhs), Some(lhs)) == (a, b)) {
        (CompareOp::Lt, true, _) | (CompareOp::Gt, _, true) => SortOrder::Ascending,
        (CompareOp::Gt, true, _) | (CompareOp::Lt, _, true) => SortOrder::Descending,
        _ => return None,
    };
    let id = rw.add(Op::Sort { axis: *axis, order, num_keys: 1, stable: *stable }, inputs).ok()?;
    Some(rw.graph().project(id))
}
