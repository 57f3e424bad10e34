//! Describes the steps of a program for reports: names, shapes, operations and bytes.

use crate::cost::Counts;
use rlx_ir::{Graph, Node, Op, OpClass};

/// One step of a program as reports describe it. Op, label and shapes are the same as in a recorded span.
#[derive(Clone, Debug)]
pub struct StepInfo {
    /// The name of the op; for fused groups, the names of the ops in the group.
    pub op: String,
    /// The model path, or an empty string.
    pub label: String,
    /// Shapes of operands and results.
    pub shapes: String,
    /// Its operations and bytes, according to the shapes.
    pub counts: Counts,
    /// Where its values are stored, or an empty string.
    pub memory: String,
}

/// Returns the name of a node in spans: the op, or the ops of a fused group.
pub fn name_of(node: &Node) -> String {
    let Op::Fusion { body, .. } = node.op() else { return node.op().mnemonic().into() };
    let mut names: Vec<&str> = Vec::new();
    for node in body.nodes() {
        let computes = !matches!(
            node.op(),
            Op::Constant { .. }
                | Op::BroadcastInDim { .. }
                | Op::Reshape { .. }
                | Op::Convert { .. }
                | Op::Output { .. }
        );
        let name = node.op().mnemonic();
        if computes && node.op().kind().class() != OpClass::Leaf && !names.contains(&name) {
            names.push(name);
        }
    }
    names.join("+")
}

/// Formats the shapes of the operands and results of a node.
pub fn shapes_of(graph: &Graph, node: &Node) -> String {
    let operands: Vec<String> = node.inputs().iter().map(|&i| graph.shape(i).to_string()).collect();
    let results: Vec<String> = node.results().iter().map(ToString::to_string).collect();
    format!("({}) → {}", operands.join(", "), results.join(", "))
}
