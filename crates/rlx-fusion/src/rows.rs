//! Rows around reductions: which values can be computed row by row. These are values with one element per row and values with all
//! elements of the rows, whether they come before reductions, after them, or read the results of reductions again.

use crate::members::splits_axes;
use rlx_ir::{Dim, Graph, Node, Op};

/// An index space, and the axes along which it is reduced.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RowSpace {
    dims: Vec<Dim>,
    /// The axes, ascending.
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

    /// Whether a value has all elements of the rows.
    pub(crate) fn are_full(&self, dims: &[Dim]) -> bool {
        self.dims == dims
    }

    /// Whether a value has one element per row.
    pub(crate) fn are_single(&self, dims: &[Dim]) -> bool {
        let kept = self.dims.iter().enumerate().filter(|(axis, _)| !self.axes.contains(axis));
        dims != self.dims && without_ones(dims.iter()).eq(without_ones(kept.map(|(_, dim)| dim)))
    }

    /// Whether the node reduces these rows.
    pub(crate) fn reduced_by(&self, graph: &Graph, node: &Node) -> bool {
        RowSpace::of(graph, node).as_ref() == Some(self)
    }

    /// Whether the node repeats one element per row along the row.
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

    /// Whether the node only adds or removes axes of size 1 of a value with one element per row.
    pub(crate) fn relaid_by(&self, graph: &Graph, node: &Node) -> bool {
        splits_axes(graph, node)
            && self.are_single(node.shape().dims())
            && self.are_single(graph.shape(node.inputs()[0]).dims())
    }
}

fn without_ones<'a>(dims: impl Iterator<Item = &'a Dim>) -> impl Iterator<Item = &'a Dim> {
    dims.filter(|dim| **dim != Dim::Static(1))
}
