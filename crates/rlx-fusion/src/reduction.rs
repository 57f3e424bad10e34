//! Fusion into reductions: the elementwise producers of a reduced value move into the reduction, and elementwise
//! functions of its result move in behind it.

use crate::claims::Claims;
use crate::elementwise::{MAX_MEMBERS, absorb_producers, add_free, is_claimed, is_free};
use crate::group::{Group, Groups, used_only_by};
use rlx_ir::{FusionKind, Graph, Node, NodeId, Op, Users};

/// Groups reductions over trailing axes with what is elementwise before and after them; `None` if there is none.
pub fn fuse_reductions(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    let users = graph.users();
    let mut taken = vec![false; graph.nodes().len()];
    let mut groups = Groups::new(graph, claims, FusionKind::Reduction);
    for node in graph.nodes() {
        if !reduces_trailing_axes(graph, node) || !claims.fuses(FusionKind::Reduction) {
            continue;
        }
        let source = graph.node(node.inputs()[0]);
        let mut before = vec![node.id()];
        absorb_producers(graph, &users, claims, &mut before, source.shape().dims(), &taken);
        let mut behind: Vec<NodeId> = Vec::new();
        while before.len() + behind.len() < MAX_MEMBERS
            && let Some(next) =
                epilogue(graph, &users, claims, behind.last().copied().unwrap_or(node.id()), &taken)
        {
            behind.push(next);
        }
        // What stands behind it is left out first, from its end.
        let with_producers = (0..=behind.len()).rev().map(|len| (before.as_slice(), len));
        let without = (0..=behind.len()).rev().map(|len| (&before[..1], len));
        for (before, len) in with_producers.chain(without) {
            let mut members = [before, &behind[..len]].concat();
            if members.len() == 1 {
                continue;
            }
            let own = members.len();
            add_free(graph, &mut members);
            if groups.add(Group::single(members.clone())) {
                members[..own].iter().for_each(|m| taken[m.index()] = true);
                break;
            }
        }
    }
    groups.extract()
}

fn reduces_trailing_axes(graph: &Graph, node: &Node) -> bool {
    let Op::Reduce { axes, .. } = node.op() else { return false };
    let rank = graph.shape(node.inputs()[0]).rank();
    !axes.is_empty() && (rank - axes.len()..rank).all(|a| axes.contains(&a))
}

/// The elementwise node that alone reads `last`, over the same index space, with free or scalar side operands.
fn epilogue(
    graph: &Graph,
    users: &Users,
    claims: &dyn Claims,
    last: NodeId,
    taken: &[bool],
) -> Option<NodeId> {
    let &user = users.of(last).first()?;
    let node = graph.node(user);
    let joins = !taken[user.index()]
        && used_only_by(users, last, &[user])
        && is_claimed(graph, node, claims)
        && node.shape().dims() == graph.shape(last).dims()
        && node.inputs().iter().all(|i| *i == last || is_free(graph.node(*i)));
    joins.then_some(user)
}
