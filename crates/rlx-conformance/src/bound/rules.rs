//! The error bounds of the primitives, by family. A primitive without a rule has no bound on rounded operands.

use super::{Allowance, Analysis, BoundError, Freedom, Shadow, elementwise, looping, order, sums};
use rlx_ir::{
    Access, BinaryOp, Class, Combiner, DType, Graph, Node, Op, OpClass, ReduceOp, Shape, Tensor, UnaryOp,
};

/// Returns whether the op, on exact operands, gives the same bits in every correct implementation.
pub(crate) fn keeps_exact(
    op: &Op,
    operands: &[Shape],
    results: &[Shape],
    freedom: Freedom,
    allowances: &[Allowance],
) -> bool {
    if results.iter().any(|s| Allowance::of(allowances, op, s.dtype()).is_some()) {
        return false;
    }
    let inexact = |s: &Shape| matches!(s.dtype().class(), Class::Float | Class::Complex);
    if let Some(graphs) = sub_graphs(op) {
        return graphs.iter().all(|g| graph_keeps_exact(g, freedom, allowances));
    }
    if op.kind().class() == OpClass::Composite {
        return op.decompose(operands).is_ok_and(|body| graph_keeps_exact(&body, freedom, allowances));
    }
    if !results.iter().any(inexact) {
        return true;
    }
    let of_complex = operands.iter().any(|s| s.dtype().is_complex());
    // Machines contract operations on f32 and f64. Narrower types round after each operation.
    let narrow = results.iter().all(|s| s.dtype().is_float() && s.dtype().size() < 4);
    let freedom = if narrow && freedom == Freedom::Contract { Freedom::None } else { freedom };
    match op {
        Op::Unary { op } => unary_keeps_exact(*op, of_complex, freedom),
        Op::Binary { op } => binary_keeps_exact(*op, of_complex, freedom),
        Op::Reduce { kind, .. } | Op::ReduceWindow { kind, .. } => {
            matches!(kind, ReduceOp::Max | ReduceOp::Min)
        }
        Op::Cumulative { op, .. } => matches!(op, ReduceOp::Max | ReduceOp::Min),
        Op::Scatter { combiner, .. } => {
            matches!(combiner, Combiner::Set | Combiner::Reduce(ReduceOp::Max | ReduceOp::Min))
        }
        Op::Clamp {} | Op::Select {} => true,
        Op::Convert { .. } => {
            freedom != Freedom::Unrounded || operands.iter().any(|s| s.dtype() == DType::Bool)
        }
        Op::Constant { .. } => freedom != Freedom::Unrounded,
        Op::BitcastConvert { .. } | Op::ReducePrecision { .. } => true,
        Op::Iota { .. } | Op::DequantizeBlocks { .. } | Op::Custom { .. } => true,
        Op::Sort { .. } | Op::TopK { .. } => true,
        _ => moves(op).is_some(),
    }
}

fn unary_keeps_exact(op: UnaryOp, of_complex: bool, freedom: Freedom) -> bool {
    use UnaryOp::*;
    match op {
        Neg | Floor | Ceil | RoundEven | RoundAway | Real | Imag | Conj => true,
        // The modulus and the sign of a complex number are rounded.
        Abs | Sign => !of_complex,
        Sqrt => freedom == Freedom::None && !of_complex,
        Exp | Expm1 | Log | Log1p | Rsqrt | Cbrt | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Logistic | Erf | Erfc | ErfInv | Lgamma | Digamma | BesselI0e
        | BesselI1e => false,
        // These return integers.
        IsFinite | Not | Popcnt | Clz => true,
    }
}

fn binary_keeps_exact(op: BinaryOp, of_complex: bool, freedom: Freedom) -> bool {
    use BinaryOp::*;
    match op {
        Max | Min | NextAfter | Rem | Complex => true,
        Add | Sub => freedom == Freedom::None,
        Mul | Div => freedom == Freedom::None && !of_complex,
        Pow | Atan2 | Polygamma | Zeta | Igamma | Igammac => false,
        // These return integers.
        And | Or | Xor | ShiftLeft | ShiftRightArithmetic | ShiftRightLogical => true,
    }
}

/// Returns the graphs of an op that is exact if its graphs are, such as a branch or the step of a loop.
fn sub_graphs(op: &Op) -> Option<Vec<&Graph>> {
    match op {
        Op::If { then_branch, else_branch } => Some(vec![then_branch, else_branch]),
        Op::Case { branches } => Some(branches.iter().map(|b| &**b).collect()),
        Op::While { cond, body } => Some(vec![cond, body]),
        Op::Scan { body, .. } => Some(vec![body]),
        Op::SortGraph { comparator, .. } => Some(vec![comparator]),
        Op::Call { body } | Op::Fusion { body, .. } | Op::CustomFn { forward: body, .. } => Some(vec![body]),
        _ => None,
    }
}

fn graph_keeps_exact(graph: &Graph, freedom: Freedom, allowances: &[Allowance]) -> bool {
    let live = graph.live();
    graph.nodes().iter().filter(|n| live[n.id().index()]).all(|node| match node.op() {
        Op::Input { .. } | Op::Param { .. } | Op::Output { .. } => true,
        op => {
            let operands: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
            keeps_exact(op, &operands, node.results(), freedom, allowances)
        }
    })
}

