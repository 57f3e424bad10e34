//! Elementwise fusion: connected elementwise nodes over one index space become one program, broadcasts and scalar
//! constants included. Nodes that only the graph's caller reads, such as the updates of a parameter and of its moments, join
//! the program whose operands they share: one pass over memory gives all of them.

use crate::claims::Claims;
use crate::group::{Group, Groups, used_inside, used_only_by};
use rlx_ir::{Access, Dim, FusionKind, Graph, Node, NodeId, Op, Users};
use std::collections::HashMap;

/// Programs with more nodes than this are split: their values would not stay in registers and cache.
pub(crate) const MAX_MEMBERS: usize = 48;

/// Whether the op computes each element of its result from the elements at the same index.
pub fn is_elementwise(op: &Op) -> bool {
    op.kind().access() == Access::Elementwise
}

/// Whether the backend runs the node inside an elementwise program.
pub(crate) fn is_claimed(graph: &Graph, node: &Node, claims: &dyn Claims) -> bool {
    // A member of a program is one value.
    is_elementwise(node.op())
        && !node.is_tuple()
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
    users: &Users,
    claims: &dyn Claims,
    members: &mut Vec<NodeId>,
    dims: &[Dim],
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
                && used_only_by(users, input, members);
            if joins {
                members.push(input);
            }
        }
        next += 1;
    }
}

/// Groups around outputs of the graph. Groups over one index space of which one reads what another reads or computes are one,
/// if nothing outside reads what they compute: only then can all of it wait for the last member.
fn output_groups(graph: &Graph, users: &Users, claims: &dyn Claims) -> Vec<Vec<NodeId>> {
    let untaken = vec![false; graph.nodes().len()];
    let grow = |mut members: Vec<NodeId>| {
        let dims = graph.shape(members[0]).dims();
        absorb_producers(graph, users, claims, &mut members, dims, &untaken);
        members
    };
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    // For each value the group that reads or computes it.
    let mut near: HashMap<NodeId, usize> = HashMap::new();
    let mut is_member = vec![false; graph.nodes().len()];
    for &output in graph.outputs() {
        if !is_claimed(graph, graph.node(output), claims) || is_member[output.index()] {
            continue;
        }
        let mut members = grow(vec![output]);
        while let Some(other) = mergeable(graph, users, &members, &near, &groups) {
            members.append(&mut groups[other]);
            members = grow(members);
        }
        let number = groups.len();
        values(graph, &members).for_each(|value| _ = near.insert(value, number));
        members.iter().for_each(|member| is_member[member.index()] = true);
        groups.push(members);
    }
    groups.retain(|g| !g.is_empty());
    groups
}

/// What members compute, and what they read element by element.
fn values<'a>(graph: &'a Graph, members: &'a [NodeId]) -> impl Iterator<Item = NodeId> + 'a {
    let of = move |&m: &NodeId| {
        let read = graph.node(m).inputs().iter().copied();
        let dense =
            move |i: &NodeId| !is_free(graph.node(*i)) && graph.shape(*i).dims() == graph.shape(m).dims();
        read.filter(dense).chain([m])
    };
    members.iter().flat_map(of)
}

/// An earlier group that can be one with `members`.
fn mergeable(
    graph: &Graph,
    users: &Users,
    members: &[NodeId],
    near: &HashMap<NodeId, usize>,
    groups: &[Vec<NodeId>],
) -> Option<usize> {
    values(graph, members).filter_map(|value| near.get(&value).copied()).find(|&other| {
        let other = &groups[other];
        let all: Vec<NodeId> = other.iter().chain(members).copied().collect();
        let closed = |m: &NodeId| !users.is_output(*m) || used_inside(users, *m, &all);
        !other.is_empty()
            && all.len() <= MAX_MEMBERS
            && graph.shape(other[0]).dims() == graph.shape(members[0]).dims()
            && all.iter().all(closed)
    })
}

/// Groups elementwise nodes; `None` if there are no two to group.
pub fn fuse_elementwise(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    let users = graph.users();
    let mut taken = vec![false; graph.nodes().len()];
    let mut groups = Groups::new(graph, claims, FusionKind::Elementwise);
    let mut add = |members: Vec<NodeId>, taken: &mut [bool]| {
        let outputs: Vec<NodeId> = members.iter().copied().filter(|&m| users.is_output(m)).collect();
        let mut all = members.clone();
        add_free(graph, &mut all);
        if all.len() > 1 && groups.add(Group::several(all, &outputs)) {
            members.iter().for_each(|m| taken[m.index()] = true);
        }
    };
    for members in output_groups(graph, &users, claims) {
        add(members, &mut taken);
    }
    for node in graph.nodes().iter().rev() {
        if !taken[node.id().index()] && is_claimed(graph, node, claims) {
            let mut members = vec![node.id()];
            absorb_producers(graph, &users, claims, &mut members, node.shape().dims(), &taken);
            add(members, &mut taken);
        }
    }
    groups.extract()
}
