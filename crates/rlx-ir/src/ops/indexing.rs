//! Primitives that read and write windows at offsets that a tensor gives: gather and scatter. Both relate a tensor to one window
//! per index vector, and share their dimension numbers here.

pub(crate) mod gather;
pub(crate) mod scatter;
pub(crate) mod scatter_graph;

use crate::dim::Dim;
use crate::dtype::DTypeSet;
use crate::eval::{Value, for_each_index, linear};
use crate::op::OpError;
use crate::shape::{Shape, row_major_strides};

/// Which axes of a tensor x, of its index vectors and of the tensor of windows (gather's result, scatter's updates) correspond.
struct Windows<'a> {
    names: &'static Names,
    /// Axes of the windows' tensor that run inside a window; its other axes run over the windows.
    window: &'a [usize],
    /// Axes of x along which a window has size 1 and which the windows' tensor leaves out.
    dropped: &'a [usize],
    /// Axes of x that are paired with axes of the indices.
    x_batch: &'a [usize],
    /// The axes of the indices that are paired with them, in the same order.
    indices_batch: &'a [usize],
    /// The axis of x that each component of an index vector indexes.
    map: &'a [usize],
    /// The axis of the indices that runs inside an index vector, or the rank of the indices if each index is a single number.
    vector_dim: usize,
}

/// The names of the attributes in messages.
struct Names {
    window: &'static str,
    dropped: &'static str,
    x_batch: &'static str,
    indices_batch: &'static str,
    map: &'static str,
}

impl<'a> Windows<'a> {
    /// `batch` has the batching axes of x, then those of the indices.
    fn new(
        names: &'static Names,
        window: &'a [usize],
        dropped: &'a [usize],
        batch: [&'a [usize]; 2],
        map: &'a [usize],
        vector_dim: usize,
    ) -> Self {
        Windows { names, window, dropped, x_batch: batch[0], indices_batch: batch[1], map, vector_dim }
    }

    fn check(&self, x: &Shape, indices: &Shape) -> Result<(), OpError> {
        let names = self.names;
        OpError::check_dtype("indices", indices.dtype(), DTypeSet::INT)?;
        if self.vector_dim > indices.rank() {
            return Err(OpError::attribute(format!(
                "index_vector_dim {} is out of range for indices {indices}; it is an axis, or {} for single numbers",
                self.vector_dim,
                indices.rank()
            )));
        }
        if self.window.len() + self.dropped.len() + self.x_batch.len() != x.rank() {
            return Err(OpError::attribute(format!(
                "{}, {} and {} must together list as many axes as x has ({}), got {:?}, {:?} and {:?}",
                names.window,
                names.dropped,
                names.x_batch,
                x.rank(),
                self.window,
                self.dropped,
                self.x_batch
            )));
        }
        check_axes(names.dropped, &[self.dropped, self.x_batch].concat(), x.rank())?;
        check_axes(names.map, &[self.map, self.x_batch].concat(), x.rank())?;
        check_axes(names.window, self.window, self.window.len() + self.batch_dims(indices).len())?;
        let lists = [(names.window, self.window), (names.dropped, self.dropped)];
        for (name, axes) in lists.into_iter().chain([(names.x_batch, self.x_batch)]) {
            if !axes.is_sorted() {
                return Err(OpError::attribute(format!("{name} must be ascending, got {axes:?}")));
            }
        }
        let items = indices.dims().get(self.vector_dim).cloned().unwrap_or(Dim::Static(1));
        if !items.compatible(&Dim::Static(self.map.len())) {
            return Err(OpError::attribute(format!(
                "{} must name an axis for each of the {items} items of an index vector, got {:?}",
                names.map, self.map
            )));
        }
        self.check_batch(x, indices)
    }

    fn check_batch(&self, x: &Shape, indices: &Shape) -> Result<(), OpError> {
        let names = self.names;
        check_axes(names.indices_batch, self.indices_batch, indices.rank())?;
        if self.indices_batch.contains(&self.vector_dim) {
            return Err(OpError::attribute(format!(
                "{} {:?} must not contain index_vector_dim {}",
                names.indices_batch, self.indices_batch, self.vector_dim
            )));
        }
        if self.x_batch.len() != self.indices_batch.len() {
            return Err(OpError::attribute(format!(
                "{} {:?} and {} {:?} must list the same number of axes",
                names.x_batch, self.x_batch, names.indices_batch, self.indices_batch
            )));
        }
        for (&a, &b) in self.x_batch.iter().zip(self.indices_batch) {
            if !x.dim(a).compatible(indices.dim(b)) {
                return Err(OpError::shape(format!(
                    "batch axis {a} of x has size {}, axis {b} of indices has size {}",
                    x.dim(a),
                    indices.dim(b)
                )));
            }
        }
        Ok(())
    }

    /// The dimensions of the indices that run over the index vectors.
    fn batch_dims(&self, indices: &Shape) -> Vec<Dim> {
        indices.without_axes(&[self.vector_dim]).dims().to_vec()
    }

    /// Axes of x that run inside a window, in the order of `window`.
    fn x_window(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|a| !self.dropped.contains(a) && !self.x_batch.contains(a)).collect()
    }

    /// Axes of the windows' tensor that run over the windows.
    fn counting(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|a| !self.window.contains(a)).collect()
    }

    /// Where each window starts in x, one offset per axis, in row-major order of the index vectors.
    fn starts(&self, x: &Value, indices: &Value) -> Vec<Vec<i128>> {
        let strides = row_major_strides(indices.dims());
        let vector_stride = strides.get(self.vector_dim).copied().unwrap_or(0);
        let counted: Vec<usize> = (0..indices.dims().len()).filter(|&a| a != self.vector_dim).collect();
        let sizes: Vec<usize> = counted.iter().map(|&a| indices.dims()[a]).collect();
        let counted_strides: Vec<usize> = counted.iter().map(|&a| strides[a]).collect();
        let numbers = indices.to_ints();
        let mut starts = Vec::new();
        for_each_index(&sizes, |index| {
            let first = linear(index, &counted_strides);
            let mut start = vec![0; x.dims().len()];
            for (i, &axis) in self.map.iter().enumerate() {
                start[axis] = numbers[first + i * vector_stride];
            }
            for (&axis, indices_axis) in self.x_batch.iter().zip(self.indices_batch) {
                let place = counted.iter().position(|a| a == indices_axis).unwrap_or(0);
                start[axis] = index[place] as i128;
            }
            starts.push(start);
        });
        starts
    }
}

fn check_axes(name: &str, axes: &[usize], rank: usize) -> Result<(), OpError> {
    OpError::check_axes(axes, rank).map_err(|e| OpError::attribute(format!("{name}: {e}")))
}
