//! Decides which nodes may be computed in a narrow format, and which must stay in f32. Values that the format cannot
//! represent, or that would be wrong if they were rounded to it, stay in f32: see [`Plan::new`]. This module rewrites nothing.

use super::is_typed;
use super::range::Range;
use super::ranges::{contracted, function, is_sum, ranges};
use rlx_ir::op::Access;
use rlx_ir::{Activation, BinaryOp, DType, FloatFormat, Graph, Node, NodeId, Op, OpClass, UnaryOp};

/// Up to this angle, a narrow format is precise enough to locate a number within a period.
const ANGLE: f64 = 8.0;

/// Maximum number of products that a contraction may add to count as an elementwise product, such as angles as a product of positions
/// and frequencies.
const OUTER: f64 = 4.0;

/// Rows longer than this are not normalized with a sum in a narrow format.
const LONG_ROW: f64 = 2048.0;

/// How an f32 node is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Computed {
    /// Not at all: a leaf, or elements of leaves in other places. Either type is free.
    Free,
    /// In its own type.
    Wide,
    /// In the narrow type.
    Narrow,
}

/// How each node of a graph is computed.
pub(super) struct Plan<'g> {
    pub(super) graph: &'g Graph,
    /// The narrow type.
    pub(super) to: DType,
    format: FloatFormat,
    ranges: Vec<Range>,
    /// Nodes with results that would be wrong if they, or the values that they are computed from, were rounded.
    precise: Vec<bool>,
    computed: Vec<Computed>,
}

impl<'g> Plan<'g> {
    /// Decides how nodes that compute in f32 are computed if the policy asks for `to`. These stay in f32:
    ///
    /// - nodes that read or compute numbers that `to` cannot represent (see [`Range::fits`]),
    /// - sums along axes, running sums, products along axes, and sums that a loop carries, and the products of data that go into them,
    /// - angles, values that are rounded to integers or become positions, and operands of logarithms if they may be close to 0,
    /// - elementwise functions of such results, until they meet others.
    ///
    /// `carries` says whether the outputs are the carried values of a loop.
    pub(super) fn new(graph: &'g Graph, to: DType, carries: bool) -> Plan<'g> {
        let format = FloatFormat::of(to).unwrap_or(FloatFormat::F32);
        let count = graph.nodes().len();
        let mut plan = Plan {
            graph,
            to,
            format,
            ranges: ranges(graph, format),
            precise: vec![false; count],
            computed: vec![Computed::Free; count],
        };
        for node in graph.nodes() {
            plan.mark(node);
        }
        if carries {
            plan.mark_carried();
        }
        for node in graph.nodes() {
            plan.computed[node.id().index()] = plan.choice(node);
        }
        plan
    }

    pub(super) fn is_float(&self, id: NodeId) -> bool {
        self.graph.shape(id).dtype() == DType::F32
    }

    /// Returns whether the narrow format can represent a value.
    pub(super) fn fits(&self, id: NodeId) -> bool {
        !self.is_float(id) || self.ranges[id.index()].fits(self.format)
    }

    /// Returns how a node is computed.
    pub(super) fn computed(&self, id: NodeId) -> Computed {
        self.computed[id.index()]
    }

    /// Returns whether a contraction may read its operands in the narrow format and accumulate in f32.
    pub(super) fn takes_narrow(&self, node: &Node) -> bool {
        !self.precise[node.id().index()] && node.inputs().iter().all(|&id| self.fits(id))
    }

    fn range(&self, id: NodeId) -> Range {
        self.ranges[id.index()]
    }

    /// Marks a node that needs exact operands, and its operands.
    fn mark(&mut self, node: &Node) {
        let Some(&x) = node.inputs().first() else { return };
        if !self.is_float(x) {
            return;
        }
        let range = self.range(x);
        match function(node.op()) {
            Some(UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan) if range.most() > ANGLE => {
                self.precise[node.id().index()] = true;
                self.mark_all(vec![x]);
            }
            Some(UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::RoundEven | UnaryOp::RoundAway) => {
                self.mark_rounded(node, range, x)
            }
            Some(UnaryOp::Log) if range.low >= 0.0 && range.low < self.format.min_normal() => {
                self.precise[node.id().index()] = true;
                self.mark_all(vec![x]);
            }
            _ => {}
        }
        match node.op() {
            Op::Convert { dtype } if !dtype.is_float() && *dtype != DType::Bool => {
                self.mark_rounded(node, range, x)
            }
            Op::Binary { op: BinaryOp::Rem } if range.is_bounded() => self.mark_rounded(node, range, x),
            Op::Binary { op: BinaryOp::Add | BinaryOp::Max } => {
                // A number close to 0 matters as much as the number that keeps it from being 0.
                let is_tiny = |id: &NodeId| self.range(*id).is_tiny(self.format);
                if node.inputs().iter().any(is_tiny) {
                    self.mark_all(vec![node.id()]);
                }
            }
            op if is_sum(op) => {
                self.precise[node.id().index()] = true;
                self.mark_products(x);
            }
            _ => {}
        }
    }

    /// Marks values that are rounded to integers, if the narrow format has no fractions at their magnitude.
    fn mark_rounded(&mut self, node: &Node, range: Range, x: NodeId) {
        let coarse = f64::from(1u32 << self.format.mantissa_bits) / 4.0;
        if range.is_bounded() && range.most() > coarse {
            self.precise[node.id().index()] = true;
            self.mark_all(vec![x]);
        }
    }

    /// Marks nodes, and the nodes that they are computed from, up to contractions and given operands.
    fn mark_all(&mut self, mut next: Vec<NodeId>) {
        while let Some(id) = next.pop() {
            let node = self.graph.node(id);
            let op = node.op();
            if self.precise[id.index()] || !self.is_float(id) || node.inputs().is_empty() {
                continue;
            }
            let passes = match op.kind().access() {
                Access::Elementwise
                | Access::Movement
                | Access::Indexed
                | Access::Reduction
                | Access::Window => true,
                Access::Contraction => match node.inputs() {
                    &[a, b, ..] => contracted(op, self.graph.shape(a), self.graph.shape(b)) <= OUTER,
                    _ => false,
                },
                _ => matches!(op, Op::Softmax { .. }),
            };
            if passes {
                self.precise[id.index()] = true;
                next.extend(node.inputs());
            }
        }
    }

    /// Marks the product of data that is summed, if it is one, looking through ops that only move it or multiply it by a number.
    fn mark_products(&mut self, mut id: NodeId) {
        loop {
            let node = self.graph.node(id);
            let is_data = |id: &NodeId| !self.range(*id).is_bounded();
            let is_product = match node.op() {
                Op::Binary { op: BinaryOp::Mul } => node.inputs().iter().all(is_data),
                Op::Binary { op: BinaryOp::Pow } => is_data(&node.inputs()[0]),
                Op::Activation { kind: Activation::Square } => true,
                _ => false,
            };
            if is_product {
                return self.mark_all(vec![id]);
            }
            id = match node.op() {
                Op::Binary { op: BinaryOp::Mul | BinaryOp::Div } => {
                    let data = node.inputs().iter().find(|id| is_data(id));
                    let Some(&data) = data else { return };
                    data
                }
                op if op.kind().access() == Access::Movement && !node.inputs().is_empty() => node.inputs()[0],
                _ => return,
            };
        }
    }

    /// Marks nodes that add to a value that a loop carries.
    fn mark_carried(&mut self) {
        for &output in self.graph.outputs() {
            let mut id = output;
            loop {
                let node = self.graph.node(id);
                let adds =
                    matches!(node.op(), Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul });
                if adds && node.inputs().iter().any(|&operand| self.is_given(operand)) {
                    self.precise[id.index()] = true;
                    break;
                }
                match (node.op(), node.inputs()) {
                    (Op::Select {}, &[_, a, _]) => id = a,
                    (op, &[x]) if op.kind().access() == Access::Movement => id = x,
                    _ => break,
                }
            }
        }
    }

