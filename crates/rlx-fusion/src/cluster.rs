//! A group under construction, which grows from its roots to the nodes that compute their operands.

use crate::claims::Claims;
use crate::members::{MAX_MEMBERS, is_claimed, is_elementwise, is_free, moves, reads_once};
use crate::rows::RowSpace;
use rlx_ir::{Graph, NodeId, Op, Users};
use std::collections::HashMap;

/// The graph in which a pass looks for groups.
pub(crate) struct Surroundings<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) users: &'g Users,
    pub(crate) claims: &'g dyn Claims,
    /// The nodes that are members of a group.
    taken: Vec<bool>,
}

impl<'g> Surroundings<'g> {
    /// A graph without groups.
    pub(crate) fn new(graph: &'g Graph, users: &'g Users, claims: &'g dyn Claims) -> Self {
        Surroundings { graph, users, claims, taken: vec![false; graph.nodes().len()] }
    }

    /// Whether the node is a member of a group.
    pub(crate) fn is_taken(&self, id: NodeId) -> bool {
        self.taken[id.index()]
    }

    /// Makes nodes members of a group.
    pub(crate) fn take(&mut self, members: &[NodeId]) {
        members.iter().for_each(|member| self.taken[member.index()] = true);
    }

    /// Whether the node may be computed inside an elementwise program.
    pub(crate) fn joins(&self, id: NodeId) -> bool {
        !self.is_taken(id) && is_claimed(self.graph, self.graph.node(id), self.claims)
    }
}

/// The indices at which members read a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Indices {
    /// The indices of the group: of a program's results, or of the elements that are reduced.
    Own,
    /// The indices of the rows that are reduced.
    Row,
    /// The indices at which this node reads this operand.
    Through(NodeId, usize),
}

/// How members read a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reading {
    indices: Indices,
    /// Whether elements may be read more than once.
    again: bool,
}

const OWN: Reading = Reading { indices: Indices::Own, again: false };
const ROW: Reading = Reading { indices: Indices::Row, again: false };

/// Members of a group, and how they are read. Each is needed at one index for each element or row of the group.
pub(crate) struct Cluster {
    /// In the order in which they joined, including the free nodes between them.
    readers: Vec<NodeId>,
    readings: HashMap<NodeId, Reading>,
    /// Number of readers that are members.
    members: usize,
    /// The last node of the group.
    last: NodeId,
    /// The rows that are reduced.
    rows: Option<RowSpace>,
    limits: Limits,
}

/// What may join a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// Values that are also read outside, after the last node.
    pub(crate) shares: bool,
    /// Nodes that compute the elements that are reduced.
    pub(crate) absorbs: bool,
}

/// No limits.
pub(crate) const ALL: Limits = Limits { shares: true, absorbs: true };

impl Cluster {
    /// An elementwise group with these roots, all over the same index space.
    pub(crate) fn elementwise(roots: &[NodeId], limits: Limits) -> Cluster {
        let readings = roots.iter().map(|&root| (root, OWN)).collect();
        let last = roots.iter().copied().max().unwrap_or(NodeId::new(0));
        Cluster { readers: roots.to_vec(), readings, members: roots.len(), last, rows: None, limits }
    }

    /// A group that reduces rows. Its root has either one element per row, or all elements of the rows.
    pub(crate) fn reducing(graph: &Graph, rows: RowSpace, root: NodeId, limits: Limits) -> Cluster {
        let reading = if rows.are_full(graph.shape(root).dims()) { OWN } else { ROW };
        let readings = HashMap::from([(root, reading)]);
        Cluster { readers: vec![root], readings, members: 1, last: root, rows: Some(rows), limits }
    }

    /// The members, without free nodes.
    pub(crate) fn members(&self, graph: &Graph) -> Vec<NodeId> {
        self.readers.iter().copied().filter(|id| !is_free(graph.node(*id))).collect()
    }

    /// Whether the node is a member.
    pub(crate) fn holds(&self, id: NodeId) -> bool {
        self.readings.contains_key(&id)
    }

    /// Adds the nodes that compute the operands of members, as far as they are read at one index.
    pub(crate) fn absorb(&mut self, around: &Surroundings<'_>) {
        self.absorb_behind(around, 0);
    }

    /// [`absorb`](Self::absorb) for the operands of the readers from `next` on.
    fn absorb_behind(&mut self, around: &Surroundings<'_>, mut next: usize) {
        while next < self.readers.len() && self.members < MAX_MEMBERS {
            let reader = around.graph.node(self.readers[next]);
            let ends = !self.limits.absorbs && matches!(reader.op(), Op::Reduce { .. });
            for &input in reader.inputs().iter().filter(|_| !ends) {
                if !self.holds(input)
                    && let Some(reading) = self.reading(around, input)
                    && self.admits(around, input, reading)
                {
                    self.push(around, input, reading);
                }
            }
            next += 1;
        }
    }

    /// Whether the node may be computed where members read it in this way.
    fn admits(&self, around: &Surroundings<'_>, id: NodeId, reading: Reading) -> bool {
        let (graph, node) = (around.graph, around.graph.node(id));
        let is_of_rows = |rows: &RowSpace| match reading {
            OWN => {
                let repeats = rows.repeated_by(graph, node) && self.alone(around, id).is_some();
                repeats && follows_reduction(around, rows, node.inputs()[0])
            }
            ROW => !around.is_taken(id) && (rows.reduced_by(graph, node) || rows.relaid_by(graph, node)),
            _ => false,
        };
        !reading.again && around.joins(id) || self.rows.as_ref().is_some_and(is_of_rows)
    }

