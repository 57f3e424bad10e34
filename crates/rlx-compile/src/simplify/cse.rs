//! Merges common subexpressions, so that equal ops with equal operands are computed once.

use crate::intern::Interner;
use rlx_ir::op::Key;
use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, Literal, NodeId, Op, OpClass};
use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Merges nodes with the same op, attributes and operands. Returns `None` if there are none.
pub fn merge_common_subexpressions(graph: &Graph) -> Option<Graph> {
    let mut known = Interner::with_capacity(graph.nodes().len());
    // For each number of `known`, the first node with it; for constants, all that differ.
    let mut first: Vec<NodeId> = Vec::new();
    let mut constants: HashMap<u32, Vec<NodeId>> = HashMap::new();
    // For each node, the node that it is merged into: itself, or an earlier one.
    let mut merged: Vec<NodeId> = Vec::with_capacity(graph.nodes().len());
    let mut key = Key::default();
    let mut changed = false;
    for node in graph.nodes() {
        let id = node.id();
        merged.push(id);
        if node.op().kind().class() == OpClass::Leaf {
            continue;
        }
        key.clear();
        match node.op() {
            Op::Constant { value } => key.number(hash_of(value)),
            op => key.op(op),
        }
        key.number(node.results().len() as u64);
        node.results().iter().for_each(|shape| key.shape(shape));
        node.inputs().iter().for_each(|input| key.number(merged[input.index()].index() as u64));
        let number = known.number(key.bytes());
        if number as usize == first.len() {
            first.push(id);
        }
        let same = match node.op() {
            Op::Constant { value } => {
                let others = constants.entry(number).or_default();
                let equal = |other: &&NodeId| matches!(graph.node(**other).op(), Op::Constant { value: v } if v == value);
                let same = others.iter().find(equal).copied();
                same.unwrap_or_else(|| {
                    others.push(id);
                    id
                })
            }
            _ => first[number as usize],
        };
        merged[id.index()] = same;
        changed |= same != id;
    }
    if !changed {
        return None;
    }
    let rebuilt = rewrite(graph, |rw, node, _| {
        let first = merged[node.id().index()];
        Ok::<_, Infallible>((first != node.id()).then(|| rw.results(first)))
    });
    rebuilt.unwrap_or_default()
}

fn hash_of(value: &Literal) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.bytes().hash(&mut hasher);
    hasher.finish()
}
