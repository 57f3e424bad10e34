//! Primitives that read and write windows at offsets that a tensor gives: gather and scatter. Both relate a tensor to one window
//! per index vector, and share their dimension numbers here.

pub(crate) mod gather;
pub(crate) mod scatter;
pub(crate) mod scatter_graph;

use crate::dim::Dim;
use crate::dtype::DTypeSet;
use crate::eval::{Value, for_each_index, linear};
use crate::op::{OpError, WindowAxes};
use crate::shape::{Shape, row_major_strides};

/// The windows of a gather or scatter, with the names of its attributes.
struct Windows<'a> {
    names: &'static Names,
    axes: WindowAxes<'a>,
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
    fn new(names: &'static Names, axes: WindowAxes<'a>) -> Self {
        Windows { names, axes }
    }

    fn check(&self, x: &Shape, indices: &Shape) -> Result<(), OpError> {
        let Windows { names, axes } = self;
        OpError::check_dtype("indices", indices.dtype(), DTypeSet::INT)?;
        if axes.vector_dim > indices.rank() {
            return Err(OpError::attribute(format!(
                "index_vector_dim {} is out of range for indices {indices}; it is an axis, or {} for single numbers",
                axes.vector_dim,
                indices.rank()
            )));
        }
        if axes.window.len() + axes.dropped.len() + axes.x_batch.len() != x.rank() {
            return Err(OpError::attribute(format!(
                "{}, {} and {} must together list as many axes as x has ({}), got {:?}, {:?} and {:?}",
                names.window,
                names.dropped,
                names.x_batch,
                x.rank(),
                axes.window,
                axes.dropped,
                axes.x_batch
            )));
        }
        check_axes(names.dropped, &[axes.dropped, axes.x_batch].concat(), x.rank())?;
        check_axes(names.map, &[axes.map, axes.x_batch].concat(), x.rank())?;
        check_axes(names.window, axes.window, axes.window.len() + self.batch_dims(indices).len())?;
        let lists =
            [(names.window, axes.window), (names.dropped, axes.dropped), (names.x_batch, axes.x_batch)];
        for (name, axes) in lists {
            if !axes.is_sorted() {
                return Err(OpError::attribute(format!("{name} must be ascending, got {axes:?}")));
            }
        }
        let items = indices.dims().get(axes.vector_dim).cloned().unwrap_or(Dim::Static(1));
        if !items.compatible(&Dim::Static(axes.map.len())) {
            return Err(OpError::attribute(format!(
                "{} must name an axis for each of the {items} items of an index vector, got {:?}",
                names.map, axes.map
            )));
        }
        self.check_batch(x, indices)
    }

    fn check_batch(&self, x: &Shape, indices: &Shape) -> Result<(), OpError> {
        let Windows { names, axes } = self;
        check_axes(names.indices_batch, axes.indices_batch, indices.rank())?;
        if axes.indices_batch.contains(&axes.vector_dim) {
            return Err(OpError::attribute(format!(
                "{} {:?} must not contain index_vector_dim {}",
                names.indices_batch, axes.indices_batch, axes.vector_dim
            )));
        }
        if axes.x_batch.len() != axes.indices_batch.len() {
            return Err(OpError::attribute(format!(
                "{} {:?} and {} {:?} must list the same number of axes",
                names.x_batch, axes.x_batch, names.indices_batch, axes.indices_batch
            )));
        }
        for (&a, &b) in axes.x_batch.iter().zip(axes.indices_batch) {
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
        indices.without_axes(&[self.axes.vector_dim]).dims().to_vec()
    }

    /// Where each window starts in x, one offset per axis, in row-major order of the index vectors.
    fn starts(&self, x: &Value, indices: &Value) -> Vec<Vec<i128>> {
        let axes = &self.axes;
        let strides = row_major_strides(indices.dims());
        let vector_stride = strides.get(axes.vector_dim).copied().unwrap_or(0);
        let counted = axes.index_axes(indices.dims().len());
        let sizes: Vec<usize> = counted.iter().map(|&a| indices.dims()[a]).collect();
        let counted_strides: Vec<usize> = counted.iter().map(|&a| strides[a]).collect();
        let batch_places = axes.batch_places();
        let numbers = indices.to_ints();
        let mut starts = Vec::new();
        for_each_index(&sizes, |index| {
            let first = linear(index, &counted_strides);
            let mut start = vec![0; x.dims().len()];
            for (i, &axis) in axes.map.iter().enumerate() {
                start[axis] = numbers[first + i * vector_stride];
            }
            for (&axis, &place) in axes.x_batch.iter().zip(&batch_places) {
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
