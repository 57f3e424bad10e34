//! Epilogues: elementwise functions of the result of a contraction or convolution move into it.

use crate::claims::Claims;
use crate::group::{Group, Groups, used_only_by};
use crate::members::{is_claimed, is_free};
use rlx_ir::{FusionKind, Graph, NodeId, Op, Users};

/// Longer chains are left to an elementwise program.
const MAX_EPILOGUE: usize = 8;

/// Groups each `dot_general` and `convolution` with the chain of elementwise nodes that alone reads it (bias, activation, residual), as far as the
/// backend takes the chain; `None` if there is none.
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
        let accepted = (2..=chain.len()).rev().find(|&len| {
            let group = Group::with_free(graph, &users, chain[..len].to_vec());
            group.is_some_and(|group| groups.add(group))
        });
        chain[..accepted.unwrap_or(0)].iter().for_each(|m| taken[m.index()] = true);
    }
    groups.extract()
}

/// The node that alone reads the end of the chain, if it can join.
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

/// Whether an operand beside the chain is available: free, or of the result's own shape.
fn side_operand(graph: &Graph, id: NodeId, last: NodeId) -> bool {
    is_free(graph.node(id)) || graph.shape(id) == graph.shape(last)
}
