//! Normalization layers.

use crate::flow::Flow;
use rlx_ir::Tensor;

/// Layer normalization of the last axis, with this part's `weight` and `bias`, both `[width]`.
pub fn layer_norm(flow: &Flow, x: &Tensor, width: usize, eps: f64) -> Tensor {
    let (weight, bias) = (flow.param("weight", &[width]), flow.param("bias", &[width]));
    x.layer_norm(x.rank().saturating_sub(1), eps, Some(&weight), Some(&bias))
}
