//! Fuses connected elementwise nodes over one index space, and the ops that move elements to where these nodes read them.
//! Broadcasts and scalar constants are included. If a program computes a value that other nodes read later, that value is one of
//! its results. Nodes that only the graph's caller reads, such as the updates of a parameter and of its moments, join the program
//! whose operands they share, so that one pass over memory computes all of them.

use crate::claims::Claims;
use crate::cluster::{ALL, Cluster, Limits, Surroundings};
use crate::group::{Group, Groups};
use crate::members::{MAX_MEMBERS, is_free};
use rlx_ir::{FusionKind, Graph, NodeId};
use std::collections::HashMap;

/// Groups around outputs of the graph. Two groups over the same index space are merged if one reads what the other reads or
/// computes, and nothing reads a result of the merged group before its last member.
fn output_groups(around: &Surroundings<'_>) -> Vec<Vec<NodeId>> {
    let grown = |roots: Vec<NodeId>| {
        let mut cluster = Cluster::elementwise(&roots, ALL);
        cluster.absorb(around);
        cluster.members(around.graph)
    };
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    // For each value, the group that reads or computes it.
    let mut near: HashMap<NodeId, usize> = HashMap::new();
    let mut is_member = vec![false; around.graph.nodes().len()];
    for &output in around.graph.outputs() {
        if !around.joins(output) || is_member[output.index()] {
            continue;
        }
        let mut members = grown(vec![output]);
        while let Some(other) = mergeable(around, &members, &near, &groups) {
            members.append(&mut groups[other]);
            members = grown(members);
        }
        let number = groups.len();
        values(around.graph, &members).for_each(|value| _ = near.insert(value, number));
        members.iter().for_each(|member| is_member[member.index()] = true);
        groups.push(members);
    }
    groups.retain(|g| !g.is_empty());
    groups
}

/// The values that members compute, and those that they read element by element.
fn values<'a>(graph: &'a Graph, members: &'a [NodeId]) -> impl Iterator<Item = NodeId> + 'a {
    let of = move |&m: &NodeId| {
        let read = graph.node(m).inputs().iter().copied();
        let dense =
            move |i: &NodeId| !is_free(graph.node(*i)) && graph.shape(*i).dims() == graph.shape(m).dims();
        read.filter(dense).chain([m])
    };
    members.iter().flat_map(of)
}

/// An earlier group that can be merged with `members`.
fn mergeable(
    around: &Surroundings<'_>,
    members: &[NodeId],
    near: &HashMap<NodeId, usize>,
    groups: &[Vec<NodeId>],
) -> Option<usize> {
    let graph = around.graph;
    values(graph, members).filter_map(|value| near.get(&value).copied()).find(|&other| {
        let other = &groups[other];
        let all: Vec<NodeId> = other.iter().chain(members).copied().collect();
        !other.is_empty()
            && all.len() <= MAX_MEMBERS
            && graph.shape(other[0]).dims() == graph.shape(members[0]).dims()
            && Group::new(graph, around.users, all).is_some()
    })
}

/// Groups elementwise nodes. Returns `None` if there is nothing to group.
pub fn fuse_elementwise(graph: &Graph, claims: &dyn Claims) -> Option<Graph> {
    let users = graph.users();
    let mut around = Surroundings::new(graph, &users, claims);
    let mut groups = Groups::new(graph, claims, FusionKind::Elementwise);
    for members in output_groups(&around) {
        if members.iter().all(|member| !around.is_taken(*member)) {
            add(&mut around, &mut groups, &members, ALL);
        }
    }
    for node in graph.nodes().iter().rev() {
        if around.joins(node.id()) && !add(&mut around, &mut groups, &[node.id()], ALL) {
            add(&mut around, &mut groups, &[node.id()], Limits { shares: false, ..ALL });
        }
    }
    groups.extract()
}

/// Adds the group that grows from these roots if it is accepted. Returns whether it was.
fn add(around: &mut Surroundings<'_>, groups: &mut Groups<'_>, roots: &[NodeId], limits: Limits) -> bool {
    let graph = around.graph;
    let group = |members: Vec<NodeId>| Group::with_free(graph, around.users, members);
    let mut cluster = Cluster::elementwise(roots, limits);
    cluster.absorb(around);
    let mut accepts = |members: &[NodeId]| group(members.to_vec()).is_some_and(|g| groups.accepts(&g));
    let members = cluster.members(graph);
    if members.len() > 1 && !accepts(&members) {
        return false;
    }
    cluster.extend(around, &mut accepts);
    let members = cluster.members(graph);
    let made = group(members.clone()).filter(|group| group.members.len() > 1);
    let made = made.is_some_and(|group| groups.add(group));
    if made {
        around.take(&members);
    }
    made
}
