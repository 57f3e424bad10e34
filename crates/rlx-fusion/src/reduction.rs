//! Fuses reductions with the elementwise nodes before and after them, and with nodes that read the reduced rows again, as in
//! norms. Other reductions of the same rows join too.

use crate::claims::Claims;
use crate::cluster::{ALL, Cluster, Limits, Surroundings};
use crate::group::{Group, Groups};
use crate::members::{MAX_MEMBERS, is_free};
use crate::rows::RowSpace;
use rlx_ir::{FusionKind, Graph, NodeId};

/// What is left out of a group that is rejected: values that others also read, then also the nodes before the reduction.
const ORDER: [Limits; 3] =
    [ALL, Limits { shares: false, absorbs: true }, Limits { shares: false, absorbs: false }];

/// Groups reductions with the nodes around them that are computed row by row. Returns `None` if there is nothing to group.
pub fn fuse_reductions(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    if !claims.fuses(FusionKind::Reduction) {
        return None;
    }
    let users = graph.users();
    let mut around = Surroundings::new(graph, &users, claims);
    let mut groups = Groups::new(graph, claims, FusionKind::Reduction);
    for node in graph.nodes() {
        if let Some(rows) = RowSpace::of(graph, node)
            && !around.is_taken(node.id())
        {
            add(&mut around, &mut groups, node.id(), &rows);
        }
    }
    groups.extract()
}

/// Adds the largest group with the reduction that is accepted. Nodes at its end are left out first.
fn add(around: &mut Surroundings<'_>, groups: &mut Groups<'_>, reduction: NodeId, rows: &RowSpace) {
    let mut roots = roots(around, reduction, rows);
    let is_full = |id: &NodeId| rows.are_full(around.graph.shape(*id).dims());
    if let Some(&first) = roots.iter().find(|id| is_full(id))
        && is_refused(around, groups, (reduction, first), rows)
    {
        roots.retain(|id| !is_full(id));
    }
    for limits in ORDER {
        for &root in roots.iter().rev() {
            if grown(around, groups, (reduction, root), rows, limits) {
                return;
            }
        }
    }
}

/// Whether the smallest group with the reduction and a root of whole rows is rejected. Then no larger one needs to be tried.
fn is_refused(
    around: &Surroundings<'_>,
    groups: &mut Groups<'_>,
    (reduction, root): (NodeId, NodeId),
    rows: &RowSpace,
) -> bool {
    let mut cluster = Cluster::reducing(around.graph, rows.clone(), root, ORDER[ORDER.len() - 1]);
    cluster.absorb(around);
    let group = Group::with_free(around.graph, around.users, cluster.members(around.graph));
    cluster.holds(reduction) && group.is_some_and(|group| !groups.accepts(&group))
}

/// Adds the group that grows from a root if it contains the reduction and is accepted. Returns whether it was added.
fn grown(
    around: &mut Surroundings<'_>,
    groups: &mut Groups<'_>,
    (reduction, root): (NodeId, NodeId),
    rows: &RowSpace,
    limits: Limits,
) -> bool {
    let graph = around.graph;
    let group = |members: Vec<NodeId>| Group::with_free(graph, around.users, members);
    let mut accepts = |members: &[NodeId]| group(members.to_vec()).is_some_and(|g| groups.accepts(&g));
    let mut cluster = Cluster::reducing(graph, rows.clone(), root, limits);
    cluster.absorb(around);
    let members = cluster.members(graph);
    if !cluster.holds(reduction) || members.len() > 1 && !accepts(&members) {
        return false;
    }
    cluster.extend(around, &mut accepts);
    let members = cluster.members(graph);
    let made = members.len() > 1 && group(members.clone()).is_some_and(|group| groups.add(group));
    if made {
        around.take(&members);
    }
    made
}

/// The reduction, and in graph order the nodes that are computed from it row by row. Each of them may be the root of a group.
fn roots(around: &Surroundings<'_>, reduction: NodeId, rows: &RowSpace) -> Vec<NodeId> {
    let graph = around.graph;
    let mut found = vec![reduction];
    let mut next = 0;
    while next < found.len() && found.len() < MAX_MEMBERS {
        for &user in around.users.of(found[next]).iter().take(MAX_MEMBERS) {
            let node = graph.node(user);
            let dims = node.shape().dims();
            let is_of_rows = around.joins(user) && (rows.are_full(dims) || rows.are_single(dims))
                || rows.repeated_by(graph, node)
                || rows.relaid_by(graph, node);
            if is_of_rows && !found.contains(&user) {
                found.push(user);
            }
        }
        next += 1;
    }
    found.retain(|&id| id == reduction || around.joins(id) && !is_free(graph.node(id)));
    found.sort_unstable();
    found
}
