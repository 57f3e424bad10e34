//! Groups of nodes that become one `fusion` node.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{FusionKind, Graph, NodeId, Op, SubGraph};
use std::collections::HashMap;
use std::convert::Infallible;

/// Nodes to be fused. The root comes last in the graph's order.
pub(crate) struct Group {
    /// The members, in graph order.
    pub members: Vec<NodeId>,
    /// Members whose values are used outside, the root among them.
    pub outputs: Vec<NodeId>,
}

impl Group {
    /// A group with one result: that of its last member.
    pub(crate) fn single(mut members: Vec<NodeId>) -> Group {
        members.sort_unstable();
        members.dedup();
        let root = members.last().copied().into_iter().collect();
        Group { members, outputs: root }
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

/// Replaces each group by one `fusion` node at the place of its root. Groups are disjoint, except for members that
/// are cheap to compute again (broadcasts, constants). `None` if there is no group.
pub(crate) fn extract(graph: &Graph, groups: &[Group], kind: FusionKind) -> Option<Graph> {
    let roots: HashMap<NodeId, &Group> =
        groups.iter().filter_map(|g| Some((*g.members.last()?, g))).collect();
    // A member that is used outside its group stands for itself until the root is reached; its users come later.
    let Ok(result) = rewrite(graph, |rw, node, _| {
        let Some(group) = roots.get(&node.id()) else { return Ok::<_, Infallible>(None) };
        let (body, external) = group.body(graph);
        let results = body.output_shapes();
        let args = external.iter().map(|&id| rw.mapped(id)).collect();
        Ok(Some(vec![rw.graph().push(Op::Fusion { kind, body: SubGraph::new(body) }, args, results)]))
    });
    result
}

/// Whether every use of `id` is by a node of `members`, and it is no output of the graph.
pub fn used_only_by(graph: &Graph, users: &[Vec<NodeId>], id: NodeId, members: &[NodeId]) -> bool {
    !graph.outputs().contains(&id) && users[id.index()].iter().all(|u| members.contains(u))
}