/// Returns which operands of an op that only moves elements contain those elements. The other operands must be exact.
fn moves(op: &Op) -> Option<Holders> {
    let kind = op.kind();
    match (kind.access(), op) {
        (Access::Movement | Access::Indexed, _) => Some(Box::new(move |i| kind.is_linear_in(i))),
        // There is one participant.
        (_, Op::AllReduce { .. } | Op::AllGather { .. } | Op::ReduceScatter { .. }) => {
            Some(Box::new(|i| i == 0))
        }
        (_, Op::AllToAll { .. } | Op::Permute { .. }) => Some(Box::new(|i| i == 0)),
        (_, Op::Scatter { combiner: Combiner::Set, .. }) => Some(Box::new(|i| i != 1)),
        (
            Access::Elementwise | Access::Reduction | Access::Contraction | Access::Window | Access::General,
            _,
        ) => None,
    }
}

/// Returns whether the operand with this number contains elements that are moved.
type Holders = Box<dyn Fn(usize) -> bool>;

/// Returns the shadows of a primitive that rounds, or that has rounded operands.
pub(super) fn rounded(
    cx: &Analysis,
    node: &Node,
    operands: &[Shadow],
    dtypes: &[DType],
) -> Result<Vec<Shadow>, BoundError> {
    let no_rule = || BoundError::NoRule { op: node.op().mnemonic().into() };
    let out = node.shape().dtype();
    let one = |shadow: Shadow| Ok(vec![shadow]);
    if let Some(shadow) = order::picked(node.op(), operands) {
        return one(shadow);
    }
    if let Some(holds) = moves(node.op()) {
        return moved(cx, node.op(), operands, &holds).ok_or_else(no_rule);
    }
    match node.op() {
        Op::Unary { op: UnaryOp::IsFinite } => {
            elementwise::is_finite(node.op(), &operands[0], dtypes[0]).ok_or_else(no_rule).and_then(one)
        }
        Op::Unary { .. } | Op::Binary { .. } | Op::Clamp {} | Op::Betainc {} | Op::ReducePrecision { .. } => {
            elementwise::function(cx, node.op(), operands, out).ok_or_else(no_rule).and_then(one)
        }
        Op::Compare { .. } => elementwise::compare(node.op(), operands).ok_or_else(no_rule).and_then(one),
        Op::Select {} => elementwise::select(operands).ok_or_else(no_rule).and_then(one),
        Op::Convert { dtype } => {
            elementwise::convert(&operands[0], dtypes[0], *dtype).ok_or_else(no_rule).and_then(one)
        }
        Op::Reduce { kind, axes } => {
            let terms = sums::sizes(&operands[0].value, axes);
            let fold = |kind: ReduceOp, x: &Tensor| x.reduce(kind, axes, false);
            sums::folded(&operands[0], *kind, terms, out, &fold).ok_or_else(no_rule).and_then(one)
        }
        Op::DotGeneral { .. } | Op::Convolution { .. } | Op::RaggedDot { .. } => {
            sums::bilinear(node.op(), operands, out).ok_or_else(no_rule).and_then(one)
        }
        Op::ReduceWindow { kind, spec } => {
            let terms = spec.taps() as f64;
            sums::folded(&operands[0], *kind, terms, out, &|kind, x| {
                x.apply(Op::ReduceWindow { kind, spec: spec.clone() }, &[])
            })
            .ok_or_else(no_rule)
            .and_then(one)
        }
        Op::Cumulative { op, axis, .. } => {
            sums::cumulative(node.op(), &operands[0], *op, *axis, out).ok_or_else(no_rule).and_then(one)
        }
        Op::Scatter { combiner: Combiner::Reduce(ReduceOp::Sum), .. } => {
            sums::scatter_add(node.op(), operands, out).ok_or_else(no_rule).and_then(one)
        }
        Op::Fft { kind, lengths } => one(sums::fft(node, &operands[0], *kind, lengths, out)),
        Op::Sort { axis, .. } if operands.len() == 1 => one(order::sorted(node.op(), &operands[0], *axis)),
        Op::TopK { .. } => Ok(order::top_k(cx, node.op(), &operands[0])),
        Op::ArgReduce { op, axis, .. } => one(order::arg_reduce(node.op(), &operands[0], *op, *axis)),
        Op::Scan { .. } => looping::scan(cx, node, operands),
        _ => Err(no_rule()),
    }
}

/// Applies the op to the values, and to the bounds as if they were values.
fn moved(cx: &Analysis, op: &Op, operands: &[Shadow], holds: &dyn Fn(usize) -> bool) -> Option<Vec<Shadow>> {
    if operands.iter().enumerate().any(|(i, t)| !holds(i) && t.error.is_some()) {
        return None;
    }
    let of = |data: &dyn Fn(&Shadow) -> Tensor| -> Vec<Tensor> {
        let operands: Vec<Tensor> = operands
            .iter()
            .enumerate()
            .map(|(i, t)| if holds(i) { data(t) } else { t.value.clone() })
            .collect();
        cx.builder.apply_many(op.clone(), &operands.iter().collect::<Vec<_>>())
    };
    let boolean = operands.iter().any(|t| t.value.dtype() == DType::Bool);
    let values = if boolean { of(&|t| t.value.clone()) } else { of(&Shadow::wide) };
    let errors = of(&Shadow::error);
    Some(values.into_iter().zip(errors).map(|(value, e)| Shadow { value, error: Some(e) }).collect())
}
