//! Rebuilds graphs with a rule that looks at one node at a time and either returns its replacement or declines. Owns the
//! bookkeeping; does not know any rule.

use crate::graph::Graph;
use crate::node::{Node, NodeId, NodeIds};
use crate::op::{Op, OpError};
use crate::shape::Shape;

/// The graph under construction, as a rule sees it.
pub struct Rewrite<'g> {
    old: &'g Graph,
    /// The graph as it is rebuilt. `None` while all nodes have been kept; handles are then those of the old graph.
    new: Option<Graph>,
    /// The current node.
    at: NodeId,
    /// For each old node, its results in the new graph; empty while there is no new graph.
    map: Vec<NodeIds>,
    /// For each old node, whether `map` has a tuple node to project, instead of the results.
    tuple: Vec<bool>,
}

impl<'g> Rewrite<'g> {
    /// The graph that is being rewritten.
    pub fn old(&self) -> &'g Graph {
        self.old
    }

    /// The new graph, for adding nodes.
    pub fn graph(&mut self) -> &mut Graph {
        let Rewrite { old, new, at, map, tuple } = self;
        new.get_or_insert_with(|| {
            let kept = &old.nodes()[..at.index()];
            let mut new = Graph::new(old.name());
            new.reserve(old.nodes().len());
            map.reserve(old.nodes().len());
            tuple.reserve(old.nodes().len());
            for node in kept {
                map.push(NodeIds::one(new.push_copy(node, node.inputs().into())));
                tuple.push(node.is_tuple());
            }
            new.set_label(old.node(*at).label_arc().clone());
            new
        })
    }

    /// The new graph, for reading. After the operands of the current node it may have nodes that do not stay.
    pub fn view(&self) -> &Graph {
        self.new.as_ref().unwrap_or(self.old)
    }

    /// The op of a node of the new graph.
    pub fn op(&self, id: NodeId) -> &Op {
        self.node(id).op()
    }

    /// The shape of a node's only or first result in the new graph.
    pub fn shape(&self, id: NodeId) -> &Shape {
        self.node(id).shape()
    }

    /// A node of the new graph.
    pub fn node(&self, id: NodeId) -> &Node {
        self.view().node(id)
    }

    /// The new handle of the first result of an earlier node of the old graph.
    pub fn mapped(&self, old: NodeId) -> NodeId {
        if self.new.is_some() { self.map[old.index()][0] } else { old }
    }

    /// The new handles of all results of an earlier node of the old graph. The results of a tuple are projected again.
    pub fn results(&mut self, old: NodeId) -> Vec<NodeId> {
        if self.is_tuple(old) {
            let tuple = self.mapped(old);
            return self.graph().project(tuple);
        }
        if self.new.is_some() { self.map[old.index()].to_vec() } else { vec![old] }
    }

    /// Adds a node to the new graph.
    pub fn add(&mut self, op: Op, inputs: &[NodeId]) -> Result<NodeId, OpError> {
        self.graph().try_add(op, inputs.to_vec())
    }

    /// Adds a copy of an old node on new operands.
    pub fn copy(&mut self, node: &Node, inputs: &[NodeId]) -> NodeId {
        self.graph().push_copy(node, inputs.into())
    }

    /// Whether a node of the old graph that has several results is a single node in the new graph.
    fn is_tuple(&self, old: NodeId) -> bool {
        if self.new.is_some() { self.tuple[old.index()] } else { self.old.node(old).is_tuple() }
    }

    /// Records the new results of the current node.
    fn became(&mut self, results: NodeIds, is_tuple: bool) {
        // A node that is replaced requires a new graph, even if the rule did not add a node.
        self.graph();
        self.map.push(results);
        self.tuple.push(is_tuple);
    }
}

