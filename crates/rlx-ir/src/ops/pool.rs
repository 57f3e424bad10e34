//! Pooling over one, two or three spatial axes.

use crate::op::kinds::ReduceOp;
use crate::op::{Op, OpError, WindowSpec};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// The reductions that pooling accepts.
const TAKEN: &[ReduceOp] = &[ReduceOp::Sum, ReduceOp::Mean, ReduceOp::Max, ReduceOp::Min, ReduceOp::Prod];

/// x `[N, C, spatial…]` reduced over windows that fit into the padded axes. Padding counts as the reduction's identity: −inf for
/// a maximum, 0 for a sum. A mean divides by the size of the whole window, padding included; for narrow floats it is computed in
/// f32.
pub(crate) fn pool(
    x: &Tensor,
    kind: ReduceOp,
    kernel_size: &[usize],
    stride: &[usize],
    padding: &[usize],
) -> Result<Tensor, OpError> {
    OpError::check_reduction(kind, TAKEN)?;
    let spatial = x.rank().saturating_sub(2);
    if !(1..=3).contains(&spatial) {
        return Err(OpError::shape(format!(
            "x must be [batch, channels, ...] with one to three spatial axes, got {}",
            x.shape()
        )));
    }
    if [kernel_size.len(), stride.len(), padding.len()] != [spatial; 3] {
        return Err(OpError::attribute(format!(
            "kernel_size, stride and padding must each have {spatial} items, one per spatial axis of x {}",
            x.shape()
        )));
    }
    if let Some(axis) = (0..spatial).find(|&a| kernel_size[a] == 0 || stride[a] == 0) {
        return Err(OpError::attribute(format!(
            "kernel_size and stride of spatial axis {axis} must be at least 1"
        )));
    }
    let padding = spatial_padding(padding)?;
    let spec = WindowSpec {
        strides: [&[1, 1], stride].concat(),
        low: padding.clone(),
        high: padding,
        ..WindowSpec::plain(&[&[1, 1], kernel_size].concat())
    };
    let window = |kind: ReduceOp| Op::ReduceWindow { kind, spec: spec.clone() };
    if kind != ReduceOp::Mean {
        return Ok(x.apply(window(kind), &[]));
    }
    check_float("x", x)?;
    let elements: f64 = kernel_size.iter().map(|&n| n as f64).product();
    Ok((x.widened().apply(window(ReduceOp::Sum), &[]) / elements).convert(x.dtype()))
}

/// The padding of the batch and the channels (none) and of the spatial axes.
fn spatial_padding(padding: &[usize]) -> Result<Vec<i64>, OpError> {
    let spatial = padding.iter().map(|&n| i64::try_from(n));
    let all: Result<Vec<i64>, _> = [Ok(0), Ok(0)].into_iter().chain(spatial).collect();
    all.map_err(|_| OpError::attribute(format!("padding {padding:?} is too large")))
}

impl Tensor {
    /// Pooling of `[N, C, spatial…]`; the lists have one item per spatial axis.
    #[track_caller]
    pub fn pool(&self, kind: ReduceOp, kernel_size: &[usize], stride: &[usize], padding: &[usize]) -> Tensor {
        let (kernel_size, stride, padding) = (kernel_size.to_vec(), stride.to_vec(), padding.to_vec());
        self.apply(Op::Pool { kind, kernel_size, stride, padding }, &[])
    }
}
