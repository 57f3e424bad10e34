//! Groups of nodes that become one `fusion` node.

use rlx_ir::op::Key;
use rlx_ir::{FusionKind, Graph, NodeId, Op, SubGraph, Users};
use std::collections::HashMap;
use std::sync::Arc;

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
}

/// Writes the bodies of groups. Groups that say the same have one body, and all bodies share the names of their inputs.
struct Bodies<'g> {
    graph: &'g Graph,
    /// For each node of the graph its place in the body in hand: an input, or behind all inputs a member.
    places: Vec<Option<u32>>,
    known: HashMap<Vec<u8>, SubGraph>,
    names: Vec<Arc<Op>>,
}

impl Bodies<'_> {
    /// The body of a group, and the nodes that are its inputs.
    fn body(&mut self, group: &Group) -> (SubGraph, Vec<NodeId>) {
        let Bodies { graph, places, .. } = self;
        let mut external: Vec<NodeId> = Vec::new();
        for (at, &member) in group.members.iter().enumerate() {
            places[member.index()] = Some(at as u32);
        }
        for &id in group.members.iter().flat_map(|&m| graph.node(m).inputs()) {
            if places[id.index()].is_none() {
                places[id.index()] = Some(external.len() as u32);
                external.push(id);
            }
        }
        // Members stand behind the inputs.
        for (at, &member) in group.members.iter().enumerate() {
            places[member.index()] = Some((external.len() + at) as u32);
        }
        let key = self.key(group, &external);
        let body = match self.known.get(&key) {
            Some(body) => body.clone(),
            None => {
                let body = SubGraph::new(self.written(group, &external));
                self.known.insert(key, body.clone());
                body
            }
        };
        group.members.iter().chain(&external).for_each(|id| self.places[id.index()] = None);
        (body, external)
    }

    /// The place of a node in the body in hand.
    fn place(&self, id: NodeId) -> NodeId {
        // INVARIANT: members and what they read have places.
        NodeId::new(self.places[id.index()].map_or(usize::MAX, |at| at as usize))
    }

    /// Everything that a body says.
    fn key(&self, group: &Group, external: &[NodeId]) -> Vec<u8> {
        let mut key = Key::default();
        key.number(external.len() as u64);
        external.iter().for_each(|&id| key.shape(self.graph.shape(id)));
        for &member in &group.members {
            let node = self.graph.node(member);
            key.op(node.op());
            key.text(node.label().as_bytes());
            key.number(node.results().len() as u64);
            node.results().iter().for_each(|shape| key.shape(shape));
            key.number(node.inputs().len() as u64);
            node.inputs().iter().for_each(|&input| key.number(self.place(input).index() as u64));
        }
        group.outputs.iter().for_each(|&output| key.number(self.place(output).index() as u64));
        key.bytes().to_vec()
    }

    fn written(&mut self, group: &Group, external: &[NodeId]) -> Graph {
        while self.names.len() < external.len() {
            self.names.push(Arc::new(Op::Input { name: format!("x{}", self.names.len()) }));
        }
        let mut body = Graph::new("fusion");
        for (&id, name) in external.iter().zip(&self.names) {
            body.push(name.clone(), Vec::new(), vec![self.graph.shape(id).clone()]);
        }
        for &member in &group.members {
            let node = self.graph.node(member);
            body.push_copy(node, node.inputs().iter().map(|&input| self.place(input)).collect());
        }
        body.set_outputs(group.outputs.iter().map(|&output| self.place(output)).collect());
        body
    }
}

/// Replaces each group by one `fusion` node at the place of its last member. Groups are disjoint, except for members that
/// are cheap to compute again (broadcasts, constants). `None` if there is no group.
pub(crate) fn extract(graph: &Graph, groups: &[Group], kind: FusionKind) -> Option<Graph> {
    if groups.is_empty() {
        return None;
    }
    let nodes = graph.nodes().len();
    let mut last: Vec<Option<&Group>> = vec![None; nodes];
    for group in groups {
        if let Some(end) = group.members.last() {
            last[end.index()] = Some(group);
        }
    }
    let mut bodies = Bodies { graph, places: vec![None; nodes], known: HashMap::new(), names: Vec::new() };
    let mut new = Graph::new(graph.name());
    new.reserve(nodes);
    let mut map: Vec<NodeId> = Vec::with_capacity(nodes);
    for node in graph.nodes() {
        let Some(group) = last[node.id().index()] else {
            // A member that is used outside its group stands for itself until the last is reached; its users come later.
            let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
            map.push(new.push_copy(node, inputs));
            continue;
        };
        let (body, external) = bodies.body(group);
        let results = body.output_shapes();
        let args = external.iter().map(|id| map[id.index()]).collect();
        new.set_label(node.label_arc().clone());
        let fused = new.push(Op::Fusion { kind, body }, args, results.clone());
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
