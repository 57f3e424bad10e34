//! Matrix product with a low-rank update (Hu et al., 2021).

use crate::op::{Op, OpError};
use crate::ops::precision::check_float;
use crate::tensor::Tensor;

/// x·w + (alpha / r) · (x·a)·b for x `[…, k]`, w `[k, n]`, a `[k, r]`, b `[r, n]`.
pub(crate) fn lora_matmul(
    x: &Tensor,
    w: &Tensor,
    a: &Tensor,
    b: &Tensor,
    alpha: f64,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    if [w, a, b].map(Tensor::rank) != [2; 3] {
        return Err(OpError::shape(format!(
            "w must be [k, n], a [k, r] and b [r, n], got {}, {}, {}",
            w.shape(),
            a.shape(),
            b.shape()
        )));
    }
    let scale = a.scalar_like(alpha) / a.count(&[1]);
    Ok(x.matmul(w) + (x.matmul(a) * scale).matmul(b))
}

impl Tensor {
    /// The product with `w` plus alpha / r times that with `a` and `b`, whose inner size is r.
    #[track_caller]
    pub fn lora_matmul(&self, w: &Tensor, a: &Tensor, b: &Tensor, alpha: f64) -> Tensor {
        self.apply(Op::LoraMatMul { alpha }, &[w, a, b])
    }
}
