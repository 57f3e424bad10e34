//! A node of a graph with the nodes that it depends on, as the rules see them.

use crate::import::numbers_of;
use rlx_ir::{BinaryOp, DType, Graph, Literal, NodeId, Op, OpKind};
use std::collections::HashSet;

/// A node.
#[derive(Clone, Copy)]
pub(super) struct Seen<'g> {
    pub(super) graph: &'g Graph,
    pub(super) id: NodeId,
}

impl<'g> Seen<'g> {
    pub(super) fn op(self) -> &'g Op {
        self.graph.node(self.id).op()
    }

    pub(super) fn dtype(self) -> DType {
        self.graph.shape(self.id).dtype()
    }

    /// Returns the sizes, if they are known.
    pub(super) fn dims(self) -> Option<Vec<usize>> {
        self.graph.shape(self.id).static_dims()
    }

    /// Returns the sizes of an image `[N, C, H, W]`.
    pub(super) fn image(self) -> Option<[usize; 4]> {
        self.dims()?.try_into().ok()
    }

    pub(super) fn input(self, i: usize) -> Option<Seen<'g>> {
        let id = *self.graph.node(self.id).inputs().get(i)?;
        Some(Seen { graph: self.graph, id })
    }

    /// Returns the operand of an op of this kind.
    pub(super) fn through(self, kind: OpKind) -> Option<Seen<'g>> {
        (self.op().kind() == kind).then(|| self.input(0)).flatten()
    }

    /// Returns both operands of a function of two values.
    pub(super) fn both(self, wanted: BinaryOp) -> Option<[Seen<'g>; 2]> {
        match self.op() {
            Op::Binary { op } if *op == wanted => Some([self.input(0)?, self.input(1)?]),
            _ => None,
        }
    }

    /// Returns the operand of a function of a value and a number, and the number.
    pub(super) fn with_number(self, wanted: BinaryOp) -> Option<(Seen<'g>, f64)> {
        let [a, b] = self.both(wanted)?;
        b.number().map(|n| (a, n)).or_else(|| a.number().map(|n| (b, n)))
    }

    /// Returns the value of a constant.
    pub(super) fn literal(self) -> Option<&'g Literal> {
        match self.op() {
            Op::Constant { value } => Some(value),
            _ => None,
        }
    }

    /// Returns a known number, repeated or not.
    pub(super) fn number(self) -> Option<f64> {
        if let Some(of) = self.through(OpKind::BroadcastInDim) {
            return of.number();
        }
        let numbers = numbers_of(self.literal()?)?;
        let first = *numbers.first()?;
        numbers.iter().all(|&n| n == first).then_some(first)
    }

    /// Returns the nearest node that this one depends on, including itself, for which `wanted` holds. Looks at up to `within` nodes.
    pub(super) fn find(self, within: usize, wanted: impl Fn(Seen<'g>) -> bool) -> Option<Seen<'g>> {
        let (mut queue, mut met) = (vec![self], HashSet::from([self.id]));
        let mut at = 0;
        while at < queue.len().min(within) {
            let node = queue[at];
            at += 1;
            if wanted(node) {
                return Some(node);
            }
            for &id in self.graph.node(node.id).inputs() {
                if met.insert(id) {
                    queue.push(Seen { graph: self.graph, id });
                }
            }
        }
        None
    }
}
