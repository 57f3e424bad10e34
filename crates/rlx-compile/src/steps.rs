//! What reports say of a step of a program: its name, its shapes, and what it computes and moves.

use crate::cost::Counts;
use rlx_ir::{Graph, Node, Op, OpClass};

/// One step of a program as reports name it, in the words of a recorded span.
#[derive(Clone, Debug)]
pub struct StepInfo {
    /// The op's name, for fused groups that of what they hold.
    pub op: String,
    /// The model path, or empty.
    pub label: String,
    /// Shapes of operands and results.
    pub shapes: String,
    /// What it computes and moves, by its shapes.
    pub counts: Counts,
    /// Where its values lie, or empty.
    pub memory: String,
}

/// What a span of the node is called: the op, or what a fused group computes.
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

/// Shapes of the operands and of the results of a node.
pub fn shapes_of(graph: &Graph, node: &Node) -> String {
    let operands: Vec<String> = node.inputs().iter().map(|&i| graph.shape(i).to_string()).collect();
    let results: Vec<String> = node.results().iter().map(ToString::to_string).collect();
    format!("({}) → {}", operands.join(", "), results.join(", "))
}
