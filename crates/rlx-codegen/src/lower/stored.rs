//! Which values of a group lie in memory, and so get a launch of their own.
//!
//! - The results of whole ops do: what is not made element by element is made by launches of its own.
//! - What a whole op reads in an order of its own, or more than once, does, unless it is there already: an input, or a view of such.
//! - A value whose elements each take a loop (a reduction, a contraction, a window) does, where they would be computed more than
//!   once: by several readers, by one that repeats them, or by one that reads an element several times.
//!
//! Everything else is computed where it is read.

use super::rule::Rule;
use super::whole;
use rlx_ir::{Access, Graph, Node, NodeId, Op};

/// How often an op reads each element of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reads {
    /// At most once.
    Once,
    /// More often, or in an order of its own.
    Often,
}

/// For each node whether its results lie in memory. Inputs do, and are not meant.
pub(super) fn stored(graph: &Graph) -> Vec<bool> {
    let live = graph.live();
    let nodes = graph.nodes();
    let mut stored = vec![false; nodes.len()];
    let mut times = vec![0u32; nodes.len()];
    let mut wanted = vec![false; nodes.len()];
    graph.outputs().iter().for_each(|id| times[id.index()] += 1);
    for node in nodes.iter().rev().filter(|node| live[node.id().index()]) {
        let i = node.id().index();
        let is_whole = whole::is_whole(node.op());
        stored[i] = is_whole
            || wanted[i] && !is_view(graph, node.id())
            || Rule::of(node.op().kind()).is_some_and(Rule::loops) && times[i] > 1;
        let computed = if stored[i] { 1 } else { times[i] };
        for (operand, &id) in node.inputs().iter().enumerate() {
            let reads = reads(graph, node, operand);
            let factor = if reads == Reads::Once { 1 } else { 2 };
            times[id.index()] = times[id.index()].saturating_add(computed.saturating_mul(factor));
            wanted[id.index()] |= is_whole && reads == Reads::Often;
        }
    }
    stored
}

/// Whether the elements of a value are in memory, or next to nothing to compute, whichever are asked for.
fn is_view(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    match node.op() {
        Op::Input { .. } | Op::Constant { .. } | Op::Iota { .. } => true,
        op if whole::is_whole(op) => true,
        op => op.kind().access() == Access::Movement && node.inputs().iter().all(|&x| is_view(graph, x)),
    }
}

/// How often a node reads each element of this operand.
fn reads(graph: &Graph, node: &Node, operand: usize) -> Reads {
    let is_first = operand == 0;
    let once = match node.op() {
        op if whole::is_whole(op) => return whole::reads(op, operand, node.inputs().len()),
        Op::BroadcastInDim { dims, .. } => graph.shape(node.inputs()[0]).dims() == dims,
        Op::Pad { .. } | Op::DynamicSlice { .. } => is_first,
        Op::DynamicUpdateSlice {} => operand < 2,
        Op::Reduce { .. } | Op::ArgReduce { .. } => true,
        Op::ReduceGraph { .. } => 2 * operand < node.inputs().len(),
        op => op.kind().access() != Access::General,
    };
    if once { Reads::Once } else { Reads::Often }
}
