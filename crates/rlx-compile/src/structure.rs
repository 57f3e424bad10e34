//! The structure that programs of one graph share at all sizes: classes of nodes, readers of values, and lifetimes.
//!
//! It is computed once. A binding iterates over it, and looks up everything that depends on sizes in lists by class.
//!
//! Nodes that differ only in their place form a *class*: the same op on operands of the same shapes. The layers of a model mostly
//! consist of the same few classes. So a binding infers shapes, and a backend prepares kernels, only once per class.

use crate::alias::Alias;
use crate::intern::Interner;
use rlx_ir::op::Key;
use rlx_ir::{Graph, Node, NodeId, Op};
use std::ops::Range;
use std::sync::Arc;

/// The last use of a value that is an output: after all steps.
pub(crate) const FOREVER: usize = usize::MAX;

/// The role of a node in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Input,
    Param,
    Constant,
    /// Its only result is its operand's bytes.
    View,
    Kernel,
}

impl Role {
    pub(crate) fn of(op: &Op) -> Role {
        match op {
            Op::Input { .. } => Role::Input,
            Op::Param { .. } => Role::Param,
            Op::Constant { .. } => Role::Constant,
            Op::Reshape { .. } | Op::Output { .. } => Role::View,
            _ => Role::Kernel,
        }
    }
}

/// A graph, its classes, and the values of its programs. Values are numbered by node and result.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) graph: Arc<Graph>,
    /// For each node, its class. Classes are numbered in the order of their first members.
    pub(crate) classes: Vec<u32>,
    /// One node per class: its first member, with the nodes of the operands' classes as operands.
    pub(crate) class_graph: Arc<Graph>,
    /// For each class, its first member.
    pub(crate) first_of: Vec<NodeId>,
    /// Alias pairs in the order of their inputs.
    pub(crate) aliases: Vec<Alias>,
    pub(crate) roles: Vec<Role>,
    /// For each node, its first value, followed by the total number of values.
    first_value: Vec<usize>,
    /// For each node, the start of its operands in `operands`, followed by the length of `operands`.
    first_operand: Vec<usize>,
    /// The values that nodes read. The operand of a projection is the value that it projects.
    operands: Vec<usize>,
    /// For each node, the index of the last node that uses it or a view of it, or [`FOREVER`].
    pub(crate) last_use: Vec<usize>,
    /// For each value, the alias pair with this value as its output, or [`FOREVER`]. Empty if there are no alias pairs.
    updates: Vec<usize>,
    /// The maximum numbers of operands and of results of a node.
    pub(crate) widest: (usize, usize),
}

impl Structure {
    /// Creates the structure of a scheduled graph, divided into classes.
    pub(crate) fn new(graph: Arc<Graph>, aliases: &[Alias]) -> Structure {
        let classes = classes(&graph);
        let class_graph = Arc::new(class_graph(&graph, &classes));
        Self::with_classes(graph, classes, class_graph, aliases)
    }

    /// Creates the structure of a scheduled graph in which each node is a separate class.
    pub(crate) fn unclassified(graph: Arc<Graph>) -> Structure {
        let classes = (0..graph.nodes().len()).map(|i| i as u32).collect();
        Self::with_classes(graph.clone(), classes, graph, &[])
    }

    fn with_classes(
        graph: Arc<Graph>,
        classes: Vec<u32>,
        class_graph: Arc<Graph>,
        aliases: &[Alias],
    ) -> Structure {
        let nodes = graph.nodes();
        let (mut first_value, mut first_operand) = (Vec::new(), Vec::new());
        let (mut values, mut operands) = (0, Vec::new());
        // Copies have one operand and one result.
        let mut widest = (1, 1);
        for node in nodes {
            first_value.push(values);
            first_operand.push(operands.len());
            values += node.results().len();
            let result = if let Op::Output { index } = node.op() { *index } else { 0 };
            operands.extend(node.inputs().iter().map(|input| first_value[input.index()] + result));
            widest = (widest.0.max(node.inputs().len()), widest.1.max(node.results().len()));
        }
        first_value.push(values);
        first_operand.push(operands.len());
        let mut aliases = aliases.to_vec();
        aliases.sort_by_key(|alias| alias.input);
        let mut first_of = Vec::with_capacity(class_graph.nodes().len());
        for (at, &class) in classes.iter().enumerate() {
            if class as usize == first_of.len() {
                first_of.push(NodeId::new(at));
            }
        }
        let mut structure = Structure {
            first_of,
            roles: nodes.iter().map(|node| Role::of(node.op())).collect(),
            last_use: last_uses(&graph),
            updates: Vec::new(),
            graph,
            classes,
            class_graph,
            aliases,
            first_value,
            first_operand,
            operands,
            widest,
        };
        structure.updates = structure.updates();
        structure
    }

