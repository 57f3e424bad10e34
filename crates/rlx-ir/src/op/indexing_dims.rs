//! The dimension numbers of gathers and scatters: which axes of the tensor, the index vectors and the windows correspond.

use super::structure::structure;

structure! {
    /// Which axes of a gather's tensor x, its indices and its result correspond. The names are those of StableHLO.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
    flat GatherDims {
        /// Axes of the result that run inside a window, ascending; the others run over the index vectors.
        offset_dims: Vec<usize>,
        /// Axes of x along which a window has size 1 and which the result leaves out, ascending.
        collapsed_slice_dims: Vec<usize>,
        /// Axes of x that are paired with axes of the indices, ascending; a window has size 1 along them.
        operand_batching_dims: Vec<usize>,
        /// The axes of the indices that are paired with `operand_batching_dims`, in the same order.
        start_indices_batching_dims: Vec<usize>,
        /// The axis of x that each component of an index vector indexes.
        start_index_map: Vec<usize>,
        /// The axis of the indices that holds the index vectors, or the rank of the indices if each index is a single number.
        index_vector_dim: usize,
    }
}

structure! {
    /// Which axes of a scatter's tensor x, its indices and its updates correspond. The names are those of StableHLO.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
    nested ScatterDims {
        /// Axes of the updates that run inside a window, ascending; the others run over the index vectors.
        update_window_dims: Vec<usize>,
        /// Axes of x along which a window has size 1 and which the updates leave out, ascending.
        inserted_window_dims: Vec<usize>,
        /// Axes of x that are paired with axes of the indices, ascending; a window has size 1 along them.
        input_batching_dims: Vec<usize>,
        /// The axes of the indices that are paired with `input_batching_dims`, in the same order.
        scatter_indices_batching_dims: Vec<usize>,
        /// The axis of x that each component of an index vector indexes.
        scatter_dims_to_operand_dims: Vec<usize>,
        /// The axis of the indices that holds the index vectors, or the rank of the indices if each index is a single number.
        index_vector_dim: usize,
    }
}

impl GatherDims {
    /// Returns the dimension numbers of a gather of whole slices of x along `axis`, one per single index. The first `batch` axes of
    /// x and of the indices are paired; the other axes of the indices replace `axis` in the result.
    pub fn slices(axis: usize, batch: usize, x_rank: usize, indices_rank: usize) -> GatherDims {
        let inner = indices_rank - batch;
        GatherDims {
            offset_dims: (batch..axis).chain(axis + inner..x_rank - 1 + inner).collect(),
            collapsed_slice_dims: vec![axis],
            operand_batching_dims: (0..batch).collect(),
            start_indices_batching_dims: (0..batch).collect(),
            start_index_map: vec![axis],
            index_vector_dim: indices_rank,
        }
    }

    /// Returns the dimension numbers of the scatter whose updates are the windows that the gather reads.
    pub fn to_scatter(&self) -> ScatterDims {
        let dims = self.clone();
        ScatterDims {
            update_window_dims: dims.offset_dims,
            inserted_window_dims: dims.collapsed_slice_dims,
            input_batching_dims: dims.operand_batching_dims,
            scatter_indices_batching_dims: dims.start_indices_batching_dims,
            scatter_dims_to_operand_dims: dims.start_index_map,
            index_vector_dim: dims.index_vector_dim,
        }
    }

    /// Returns the dimension numbers under the names that gather and scatter share.
    pub fn windows(&self) -> WindowAxes<'_> {
        WindowAxes {
            window: &self.offset_dims,
            dropped: &self.collapsed_slice_dims,
            x_batch: &self.operand_batching_dims,
            indices_batch: &self.start_indices_batching_dims,
            map: &self.start_index_map,
            vector_dim: self.index_vector_dim,
        }
    }
}

impl ScatterDims {
    /// Returns the dimension numbers of the gather that reads the windows to which the updates are written.
    pub fn to_gather(&self) -> GatherDims {
        let dims = self.clone();
        GatherDims {
            offset_dims: dims.update_window_dims,
            collapsed_slice_dims: dims.inserted_window_dims,
            operand_batching_dims: dims.input_batching_dims,
            start_indices_batching_dims: dims.scatter_indices_batching_dims,
            start_index_map: dims.scatter_dims_to_operand_dims,
            index_vector_dim: dims.index_vector_dim,
        }
    }

