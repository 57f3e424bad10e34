//! Gathers single elements along an axis, and adds updates to slices or elements.

use crate::dim::Dim;
use crate::op::kinds::{Combiner, ReduceOp};
use crate::op::{GatherDims, Op, OpError, ScatterDims};
use crate::ops::take::thin;
use crate::tensor::Tensor;

fn other_axes(rank: usize, axis: usize) -> Vec<usize> {
    (0..rank).filter(|&a| a != axis).collect()
}

/// Fails unless `indices` has the dimensions of x except along `axis`.
fn check_aligned(x: &Tensor, indices: &Tensor, axis: usize) -> Result<(), OpError> {
    OpError::check_axis(axis, x.rank())?;
    let aligned = indices.rank() == x.rank()
        && other_axes(x.rank(), axis).into_iter().all(|a| x.dim(a).compatible(&indices.dim(a)));
    if aligned {
        return Ok(());
    }
    Err(OpError::shape(format!(
        "indices {} must have the dimensions of x {} except along axis {axis}",
        indices.shape(),
        x.shape()
    )))
}

/// `out[.., i, ..] = x[.., indices[.., i, ..], ..]` along `axis` (`take_along_axis` of NumPy). An index outside the axis is
/// clamped.
pub(crate) fn gather_axis(x: &Tensor, indices: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    check_aligned(x, indices, axis)?;
    let others = other_axes(x.rank(), axis);
    let dims = GatherDims {
        collapsed_slice_dims: vec![axis],
        operand_batching_dims: others.clone(),
        start_indices_batching_dims: others,
        start_index_map: vec![axis],
        index_vector_dim: indices.rank(),
        ..GatherDims::default()
    };
    let gather = Op::Gather { dims, slice_sizes: x.dims().iter().map(thin).collect() };
    Ok(x.apply(gather, &[indices]))
}

/// x with updates added along `axis`, once for each occurrence of an index. An index outside the axis adds nothing. Indices of
/// rank 1 name slices, `out[.., indices[i], ..] += updates[.., i, ..]`; indices of the rank of x name elements,
/// `out[.., indices[.., i, ..], ..] += updates[.., i, ..]`, and have the dimensions of x along the other axes.
pub(crate) fn scatter_add(
    x: &Tensor,
    indices: &Tensor,
    updates: &Tensor,
    axis: usize,
) -> Result<Tensor, OpError> {
    OpError::check_axis(axis, x.rank())?;
    let others = other_axes(x.rank(), axis);
    let by_slice = indices.rank() == 1;
    let mut expected = x.dims();
    if by_slice {
        expected[axis] = indices.dim(0);
    } else {
        check_aligned(x, indices, axis)?;
        expected = indices.dims();
    }
    let fits = updates.rank() == expected.len()
        && updates.dims().iter().zip(&expected).all(|(a, b)| Dim::compatible(a, b));
    if !fits {
        let expected = x.shape().with_dims(expected);
        return Err(OpError::shape(format!("updates must be {expected}, got {}", updates.shape())));
    }
    let scatter = Op::Scatter {
        dims: ScatterDims {
            update_window_dims: if by_slice { others.clone() } else { Vec::new() },
            inserted_window_dims: vec![axis],
            input_batching_dims: if by_slice { Vec::new() } else { others.clone() },
            scatter_indices_batching_dims: if by_slice { Vec::new() } else { others },
            scatter_dims_to_operand_dims: vec![axis],
            index_vector_dim: indices.rank(),
        },
        combiner: Combiner::Reduce(ReduceOp::Sum),
    };
    Ok(x.apply(scatter, &[indices, updates]))
}

impl Tensor {
    /// The elements along `axis` at `indices`, which has the same rank.
    #[track_caller]
    pub fn gather(&self, indices: &Tensor, axis: usize) -> Tensor {
        self.apply(Op::GatherAxis { axis }, &[indices])
    }

    /// This tensor with `updates` added to the slices (for indices of rank 1) or elements at `indices` along `axis`.
    #[track_caller]
    pub fn scatter_add(&self, axis: usize, indices: &Tensor, updates: &Tensor) -> Tensor {
        self.apply(Op::ScatterAdd { axis }, &[indices, updates])
    }
}
