//! `gather`: windows of a tensor, one per index vector.

use super::{Names, Windows};
use crate::dim::Dim;
use crate::eval::{EvalCx, Scalar, Value, linear};
use crate::op::{GatherDims, OpError};
use crate::shape::{Shape, row_major_strides};

static NAMES: Names = Names {
    window: "offset_dims",
    dropped: "collapsed_slice_dims",
    x_batch: "operand_batching_dims",
    indices_batch: "start_indices_batching_dims",
    map: "start_index_map",
};

pub(crate) fn infer(
    x: &Shape,
    indices: &Shape,
    gather: &GatherDims,
    slice_sizes: &[Dim],
) -> Result<Shape, OpError> {
    let windows = Windows::new(&NAMES, gather.windows());
    windows.check(x, indices)?;
    if slice_sizes.len() != x.rank() {
        return Err(OpError::attribute(format!(
            "slice_sizes must have {} items, one per axis of x, got {}",
            x.rank(),
            slice_sizes.len()
        )));
    }
    for (axis, size) in slice_sizes.iter().enumerate() {
        if let (Some(size), Some(available)) = (size.as_static(), x.dim(axis).as_static())
            && size > available
        {
            let problem = format!("a slice of {size} along axis {axis} does not fit into x {x}");
            return Err(OpError::attribute(problem));
        }
        if windows.axes.leaves_out(axis) && size.as_static().is_none_or(|size| size > 1) {
            return Err(OpError::attribute(format!(
                "the slice along collapsed or batching axis {axis} must have size 1, got {}",
                slice_sizes[axis]
            )));
        }
    }
    let window = windows.axes.x_window(x.rank());
    let mut inside = window.iter().map(|&axis| slice_sizes[axis].clone());
    let mut counted = windows.batch_dims(indices).into_iter();
    let rank = inside.len() + counted.len();
    // INVARIANT: `check` has bounded offset_dims, so each source provides exactly its share of the axes.
    let dims = (0..rank)
        .filter_map(|a| if windows.axes.window.contains(&a) { inside.next() } else { counted.next() });
    Ok(x.with_dims(dims.collect()))
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    indices: &Value,
    gather: &GatherDims,
    slice_sizes: &[Dim],
) -> Result<Value, OpError> {
    let windows = Windows::new(&NAMES, gather.windows());
    let dims = cx.dims();
    if x.is_empty() {
        // If a collapsed axis is empty, the result has elements for which there is nothing to read.
        return Ok(Value::splat(dims, x.dtype(), Scalar::Int(0)));
    }
    let strides = row_major_strides(x.dims());
    let origin = |start: &Vec<i128>| -> usize {
        let place = |axis: usize| {
            let last = x.dims()[axis] - slice_sizes[axis].as_static().unwrap_or(1).max(1);
            start[axis].clamp(0, last as i128) as usize
        };
        (0..strides.len()).map(|axis| place(axis) * strides[axis]).sum()
    };
    let origins: Vec<usize> = windows.starts(x, indices).iter().map(origin).collect();

    let mut inside = vec![0; dims.len()];
    for (&axis, x_axis) in windows.axes.window.iter().zip(windows.axes.x_window(x.dims().len())) {
        inside[axis] = strides[x_axis];
    }
    let counting = windows.axes.counting(dims.len());
    let sizes: Vec<usize> = counting.iter().map(|&a| dims[a]).collect();
    let mut which = vec![0; dims.len()];
    counting.iter().zip(row_major_strides(&sizes)).for_each(|(&axis, stride)| which[axis] = stride);
    Ok(x.pick(&dims, |index| origins[linear(index, &which)] + linear(index, &inside)))
}
