//! Algebraic identities.
//!
//! **PASS-2**: each rule is exact for every value, NaN, infinities and signed zeros included.

use super::contraction::{absorb_transposes, own_accumulator};
use super::fold::splat_of;
use rlx_ir::rewrite::{Rewrite, rewrite};
use rlx_ir::{BinaryOp, Class, DType, Dim, Element, Graph, Literal, Node, NodeId, Op, UnaryOp};
use std::convert::Infallible;

/// A rule: returns the replacement of a node, or `None` if it does not apply.
type Rule = fn(&mut Rewrite<'_>, &Node, &[NodeId]) -> Option<NodeId>;

/// Applies the rules once to every node. Returns `None` if none applied.
pub fn simplify_algebra(graph: &Graph) -> Option<Graph> {
    const RULES: &[Rule] = &[
        movement_identity,
        compose_movement,
        absorb_transposes,
        own_accumulator,
        arithmetic_identity,
        unary_pair,
        choose,
    ];
    let simplified = rewrite(graph, |rw, node, inputs| {
        Ok::<_, Infallible>(RULES.iter().find_map(|rule| rule(rw, node, inputs)).map(|id| vec![id]))
    });
    simplified.unwrap_or_default()
}

fn is_identity_permutation(perm: &[usize]) -> bool {
    perm.iter().enumerate().all(|(i, &p)| i == p)
}

/// Removes movement ops that move nothing.
fn movement_identity(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let x = *inputs.first()?;
    let same_shape = rw.shape(x) == node.shape();
    let nothing = match node.op() {
        Op::Reshape { .. } | Op::Slice { .. } | Op::DynamicSlice { .. } => same_shape,
        Op::BroadcastInDim { axes, .. } => same_shape && is_identity_permutation(axes),
        Op::Convert { dtype } | Op::BitcastConvert { dtype } => rw.shape(x).dtype() == *dtype,
        Op::Transpose { perm } => is_identity_permutation(perm),
        Op::Reverse { axes } => axes.iter().all(|&a| node.shape().dim(a).as_static().is_some_and(|n| n <= 1)),
        Op::Reduce { axes, .. } => axes.is_empty(),
        Op::Concatenate { .. } => inputs.len() == 1,
        Op::Pad { low, high, interior } => {
            low.iter().chain(high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0)
        }
        _ => false,
    };
    nothing.then_some(x)
}

/// Merges two movement ops into one.
fn compose_movement(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let &[x] = inputs else { return None };
    if !matches!(node.op(), Op::Reshape { .. } | Op::Transpose { .. } | Op::BroadcastInDim { .. }) {
        return None;
    }
    let inner = rw.node(x);
    let source = *inner.inputs().first()?;
    let op = match (node.op(), inner.op()) {
        (Op::Reshape { dims }, Op::Reshape { .. }) => Op::Reshape { dims: dims.clone() },
        (Op::Transpose { perm }, Op::Transpose { perm: first }) => {
            Op::Transpose { perm: perm.iter().map(|&p| first[p]).collect() }
        }
        (Op::BroadcastInDim { dims, axes }, Op::BroadcastInDim { axes: first, .. }) => {
            Op::BroadcastInDim { dims: dims.clone(), axes: first.iter().map(|&a| axes[a]).collect() }
        }
        (Op::BroadcastInDim { dims, axes }, Op::Reshape { .. }) => {
            // A reshape that only inserts axes of size 1 is a broadcast.
            let placed = inserted_axes(rw.shape(source).dims(), inner.shape().dims())?;
            Op::BroadcastInDim { dims: dims.clone(), axes: placed.iter().map(|&a| axes[a]).collect() }
        }
        _ => return None,
    };
    rw.add(op, &[source]).ok()
}

/// Returns the index in `to` of each dimension in `from`, if `to` is `from` with axes of size 1 inserted.
fn inserted_axes(from: &[Dim], to: &[Dim]) -> Option<Vec<usize>> {
    let mut placed = Vec::with_capacity(from.len());
    let mut next = 0;
    for (axis, dim) in to.iter().enumerate() {
        if from.get(next) == Some(dim) {
            placed.push(axis);
            next += 1;
        } else if *dim != Dim::Static(1) {
            return None;
        }
    }
    (next == from.len()).then_some(placed)
}

fn is_value(literal: &Literal, value: f64) -> bool {
    fn first<T: Element>(l: &Literal) -> Option<T> {
        l.as_slice::<T>().ok()?.first().copied()
    }
    let got = match literal.dtype() {
        DType::F64 => first::<f64>(literal),
        DType::F32 => first::<f32>(literal).map(f64::from),
        DType::F16 => first::<half::f16>(literal).map(f64::from),
        DType::BF16 => first::<half::bf16>(literal).map(f64::from),
        DType::I8 => first::<i8>(literal).map(f64::from),
        DType::I16 => first::<i16>(literal).map(f64::from),
        DType::I32 => first::<i32>(literal).map(f64::from),
        DType::U8 => first::<u8>(literal).map(f64::from),
        DType::U16 => first::<u16>(literal).map(f64::from),
        DType::U32 => first::<u32>(literal).map(f64::from),
        _ => None,
    };
    got.is_some_and(|x| x == value && x.is_sign_negative() == value.is_sign_negative())
}

/// x·1, x/1, x−0, x+(−0), and for integers x+0, x·0.
fn arithmetic_identity(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let Op::Binary { op } = node.op() else { return None };
    let &[a, b] = inputs else { return None };
    let dtype = node.shape().dtype();
    if dtype == DType::Bool || dtype.is_complex() {
        return None;
    }
    let integer = matches!(dtype.class(), Class::Signed | Class::Unsigned);
    let is = |rw: &Rewrite<'_>, id, value| splat_of(rw.view(), id).is_some_and(|l| is_value(&l, value));
    // The neutral element of addition. For floats this is −0, because −0 + 0 is 0.
    let nothing = if integer { 0.0 } else { -0.0 };
    match op {
        BinaryOp::Mul if is(rw, b, 1.0) => Some(a),
        BinaryOp::Mul if is(rw, a, 1.0) => Some(b),
        BinaryOp::Mul if integer && is(rw, b, 0.0) => Some(b),
        BinaryOp::Mul if integer && is(rw, a, 0.0) => Some(a),
        BinaryOp::Div if is(rw, b, 1.0) => Some(a),
        BinaryOp::Sub if is(rw, b, 0.0) => Some(a),
        BinaryOp::Add if is(rw, b, nothing) => Some(a),
        BinaryOp::Add if is(rw, a, nothing) => Some(b),
        _ => None,
    }
}

/// Simplifies −−x, ¬¬x and other ops that undo themselves, |x| of |x|, and floor of floor.
fn unary_pair(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let Op::Unary { op } = node.op() else { return None };
    let x = *inputs.first()?;
    let Op::Unary { op: inner } = rw.op(x) else { return None };
    match (op, inner) {
        (UnaryOp::Neg, UnaryOp::Neg) | (UnaryOp::Not, UnaryOp::Not) | (UnaryOp::Conj, UnaryOp::Conj) => {
            rw.node(x).inputs().first().copied()
        }
        (outer, inner) if outer == inner => {
            matches!(outer, UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::RoundEven | UnaryOp::RoundAway)
                .then_some(x)
        }
        _ => None,
    }
}

/// Removes a select if its choice is known or makes no difference.
fn choose(rw: &mut Rewrite<'_>, node: &Node, inputs: &[NodeId]) -> Option<NodeId> {
    let (Op::Select {}, &[pred, t, f]) = (node.op(), inputs) else { return None };
    if t == f {
        return Some(t);
    }
    let known = splat_of(rw.view(), pred)?;
    Some(if known.bytes().first() == Some(&1) { t } else { f })
}
