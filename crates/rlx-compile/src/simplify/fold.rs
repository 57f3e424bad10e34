//! Folds constants with the evaluator.

use rlx_ir::rewrite::rewrite;
use rlx_ir::{Graph, Literal, Node, NodeId, Op, OpClass, Shape};
use std::convert::Infallible;

/// Results with more elements than this are folded only if they are not larger than their operands: a repeated scalar
/// stays a broadcast.
const SMALL: usize = 1024;

/// Constants may grow by at least this number of bytes in total. The total is limited because small results of many nodes add up.
const MIN_GROWTH: usize = 16 << 20;

/// If it is more, constants may grow by this multiple of their original bytes, which is enough for wider elements in all of them.
const WIDER: usize = 4;

/// Contractions and similar ops with more multiplications than this are left to run time.
const MAX_WORK: usize = 1 << 22;

/// Replaces nodes with constant operands by their values. Returns `None` if there are none.
pub fn fold_constants(graph: &Graph) -> Option<Graph> {
    let mut left = constant_bytes(graph).saturating_mul(WIDER).max(MIN_GROWTH);
    let folded = rewrite(graph, |rw, node, inputs| {
        let literals: Option<Vec<Literal>> = inputs
            .iter()
            .map(|&i| match rw.op(i) {
                Op::Constant { value } => Some(value.clone()),
                _ => None,
            })
            .collect();
        let Some(literals) = literals.filter(|l| is_foldable(node, l)) else {
            return Ok::<_, Infallible>(None);
        };
        let given: usize = literals.iter().map(|l| l.bytes().len()).sum();
        let growth = node.shape().num_bytes().unwrap_or(usize::MAX).saturating_sub(given);
        if growth > left {
            return Ok(None);
        }
        let Some(value) = evaluate(node.op(), &literals) else { return Ok(None) };
        left -= growth;
        Ok(Some(vec![rw.graph().constant(value)]))
    });
    folded.unwrap_or_default()
}

fn constant_bytes(graph: &Graph) -> usize {
    let bytes = |node: &Node| match node.op() {
        Op::Constant { value } => value.bytes().len(),
        _ => 0,
    };
    graph.nodes().iter().map(bytes).sum()
}

fn is_foldable(node: &Node, operands: &[Literal]) -> bool {
    let class = node.op().kind().class();
    // A loop may not end, and its work does not follow from the size of its operands.
    let mut has_graph = false;
    node.op().for_each_graph(&mut |_| has_graph = true);
    if class == OpClass::Leaf
        || has_graph
        || node.is_tuple()
        || matches!(node.op(), Op::Constant { .. } | Op::Custom { .. })
    {
        return false;
    }
    // A broadcast scalar is more useful than its copies, because later rules look through the broadcast.
    if matches!(node.op(), Op::BroadcastInDim { .. }) && operands.iter().all(|l| l.len() == 1) {
        return false;
    }
    // The verifier ensures that tuples are only projected. A projection of constants does not occur.
    if operands.is_empty() && !matches!(node.op(), Op::Iota { .. }) {
        return false;
    }
    let Some(size) = node.shape().num_elements() else { return false };
    let given: usize = operands.iter().map(Literal::len).sum();
    let work = operands.iter().map(|l| l.len().max(1)).fold(1usize, usize::saturating_mul);
    (size <= SMALL || size <= given) && (work <= MAX_WORK || given <= SMALL)
}

/// Computes the value of one op on constants with the evaluator.
fn evaluate(op: &Op, operands: &[Literal]) -> Option<Literal> {
    let mut graph = Graph::new("fold");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<NodeId> =
        names.iter().zip(operands).map(|(name, l)| graph.input(name, l.shape().clone())).collect();
    let node = graph.try_add(op.clone(), inputs).ok()?;
    graph.set_outputs(vec![node]);
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    rlx_ir::eval(&graph, &values).ok()?.pop()
}

/// Returns the constant behind a node, looking through broadcasts and reshapes.
pub(crate) fn splat_of(graph: &Graph, id: NodeId) -> Option<Literal> {
    let node = graph.node(id);
    match node.op() {
        Op::Constant { value } => uniform(value),
        Op::BroadcastInDim { .. } | Op::Reshape { .. } => splat_of(graph, node.inputs()[0]),
        _ => None,
    }
}

/// Returns the value that all elements of a small constant have in common.
fn uniform(value: &Literal) -> Option<Literal> {
    let size = value.dtype().size();
    let (first, rest) = value.bytes().split_at_checked(size)?;
    let same = value.len() <= SMALL && rest.chunks_exact(size).all(|e| e == first);
    same.then(|| Literal::from_bytes(&Shape::scalar(value.dtype()), first).ok()).flatten()
}
