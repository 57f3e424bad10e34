//! The intervals of the integers in a graph. Programs only have integers of up to 32 bits, so values of wider types can be written only if
//! their interval is within that.

use super::constants::extremes;
use rlx_ir::{BinaryOp, DType, Graph, Node, NodeId, Op, ReduceOp, Shape, UnaryOp};
use std::collections::HashMap;

/// An interval from the first to the second, inclusive.
type Interval = (i128, i128);

/// The interval of the integers of programs.
const HELD: Interval = (i32::MIN as i128, i32::MAX as i128);

/// What is known about the integers in a graph.
pub(super) struct Bounds {
    /// For each node with values that do not fit in the integers of programs, the reason.
    pub(super) beyond: HashMap<NodeId, String>,
    known: Vec<Option<Interval>>,
}

impl Bounds {
    /// Whether a node's values are from 0 up to but excluding a number.
    pub(super) fn counts_to(&self, id: NodeId, limit: usize) -> bool {
        self.known[id.index()].is_some_and(|(least, most)| least >= 0 && most < limit as i128)
    }
}

/// Returns the number that an op computes from the sizes of its operand alone.
pub(super) fn size_of(op: &Op, operand: &[usize]) -> Option<usize> {
    match op {
        Op::DimSize { axis } => operand.get(*axis).copied(),
        _ => None,
    }
}

/// Computes the bounds of the integers in a graph.
pub(super) fn bounds(graph: &Graph) -> Bounds {
    let mut intervals = Intervals { graph, known: Vec::with_capacity(graph.nodes().len()) };
    let mut problems = HashMap::new();
    for node in graph.nodes() {
        let mut interval = intervals.of(node);
        if let Some(reason) = interval.and_then(|interval| reason(node, interval)) {
            problems.insert(node.id(), reason);
            interval = interval.map(|interval| meet(interval, HELD));
        }
        intervals.known.push(interval);
    }
    Bounds { beyond: problems, known: intervals.known }
}

/// Returns why a node's values do not fit in 32 bits, if they do not.
fn reason(node: &Node, (least, most): Interval) -> Option<String> {
    let dtype = node.shape().dtype();
    let is_wide = matches!(dtype, DType::I64 | DType::U32 | DType::U64);
    (is_wide && (least < HELD.0 || most > HELD.1)).then(|| {
        let at = node.at_label();
        let op = node.op().mnemonic();
        format!(
            "`{op}`{at}: programs have integers of 32 bits, and this {dtype} may be from {least} to {most}"
        )
    })
}

fn meet(a: Interval, b: Interval) -> Interval {
    (a.0.max(b.0), a.1.min(b.1))
}

fn join(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The intervals of the first results of the nodes so far; `None` for values that are not integers.
struct Intervals<'g> {
    graph: &'g Graph,
    known: Vec<Option<Interval>>,
}

