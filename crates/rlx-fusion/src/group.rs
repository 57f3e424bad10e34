//! Groups of nodes that become one `fusion` node.

use rlx_ir::{FusionKind, Graph, NodeId, Op, SubGraph, Users};
use std::collections::HashMap;

/// Nodes to be fused. The root comes last in the graph's order.
pub(crate) struct Group {
    /// The members, in graph order.
    pub members: Vec<NodeId>,
    /// Members whose values are used outside: the last member, and outputs of the graph that nothing else outside uses.
    pub outputs: Vec<NodeId>,
}

impl Group {
    /// A group with one result: that of its last member.
    pub(crate) fn single(members: Vec<NodeId>) -> Group {
        Self::several(members, &[])
    }

    /// A group with the results of its last member and of others.
    pub(crate) fn several(mut members: Vec<NodeId>, others: &[NodeId]) -> Group {
        members.sort_unstable();
        members.dedup();
        let last = members.last().copied();
        let outputs = members.iter().copied().filter(|m| Some(*m) == last || others.contains(m)).collect();
        Group { members, outputs }
    }

    fn body(&self, graph: &Graph) -> (Graph, Vec<NodeId>) {
        let mut body = Graph::new("fusion");
        let mut map: HashMap<NodeId, NodeId> = HashMap::new();
        let mut external = Vec::new();
        let operands = self.members.iter().flat_map(|&m| graph.node(m).inputs().iter().copied());
        for id in operands.filter(|id| !self.members.contains(id)) {
            if let std::collections::hash_map::Entry::Vacant(e) = map.entry(id) {
                e.insert(body.input(format!("x{}", external.len()), graph.shape(id).clone()));
                external.push(id);
            }
        }
        for &member in &self.members {
            let node = graph.node(member);
            let inputs = node.inputs().iter().map(|i| map[i]).collect();
            map.insert(member, body.push_copy(node, inputs));
        }
        body.set_outputs(self.outputs.iter().map(|o| map[o]).collect());
        (body, external)
    }
}

/// Replaces each group by one `fusion` node at the place of its last member. Groups are disjoint, except for members that
/// are cheap to compute again (broadcasts, constants). `None` if there is no group.
pub(crate) fn extract(graph: &Graph, groups: &[Group], kind: FusionKind) -> Option<Graph> {
    if groups.is_empty() {
        return None;
    }
    let last: HashMap<NodeId, &Group> = groups.iter().filter_map(|g| Some((*g.members.last()?, g))).collect();
    let mut new = Graph::new(graph.name());
    new.reserve(graph.nodes().len());
    let mut map: Vec<NodeId> = Vec::with_capacity(graph.nodes().len());
    for node in graph.nodes() {
        let Some(group) = last.get(&node.id()) else {
            // A member that is used outside its group stands for itself until the last is reached; its users come later.
            let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
            map.push(new.push_copy(node, inputs));
            continue;
        };
        let (body, external) = group.body(graph);
        let results = body.output_shapes();
        let args = external.iter().map(|id| map[id.index()]).collect();
        new.set_label(node.label_arc().clone());
        let fused = new.push(Op::Fusion { kind, body: SubGraph::new(body) }, args, results.clone());
        map.push(fused);
        if results.len() > 1 {
            for (index, (output, shape)) in group.outputs.iter().zip(results).enumerate() {
                map[output.index()] = new.push(Op::Output { index }, vec![fused], vec![shape]);
            }
        }
        new.set_label("");
    }
    new.set_outputs(graph.outputs().iter().map(|o| map[o.index()]).collect());
    Some(new)
}

/// Whether every use of `id` is by a node of `members`, and it is no output of the graph.
pub fn used_only_by(users: &Users, id: NodeId, members: &[NodeId]) -> bool {
    !users.is_output(id) && used_inside(users, id, members)
}

/// Whether every node that uses `id` is one of `members`.
pub(crate) fn used_inside(users: &Users, id: NodeId, members: &[NodeId]) -> bool {
    users.of(id).iter().all(|u| members.contains(u))
}
