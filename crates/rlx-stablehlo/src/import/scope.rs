//! A graph under construction, with what the importer knows about its nodes in addition to their shapes.

use super::context::{Outcome, Problem, Val};
use super::sizes::Sizes;
use rlx_ir::{Graph, NodeId, Op, Shape};
use std::collections::{BTreeSet, HashMap};

/// A graph under construction.
pub(super) struct Scope {
    pub(super) graph: Graph,
    /// For each node, whether it is independent of all inputs and parameters.
    fixed: Vec<bool>,
    /// The elements of small integer tensors, if they follow from sizes and constants.
    pub(super) sizes: HashMap<NodeId, Sizes>,
}

impl Scope {
    /// Creates an empty graph.
    pub(super) fn new(name: &str) -> Self {
        Scope { graph: Graph::new(name), fixed: Vec::new(), sizes: HashMap::new() }
    }

    /// Adds an input.
    pub(super) fn input(&mut self, name: String, shape: Shape) -> NodeId {
        let id = self.graph.input(name, shape);
        self.note();
        id
    }

    /// Adds a parameter.
    pub(super) fn param(&mut self, name: String, shape: Shape) -> NodeId {
        let id = self.graph.param(name, shape);
        self.note();
        id
    }

    /// Adds an op with one result.
    pub(super) fn add(&mut self, op: Op, inputs: &[NodeId]) -> Outcome<NodeId> {
        self.add_all(op, inputs)?.pop().ok_or_else(|| Problem::error("has no result"))
    }

    /// Adds an op and projects its results.
    pub(super) fn add_all(&mut self, op: Op, inputs: &[NodeId]) -> Outcome<Vec<NodeId>> {
        let results = self.graph.infer(&op, inputs)?;
        if let Some(shape) = results.iter().find(|s| s.is_static() && s.num_bytes().is_none()) {
            return Err(Problem::error(format!("the size of its result {shape} overflows")));
        }
        let id = self.graph.push(op, inputs.to_vec(), results);
        let ids = self.graph.project(id);
        self.note();
        Ok(ids)
    }

    /// Adds the nodes of a valid graph, applied to these values.
    pub(super) fn inline(&mut self, graph: &Graph, args: &[NodeId]) -> Vec<NodeId> {
        let outputs = self.graph.inline(graph, args);
        self.note();
        outputs
    }

    /// Extends `fixed` to all nodes of the graph.
    fn note(&mut self) {
        for node in &self.graph.nodes()[self.fixed.len()..] {
            let leaf = matches!(node.op(), Op::Input { .. } | Op::Param { .. });
            self.fixed.push(!leaf && node.inputs().iter().all(|i| self.fixed[i.index()]));
        }
    }

    /// Returns the nodes that a value is computed from, in order, if it depends on no input and there are at most `most`.
    pub(super) fn expression(&self, id: NodeId, most: usize) -> Option<BTreeSet<NodeId>> {
        if !*self.fixed.get(id.index())? {
            return None;
        }
        let (mut nodes, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if nodes.insert(id) {
                open.extend(self.graph.node(id).inputs());
            }
            if nodes.len() > most {
                return None;
            }
        }
        Some(nodes)
    }

    /// Copies a value that depends on no input from another graph, with the nodes that it is computed from.
    pub(super) fn copy(&mut self, from: &Scope, id: NodeId, copies: &mut HashMap<NodeId, NodeId>) -> NodeId {
        let nodes = from.expression(id, usize::MAX).unwrap_or_default();
        for old in nodes {
            if copies.contains_key(&old) {
                continue;
            }
            let node = from.graph.node(old);
            let inputs = node.inputs().iter().map(|i| copies[i]).collect();
            let new = self.graph.push_copy(node, inputs);
            self.note();
            if let Some(sizes) = from.sizes.get(&old) {
                self.sizes.insert(new, sizes.clone());
            }
            copies.insert(old, new);
        }
        copies[&id]
    }
}

/// Returns the tensors of values, in order.
pub(super) fn flatten(values: &[Val]) -> Vec<NodeId> {
    let mut out = Vec::new();
    for value in values {
        match value {
            Val::Tensor(id) => out.push(*id),
            Val::Tuple(items) => out.extend(flatten(items)),
            Val::Token | Val::Void => {}
        }
    }
    out
}

/// Returns values with the structure of `like` that consist of these tensors.
pub(super) fn rebuild(like: &[Val], tensors: &mut impl Iterator<Item = NodeId>) -> Vec<Val> {
    like.iter()
        .map(|value| match value {
            Val::Tensor(_) => tensors.next().map_or(Val::Void, Val::Tensor),
            Val::Tuple(items) => Val::Tuple(rebuild(items, tensors)),
            other => other.clone(),
        })
        .collect()
}