/// Rebuilds `graph`, asking `rule` for a replacement of each node. The rule gets the node and its operands in the new graph, and
/// returns one handle per result, or `None` to keep the node. New nodes have the label of the old node. Returns `None`, without
/// copying anything, if every node was kept.
pub fn rewrite<E>(
    graph: &Graph,
    mut rule: impl FnMut(&mut Rewrite<'_>, &Node, &[NodeId]) -> Result<Option<Vec<NodeId>>, E>,
) -> Result<Option<Graph>, E> {
    let mut rw = Rewrite { old: graph, new: None, at: NodeId::new(0), map: Vec::new(), tuple: Vec::new() };
    let mut changed = false;
    let mut mapped = Vec::new();
    for node in graph.nodes() {
        rw.at = node.id();
        if let (Op::Output { index }, &[source]) = (node.op(), node.inputs())
            && !rw.is_tuple(source)
        {
            rw.graph();
            let result = rw.map[source.index()][*index];
            rw.became(NodeIds::one(result), false);
            continue;
        }
        let mut inputs = node.inputs();
        if let Some(new) = &mut rw.new {
            mapped.clear();
            mapped.extend(node.inputs().iter().map(|i| rw.map[i.index()][0]));
            inputs = &mapped;
            new.set_label(node.label_arc().clone());
        }
        match rule(&mut rw, node, inputs)? {
            Some(results) => {
                debug_assert_eq!(results.len(), node.results().len());
                changed = true;
                rw.became(results.into(), false);
            }
            None if rw.new.is_some() => {
                let id = rw.copy(node, inputs);
                rw.became(NodeIds::one(id), node.is_tuple());
            }
            None => {}
        }
    }
    let Some(mut new) = rw.new.filter(|_| changed) else { return Ok(None) };
    let outputs = graph.outputs().iter().map(|o| rw.map[o.index()][0]).collect();
    new.set_label("");
    new.set_outputs(outputs);
    Ok(Some(new))
}

/// The graph without the nodes that no output needs; see [`Graph::remove_dead`].
pub fn remove_dead(graph: &Graph) -> Graph {
    let mut live = graph.clone();
    live.set_label("");
    live.remove_dead();
    live
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryOp, DType, UnaryOp, UnaryOp::Neg};
    use std::convert::Infallible;

    const TEXT: &str = "\
graph \"g\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = exp %0 : f32[n]
  %2 = neg %1 : f32[n]
  %3 = neg %2 : f32[n]
  %4 = add %3, %1 : f32[n]
  return %4, %2
}
";

    #[test]
    fn a_rule_that_declines_is_shown_the_old_graph_and_copies_nothing() {
        let graph = Graph::parse(TEXT).unwrap();
        let made = rewrite(&graph, |rw, node, inputs| {
            assert_eq!(inputs, node.inputs());
            assert!(std::ptr::eq(rw.view(), &graph));
            Ok::<_, Infallible>(None)
        });
        assert_eq!(made, Ok(None));
    }

    #[test]
    fn what_was_kept_before_the_first_change_keeps_its_place() {
        let graph = Graph::parse(TEXT).unwrap();
        let made = rewrite(&graph, |rw, node, inputs| {
            let undone = matches!(node.op(), Op::Unary { op: Neg })
                && matches!(rw.op(inputs[0]), Op::Unary { op: Neg });
            Ok::<_, Infallible>(undone.then(|| rw.node(inputs[0]).inputs().to_vec()))
        });
        let mut made = made.unwrap().unwrap();
        let last = made.node(made.outputs()[0]);
        assert!(matches!(last.op(), Op::Binary { op: BinaryOp::Add }));
        assert_eq!(last.inputs(), [NodeId::new(1); 2]);
        assert_eq!(made.outputs()[1], NodeId::new(2));
        made.set_outputs(made.outputs()[..1].to_vec());
        made.remove_dead();
        let ops: Vec<&Op> = made.nodes().iter().map(Node::op).collect();
        assert!(matches!(ops[..], [Op::Input { .. }, Op::Unary { op: UnaryOp::Exp }, Op::Binary { .. }]));
        assert_eq!(made.node(made.outputs()[0]).inputs(), [NodeId::new(1); 2]);
        assert_eq!(made.shape(NodeId::new(1)).dtype(), DType::F32);
    }
}
