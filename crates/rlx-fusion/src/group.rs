//! Makes `fusion` nodes of the groups that the backend accepts (FUSE-1).

use crate::claims::Claims;
use crate::members::{add_free, is_free};
use rlx_ir::op::Key;
use rlx_ir::{FusionKind, Graph, NodeId, Op, SubGraph, Users};
use std::collections::HashMap;
use std::sync::Arc;

/// Nodes to be fused. The root is the last of them in graph order.
pub(crate) struct Group {
    /// The members, in graph order.
    pub members: Vec<NodeId>,
    /// Members whose values are used outside: the last member, and others that are used only by nodes after it.
    pub outputs: Vec<NodeId>,
}

impl Group {
    /// The group of these members, with one result for each member that is used outside. `None` if a node before the last member
    /// uses such a result, because it would have to wait for the group.
    pub(crate) fn new(graph: &Graph, users: &Users, mut members: Vec<NodeId>) -> Option<Group> {
        members.sort_unstable();
        members.dedup();
        let &last = members.last()?;
        let mut outputs = Vec::new();
        for &member in &members {
            // Free nodes are computed again outside.
            if member != last && is_free(graph.node(member)) {
                continue;
            }
            let outside = users.of(member).iter().find(|user| members.binary_search(user).is_err());
            if outside.is_some_and(|user| *user < last) {
                return None;
            }
            if member == last || outside.is_some() || users.is_output(member) {
                outputs.push(member);
            }
        }
        Some(Group { members, outputs })
    }

    /// [`Group::new`] including the free nodes that the members read.
    pub(crate) fn with_free(graph: &Graph, users: &Users, mut members: Vec<NodeId>) -> Option<Group> {
        add_free(graph, &mut members);
        Group::new(graph, users, members)
    }
}

/// A group that the backend accepted.
struct Accepted {
    last: NodeId,
    outputs: Vec<NodeId>,
    body: SubGraph,
    /// The nodes that are the body's inputs.
    external: Vec<NodeId>,
}

/// The groups of one pass. The backend is asked about the body of each before it is made.
pub(crate) struct Groups<'g> {
    claims: &'g dyn Claims,
    kind: FusionKind,
    bodies: Bodies<'g>,
    accepted: Vec<Accepted>,
}

impl<'g> Groups<'g> {
    /// A pass without groups so far.
    pub(crate) fn new(graph: &'g Graph, claims: &'g dyn Claims, kind: FusionKind) -> Self {
        let places = vec![None; graph.nodes().len()];
        let bodies = Bodies { graph, places, known: HashMap::new(), names: Vec::new() };
        Groups { claims, kind, bodies, accepted: Vec::new() }
    }

    /// Whether the backend has a kernel for a group.
    pub(crate) fn accepts(&mut self, group: &Group) -> bool {
        self.body(group).0.is_some()
    }

    fn body(&mut self, group: &Group) -> (Option<SubGraph>, Vec<NodeId>) {
        let (claims, kind) = (self.claims, self.kind);
        self.bodies.body(group, |body| claims.accepts(kind, body))
    }

    /// Adds a group, unless the backend has no kernel for it. Groups are disjoint, except for members that are cheap to recompute
    /// (broadcasts, constants).
    pub(crate) fn add(&mut self, group: Group) -> bool {
        let Some(&last) = group.members.last() else { return false };
        let (body, external) = self.body(&group);
        let Some(body) = body else { return false };
        self.accepted.push(Accepted { last, outputs: group.outputs, body, external });
        true
    }

    /// The graph with one `fusion` node per group, in place of its last member. `None` if there is no group.
    pub(crate) fn extract(self) -> Option<Graph> {
        let (graph, kind) = (self.bodies.graph, self.kind);
        if self.accepted.is_empty() {
            return None;
        }
        let nodes = graph.nodes().len();
        let mut last: Vec<Option<&Accepted>> = vec![None; nodes];
        self.accepted.iter().for_each(|group| last[group.last.index()] = Some(group));
        let mut new = Graph::new(graph.name());
        new.reserve(nodes);
        let mut map: Vec<NodeId> = Vec::with_capacity(nodes);
        for node in graph.nodes() {
            let Some(group) = last[node.id().index()] else {
                // A member that is used outside its group is copied until the last member is reached; its users come after that.
                let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
                map.push(new.push_copy(node, inputs));
                continue;
            };
            let results = group.body.output_shapes();
            let args = group.external.iter().map(|id| map[id.index()]).collect();
            new.set_label(node.label_arc().clone());
            let fused = new.push(Op::Fusion { kind, body: group.body.clone() }, args, results.clone());
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
}

/// Builds the bodies of groups. Groups with equal contents share a body, and all bodies share the names of their inputs.
struct Bodies<'g> {
    graph: &'g Graph,
    /// For each node of the graph, its position in the current body: inputs first, then members.
    places: Vec<Option<u32>>,
    /// Bodies by their contents; `None` for those that the backend rejected.
    known: HashMap<Vec<u8>, Option<SubGraph>>,
    names: Vec<Arc<Op>>,
}

impl Bodies<'_> {
    /// The body of a group, if it is accepted, and the nodes that are its inputs.
    fn body(&mut self, group: &Group, accepts: impl Fn(&Graph) -> bool) -> (Option<SubGraph>, Vec<NodeId>) {
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
        // Members come after the inputs.
        for (at, &member) in group.members.iter().enumerate() {
            places[member.index()] = Some((external.len() + at) as u32);
        }
        let key = self.key(group, &external);
        let body = match self.known.get(&key) {
            Some(body) => body.clone(),
            None => {
                let body = self.written(group, &external);
                let body = accepts(&body).then(|| SubGraph::new(body));
                self.known.insert(key, body.clone());
                body
            }
        };
        group.members.iter().chain(&external).for_each(|id| self.places[id.index()] = None);
        (body, external)
    }

    /// The position of a node in the current body.
    fn place(&self, id: NodeId) -> NodeId {
        // INVARIANT: members and their operands have positions.
        NodeId::new(self.places[id.index()].map_or(usize::MAX, |at| at as usize))
    }

    /// A key of the contents of a body.
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

/// Whether only nodes of `members` use `id`, and it is not an output of the graph.
pub fn used_only_by(users: &Users, id: NodeId, members: &[NodeId]) -> bool {
    !users.is_output(id) && users.of(id).iter().all(|u| members.contains(u))
}