    /// Returns, for each value, the first alias pair that it updates, directly or through a projection.
    fn updates(&self) -> Vec<usize> {
        if self.aliases.is_empty() {
            return Vec::new();
        }
        let mut updates = vec![FOREVER; self.num_values()];
        for (at, alias) in self.aliases.iter().enumerate().rev() {
            let output = self.graph.outputs()[alias.output];
            let is_projection = matches!(self.graph.node(output).op(), Op::Output { .. });
            let value = if is_projection { self.operands_of(output)[0] } else { self.first_value(output) };
            updates[value] = at;
        }
        updates
    }

    pub(crate) fn num_values(&self) -> usize {
        // INVARIANT: `with_classes` ends the list with it.
        self.first_value.last().copied().unwrap_or(0)
    }

    /// Returns the first value of a node.
    pub(crate) fn first_value(&self, node: NodeId) -> usize {
        self.first_value[node.index()]
    }

    /// Returns the values of a node.
    pub(crate) fn values_of(&self, node: NodeId) -> Range<usize> {
        self.first_value[node.index()]..self.first_value[node.index() + 1]
    }

    /// Returns the values that a node reads.
    pub(crate) fn operands_of(&self, node: NodeId) -> &[usize] {
        &self.operands[self.first_operand[node.index()]..self.first_operand[node.index() + 1]]
    }

    /// Returns the alias pair with this value as its output.
    pub(crate) fn updated_by(&self, value: usize) -> Option<usize> {
        self.updates.get(value).copied().filter(|&at| at != FOREVER)
    }

    /// Returns the class of a node.
    pub(crate) fn class_of(&self, node: NodeId) -> usize {
        self.classes[node.index()] as usize
    }
}

/// Returns, for each node, the index of the last node that uses it or a view of it. Outputs are used at the end.
fn last_uses(graph: &Graph) -> Vec<usize> {
    let mut last = vec![0; graph.nodes().len()];
    graph.outputs().iter().for_each(|o| last[o.index()] = FOREVER);
    for node in graph.nodes().iter().rev() {
        let i = node.id().index();
        let until = if Role::of(node.op()) == Role::View { last[i].max(i) } else { i };
        for input in node.inputs() {
            last[input.index()] = last[input.index()].max(until);
        }
    }
    last
}

/// One node per class.
fn class_graph(graph: &Graph, classes: &[u32]) -> Graph {
    let mut of_classes = Graph::new(graph.name());
    for (node, &class) in graph.nodes().iter().zip(classes) {
        if class as usize == of_classes.nodes().len() {
            // Operands precede their user, and so do the first members of their classes.
            let operand = |input: &NodeId| NodeId::new(classes[input.index()] as usize);
            of_classes.push_copy(node, node.inputs().iter().map(operand).collect());
        }
    }
    of_classes
}

/// Returns the class of each node of a graph.
fn classes(graph: &Graph) -> Vec<u32> {
    let mut known = Interner::default();
    let mut key = Key::default();
    let class = |node: &Node| {
        key.clear();
        write_node(&mut key, node);
        for &input in node.inputs() {
            let operand = graph.node(input);
            key.number(match operand.op() {
                Op::Param { .. } => 0,
                Op::Constant { .. } => 1,
                _ => 2,
            });
            key.shape(operand.shape());
        }
        known.number(key.bytes())
    };
    graph.nodes().iter().map(class).collect()
}

/// Writes everything that distinguishes the node, except its operands, its place, its label and, for leaves, its name and value.
fn write_node(key: &mut Key, node: &Node) {
    match node.op() {
        op @ (Op::Input { .. } | Op::Param { .. } | Op::Constant { .. }) => key.number(op.kind() as u64),
        op => key.op(op),
    }
    key.number(node.results().len() as u64);
    node.results().iter().for_each(|shape| key.shape(shape));
    key.number(node.inputs().len() as u64);
}
