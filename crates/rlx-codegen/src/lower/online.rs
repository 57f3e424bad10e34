//! Lowers two dependent reductions of a row to one pass. Examples are sums of exponentials with the maximum
//! (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018), and sums of squares with the
//! sum (Welford, 1962).
//!
//! The second reduction is kept relative to the state so far, and is moved in the end to the shift that the group uses.
//! The only requirement is that all elements of a row have the same shift: it need not be the maximum for exponentials,
//! or the mean for squares. For squares, differences of elements must be in the range of their type.

use super::LowerError;
use crate::build::Writer;
use crate::kernel::{Combiner, Function, ScalarId};
use rlx_ir::{BinaryOp, CompareOp, DType, Graph, Node, NodeId, Op, ReduceOp, Scalar, UnaryOp};

/// Two reductions that are computed in one pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The maximum, or the sum, of `x`.
    pub(super) first: NodeId,
    /// The sum of e^(x − shift), or of (x − shift)².
    pub(super) second: NodeId,
    /// The value that is reduced.
    pub(super) x: NodeId,
    /// The value that is subtracted, which is the same for all elements of a row.
    pub(super) shift: NodeId,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Exponentials,
    Squares,
}

impl Pair {
    /// Returns the pair whose second reduction is `second`, if one of `others` is its first.
    pub(super) fn of(graph: &Graph, second: NodeId, axes: &[usize], others: &[NodeId]) -> Option<Pair> {
        let Op::Reduce { kind: ReduceOp::Sum, .. } = graph.node(second).op() else { return None };
        let summed = graph.node(graph.node(second).inputs()[0]);
        let (kind, difference) = match summed.op() {
            Op::Unary { op: UnaryOp::Exp } => (Kind::Exponentials, summed.inputs()[0]),
            Op::Binary { op: BinaryOp::Mul } if summed.inputs()[0] == summed.inputs()[1] => {
                (Kind::Squares, summed.inputs()[0])
            }
            _ => return None,
        };
        let difference = graph.node(difference);
        let (Op::Binary { op: BinaryOp::Sub }, &[x, shift]) = (difference.op(), difference.inputs()) else {
            return None;
        };
        // Narrower numbers would be rounded between the two steps.
        let is_plain = matches!(difference.shape().dtype(), DType::F32 | DType::F64);
        let wanted = if kind == Kind::Squares { ReduceOp::Sum } else { ReduceOp::Max };
        let is_first = |id: &NodeId| {
            let node = graph.node(*id);
            matches!(node.op(), Op::Reduce { kind, .. } if *kind == wanted) && node.inputs()[0] == x
        };
        let first = others.iter().copied().find(is_first)?;
        let is_same = is_same_along(graph, graph.node(shift), axes);
        (is_plain && is_same).then_some(Pair { first, second, x, shift, kind })
    }

    /// Returns whether it consists of a maximum and a sum of exponentials.
    pub(super) fn is_exponential(&self) -> bool {
        self.kind == Kind::Exponentials
    }

    /// Returns how elements are combined, with the state of no elements.
    pub(super) fn combiner(&self, w: &mut Writer, dtype: DType) -> Result<Combiner, LowerError> {
        let zero = w.constant(dtype, Scalar::Int(0));
        match self.kind {
            Kind::Exponentials => {
                let identity = vec![w.constant(dtype, Scalar::Float(f64::NEG_INFINITY)), zero];
                let step = function(w, &[dtype; 3], |w, a| with_exponential(w, a[0], a[1], a[2]))?;
                let merge = function(w, &[dtype; 4], |w, a| {
                    let largest = w.binary(BinaryOp::Max, a[0], a[2]);
                    let (ours, theirs) = (ratio(w, a[0], largest), ratio(w, a[2], largest));
                    let ours = w.binary(BinaryOp::Mul, a[1], ours);
                    let theirs = w.binary(BinaryOp::Mul, a[3], theirs);
                    vec![largest, w.binary(BinaryOp::Add, ours, theirs)]
                })?;
                Ok(Combiner { identity, once: false, step, merge })
            }
            Kind::Squares => {
                let none = w.constant(DType::U32, Scalar::Int(0));
                let identity = vec![zero, none, zero, zero];
                let state = [dtype, DType::U32, dtype, dtype];
                let step = function(w, &[&state[..], &[dtype]].concat(), with_square)?;
                let merge = function(w, &[state, state].concat(), merged_squares)?;
                Ok(Combiner { identity, once: false, step, merge })
            }
        }
    }

