//! Common subexpressions: equal ops on equal operands are computed once.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, NodeId, Op, OpClass, OpKind};
use std::collections::HashMap;
use std::convert::Infallible;

/// Merges nodes with the same op, attributes and operands; `None` if there are none.
pub fn merge_common_subexpressions(graph: &Graph) -> Option<Graph> {
    let mut seen: HashMap<(OpKind, Vec<NodeId>), Vec<NodeId>> = HashMap::new();
    let mut replaced: HashMap<NodeId, NodeId> = HashMap::new();
    // Ids are of the old graph: a node's operands are first replaced by what they were merged into.
    for node in graph.nodes().iter().filter(|n| n.op().kind().class() != OpClass::Leaf) {
        let inputs: Vec<NodeId> = node.inputs().iter().map(|i| *replaced.get(i).unwrap_or(i)).collect();
        let candidates = seen.entry((node.op().kind(), inputs)).or_default();
        let same = candidates.iter().find(|&&c| {
            let other = graph.node(c);
            other.results() == node.results() && same_op(other.op(), node.op())
        });
        match same {
            Some(&first) => {
                replaced.insert(node.id(), first);
            }
            None => candidates.push(node.id()),
        }
    }
    if replaced.is_empty() {
        return None;
    }
    let mut new_ids: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    let merged = rewrite(graph, |rw, node, inputs| {
        let id = match replaced.get(&node.id()) {
            Some(first) => return Ok::<_, Infallible>(Some(new_ids[first].clone())),
            None => rw.copy(node, inputs),
        };
        let results = rw.graph().project(id);
        new_ids.insert(node.id(), results.clone());
        Ok(Some(results))
    });
    merged.unwrap_or_default()
}

/// Equal attributes, with floats compared by their bits: `0.0` and `-0.0` differ.
fn same_op(a: &Op, b: &Op) -> bool {
    a == b && (matches!(a, Op::Constant { .. }) || format!("{a:?}") == format!("{b:?}"))
}
