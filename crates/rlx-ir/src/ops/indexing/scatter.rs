//! `scatter`: updates windows of a tensor, one per index vector, with a named combiner.

use super::{Names, Windows};
use crate::eval::{EvalCx, Scalar, Value, for_each_index, linear};
use crate::op::kinds::{Combiner, ReduceOp};
use crate::op::{OpError, ScatterDims};
use crate::ops::reduction;
use crate::shape::{Shape, row_major_strides};

/// The reductions that can combine an update with the old value.
const TAKEN: &[ReduceOp] = &[ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max];

static NAMES: Names = Names {
    window: "update_window_dims",
    dropped: "inserted_window_dims",
    x_batch: "input_batching_dims",
    indices_batch: "scatter_indices_batching_dims",
    map: "scatter_dims_to_operand_dims",
};

pub(crate) fn infer(
    x: &Shape,
    indices: &Shape,
    updates: &Shape,
    dims: &ScatterDims,
    combiner: Combiner,
) -> Result<Shape, OpError> {
    let windows = Windows::of_scatter(dims);
    if let Combiner::Reduce(kind) = combiner {
        OpError::check_reduction(kind, TAKEN)?;
    }
    OpError::check_dtype("x", x.dtype(), combiner.accepts())?;
    windows.check_updates(x, indices, updates)?;
    Ok(x.clone())
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    indices: &Value,
    updates: &Value,
    dims: &ScatterDims,
    combiner: Combiner,
) -> Result<Value, OpError> {
    let windows = Windows::of_scatter(dims);
    // As in a reduction, sums and products are rounded once, at the end.
    let mut out: Vec<Scalar> = x.scalars().collect();
    windows.for_each_update(x, indices, updates.dims(), |to, from| {
        let update = updates.get(from);
        out[to] = match combiner.binary() {
            Some(op) => reduction::accumulate(op, x.dtype(), out[to], update),
            None => update,
        };
        Ok(())
    })?;
    Ok(Value::from_fn(cx.dims(), x.dtype(), |i| out[i]))
}

impl<'a> Windows<'a> {
    /// The windows of a scatter.
    pub(super) fn of_scatter(dims: &'a ScatterDims) -> Self {
        Windows::new(&NAMES, dims.windows())
    }

    pub(super) fn check_updates(&self, x: &Shape, indices: &Shape, updates: &Shape) -> Result<(), OpError> {
        self.check(x, indices)?;
        if updates.dtype() != x.dtype() {
            return Err(OpError::shape(format!("updates {updates} must have the element type of x {x}")));
        }
        let batch = self.batch_dims(indices);
        let counting = self.axes.counting(updates.rank());
        if updates.rank() != self.axes.window.len() + batch.len() {
            return Err(OpError::shape(format!(
                "updates {updates} must have {} window axes and one axis for each of the {} axes that count indices",
                self.axes.window.len(),
                batch.len()
            )));
        }
        for (&axis, dim) in counting.iter().zip(&batch) {
            if !updates.dim(axis).compatible(dim) {
                return Err(OpError::shape(format!(
                    "axis {axis} of updates {updates} counts indices {indices} and must have size {dim}"
                )));
            }
        }
        for (&axis, x_axis) in self.axes.window.iter().zip(self.axes.x_window(x.rank())) {
            if let (Some(size), Some(available)) = (updates.dim(axis).as_static(), x.dim(x_axis).as_static())
                && size > available
            {
                return Err(OpError::shape(format!(
                    "window axis {axis} of updates {updates} does not fit into axis {x_axis} of x {x}"
                )));
            }
        }
        Ok(())
    }

    /// Calls `update` with the corresponding positions in x and in the updates, index vector by index vector in row-major order.
    /// Windows that go out of bounds are skipped entirely.
    pub(super) fn for_each_update(
        &self,
        x: &Value,
        indices: &Value,
        updates: &[usize],
        mut update: impl FnMut(usize, usize) -> Result<(), OpError>,
    ) -> Result<(), OpError> {
        let (x_strides, u_strides) = (row_major_strides(x.dims()), row_major_strides(updates));
        let widths = self.axes.widths(x.dims().len(), updates);
        let mut window_offsets = Vec::new();
        let x_window = self.axes.x_window(x.dims().len());
        let sizes: Vec<usize> = self.axes.window.iter().map(|&a| updates[a]).collect();
        for_each_index(&sizes, |index| {
            let to: usize = index.iter().zip(&x_window).map(|(i, &a)| i * x_strides[a]).sum();
            let from: usize = index.iter().zip(self.axes.window).map(|(i, &a)| i * u_strides[a]).sum();
            window_offsets.push((to, from));
        });

        let counting = self.axes.counting(updates.len());
        let counts: Vec<usize> = counting.iter().map(|&a| updates[a]).collect();
        let count_strides: Vec<usize> = counting.iter().map(|&a| u_strides[a]).collect();
        let mut starts_in_updates = Vec::new();
        for_each_index(&counts, |index| starts_in_updates.push(linear(index, &count_strides)));

        for (start, from) in self.starts(x, indices).iter().zip(starts_in_updates) {
            let fits = (0..widths.len())
                .all(|a| start[a] >= 0 && start[a] + widths[a] as i128 <= x.dims()[a] as i128);
            if !fits {
                continue;
            }
            let to: usize = start.iter().zip(&x_strides).map(|(&s, stride)| s as usize * stride).sum();
            for (inner_to, inner_from) in &window_offsets {
                update(to + inner_to, from + inner_from)?;
            }
        }
        Ok(())
    }
}
