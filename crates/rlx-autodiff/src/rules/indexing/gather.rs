//! Rules of `gather`.

use super::{Front, Windows, batched, gather_op, scattered};
use crate::backward::{Arg, Backward, Cotangents};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::rules::{Batch, Jvp, Rules, Transpose};
use rlx_ir::{Dim, Op, ScatterDims, Tensor};

pub(in crate::rules) const GATHER: Rules =
    Rules { jvp: Jvp::Table, transpose: Transpose::Rule(transpose), batch: Batch::Rule(batch) };

/// The dimension numbers and sizes of a gather.
fn numbers(op: &Op) -> Option<(ScatterDims, &[Dim])> {
    let Op::Gather {
        offset_dims,
        collapsed_slice_dims,
        operand_batching_dims,
        start_indices_batching_dims,
        start_index_map,
        index_vector_dim,
        slice_sizes,
    } = op
    else {
        return None;
    };
    let dims = ScatterDims {
        update_window_dims: offset_dims.clone(),
        inserted_window_dims: collapsed_slice_dims.clone(),
        input_batching_dims: operand_batching_dims.clone(),
        scatter_indices_batching_dims: start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: start_index_map.clone(),
        index_vector_dim: *index_vector_dim,
    };
    Some((dims, slice_sizes))
}

/// Adds the cotangent of each element to the position from which it was read. A scatter skips windows that a gather moves inside,
/// so the indices are clamped first.
fn transpose(
    cx: &Backward<'_>,
    op: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let (Some((dims, sizes)), [x, indices]) = (numbers(op), operands) else {
        return Err(Error::no_rule("transpose", "not a gather"));
    };
    let shape = x.shape();
    let windows = Windows {
        builder: cx.builder,
        dims: &dims,
        x: shape.dims(),
        indices: indices.known()?,
        sizes: sizes.to_vec(),
    };
    let ct = scattered(cx.builder, &shape, &dims, &windows.clamped(), &cts.first(cx.builder));
    Ok(vec![Some(ct), None])
}

fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    let (Some((dims, sizes)), [x, indices]) = (numbers(op), operands) else {
        return Err(Error::no_rule("batching rule", "not a gather"));
    };
    let (front, size) = match (x.batched, indices.batched) {
        (true, false) => (Front::Tensor, Some(cx.size.clone())),
        (false, true) => (Front::Indices, None),
        _ => (Front::Both, Some(Dim::Static(usize::from(cx.size != Dim::Static(0))))),
    };
    let sizes = size.into_iter().chain(sizes.iter().cloned()).collect();
    Ok(cx.apply(gather_op(&batched(&dims, front), sizes), &[x.value.clone(), indices.value.clone()]))
}
