//! Embedding tables.

use crate::flow::Flow;
use rlx_ir::Tensor;

/// Looks up integer ids `[…]` in this part's table `weight` `[rows, width]` → `[…, width]`.
pub fn embedding(flow: &Flow, ids: &Tensor, rows: usize, width: usize) -> Tensor {
    flow.param("weight", &[rows, width]).embedding(ids)
}