    /// Returns whether a value consists of elements of an input in other places.
    fn is_given(&self, mut id: NodeId) -> bool {
        loop {
            let node = self.graph.node(id);
            match (node.op(), node.inputs()) {
                (Op::Input { .. }, _) => return true,
                (op, &[x]) if op.kind().access() == Access::Movement => id = x,
                _ => return false,
            }
        }
    }

    fn choice(&self, node: &Node) -> Computed {
        let op = node.op();
        let access = op.kind().access();
        let inputs = node.inputs();
        let is_leaf =
            op.kind().class() == OpClass::Leaf || matches!(op, Op::Constant { .. } | Op::Iota { .. });
        // As far as its type is concerned, a value that is stored in its own form is a leaf too.
        let unpacks = match op {
            Op::Convert { dtype: DType::F32 } => self.graph.shape(inputs[0]).dtype().is_float(),
            op => matches!(op, Op::DequantizeBlocks { .. }),
        };
        let moves_free = (access == Access::Movement || unpacks)
            && inputs.len() == 1
            && self.computed[inputs[0].index()] == Computed::Free
            && !node.is_projection();
        if is_leaf || moves_free {
            return Computed::Free;
        }
        if is_typed(op)
            || matches!(op, Op::SoftmaxCrossEntropy {})
            || !inputs.iter().any(|&id| self.is_float(id))
        {
            return Computed::Wide;
        }
        let id = node.id();
        if self.precise[id.index()] || !self.fits(id) || !inputs.iter().all(|&id| self.fits(id)) {
            return Computed::Wide;
        }
        if let Op::Softmax { axis } = op {
            let row = self.graph.shape(inputs[0]).dims().get(*axis).and_then(|dim| dim.as_static());
            if row.is_some_and(|row| row as f64 > LONG_ROW) {
                return Computed::Wide;
            }
        }
        // Functions of wide values are wide until they meet narrow values.
        let follows =
            matches!(access, Access::Elementwise | Access::Movement | Access::Reduction | Access::Window)
                || matches!(op, Op::Softmax { .. } | Op::LogSoftmax { .. });
        let floats = || inputs.iter().filter(|&&id| self.is_float(id));
        let is_wide = |id: &NodeId| self.computed[id.index()] == Computed::Wide;
        if follows && floats().any(is_wide) && !floats().any(|&id| self.computed(id) == Computed::Narrow) {
            return Computed::Wide;
        }
        Computed::Narrow
    }
}
