//! The graph: nodes in topological order, and outputs. Owns construction, access and substitution; knows ops only through the
//! rules of the op table.

use crate::dim::{Bindings, Dim, Symbol, Symbols};
use crate::literal::Literal;
use crate::node::{Label, Node, NodeId, NodeIds, Users};
use crate::op::{Op, OpError};
use crate::shape::Shape;
use std::ops::Deref;
use std::sync::Arc;

/// A tensor program: nodes in topological order, and outputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    name: String,
    nodes: Vec<Node>,
    outputs: Vec<NodeId>,
    label: Label,
}

impl Graph {
    /// An empty graph.
    pub fn new(name: impl Into<String>) -> Self {
        Graph { name: name.into(), nodes: Vec::new(), outputs: Vec::new(), label: Label::from("") }
    }

    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All nodes, operands before users.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node, if the graph has one with this handle.
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The node.
    ///
    /// # Panics
    /// Panics if the handle is from another, larger graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The shape of a node's only or first result.
    ///
    /// # Panics
    /// Panics if the handle is from another, larger graph.
    pub fn shape(&self, id: NodeId) -> &Shape {
        self.node(id).shape()
    }

    /// The results of the program, in order.
    pub fn outputs(&self) -> &[NodeId] {
        &self.outputs
    }

    /// The shapes of the outputs.
    pub fn output_shapes(&self) -> Vec<Shape> {
        self.outputs.iter().map(|&id| self.shape(id).clone()).collect()
    }

