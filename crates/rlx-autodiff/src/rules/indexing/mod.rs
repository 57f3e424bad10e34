//! Rules of gather and scatter, which are each other's transposes. They share their dimension numbers here, under the names of
//! scatter. They differ in that a gather clamps a window that would go out of bounds, and a scatter skips it.

mod gather;
mod scatter;
mod scatter_graph;
mod sequential;

use gather::GATHER;
use scatter::SCATTER;
use scatter_graph::SCATTER_GRAPH;

use super::Rules;
use crate::trace::{self, up};
use rlx_ir::{Builder, Combiner, Dim, Op, OpKind, ReduceOp, ScatterDims, Shape, Tensor};

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Gather => GATHER,
        OpKind::Scatter => SCATTER,
        OpKind::ScatterGraph => SCATTER_GRAPH,
        _ => return None,
    })
}

/// The windows of a tensor `x` at `indices`.
struct Windows<'a> {
    builder: &'a Builder,
    dims: &'a ScatterDims,
    /// Dimensions of the tensor.
    x: &'a [Dim],
    indices: &'a Tensor,
    /// Sizes of a window, one per axis of x.
    sizes: Vec<Dim>,
}

impl<'a> Windows<'a> {
    /// The windows to which updates of these dimensions are written.
    fn of_updates(
        builder: &'a Builder,
        dims: &'a ScatterDims,
        x: &'a [Dim],
        indices: &'a Tensor,
        updates: &[Dim],
    ) -> Self {
        let mut window = dims.update_window_dims.iter().map(|&a| updates[a].clone());
        let sizes = x.iter().enumerate().map(|(axis, dim)| {
            // The windows of an empty tensor are empty.
            let one = Dim::Static(usize::from(*dim != Dim::Static(0)));
            if dims.windows().leaves_out(axis) { one } else { window.next().unwrap_or(one) }
        });
        Windows { builder, dims, x, indices, sizes: sizes.collect() }
    }

    /// The windows, each moved inside the tensor.
    fn read(&self, x: &Tensor) -> Tensor {
        x.apply(gather_op(self.dims, self.sizes.clone()), &[self.indices])
    }

    /// The windows, with zeros for each that goes out of bounds.
    fn read_or_zeros(&self, x: &Tensor) -> Tensor {
        let windows = self.read(x);
        self.inside(&windows.dims()).select(&windows, &trace::zeros_like(&windows))
    }

    /// Whether each window is inside the tensor, as booleans with the dimensions of the windows' tensor.
    fn inside(&self, windows: &[Dim]) -> Tensor {
        let zero = self.builder.int(0, self.indices.dtype());
        let fits = self.indices.greater_equal(&zero).and(&self.indices.less_equal(&self.last()));
        let vector = self.dims.index_vector_dim;
        let fits =
            if vector < self.indices.rank() { fits.reduce(ReduceOp::And, &[vector], false) } else { fits };
        fits.broadcast_in_dim(windows, &self.dims.windows().counting(windows.len()))
    }

    /// The indices, clamped to where a gather reads.
    fn clamped(&self) -> Tensor {
        self.indices.maximum(&self.builder.int(0, self.indices.dtype())).minimum(&self.last())
    }

    /// For each component of the index vectors, the last index at which a window fits, with the dimensions of the indices.
    fn last(&self) -> Tensor {
        let (vector, dims) = (self.dims.index_vector_dim, self.indices.dims());
        let map = &self.dims.scatter_dims_to_operand_dims;
        if vector == dims.len() {
            return self.last_along(map[0]).broadcast_to(&dims);
        }
        if map.is_empty() {
            return self.indices.clone();
        }
        let items: Vec<Tensor> =
            map.iter().map(|&axis| self.last_along(axis).reshape(&[Dim::Static(1)])).collect();
        let items = self.builder.apply(Op::Concatenate { axis: 0 }, &items.iter().collect::<Vec<_>>());
        items.broadcast_in_dim(&dims, &[vector])
    }

    /// The last index at which a window fits along an axis, as a scalar of the type of the indices; at least 0.
    fn last_along(&self, axis: usize) -> Tensor {
        let dtype = self.indices.dtype();
        let largest = dtype.int_range().map_or(i64::MAX, |(_, high)| i64::try_from(high).unwrap_or(i64::MAX));
        let (dim, size) = (&self.x[axis], &self.sizes[axis]);
        if let (Some(dim), Some(size)) = (dim.as_static(), size.as_static()) {
            let last = i64::try_from(dim.saturating_sub(size.max(1))).unwrap_or(i64::MAX);
            return self.builder.int(last.min(largest), dtype);
        }
        if dim == size {
            return self.builder.int(0, dtype);
        }
        let zero = self.builder.int(0, rlx_ir::DType::I64);
        let last = trace::size(self.builder, dim) - trace::size(self.builder, size);
        last.maximum(&zero).minimum(&self.builder.int(largest, zero.dtype())).convert(dtype)
    }
}

fn gather_op(dims: &ScatterDims, slice_sizes: Vec<Dim>) -> Op {
    Op::Gather { dims: dims.to_gather(), slice_sizes }
}

/// x with the updates added at windows; windows that go out of bounds are skipped.
fn scatter_add(dims: &ScatterDims, x: &Tensor, indices: &Tensor, updates: &Tensor) -> Tensor {
    x.apply(
        Op::Scatter { dims: dims.clone(), combiner: Combiner::Reduce(ReduceOp::Sum) },
        &[indices, updates],
    )
}

/// Zeros of a shape with the updates added at windows.
fn scattered(
    builder: &Builder,
    shape: &Shape,
    dims: &ScatterDims,
    indices: &Tensor,
    updates: &Tensor,
) -> Tensor {
    scatter_add(dims, &trace::zeros(builder, shape), indices, updates)
}

/// Which tensors have a leading batch axis. The tensor of windows always has one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Front {
    /// The tensor: its windows extend over the batch.
    Tensor,
    /// The indices.
    Indices,
    /// Both: they are paired along the batch.
    Both,
}

/// The dimension numbers with leading batch axes.
fn batched(dims: &ScatterDims, front: Front) -> ScatterDims {
    let x = |axes: &[usize]| if front == Front::Indices { axes.to_vec() } else { up(axes) };
    let indices = |axes: &[usize]| if front == Front::Tensor { axes.to_vec() } else { up(axes) };
    let with_batch = |added: bool, axes: Vec<usize>| if added { [&[0], &axes[..]].concat() } else { axes };
    ScatterDims {
        update_window_dims: with_batch(front == Front::Tensor, up(&dims.update_window_dims)),
        inserted_window_dims: x(&dims.inserted_window_dims),
        input_batching_dims: with_batch(front == Front::Both, x(&dims.input_batching_dims)),
        scatter_indices_batching_dims: with_batch(
            front == Front::Both,
            indices(&dims.scatter_indices_batching_dims),
        ),
        scatter_dims_to_operand_dims: x(&dims.scatter_dims_to_operand_dims),
        index_vector_dim: dims.index_vector_dim + usize::from(front != Front::Tensor),
    }
}