    /// Returns the second reduction from the state of a row and its shift. The first reduction is the first scalar of the state.
    pub(super) fn second(&self, w: &mut Writer, state: &[ScalarId], shift: ScalarId) -> ScalarId {
        let dtype = w.dtype(shift);
        match self.kind {
            Kind::Exponentials => {
                let above = w.binary(BinaryOp::Sub, state[0], shift);
                let factor = w.unary(UnaryOp::Exp, above);
                let moved = w.binary(BinaryOp::Mul, state[1], factor);
                // The maximum of no elements is infinite.
                let zero = w.constant(dtype, Scalar::Int(0));
                let is_none = w.compare(CompareOp::Eq, state[1], zero);
                w.select(is_none, state[1], moved)
            }
            Kind::Squares => {
                let (count, off) = (w.convert(state[1], dtype), w.binary(BinaryOp::Sub, state[2], shift));
                let square = w.binary(BinaryOp::Mul, off, off);
                let squares = w.binary(BinaryOp::Mul, count, square);
                let moved = w.binary(BinaryOp::Add, state[3], squares);
                // The mean of no elements is NaN.
                let zero = w.constant(dtype, Scalar::Int(0));
                let is_none = w.compare(CompareOp::Eq, count, zero);
                w.select(is_none, state[3], moved)
            }
        }
    }
}

/// Returns whether all elements along these axes are the same.
pub(super) fn is_same_along(graph: &Graph, node: &Node, axes: &[usize]) -> bool {
    let Op::BroadcastInDim { axes: placed, .. } = node.op() else { return false };
    let dims = graph.shape(node.inputs()[0]).dims();
    placed.iter().zip(dims).all(|(axis, dim)| !axes.contains(axis) || dim.as_static() == Some(1))
}

fn function(
    w: &mut Writer,
    params: &[DType],
    body: impl FnOnce(&mut Writer, &[ScalarId]) -> Vec<ScalarId>,
) -> Result<Function, LowerError> {
    w.function(params, |w, args| Ok(body(w, args)))
}

/// Returns the factor that makes a sum relative to one maximum relative to a larger one. Equal infinities count as a difference of 0.
pub(super) fn ratio(w: &mut Writer, from: ScalarId, to: ScalarId) -> ScalarId {
    let below = w.binary(BinaryOp::Sub, from, to);
    let factor = w.unary(UnaryOp::Exp, below);
    let one = w.constant(w.dtype(from), Scalar::Int(1));
    let is_same = w.compare(CompareOp::Eq, from, to);
    w.select(is_same, one, factor)
}

/// Adds one element to a maximum and a sum relative to it, with a single exponential.
fn with_exponential(w: &mut Writer, largest: ScalarId, sum: ScalarId, x: ScalarId) -> Vec<ScalarId> {
    let one = w.constant(w.dtype(x), Scalar::Int(1));
    let apart = w.binary(BinaryOp::Sub, x, largest);
    let apart = w.unary(UnaryOp::Abs, apart);
    let apart = w.unary(UnaryOp::Neg, apart);
    let smaller = w.unary(UnaryOp::Exp, apart);
    let is_same = w.compare(CompareOp::Eq, x, largest);
    let smaller = w.select(is_same, one, smaller);
    let added = w.binary(BinaryOp::Add, sum, smaller);
    let shrunk = w.binary(BinaryOp::Mul, sum, smaller);
    let shrunk = w.binary(BinaryOp::Add, shrunk, one);
    let is_below = w.compare(CompareOp::Le, x, largest);
    let sum = w.select(is_below, added, shrunk);
    vec![w.binary(BinaryOp::Max, largest, x), sum]
}

/// Adds one element to a sum, a count, the mean, and the sum of squared differences from the mean.
fn with_square(w: &mut Writer, args: &[ScalarId]) -> Vec<ScalarId> {
    let &[sum, count, mean, squares, x] = args else { return args.to_vec() };
    let one = w.constant(DType::U32, Scalar::Int(1));
    let count = w.binary(BinaryOp::Add, count, one);
    let number = w.convert(count, w.dtype(x));
    let off = w.binary(BinaryOp::Sub, x, mean);
    let step = w.binary(BinaryOp::Div, off, number);
    let mean = w.binary(BinaryOp::Add, mean, step);
    let still_off = w.binary(BinaryOp::Sub, x, mean);
    let square = w.binary(BinaryOp::Mul, off, still_off);
    vec![w.binary(BinaryOp::Add, sum, x), count, mean, w.binary(BinaryOp::Add, squares, square)]
}

/// Merges the same state of two runs of elements.
fn merged_squares(w: &mut Writer, args: &[ScalarId]) -> Vec<ScalarId> {
    let &[sum, count, mean, squares, other_sum, other_count, other_mean, other_squares] = args else {
        return args.to_vec();
    };
    let dtype = w.dtype(mean);
    let all = w.binary(BinaryOp::Add, count, other_count);
    let one = w.constant(dtype, Scalar::Int(1));
    let numbers = [count, other_count, all].map(|count| w.convert(count, dtype));
    let total = w.binary(BinaryOp::Max, numbers[2], one);
    let share = w.binary(BinaryOp::Div, numbers[1], total);
    let apart = w.binary(BinaryOp::Sub, other_mean, mean);
    let step = w.binary(BinaryOp::Mul, apart, share);
    let between = w.binary(BinaryOp::Mul, apart, step);
    let between = w.binary(BinaryOp::Mul, between, numbers[0]);
    let within = w.binary(BinaryOp::Add, squares, other_squares);
    vec![
        w.binary(BinaryOp::Add, sum, other_sum),
        all,
        w.binary(BinaryOp::Add, mean, step),
        w.binary(BinaryOp::Add, within, between),
    ]
}
