//! Nodes: an op, its operands, the shapes of its results and a label. Copying a node does not allocate, because passes copy
//! graphs often and rarely change nodes.

use crate::op::Op;
use crate::shape::Shape;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A handle to a node of one graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The handle of the node at `index`.
    pub fn new(index: usize) -> Self {
        NodeId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// The node's index in [`Graph::nodes`](crate::Graph::nodes).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

/// Number of handles that a list stores inline, without allocating.
const INLINE: usize = 4;

/// A short list of handles, such as the operands of a node.
#[derive(Clone)]
pub struct NodeIds(List);

#[derive(Clone)]
enum List {
    /// This many handles of the array; the others are handle 0.
    Few(u8, [NodeId; INLINE]),
    Many(Box<[NodeId]>),
}

impl NodeIds {
    /// A list of one.
    pub fn one(id: NodeId) -> Self {
        Self::from(&[id][..])
    }
}

impl Default for NodeIds {
    fn default() -> Self {
        Self::from(&[][..])
    }
}

impl Deref for NodeIds {
    type Target = [NodeId];

    fn deref(&self) -> &[NodeId] {
        match &self.0 {
            List::Few(len, ids) => &ids[..usize::from(*len)],
            List::Many(ids) => ids,
        }
    }
}

impl From<&[NodeId]> for NodeIds {
    fn from(ids: &[NodeId]) -> Self {
        ids.iter().copied().collect()
    }
}

impl From<Vec<NodeId>> for NodeIds {
    fn from(ids: Vec<NodeId>) -> Self {
        if ids.len() <= INLINE { Self::from(&ids[..]) } else { NodeIds(List::Many(ids.into())) }
    }
}

impl FromIterator<NodeId> for NodeIds {
    fn from_iter<I: IntoIterator<Item = NodeId>>(ids: I) -> Self {
        let mut few = [NodeId(0); INLINE];
        let mut ids = ids.into_iter();
        for len in 0..INLINE {
            match ids.next() {
                Some(id) => few[len] = id,
                None => return NodeIds(List::Few(len as u8, few)),
            }
        }
        match ids.next() {
            None => NodeIds(List::Few(INLINE as u8, few)),
            Some(id) => NodeIds(List::Many(few.into_iter().chain([id]).chain(ids).collect())),
        }
    }
}

impl PartialEq for NodeIds {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for NodeIds {}

impl fmt::Debug for NodeIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

/// The shapes of a node's results. Most nodes have one result, which needs no list.
#[derive(Clone, PartialEq)]
enum Results {
    One(Shape),
    Several(Arc<[Shape]>),
}

impl From<Vec<Shape>> for Results {
    fn from(mut shapes: Vec<Shape>) -> Self {
        match shapes.pop() {
            Some(shape) if shapes.is_empty() => Results::One(shape),
            last => Results::Several(shapes.into_iter().chain(last).collect()),
        }
    }
}

impl Deref for Results {
    type Target = [Shape];

    fn deref(&self) -> &[Shape] {
        match self {
            Results::One(shape) => std::slice::from_ref(shape),
            Results::Several(shapes) => shapes,
        }
    }
}

impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

/// Where in a model a node comes from, as a dotted path; empty if unknown.
pub type Label = Arc<str>;

/// One operation with its operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    id: NodeId,
    op: Arc<Op>,
    inputs: NodeIds,
    results: Results,
    label: Label,
}

impl Node {
    pub(crate) fn new(id: NodeId, op: Arc<Op>, inputs: NodeIds, results: Vec<Shape>, label: Label) -> Node {
        Node { id, op, inputs, results: results.into(), label }
    }

    /// A copy of the node with another handle and other operands.
    pub(crate) fn moved(&self, id: NodeId, inputs: NodeIds) -> Node {
        let Node { op, results, label, .. } = self.clone();
        Node { id, op, inputs, results, label }
    }

    /// Changes the node's handle to `id`, and those of its operands by `map`.
    pub(crate) fn renumber(&mut self, id: NodeId, map: impl Fn(NodeId) -> NodeId) {
        self.id = id;
        match &mut self.inputs.0 {
            List::Few(len, ids) => ids[..usize::from(*len)].iter_mut().for_each(|i| *i = map(*i)),
            List::Many(ids) => ids.iter_mut().for_each(|i| *i = map(*i)),
        }
    }

    pub(crate) fn with_label(mut self, label: &Label) -> Node {
        self.label = label.clone();
        self
    }

    /// Changes the op and the shapes of the results.
    pub(crate) fn update(&mut self, op: impl FnOnce(&mut Op), shape: impl FnMut(&Shape) -> Shape) {
        op(Arc::make_mut(&mut self.op));
        self.results = self.results.iter().map(shape).collect::<Vec<Shape>>().into();
    }

    /// The node's handle.
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The operation.
    pub fn op(&self) -> &Op {
        &self.op
    }

    /// The operation, shared with the copies of the node.
    pub fn op_arc(&self) -> &Arc<Op> {
        &self.op
    }

    /// The name of an input or a parameter; other nodes have none.
    pub fn name(&self) -> Option<&str> {
        match &*self.op {
            Op::Input { name } | Op::Param { name } => Some(name),
            _ => None,
        }
    }

    /// The operands.
    pub fn inputs(&self) -> &[NodeId] {
        &self.inputs
    }

    /// The shape of the only or first result.
    pub fn shape(&self) -> &Shape {
        // INVARIANT: `Graph::push` stores at least one result.
        &self.results[0]
    }

    /// The shapes of all results. A node with several is a tuple; [`Op::Output`] projects it.
    pub fn results(&self) -> &[Shape] {
        &self.results
    }

    /// Whether the node projects a result of a node that has several.
    pub fn is_projection(&self) -> bool {
        matches!(self.op(), Op::Output { .. })
    }

    /// Whether the node has several results.
    pub fn is_tuple(&self) -> bool {
        self.results.len() > 1
    }

    /// Path of the model block that made the node, or empty.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The shared label.
    pub fn label_arc(&self) -> &Label {
        &self.label
    }

    /// ` at LABEL` for messages that name the node, or nothing if it has no label.
    pub fn at_label(&self) -> String {
        at_label(&self.label)
    }
}

/// ` at LABEL` for messages, or nothing for an empty label.
pub fn at_label(label: &str) -> String {
    if label.is_empty() { String::new() } else { format!(" at {label}") }
}

/// The users of each node of a graph.
#[derive(Debug)]
pub struct Users {
    /// For each node, where its users begin in `list`; then, the length of `list`.
    first: Vec<u32>,
    list: Vec<NodeId>,
    is_output: Vec<bool>,
}

impl Users {
    pub(crate) fn new(nodes: &[Node], outputs: &[NodeId]) -> Users {
        // Handles that do not belong to a node have no users; the verifier reports them.
        let inside = |id: &&NodeId| id.index() < nodes.len();
        let mut first = vec![0u32; nodes.len() + 1];
        for input in nodes.iter().flat_map(|node| node.inputs()).filter(inside) {
            first[input.index() + 1] += 1;
        }
        for i in 0..nodes.len() {
            first[i + 1] += first[i];
        }
        let mut next = first.clone();
        let mut list = vec![NodeId(0); first[nodes.len()] as usize];
        for node in nodes {
            for input in node.inputs().iter().filter(inside) {
                let at = &mut next[input.index()];
                list[*at as usize] = node.id;
                *at += 1;
            }
        }
        let mut is_output = vec![false; nodes.len()];
        outputs.iter().filter(inside).for_each(|output| is_output[output.index()] = true);
        Users { first, list, is_output }
    }

    /// The nodes that use `id`, once per use, in graph order. Outputs of the graph are not users.
    ///
    /// # Panics
    /// Panics if the handle is of another, larger graph.
    pub fn of(&self, id: NodeId) -> &[NodeId] {
        &self.list[self.first[id.index()] as usize..self.first[id.index() + 1] as usize]
    }

    /// Whether `id` is an output of the graph.
    ///
    /// # Panics
    /// Panics if the handle is of another, larger graph.
    pub fn is_output(&self, id: NodeId) -> bool {
        self.is_output[id.index()]
    }
}
