//! A scatter as a loop over its windows in order, for differentiation when several updates of the same place depend on each
//! other.

use super::Windows;
use crate::error::Error;
use rlx_ir::{Builder, DType, Dim, Op, ScanOperands, ScatterDims, Shape, Tensor};

/// Combines old elements and updates, which are tensors of the same dimensions.
pub(super) type Combine<'a> = &'a dyn Fn(&Builder, &[Tensor], &[Tensor]) -> Result<Vec<Tensor>, Error>;

/// The tensors `xs` after each window has been combined with its update.
pub(super) fn sequential(
    builder: &Builder,
    dims: &ScatterDims,
    xs: &[Tensor],
    indices: &Tensor,
    updates: &[Tensor],
    combine: Combine<'_>,
) -> Result<Vec<Tensor>, Error> {
    let (x_dims, update_dims) = (xs[0].dims(), updates[0].dims());
    if x_dims.contains(&Dim::Static(0)) {
        return Ok(xs.to_vec());
    }
    let windows = Windows::of_updates(builder, dims, &x_dims, indices, &update_dims);
    let counting = dims.windows().counting(update_dims.len());
    let count = counting.iter().fold(Dim::Static(1), |n, &a| &n * &update_dims[a]);
    let line = [std::slice::from_ref(&count), &windows.sizes].concat();
    let order = [&counting[..], &dims.update_window_dims].concat();
    let in_lines = |x: &Tensor| x.transpose(&order).reshape(&line);
    let counts: Vec<Dim> = counting.iter().map(|&a| update_dims[a].clone()).collect();

    let mut slices = vec![in_lines(&windows.inside(&update_dims))];
    slices.extend(starts(&windows, &counts).iter().map(|x| x.reshape(std::slice::from_ref(&count))));
    slices.extend(updates.iter().map(in_lines));
    let (n, rank) = (xs.len(), x_dims.len());
    let results = builder.scan(
        ScanOperands { consts: &[], carry: xs, xs: &slices },
        count.clone(),
        false,
        &|b, args| {
            let (old, rest) = args.split_at(n);
            let (inside, starts, new) = (&rest[0], &rest[1..=rank], &rest[1 + rank..]);
            let sizes = &windows.sizes;
            let at: Vec<&Tensor> = starts.iter().collect();
            let read: Vec<Tensor> =
                old.iter().map(|x| x.apply(Op::DynamicSlice { sizes: sizes.clone() }, &at)).collect();
            let combined = match combine(b, &read, new) {
                Ok(combined) => combined,
                Err(e) => return vec![b.error("scatter", e.to_string())],
            };
            let write = |((x, read), new): ((&Tensor, &Tensor), &Tensor)| {
                let operands: Vec<Tensor> =
                    std::iter::once(inside.select(new, read)).chain(starts.iter().cloned()).collect();
                x.apply(Op::DynamicUpdateSlice {}, &operands.iter().collect::<Vec<_>>())
            };
            old.iter().zip(&read).zip(&combined).map(write).collect()
        },
    );
    Ok(results)
}

/// Where each window starts along each axis of the tensor, with the dimensions that run over the windows.
fn starts(windows: &Windows<'_>, counts: &[Dim]) -> Vec<Tensor> {
    let (dims, indices) = (windows.dims, windows.indices);
    let vector = dims.index_vector_dim;
    let batch_places = dims.windows().batch_places();
    let item = |i: usize| match vector < indices.rank() {
        true => indices.slice_axis(vector, i, i + 1).reshape(counts),
        false => indices.clone(),
    };
    let at_zero = || windows.builder.int(0, DType::I64).broadcast_to(counts);
    let start = |axis: usize| {
        if let Some(i) = dims.scatter_dims_to_operand_dims.iter().position(|&a| a == axis) {
            return item(i).convert(DType::I64);
        }
        match dims.input_batching_dims.iter().position(|&a| a == axis) {
            Some(i) => windows.builder.iota(Shape::from_dims(counts, DType::I64), batch_places[i]),
            None => at_zero(),
        }
    };
    (0..windows.x.len()).map(start).collect()
}
