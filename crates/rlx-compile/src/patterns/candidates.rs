//! Guesses which composite a node may be the last node of, from attributes of the nodes above it. The pattern decides
//! whether a guess is right, so guesses may be wrong but should be few.

use crate::simplify::splat_of;
use rlx_ir::{AttentionOptions, BinaryOp, DType, Graph, NodeId, Op, Shape, UnaryOp};

/// An op on operands of these shapes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    pub(super) op: Op,
    pub(super) operands: Vec<Shape>,
}

/// Maximum number of nodes above a root that are examined.
const MAX_LOOK: usize = 32;

/// For each node of a graph, the distance to the ops above it that patterns begin with.
pub(super) struct Above {
    rsqrt: Vec<u8>,
    reduce: Vec<u8>,
    softmax: Vec<u8>,
}

impl Above {
    pub(super) fn new(graph: &Graph) -> Above {
        let levels = |wanted: fn(&Op) -> bool| {
            let mut levels: Vec<u8> = Vec::with_capacity(graph.nodes().len());
            for node in graph.nodes() {
                let above = node.inputs().iter().map(|i| levels[i.index()].saturating_add(1)).min();
                levels.push(if wanted(node.op()) { 0 } else { above.unwrap_or(u8::MAX) });
            }
            levels
        };
        Above {
            rsqrt: levels(|op| matches!(op, Op::Unary { op: UnaryOp::Rsqrt })),
            reduce: levels(|op| matches!(op, Op::Reduce { .. })),
            softmax: levels(is_found_before),
        }
    }
}

/// Whether `searches` consecutive searches can reach an op that is `levels` levels above.
fn may_reach(levels: u8, searches: usize) -> bool {
    usize::from(levels) < searches * MAX_LOOK
}

/// Returns the nearest node at or above `from` with a wanted op.
fn nearest(graph: &Graph, from: NodeId, wanted: impl Fn(&Op) -> bool) -> Option<NodeId> {
    let mut queue = vec![from];
    let mut next = 0;
    while next < queue.len() && next < MAX_LOOK {
        let node = graph.node(queue[next]);
        if wanted(node.op()) {
            return Some(node.id());
        }
        for &input in node.inputs() {
            if !queue.contains(&input) {
                queue.push(input);
            }
        }
        next += 1;
    }
    None
}

/// Returns the element of a broadcast scalar constant.
fn scalar(graph: &Graph, id: NodeId) -> Option<f64> {
    let value = splat_of(graph, id)?.convert(DType::F64);
    value.as_slice::<f64>().ok()?.first().copied()
}

/// Returns the value of the operand of a binary node that is a broadcast constant.
fn constant_operand(graph: &Graph, id: NodeId) -> Option<f64> {
    graph.node(id).inputs().iter().find_map(|&i| scalar(graph, i))
}

/// Whether the op is recognized in a separate pass, before the composites that contain it.
pub(super) fn is_found_before(op: &Op) -> bool {
    matches!(op, Op::Softmax { .. })
}

