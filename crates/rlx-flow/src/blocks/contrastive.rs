//! Losses on pairs of vectors.

use super::linear::contract_last;
use super::pool::normalize;
use rlx_ir::{DType, Shape, Tensor};

/// The loss of finding which pairs belong together. In `anchors` and `positives`, both `[n, width]`, row i of one
/// belongs to row i of the other, and all other rows are negatives. Returns the mean cross-entropy, a scalar, and the
/// cosines `[n, n]`, anchors by positives. The logits are the cosines times `scale` (Henderson et al., 2017,
/// <https://arxiv.org/abs/1705.00652>; van den Oord et al., 2018, <https://arxiv.org/abs/1807.03748>, with temperature
/// 1 / `scale`).
pub fn in_batch_negatives(anchors: &Tensor, positives: &Tensor, scale: f64) -> (Tensor, Tensor) {
    let cosines = contract_last(&normalize(anchors), &normalize(positives));
    let count = anchors.dim(0);
    let own = anchors.builder().iota(Shape::from_dims(&[count], DType::I32), 0);
    let loss = (&cosines * scale).softmax_cross_entropy(&own).mean(&[0], false);
    (loss, cosines)
}