    /// Adds nodes that move elements to where members read them, and the nodes that compute those, as far as the backend accepts
    /// the group with them. The backend is first asked about each such node together with the nodes that compute it, then about
    /// the node alone.
    pub(crate) fn extend(&mut self, around: &Surroundings<'_>, accepts: &mut dyn FnMut(&[NodeId]) -> bool) {
        let mut next = 0;
        while next < self.readers.len() && self.members < MAX_MEMBERS {
            for &input in around.graph.node(self.readers[next]).inputs() {
                if self.holds(input) {
                    continue;
                }
                let node = around.graph.node(input);
                let Some(reading) = self.alone(around, input) else { continue };
                if is_free(node) {
                    // The traversal continues through free nodes.
                    self.push(around, input, reading);
                } else if !around.is_taken(input) && moves(around.graph, node) {
                    let kept = self.readers.len();
                    self.push(around, input, reading);
                    self.absorb_behind(around, kept);
                    let mut accepted = accepts(&self.members(around.graph));
                    if !accepted && self.readers.len() > kept + 1 {
                        self.truncate(around, kept + 1);
                        accepted = accepts(&self.members(around.graph));
                    }
                    if !accepted {
                        self.truncate(around, kept);
                    }
                }
            }
            next += 1;
        }
    }

    fn push(&mut self, around: &Surroundings<'_>, id: NodeId, reading: Reading) {
        self.readers.push(id);
        self.readings.insert(id, reading);
        self.members += usize::from(!is_free(around.graph.node(id)));
    }

    fn truncate(&mut self, around: &Surroundings<'_>, len: usize) {
        for id in self.readers.drain(len..) {
            self.readings.remove(&id);
            self.members -= usize::from(!is_free(around.graph.node(id)));
        }
    }

    /// How a member reads an operand.
    fn operand(&self, around: &Surroundings<'_>, reader: NodeId, operand: usize) -> Reading {
        let reading = self.readings.get(&reader).copied().unwrap_or(OWN);
        let node = around.graph.node(reader);
        let rows = self.rows.as_ref();
        match node.op() {
            Op::Reduce { .. } => OWN,
            _ if rows.is_some_and(|rows| rows.repeated_by(around.graph, node)) => ROW,
            _ if rows.is_some_and(|rows| rows.relaid_by(around.graph, node)) => reading,
            op if is_elementwise(op) => reading,
            op => Reading {
                indices: Indices::Through(reader, operand),
                again: reading.again || !reads_once(op, operand),
            },
        }
    }

    /// How members read a value, if all of them read it at one index and outside readers are allowed. The first reader decides
    /// about a value with many readers.
    fn reading(&self, around: &Surroundings<'_>, id: NodeId) -> Option<Reading> {
        let outside = self.outside(around, id);
        let is_shared = outside.is_some() || around.users.is_output(id);
        if is_shared && !self.limits.shares || outside.is_some_and(|user| user < self.last) {
            return None;
        }
        self.agreed(around, id).filter(|reading| !is_shared || matches!(*reading, OWN | ROW))
    }

    /// How members read a value that only they read.
    fn alone(&self, around: &Surroundings<'_>, id: NodeId) -> Option<Reading> {
        let is_alone = !around.users.is_output(id) && self.outside(around, id).is_none();
        if is_alone { self.agreed(around, id) } else { None }
    }

    /// The first reader of a value that is outside the group.
    fn outside(&self, around: &Surroundings<'_>, id: NodeId) -> Option<NodeId> {
        around.users.of(id).iter().copied().find(|user| !self.holds(*user))
    }

    /// How members read a value, if all of them read it at one index.
    fn agreed(&self, around: &Surroundings<'_>, id: NodeId) -> Option<Reading> {
        let mut agreed = None;
        let readers = around.users.of(id).iter().take_while(|reader| **reader <= self.last);
        for &reader in readers.filter(|reader| self.holds(**reader)) {
            let inputs = around.graph.node(reader).inputs().iter().enumerate();
            for (operand, _) in inputs.filter(|(_, input)| **input == id) {
                let reading = self.operand(around, reader, operand);
                if agreed.is_some_and(|agreed| agreed != reading) {
                    return None;
                }
                agreed = Some(reading);
            }
        }
        agreed
    }
}

/// Whether a value with one element per row is computed from a reduction of the rows, by a few nodes that may join.
fn follows_reduction(around: &Surroundings<'_>, rows: &RowSpace, id: NodeId) -> bool {
    let graph = around.graph;
    let mut above = vec![id];
    let mut next = 0;
    while next < above.len() && next < MAX_MEMBERS {
        let node = graph.node(above[next]);
        if rows.reduced_by(graph, node) && !around.is_taken(node.id()) {
            return true;
        }
        let is_single = rows.are_single(node.shape().dims());
        if is_single && (around.joins(node.id()) || rows.relaid_by(graph, node)) {
            above.extend(node.inputs());
        }
        next += 1;
    }
    false
}
