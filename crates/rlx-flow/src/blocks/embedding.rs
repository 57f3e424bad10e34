//! Embedding tables.

use crate::flow::Flow;
use rlx_ir::Tensor;

/// Rows of the table `weight` `[rows, width]` of this part for integer ids `[…]` → `[…, width]`.
pub fn embedding(flow: &Flow, ids: &Tensor, rows: usize, width: usize) -> Tensor {
    flow.param("weight", &[rows, width]).embedding(ids)
}