    /// Returns the dimension numbers under the names that gather and scatter share.
    pub fn windows(&self) -> WindowAxes<'_> {
        WindowAxes {
            window: &self.update_window_dims,
            dropped: &self.inserted_window_dims,
            x_batch: &self.input_batching_dims,
            indices_batch: &self.scatter_indices_batching_dims,
            map: &self.scatter_dims_to_operand_dims,
            vector_dim: self.index_vector_dim,
        }
    }
}

/// The dimension numbers of a gather or scatter. Both relate a tensor x to one window per index vector; the windows together are
/// a tensor, the result of a gather or the updates of a scatter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowAxes<'a> {
    /// Axes of the windows' tensor that run inside a window.
    pub window: &'a [usize],
    /// Axes of x along which a window has size 1 and which the windows' tensor leaves out.
    pub dropped: &'a [usize],
    /// Axes of x that are paired with axes of the indices.
    pub x_batch: &'a [usize],
    /// The axes of the indices that are paired with them, in the same order.
    pub indices_batch: &'a [usize],
    /// The axis of x that each component of an index vector indexes.
    pub map: &'a [usize],
    /// The axis of the indices that holds the index vectors, or the rank of the indices if each index is a single number.
    pub vector_dim: usize,
}

impl WindowAxes<'_> {
    /// Returns whether the windows' tensor has no axis for this axis of x, along which a window has size 1.
    pub fn leaves_out(&self, x_axis: usize) -> bool {
        self.dropped.contains(&x_axis) || self.x_batch.contains(&x_axis)
    }

    /// Returns the axes of x that correspond to `window`, in the same order, for x of this rank.
    pub fn x_window(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|&axis| !self.leaves_out(axis)).collect()
    }

    /// Returns the sizes of a window along the axes of x, which has this rank, given the sizes of the windows' tensor.
    pub fn widths(&self, rank: usize, windows: &[usize]) -> Vec<usize> {
        let mut widths = vec![1; rank];
        self.x_window(rank).into_iter().zip(self.window).for_each(|(axis, &at)| widths[axis] = windows[at]);
        widths
    }

    /// Returns the axes of the windows' tensor, which has this rank, that run over the windows.
    pub fn counting(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|axis| !self.window.contains(axis)).collect()
    }

    /// Returns the axes of the indices, which have this rank, that run over the windows; they correspond to `counting`.
    pub fn index_axes(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|&axis| axis != self.vector_dim).collect()
    }

    /// Returns the place of each of `indices_batch` among the axes that run over the windows.
    pub fn batch_places(&self) -> Vec<usize> {
        self.indices_batch.iter().map(|&axis| axis - usize::from(axis > self.vector_dim)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Combiner, Op, OpKind};

    fn names(kind: OpKind) -> Vec<&'static str> {
        kind.attributes().into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn flat_structures_are_attributes_of_the_op_and_nested_ones_are_one_attribute() {
        let dims = GatherDims::slices(1, 1, 3, 2);
        let gather = Op::Gather { dims: dims.clone(), slice_sizes: vec![1.into(), 1.into(), 4.into()] };
        let text = "{offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], \
                    start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2, \
                    slice_sizes = [1, 1, 4]}";
        assert_eq!(gather.attributes_text(), text);
        assert_eq!(Op::from_text("gather", text).expect("reads what was written"), gather);
        assert_eq!(
            names(OpKind::Gather),
            [
                "offset_dims",
                "collapsed_slice_dims",
                "operand_batching_dims",
                "start_indices_batching_dims",
                "start_index_map",
                "index_vector_dim",
                "slice_sizes"
            ]
        );

        let scatter = Op::Scatter { dims: dims.to_scatter(), combiner: Combiner::Set };
        let text = "{dims = {update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], \
                    scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2}, \
                    combiner = set}";
        assert_eq!(scatter.attributes_text(), text);
        assert_eq!(Op::from_text("scatter", text).expect("reads what was written"), scatter);
        assert_eq!(names(OpKind::Scatter), ["dims", "combiner"]);
        assert_eq!(dims.to_scatter().to_gather(), dims);
    }

    #[test]
    fn batch_axes_of_indices_are_counted_without_the_index_vector() {
        let dims = GatherDims {
            operand_batching_dims: vec![0, 2],
            start_indices_batching_dims: vec![0, 3],
            index_vector_dim: 1,
            ..GatherDims::default()
        };
        let windows = dims.windows();
        assert_eq!(windows.index_axes(4), [0, 2, 3]);
        assert_eq!(windows.batch_places(), [0, 2]);
        assert_eq!(windows.x_window(4), [1, 3]);
    }
}
