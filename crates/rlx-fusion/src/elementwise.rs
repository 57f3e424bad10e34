//! Elementwise fusion: connected elementwise nodes over one index space become one program, broadcasts and scalar
//! constants included.

use crate::claims::Claims;
use crate::group::{Group, extract, used_only_by};
use rlx_ir::{FusionKind, Graph, Node, NodeId, Op};

/// Programs with more nodes than this are split: their values would not stay in registers and cache.
const MAX_MEMBERS: usize = 48;

/// Whether the op computes each element of its result from the elements at the same index.
pub fn is_elementwise(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Select {}
            | Op::Clamp {}
            | Op::Convert { .. }
            | Op::ReducePrecision { .. }
            | Op::Activation { .. }
    )
}

/// Whether the backend runs the node inside an elementwise program.
pub(crate) fn is_claimed(graph: &Graph, node: &Node, claims: &dyn Claims) -> bool {
    is_elementwise(node.op())
        && claims.elementwise(node.op(), node.shape().dtype())
        && node.inputs().iter().all(|&i| claims.elementwise(node.op(), graph.shape(i).dtype()))
}

/// Whether computing the node again in each program that reads it costs less than storing it.
pub(crate) fn is_free(node: &Node) -> bool {
    match node.op() {
        Op::BroadcastInDim { .. } => true,
        Op::Constant { value } => value.len() == 1,
        _ => false,
    }
}

/// Adds to `members` the free nodes that they read: broadcasts, and scalar constants behind them.
pub(crate) fn add_free(graph: &Graph, members: &mut Vec<NodeId>) {
    let mut next = 0;
    while next < members.len() {
        for &input in graph.node(members[next]).inputs() {
            if is_free(graph.node(input)) && !members.contains(&input) {
                members.push(input);
            }
        }
        next += 1;
    }
}

/// The elementwise producers of `members` over the index space of `root` that nothing else reads, added.
pub(crate) fn absorb_producers(
    graph: &Graph,
    users: &[Vec<NodeId>],
    claims: &dyn Claims,
    members: &mut Vec<NodeId>,
    dims: &[rlx_ir::Dim],
    taken: &[bool],
) {
    let mut next = 0;
    while next < members.len() && members.len() < MAX_MEMBERS {
        for &input in graph.node(members[next]).inputs() {
            let node = graph.node(input);
            let joins = !members.contains(&input)
                && !taken[input.index()]
                && node.shape().dims() == dims
                && is_claimed(graph, node, claims)
                && used_only_by(graph, users, input, members);
            if joins {
                members.push(input);
            }
        }
        next += 1;
    }
}

/// Groups elementwise nodes; `None` if there are no two to group.
pub fn fuse_elementwise(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    let users = graph.users();
    let mut taken = vec![false; graph.nodes().len()];
    let mut groups = Vec::new();
    for node in graph.nodes().iter().rev() {
        if taken[node.id().index()] || !is_claimed(graph, node, claims) {
            continue;
        }
        let mut members = vec![node.id()];
        absorb_producers(graph, &users, claims, &mut members, node.shape().dims(), &taken);
        members.iter().for_each(|m| taken[m.index()] = true);
        add_free(graph, &mut members);
        if members.len() > 1 {
            groups.push(Group::single(members));
        }
    }
    extract(graph, &groups, FusionKind::Elementwise)
}
