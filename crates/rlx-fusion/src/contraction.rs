//! Fuses elementwise functions of a result (the epilogue), and conversions of operands, into a contraction or convolution.

use crate::claims::Claims;
use crate::group::{Group, Groups, used_only_by};
use crate::members::{is_claimed, is_free};
use rlx_ir::{DType, FloatFormat, FusionKind, Graph, NodeId, Op, Users};

/// Longer chains are left to an elementwise program.
const MAX_EPILOGUE: usize = 8;

/// Groups each `dot_general` and `convolution` with the chain of elementwise nodes that is its only reader (bias, activation,
/// residual), and with the conversions that widen parameters and inputs only for it, as far as the backend accepts them. Returns
/// `None` if there is nothing to group.
pub fn fuse_contractions(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    let users = graph.users();
    let mut taken = vec![false; graph.nodes().len()];
    let mut groups = Groups::new(graph, claims, FusionKind::Contraction);
    for node in graph.nodes() {
        let contracts = matches!(node.op(), Op::DotGeneral { .. } | Op::Convolution { .. });
        if !contracts || !claims.fuses(FusionKind::Contraction) {
            continue;
        }
        let mut chain = vec![node.id()];
        while let Some(next) = next_in_chain(graph, &users, claims, &chain, &taken) {
            chain.push(next);
        }
        let widened: Vec<NodeId> =
            node.inputs().iter().copied().filter(|&i| widens(graph, &users, i)).collect();
        let mut add = |len: usize, before: &[NodeId]| {
            let group = Group::with_free(graph, &users, [before, &chain[..len]].concat());
            (before.len() + len > 1) && group.is_some_and(|group| groups.add(group))
        };
        let accepted =
            (1..=chain.len()).rev().find(|&len| add(len, &widened) || !widened.is_empty() && add(len, &[]));
        chain[..accepted.unwrap_or(0)].iter().for_each(|m| taken[m.index()] = true);
    }
    groups.extract()
}

/// The only reader of the end of the chain, if it can join.
fn next_in_chain(
    graph: &Graph,
    users: &Users,
    claims: &dyn Claims,
    chain: &[NodeId],
    taken: &[bool],
) -> Option<NodeId> {
    let &last = chain.last()?;
    let &user = users.of(last).first()?;
    let node = graph.node(user);
    let joins = chain.len() <= MAX_EPILOGUE
        && !taken[user.index()]
        && used_only_by(users, last, &[user])
        && is_claimed(graph, node, claims)
        && node.shape() == graph.shape(last)
        && node.inputs().iter().all(|i| *i == last || side_operand(graph, *i, last));
    joins.then_some(user)
}

/// Whether the node converts a parameter or an input to a type that represents all of its numbers, for a single reader.
fn widens(graph: &Graph, users: &Users, id: NodeId) -> bool {
    let node = graph.node(id);
    let (Op::Convert { dtype }, &[from]) = (node.op(), node.inputs()) else { return false };
    let stored = graph.node(from);
    matches!(stored.op(), Op::Param { .. } | Op::Input { .. })
        && holds(*dtype, stored.shape().dtype())
        && users.of(id).len() == 1
        && !users.is_output(id)
}

/// Whether the real float type `to` represents every number of `from`.
fn holds(to: DType, from: DType) -> bool {
    match (FloatFormat::of(to), FloatFormat::of(from)) {
        (Some(to), Some(from_format)) => !from.is_complex() && to.holds(from_format),
        (Some(to), None) => from.bits() <= to.mantissa_bits,
        (None, _) => false,
    }
}

/// Whether another operand of a node in the chain is available: it is free, or has the shape of the result.
fn side_operand(graph: &Graph, id: NodeId, last: NodeId) -> bool {
    is_free(graph.node(id)) || graph.shape(id) == graph.shape(last)
}