/// Proposes functions of rows: softmax, log-softmax, and the norms.
pub(super) fn of_rows(graph: &Graph, above: &Above, root: NodeId) -> Vec<Candidate> {
    let node = graph.node(root);
    let shape = node.shape();
    if !shape.dtype().is_float() {
        return Vec::new();
    }
    let inner = match node.op() {
        Op::Convert { .. } => graph.node(node.inputs()[0]).op(),
        op => op,
    };
    let Op::Binary { op } = inner else { return Vec::new() };
    if !may_reach(above.reduce[root.index()], 2) {
        return Vec::new();
    }
    let reduced = || {
        let reduce = nearest(graph, root, |op| matches!(op, Op::Reduce { .. }))?;
        match graph.node(reduce).op() {
            Op::Reduce { axes, .. } => axes.first().copied(),
            _ => None,
        }
    };
    let one = |op: Op| vec![Candidate { op, operands: vec![shape.clone()] }];
    match op {
        BinaryOp::Div => reduced().map_or_else(Vec::new, |axis| one(Op::Softmax { axis })),
        BinaryOp::Sub => reduced().map_or_else(Vec::new, |axis| one(Op::LogSoftmax { axis })),
        BinaryOp::Add | BinaryOp::Mul if may_reach(above.rsqrt[root.index()], 1) => {
            norms(graph, root).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn norms(graph: &Graph, root: NodeId) -> Option<Vec<Candidate>> {
    let rsqrt = nearest(graph, root, |op| matches!(op, Op::Unary { op: UnaryOp::Rsqrt }))?;
    let eps = constant_operand(graph, *graph.node(rsqrt).inputs().first()?)?;
    let reduce = nearest(graph, rsqrt, |op| matches!(op, Op::Reduce { .. }))?;
    let Op::Reduce { axes, .. } = graph.node(reduce).op() else { return None };
    let axis = *axes.iter().min()?;
    let x = graph.shape(root);
    let weight = Shape::from_dims(x.dims().get(axis..)?, x.dtype());
    let layer = Op::LayerNorm { axis, eps };
    let rms = Op::RmsNorm { axis, eps };
    let guess = |op: &Op, weights: usize| {
        let operands = std::iter::once(x.clone()).chain(std::iter::repeat_n(weight.clone(), weights));
        Candidate { op: op.clone(), operands: operands.collect() }
    };
    Some(match graph.node(root).op() {
        Op::Binary { op: BinaryOp::Add } => vec![guess(&layer, 2)],
        Op::Convert { .. } => vec![guess(&layer, 2), guess(&rms, 1), guess(&layer, 1)],
        // Longest first, because a norm with a weight contains the one without it.
        _ => vec![guess(&layer, 1), guess(&rms, 1), guess(&layer, 0), guess(&rms, 0)],
    })
}

/// Proposes attention on `[batch, heads, seq, d]`, or with heads split from and merged into the last axis.
pub(super) fn of_attention(graph: &Graph, above: &Above, root: NodeId) -> Vec<Candidate> {
    let rank = graph.shape(root).rank();
    if !may_reach(above.softmax[root.index()], 2) {
        return Vec::new();
    }
    let is_end = match graph.node(root).op() {
        Op::DotGeneral { .. } => rank == 4,
        Op::Reshape { .. } => rank == 3 || rank == 4,
        _ => false,
    };
    if is_end { attention(graph, root, rank).into_iter().collect() } else { Vec::new() }
}

fn attention(graph: &Graph, root: NodeId, rank: usize) -> Option<Candidate> {
    let is_product = |op: &Op| matches!(op, Op::DotGeneral { .. });
    let product = graph.node(nearest(graph, root, is_product)?);
    let softmax = nearest(graph, *product.inputs().first()?, is_found_before)?;
    let scores = graph.node(nearest(graph, softmax, is_product)?);
    let scaled = |op: &Op| matches!(op, Op::Binary { op: BinaryOp::Mul } | Op::DotGeneral { .. });
    let scale = nearest(graph, softmax, scaled).and_then(|id| constant_operand(graph, id)).unwrap_or(1.0);
    let (&[q, k], &[_, v]) = (scores.inputs(), product.inputs()) else { return None };
    let [(q, heads), (k, kv_heads), (v, _)] =
        [above(graph, q, rank)?, above(graph, k, rank)?, above(graph, v, rank)?];
    let operands = [q, k, v].map(|id| graph.shape(id).clone());
    let (num_heads, num_kv_heads) = if rank == 3 { (heads, kv_heads) } else { (None, None) };
    let options =
        AttentionOptions { num_heads, num_kv_heads, scale: Some(scale), ..AttentionOptions::default() };
    Some(Candidate { op: options.op(), operands: operands.into() })
}

/// Returns the operand of this rank that the products read, reshaped or transposed, and the number of heads in its last axis.
fn above(graph: &Graph, mut id: NodeId, rank: usize) -> Option<(NodeId, Option<usize>)> {
    let mut heads = None;
    while graph.shape(id).rank() != rank {
        let node = graph.node(id);
        if !matches!(node.op(), Op::Reshape { .. } | Op::Transpose { .. }) {
            return None;
        }
        heads = node.shape().dims().get(2).and_then(|dim| dim.as_static());
        id = *node.inputs().first()?;
    }
    Some((id, heads))
}
