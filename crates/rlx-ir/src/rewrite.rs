//! Rebuilding graphs: a rule looks at one node at a time, with its operands already rebuilt, and returns what the node
//! becomes or declines. Owns the bookkeeping; knows no rule.

use crate::graph::{Graph, Node, NodeId};
use crate::op::Op;
use crate::op::OpError;

/// The graph under construction, as a rule sees it.
pub struct Rewrite<'g> {
    old: &'g Graph,
    new: Graph,
    /// For each old node its new results, one or several.
    map: Vec<Vec<NodeId>>,
    /// For each old node whether `map` holds a tuple node that is to be projected, rather than the results.
    tuple: Vec<bool>,
}

impl<'g> Rewrite<'g> {
    /// The graph that is rewritten.
    pub fn old(&self) -> &'g Graph {
        self.old
    }

    /// The new graph, to add nodes to.
    pub fn graph(&mut self) -> &mut Graph {
        &mut self.new
    }

    /// The op of a node of the new graph.
    pub fn op(&self, id: NodeId) -> &Op {
        self.new.node(id).op()
    }

    /// A node of the new graph.
    pub fn node(&self, id: NodeId) -> &Node {
        self.new.node(id)
    }

    /// What the first result of an earlier node of the old graph became.
    pub fn mapped(&self, old: NodeId) -> NodeId {
        self.map[old.index()][0]
    }

    /// Adds a node to the new graph.
    pub fn add(&mut self, op: Op, inputs: &[NodeId]) -> Result<NodeId, OpError> {
        self.new.try_add(op, inputs.to_vec())
    }

    /// Adds a copy of an old node on new operands.
    pub fn copy(&mut self, node: &Node, inputs: &[NodeId]) -> NodeId {
        self.new.push_copy(node, inputs.to_vec())
    }
}

/// Rebuilds `graph`, asking `rule` for each node what it becomes. The rule is given the node and its operands in the
/// new graph, and returns one id per result, or `None` to keep the node. New nodes carry the old node's label. Returns
/// `None` if every node was kept.
pub fn rewrite<E>(
    graph: &Graph,
    mut rule: impl FnMut(&mut Rewrite<'_>, &Node, &[NodeId]) -> Result<Option<Vec<NodeId>>, E>,
) -> Result<Option<Graph>, E> {
    let nodes = graph.nodes().len();
    let mut rw = Rewrite {
        old: graph,
        new: Graph::new(graph.name()),
        map: Vec::with_capacity(nodes),
        tuple: Vec::with_capacity(nodes),
    };
    let mut changed = false;
    for node in graph.nodes() {
        if let (Op::Output { index }, &[source]) = (node.op(), node.inputs())
            && !rw.tuple[source.index()]
        {
            let result = rw.map[source.index()][*index];
            rw.map.push(vec![result]);
            rw.tuple.push(false);
            continue;
        }
        let inputs: Vec<NodeId> = node.inputs().iter().map(|i| rw.map[i.index()][0]).collect();
        rw.new.set_label(node.label_arc().clone());
        match rule(&mut rw, node, &inputs)? {
            Some(results) => {
                debug_assert_eq!(results.len(), node.results().len());
                changed = true;
                rw.map.push(results);
                rw.tuple.push(false);
            }
            None => {
                let id = rw.new.push_copy(node, inputs);
                rw.map.push(vec![id]);
                rw.tuple.push(node.is_tuple());
            }
        }
    }
    if !changed {
        return Ok(None);
    }
    let outputs = graph.outputs().iter().map(|o| rw.map[o.index()][0]).collect();
    rw.new.set_label("");
    rw.new.set_outputs(outputs);
    Ok(Some(rw.new))
}

/// The graph without the nodes that no output needs. Inputs and parameters stay: they are the program's signature.
pub fn remove_dead(graph: &Graph) -> Graph {
    let live = graph.live();
    let mut new = Graph::new(graph.name());
    let mut map = vec![NodeId::new(0); graph.nodes().len()];
    for node in graph.nodes().iter().filter(|n| live[n.id().index()]) {
        let inputs = node.inputs().iter().map(|i| map[i.index()]).collect();
        map[node.id().index()] = new.push_copy(node, inputs);
    }
    new.set_outputs(graph.outputs().iter().map(|o| map[o.index()]).collect());
    new
}
