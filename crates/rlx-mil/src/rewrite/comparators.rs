//! Rewrites sorts with a comparator graph into sorts by key, in sequence, because programs sort by keys.

use crate::emit::{Dialect, has_form};
use rlx_ir::{
    Access, BinaryOp, Builder, CompareOp, Graph, NodeId, Op, OpError, Shape, SortOrder, SubGraph, Tensor,
    UnaryOp,
};

/// Returns a sort with a comparator that compares keys as a sort by these keys. Returns `None` if it does not, or if programs of a dialect
/// have no such sort.
pub(super) fn by_keys(op: &Op, operands: &[Shape], dialect: Dialect) -> Option<Result<Graph, OpError>> {
    let Op::SortGraph { axis, stable, comparator } = op else { return None };
    let keys = keys(comparator, *comparator.outputs().first()?)?;
    let builder = Builder::new(op.mnemonic());
    let named = operands.iter().enumerate().map(|(i, shape)| builder.input(format!("x{i}"), shape.clone()));
    let xs: Vec<Tensor> = named.collect();
    let order = keys.first()?.order;
    let mut sorted: Vec<Tensor> = keys
        .iter()
        .map(|key| Some(turned(values(comparator, key.of, &xs)?, key.order != order)))
        .collect::<Option<_>>()?;
    sorted.extend(xs);
    let sort = Op::Sort { axis: *axis, order, num_keys: keys.len(), stable: *stable };
    // Sorts that programs do not have would become sorts with comparator graphs again.
    let shapes: Vec<Shape> = sorted.iter().map(Tensor::shape).collect();
    if !has_form(&sort, &shapes, &shapes, dialect) {
        return None;
    }
    let results = sorted[0].apply_many(sort, &sorted[1..].iter().collect::<Vec<_>>());
    let outputs: Vec<&Tensor> = results.iter().skip(keys.len()).collect();
    Some(builder.finish(&outputs).map_err(|violations| OpError::shape(violations.to_string())))
}

/// A number for each element, and which of them come first.
struct Key {
    /// The node that computes the key of the first of two elements.
    of: NodeId,
    order: SortOrder,
}

/// Returns the keys that a node compares by, the most significant first.
fn keys(body: &SubGraph, result: NodeId) -> Option<Vec<Key>> {
    let node = body.node(result);
    match (node.op(), node.inputs()) {
        (Op::Compare { op, total_order }, &[a, b]) => {
            let is_total = *total_order && body.shape(a).dtype().is_float();
            let (of, turned) = sides(body, a, b)?;
            let order = match (op, turned) {
                (CompareOp::Lt, false) | (CompareOp::Gt, true) => SortOrder::Ascending,
                (CompareOp::Gt, false) | (CompareOp::Lt, true) => SortOrder::Descending,
                _ => return None,
            };
            (!is_total && !body.shape(a).dtype().is_complex()).then(|| vec![Key { of, order }])
        }
        (Op::Binary { op: BinaryOp::Or }, &[a, b]) => {
            tie(body, keys(body, a), b).or_else(|| tie(body, keys(body, b), a))
        }
        // If the first keys are equal, the others decide.
        (Op::Select {}, &[equal, rest, first]) => after(body, keys(body, first)?, equal, rest),
        _ => None,
    }
}

/// Returns one key, followed by those of `rest` if it is equal: a conjunction.
fn tie(body: &SubGraph, first: Option<Vec<Key>>, rest: NodeId) -> Option<Vec<Key>> {
    let first = first?;
    let node = body.node(rest);
    let (Op::Binary { op: BinaryOp::And }, &[a, b]) = (node.op(), node.inputs()) else { return None };
    let [key] = &first[..] else { return None };
    let again = || vec![Key { of: key.of, order: key.order }];
    after(body, again(), a, b).or_else(|| after(body, again(), b, a))
}

/// Returns a key followed by those of `rest`, if `equal` says that the key is the same for both elements.
fn after(body: &SubGraph, mut first: Vec<Key>, equal: NodeId, rest: NodeId) -> Option<Vec<Key>> {
    let node = body.node(equal);
    let (Op::Compare { op: CompareOp::Eq, .. }, &[a, b]) = (node.op(), node.inputs()) else { return None };
    let (of, _) = sides(body, a, b)?;
    let [key] = &first[..] else { return None };
    if !same(body, key.of, of, |i| i) {
        return None;
    }
    first.extend(keys(body, rest)?);
    Some(first)
}

/// Returns the node for the first of two elements if both nodes compute the same, and whether it is the second node.
fn sides(body: &SubGraph, a: NodeId, b: NodeId) -> Option<(NodeId, bool)> {
    let other = |i: usize| if i.is_multiple_of(2) { i + 1 } else { usize::MAX };
    if same(body, a, b, other) {
        Some((a, false))
    } else if same(body, b, a, other) {
        Some((b, true))
    } else {
        None
    }
}

/// Whether two nodes compute the same, when `of` maps inputs of the first to inputs of the second.
fn same(body: &SubGraph, a: NodeId, b: NodeId, of: impl Fn(usize) -> usize + Copy) -> bool {
    let (first, second) = (body.node(a), body.node(b));
    let place = |id: NodeId| body.inputs().position(|node| node.id() == id);
    match (place(a), place(b)) {
        (Some(i), Some(j)) => j == of(i),
        (None, None) => {
            first.op() == second.op()
                && first.inputs().len() == second.inputs().len()
                && first.inputs().iter().zip(second.inputs()).all(|(&a, &b)| same(body, a, b, of))
        }
        _ => false,
    }
}

/// Computes a node for all elements at once.
fn values(body: &SubGraph, of: NodeId, xs: &[Tensor]) -> Option<Tensor> {
    if let Some(place) = body.inputs().position(|node| node.id() == of) {
        return xs.get(place / 2).cloned();
    }
    let node = body.node(of);
    if let Op::Constant { value } = node.op() {
        let first = xs.first()?;
        return Some(first.builder().constant(value.clone()).broadcast_to(&first.dims()));
    }
    if node.op().kind().access() != Access::Elementwise || node.results().len() != 1 {
        return None;
    }
    let operands: Vec<Tensor> =
        node.inputs().iter().map(|&id| values(body, id, xs)).collect::<Option<_>>()?;
    let (first, rest) = operands.split_first()?;
    Some(first.apply(node.op().clone(), &rest.iter().collect::<Vec<_>>()))
}

/// Reverses the order of a key, if requested.
fn turned(key: Tensor, is_turned: bool) -> Tensor {
    match is_turned {
        true if key.dtype().is_float() => -&key,
        // −1 − x, or the maximum minus x: this maps integers one to one.
        true => key.unary(UnaryOp::Not),
        false => key,
    }
}