impl Intervals<'_> {
    fn of(&self, node: &Node) -> Option<Interval> {
        let range = node.shape().dtype().int_range()?;
        Some(match self.exact(node) {
            Some(interval) if meet(interval, range) == interval => interval,
            // A value that leaves the range of its type wraps to anywhere in it.
            _ => range,
        })
    }

    /// Returns the interval before wrapping, if it is known.
    fn exact(&self, node: &Node) -> Option<Interval> {
        let operand = |i: usize| self.known[node.inputs().get(i)?.index()];
        let shape = |i: usize| Some(self.graph.node(*node.inputs().get(i)?).shape());
        match node.op() {
            // CoreML has no wider integers in inputs and outputs; weights are checked element by element.
            Op::Input { .. } | Op::Param { .. } => Some(meet(HELD, node.shape().dtype().int_range()?)),
            Op::Constant { value } => extremes(value),
            Op::Iota { shape, axis } => counted(size(shape, *axis)?),
            Op::DimSize { axis } => size(shape(0)?, *axis).map(|n| (n, n)),
            Op::ArgReduce { axis, .. } => counted(size(shape(0)?, *axis)?),
            Op::Output { index } => self.result(self.graph.node(*node.inputs().first()?), *index),
            Op::Unary { op } => unary(*op, operand(0)?),
            Op::Binary { op } => binary(*op, operand(0)?, operand(1)?),
            Op::Clamp {} => {
                let (low, x, high) = (operand(0)?, operand(1)?, operand(2)?);
                let above = (x.0.max(low.0), x.1.max(low.1));
                Some((above.0.min(high.0), above.1.min(high.1)))
            }
            Op::Reduce { kind, axes } => {
                let count = axes.iter().map(|&axis| size(shape(0)?, axis)).product::<Option<i128>>()?;
                reduced(*kind, count, operand(0)?)
            }
            Op::Cumulative { op, axis, .. } => {
                let one = operand(0)?;
                reduced(*op, size(shape(0)?, *axis)?, one).map(|all| join(all, join(one, (0, 0))))
            }
            Op::Select {} | Op::DynamicUpdateSlice {} | Op::Pad { .. } | Op::Concatenate { .. } => {
                let first = usize::from(matches!(node.op(), Op::Select {}));
                let moved =
                    if matches!(node.op(), Op::Concatenate { .. }) { node.inputs().len() } else { first + 2 };
                (first..moved).map(operand).reduce(|a, b| Some(join(a?, b?)))?
            }
            Op::Convert { .. } | Op::Reshape { .. } | Op::Transpose { .. } | Op::BroadcastInDim { .. } => {
                operand(0)
            }
            Op::Slice { .. } | Op::Reverse { .. } | Op::DynamicSlice { .. } | Op::Gather { .. } => operand(0),
            Op::Expand { .. } | Op::StopGradient {} | Op::OptimizationBarrier {} => operand(0),
            Op::TopK { .. } | Op::Sort { .. } => self.result(node, 0),
            _ => None,
        }
    }

    /// Returns the interval of one result of a node that has several.
    fn result(&self, node: &Node, index: usize) -> Option<Interval> {
        let operand = |i: usize| self.known[node.inputs().get(i)?.index()];
        match node.op() {
            Op::Sort { .. } | Op::OptimizationBarrier {} => operand(index),
            Op::TopK { .. } if index == 0 => operand(0),
            Op::TopK { .. } => {
                let x = self.graph.node(*node.inputs().first()?).shape();
                counted(size(x, x.rank().checked_sub(1)?)?)
            }
            _ => None,
        }
    }
}

/// Returns the interval from 0 up to but excluding this number.
fn counted(count: i128) -> Option<Interval> {
    (count > 0).then_some((0, count - 1))
}

fn size(shape: &Shape, axis: usize) -> Option<i128> {
    shape.static_dims()?.get(axis).map(|&n| n as i128)
}

fn unary(op: UnaryOp, (least, most): Interval) -> Option<Interval> {
    Some(match op {
        UnaryOp::Neg => (-most, -least),
        UnaryOp::Abs if least >= 0 => (least, most),
        UnaryOp::Abs => (if most >= 0 { 0 } else { -most }, most.max(-least)),
        UnaryOp::Sign => (least.signum(), most.signum()),
        UnaryOp::Real | UnaryOp::Conj => (least, most),
        _ => return None,
    })
}

fn binary(op: BinaryOp, a: Interval, b: Interval) -> Option<Interval> {
    let corners = |of: fn(i128, i128) -> Option<i128>| -> Option<Interval> {
        let all = [of(a.0, b.0)?, of(a.0, b.1)?, of(a.1, b.0)?, of(a.1, b.1)?];
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        BinaryOp::Add => corners(i128::checked_add),
        BinaryOp::Sub => corners(i128::checked_sub),
        BinaryOp::Mul => corners(i128::checked_mul),
        BinaryOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinaryOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        // A quotient by 0 is arbitrary. If all divisors have the same sign, the extremes are at the ends.
        BinaryOp::Div if b.0 > 0 || b.1 < 0 => corners(i128::checked_div),
        // A remainder has the sign of x and is not larger; by 0, it is x.
        BinaryOp::Rem => Some((a.0.min(0), a.1.max(0))),
        _ => None,
    }
}

fn reduced(op: ReduceOp, count: i128, x: Interval) -> Option<Interval> {
    match op {
        ReduceOp::Sum => Some((x.0.checked_mul(count)?, x.1.checked_mul(count)?)),
        ReduceOp::Max | ReduceOp::Min => Some(x),
        _ => None,
    }
}