    /// The input nodes, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|n| matches!(n.op(), Op::Input { .. }))
    }

    /// The parameter nodes, in order.
    pub fn params(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|n| matches!(n.op(), Op::Param { .. }))
    }

    /// Names and shapes of the parameters, in order.
    pub fn named_params(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.params().filter_map(|n| Some((n.name()?, n.shape())))
    }

    /// The shapes of the inputs, in order.
    pub fn input_shapes(&self) -> Vec<Shape> {
        self.inputs().map(|n| n.shape().clone()).collect()
    }

    /// The symbols in the shapes of inputs and parameters, each once.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut out = Symbols::default();
        for node in self.inputs().chain(self.params()) {
            node.shape().dims().iter().for_each(|d| d.symbols(&mut out));
        }
        out.into_vec()
    }

    /// Sets the outputs. The verifier reports handles that are not of this graph.
    pub fn set_outputs(&mut self, outputs: Vec<NodeId>) {
        self.outputs = outputs;
    }

    /// Sets the label of the nodes that are added from now on.
    pub fn set_label(&mut self, label: impl Into<Label>) {
        self.label = label.into();
    }

    /// The label of the nodes that are added now.
    pub fn label(&self) -> &Label {
        &self.label
    }

    pub(crate) fn label_mut(&mut self) -> &mut Label {
        &mut self.label
    }

    /// Adds a value that each run provides.
    pub fn input(&mut self, name: impl Into<String>, shape: Shape) -> NodeId {
        self.push(Op::Input { name: name.into() }, Vec::new(), vec![shape])
    }

    /// Adds a value that is set once and kept between runs.
    pub fn param(&mut self, name: impl Into<String>, shape: Shape) -> NodeId {
        self.push(Op::Param { name: name.into() }, Vec::new(), vec![shape])
    }

    /// Adds a constant.
    pub fn constant(&mut self, value: Literal) -> NodeId {
        let shape = value.shape().clone();
        self.push(Op::Constant { value }, Vec::new(), vec![shape])
    }

    /// Adds a node whose only or first result is declared to have `shape`. Nothing is checked here: the verifier compares the
    /// declaration with the op's shape rule and reports all differences in the graph at once.
    pub fn add_node(&mut self, op: Op, inputs: Vec<NodeId>, shape: Shape) -> NodeId {
        let mut results = self.infer(&op, &inputs).unwrap_or_default();
        match results.first_mut() {
            Some(first) => *first = shape,
            None => results.push(shape),
        }
        self.push(op, inputs, results)
    }

    /// Adds a node with the shapes that the op's rule infers.
    pub fn try_add(&mut self, op: Op, inputs: Vec<NodeId>) -> Result<NodeId, OpError> {
        let results = self.infer(&op, &inputs)?;
        Ok(self.push(op.shared(), inputs, results))
    }

    /// The result shapes of `op` on these operands.
    pub fn infer(&self, op: &Op, inputs: &[NodeId]) -> Result<Vec<Shape>, OpError> {
        self.infer_by(op, inputs, |op, operands| op.infer(operands))
    }

    /// [`Graph::infer`] with a shape rule that the caller passes.
    pub(crate) fn infer_by(
        &self,
        op: &Op,
        inputs: &[NodeId],
        rule: impl FnOnce(&Op, &[Shape]) -> Result<Vec<Shape>, OpError>,
    ) -> Result<Vec<Shape>, OpError> {
        if let Op::Output { index } = op {
            return self.infer_output(*index, inputs);
        }
        let mut shapes = Vec::with_capacity(inputs.len());
        for &id in inputs {
            let node =
                self.get(id).ok_or_else(|| OpError::shape(format!("operand {id} is not in the graph")))?;
            if node.is_tuple() {
                return Err(OpError::shape(format!(
                    "operand {id} is the tuple of `{}`; project one of its {} results with `output`",
                    node.op().mnemonic(),
                    node.results().len()
                )));
            }
            shapes.push(node.shape().clone());
        }
        let results = rule(op, &shapes)?;
        if results.is_empty() {
            return Err(OpError::shape("the op has no result"));
        }
        Ok(results)
    }

    fn infer_output(&self, index: usize, inputs: &[NodeId]) -> Result<Vec<Shape>, OpError> {
        let &[input] = inputs else {
            return Err(OpError::Arity {
                expected: "1 (a node with several results)".into(),
                got: inputs.len(),
            });
        };
        let node =
            self.get(input).ok_or_else(|| OpError::shape(format!("operand {input} is not in the graph")))?;
        match node.results().get(index) {
            Some(shape) => Ok(vec![shape.clone()]),
            None => Err(OpError::attribute(format!(
                "index {index} is out of range: `{}` has {} result(s)",
                node.op().mnemonic(),
                node.results().len()
            ))),
        }
    }

    /// Adds a node with result shapes that the caller has established. `results` must not be empty.
    pub fn push(&mut self, op: impl Into<Arc<Op>>, inputs: Vec<NodeId>, results: Vec<Shape>) -> NodeId {
        debug_assert!(!results.is_empty(), "a node has at least one result");
        let id = NodeId::new(self.nodes.len());
        self.nodes.push(Node::new(id, op.into(), inputs.into(), results, self.label.clone()));
        id
    }

    /// The results of a node, one handle each. For a tuple, adds a node per result that projects it.
    ///
    /// # Panics
    /// Panics if the handle is from another, larger graph.
    pub fn project(&mut self, id: NodeId) -> Vec<NodeId> {
        let results = self.node(id).results().to_vec();
        if results.len() == 1 {
            return vec![id];
        }
        let projections = results.into_iter().enumerate();
        projections.map(|(index, shape)| self.push(Op::Output { index }, vec![id], vec![shape])).collect()
    }

    /// Adds a copy of `node` (of another graph) on other operands, keeping its op, shapes and label.
    pub fn push_copy(&mut self, node: &Node, inputs: NodeIds) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        self.nodes.push(node.moved(id, inputs));
        id
    }

    /// Adds the nodes of `body`, with its inputs replaced by `args`, and returns the handles of its outputs. Parameters of `body`
    /// are added as parameters. Nodes without a label take the current one.
    ///
    /// # Panics
    /// Panics if there are fewer `args` than inputs, or if `body` does not pass [`Graph::check_links`].
    pub fn inline(&mut self, body: &Graph, args: &[NodeId]) -> Vec<NodeId> {
        let mut map: Vec<NodeId> = Vec::with_capacity(body.nodes.len());
        let mut next_arg = 0;
        for node in &body.nodes {
            if matches!(node.op(), Op::Input { .. }) {
                map.push(args[next_arg]);
                next_arg += 1;
                continue;
            }
            let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
            let id = NodeId::new(self.nodes.len());
            let copy = node.moved(id, inputs);
            self.nodes.push(if node.label().is_empty() { copy.with_label(&self.label) } else { copy });
            map.push(id);
        }
        body.outputs.iter().map(|o| map[o.index()]).collect()
    }

    /// The graph with every bound symbol replaced, including those of sub-graphs.
    pub fn bind(&self, bindings: &Bindings) -> Graph {
        let mut graph = self.clone();
        for node in &mut graph.nodes {
            node.update(|op| op.bind(bindings), |shape| shape.bind(bindings));
        }
        graph
    }

    /// Calls `visit` with each dimension of the results and attributes of all nodes, including those of sub-graphs.
    pub fn for_each_dim(&self, visit: &mut dyn FnMut(&Dim)) {
        for node in &self.nodes {
            node.op().for_each_dim(visit);
            node.results().iter().flat_map(Shape::dims).for_each(&mut *visit);
        }
    }

    /// Fails unless operands precede their users and the outputs are values of the graph, as [`Graph::inline`] and
    /// [`Graph::output_shapes`] require. The verifier checks far more; this check is for sub-graphs that have not been verified.
    pub fn check_links(&self) -> Result<(), OpError> {
        for node in &self.nodes {
            if let Some(input) = node.inputs().iter().find(|i| i.index() >= node.id().index()) {
                let (id, op) = (node.id(), node.op().mnemonic());
                return Err(OpError::shape(format!(
                    "operand {input} of {id} `{op}` is not defined before it"
                )));
            }
        }
        for &output in &self.outputs {
            match self.get(output) {
                None => return Err(OpError::shape(format!("output {output} does not exist"))),
                Some(node) if node.is_tuple() => {
                    let problem = format!("output {output} is a tuple; project its results with `output`");
                    return Err(OpError::shape(problem));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The users of each node.
    pub fn users(&self) -> Users {
        Users::new(&self.nodes, &self.outputs)
    }

    /// Reserves capacity for `nodes` more nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.nodes.reserve(nodes);
    }

    /// The graph with its nodes in the given order, which must contain each node once, after its operands.
    pub fn reordered(self, order: &[NodeId]) -> Graph {
        let mut map = vec![NodeId::new(0); self.nodes.len()];
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let mut graph = Graph { nodes: Vec::with_capacity(nodes.len()), ..self };
        for old in order {
            if let Some(mut node) = nodes[old.index()].take() {
                map[old.index()] = NodeId::new(graph.nodes.len());
                node.renumber(map[old.index()], |input| map[input.index()]);
                graph.nodes.push(node);
            }
        }
        graph.outputs.iter_mut().for_each(|output| *output = map[output.index()]);
        graph
    }

    /// Removes the nodes that no output needs. Inputs and parameters stay: they are the program's signature.
    pub fn remove_dead(&mut self) {
        let live = self.live();
        if live.iter().all(|&live| live) {
            return;
        }
        let mut map = vec![NodeId::new(0); live.len()];
        let mut next = 0;
        self.nodes.retain_mut(|node| {
            let old = node.id().index();
            if live[old] {
                map[old] = NodeId::new(next);
                next += 1;
                // Operands precede their users, so their new indices are known.
                node.renumber(map[old], |input| map[input.index()]);
            }
            live[old]
        });
        self.outputs.iter_mut().for_each(|output| *output = map[output.index()]);
    }

    /// A copy with these outputs that has only the nodes they need, inputs and parameters. Nodes added to the copy have no label.
    pub(crate) fn live_part(&self, mut outputs: Vec<NodeId>) -> Graph {
        let live = self.needed(&outputs);
        let mut map = vec![NodeId::new(0); live.len()];
        let mut nodes: Vec<Node> = Vec::with_capacity(live.iter().filter(|&&live| live).count());
        for node in self.nodes.iter().filter(|node| live[node.id().index()]) {
            let id = NodeId::new(nodes.len());
            map[node.id().index()] = id;
            let mut copy = node.clone();
            copy.renumber(id, |input| map[input.index()]);
            nodes.push(copy);
        }
        outputs.iter_mut().for_each(|output| *output = map[output.index()]);
        Graph { name: self.name.clone(), nodes, outputs, label: Label::from("") }
    }

    /// Whether each node contributes to an output. Inputs and parameters always do.
    pub fn live(&self) -> Vec<bool> {
        self.needed(&self.outputs)
    }

    /// Whether each node contributes to one of `outputs`, or is an input or a parameter.
    fn needed(&self, outputs: &[NodeId]) -> Vec<bool> {
        let mut live: Vec<bool> =
            self.nodes.iter().map(|n| matches!(n.op(), Op::Input { .. } | Op::Param { .. })).collect();
        for output in outputs {
            live[output.index()] = true;
        }
        for node in self.nodes.iter().rev() {
            if live[node.id().index()] {
                node.inputs().iter().for_each(|i| live[i.index()] = true);
            }
        }
        live
    }
}

/// How deep the sub-graphs of a program may nest. Passes descend into them by recursion.
pub const MAX_NESTING: usize = 32;

/// How deep sub-graphs may nest after passes, which put fused groups and the expansions of ops inside them.
pub(crate) const MAX_LOWERED_NESTING: usize = MAX_NESTING + 16;

/// A graph inside an op: a branch, a loop body, a comparator. Its inputs are positional; it captures nothing.
/// Cloning shares it.
#[derive(Clone, PartialEq, Debug)]
pub struct SubGraph {
    graph: Arc<Graph>,
    /// 1 if the graph contains no sub-graphs.
    depth: usize,
    /// Number of nodes in the graph and in the graphs inside it. A graph that several ops share counts for each of them.
    nodes: usize,
}

/// The most nodes of a sub-graph, counted like that. Shared graphs are small in memory, but passes visit each use of them.
const MAX_SUB_NODES: usize = 1 << 26;

impl SubGraph {
    /// Shares `graph`. The verifier rejects a graph that nests deeper than [`MAX_NESTING`]. One that is even too deep for
    /// the result of a pass is replaced by an empty graph, so that copying and dropping it cannot overflow the stack; the shape
    /// rule of its op then rejects it.
    pub fn new(graph: Graph) -> Self {
        let (mut inner, mut nodes) = (0, graph.nodes.len());
        for node in &graph.nodes {
            node.op().for_each_graph(&mut |body| {
                inner = inner.max(body.depth);
                nodes = nodes.saturating_add(body.nodes);
            });
        }
        let depth = inner + 1;
        let graph = if depth > MAX_LOWERED_NESTING { Graph::new(graph.name) } else { graph };
        SubGraph { graph: Arc::new(graph), depth, nodes }
    }

    /// Fails if the graph nests deeper than `limit`, or has too many nodes when shared graphs count for each use.
    pub(crate) fn check_extent(&self, limit: usize) -> Result<(), OpError> {
        let name = self.graph.name();
        if self.depth <= limit && self.nodes > MAX_SUB_NODES {
            return Err(OpError::attribute(format!(
                "sub-graph {name:?} has more than {MAX_SUB_NODES} nodes, counting shared graphs inside it once per use"
            )));
        }
        if self.depth <= limit {
            return Ok(());
        }
        Err(OpError::attribute(format!("sub-graph {name:?} nests deeper than {limit} levels")))
    }
}

impl From<Graph> for SubGraph {
    fn from(graph: Graph) -> Self {
        SubGraph::new(graph)
    }
}

impl Deref for SubGraph {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}
