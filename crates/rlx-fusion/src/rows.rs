//! Rows around reductions: which values can be computed row by row. Values with an element for each row, and
//! values with a row for each, are computed row by row, whether they stand before reductions, behind them, or
//! read their results again.

use crate::members::splits_axes;
use rlx_ir::{Dim, Graph, Node, Op};

/// An index space, and the axes along which it is reduced.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RowSpace {
    dims: Vec<Dim>,
    /// Ascending.
    axes: Vec<usize>,
}

impl RowSpace {
    /// The rows of a reduction along some axes.
    pub(crate) fn of(graph: &Graph, node: &Node) -> Option<RowSpace> {
        let Op::Reduce { axes, .. } = node.op() else { return None };
        let mut axes = axes.clone();
        axes.sort_unstable();
        let dims = graph.shape(node.inputs()[0]).dims().to_vec();
        (!axes.is_empty()).then_some(RowSpace { dims, axes })
    }

    /// Whether a value has a row for each.
    pub(crate) fn are_full(&self, dims: &[Dim]) -> bool {
        self.dims == dims
    }

    /// Whether a value has one element for each row.
    pub(crate) fn are_single(&self, dims: &[Dim]) -> bool {
        let kept = self.dims.iter().enumerate().filter(|(axis, _)| !self.axes.contains(axis));
        dims != self.dims && without_ones(dims.iter()).eq(without_ones(kept.map(|(_, dim)| dim)))
    }

    /// Whether the node reduces these rows.
    pub(crate) fn reduced_by(&self, graph: &Graph, node: &Node) -> bool {
        RowSpace::of(graph, node).as_ref() == Some(self)
    }

    /// Whether the node repeats one element for each row along the row.
    pub(crate) fn repeated_by(&self, graph: &Graph, node: &Node) -> bool {
        let Op::BroadcastInDim { dims, axes } = node.op() else { return false };
        let from = graph.shape(node.inputs()[0]).dims();
        let in_place = |(dim, axis): (&Dim, &usize)| {
            *dim == Dim::Static(1) || *dim == dims[*axis] && !self.axes.contains(axis)
        };
        self.are_full(dims)
            && self.are_single(from)
            && axes.is_sorted()
            && from.iter().zip(axes).all(in_place)
    }

    /// Whether the node gives one element for each row other axes of size 1.
    pub(crate) fn relaid_by(&self, graph: &Graph, node: &Node) -> bool {
        splits_axes(graph, node)
            && self.are_single(node.shape().dims())
            && self.are_single(graph.shape(node.inputs()[0]).dims())
    }
}

fn without_ones<'a>(dims: impl Iterator<Item = &'a Dim>) -> impl Iterator<Item = &'a Dim> {
    dims.filter(|dim| **dim != Dim::Static(1))
}
