//! Draws from categorical distributions as `jax.random.categorical` does, by the Gumbel-max trick.

use crate::dtype::{DType, DTypeSet};
use crate::op::kinds::ArgOp;
use crate::op::{Op, OpError};
use crate::ops::rng_uniform::{check_key, rng_uniform};
use crate::tensor::Tensor;

/// The smallest positive normal number.
fn smallest_normal(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::MIN_POSITIVE,
        DType::F16 | DType::F8E5M2 => 0.5f64.powi(14),
        DType::F8E4M3 => 0.5f64.powi(6),
        _ => f64::from(f32::MIN_POSITIVE),
    }
}

/// The i32 index, along `axis`, of the largest of logits + Gumbel noise, which is index i with probability softmax(logits)ᵢ.
pub(crate) fn categorical(key: &Tensor, logits: &Tensor, axis: usize) -> Result<Tensor, OpError> {
    check_key(key)?;
    OpError::check_dtype("logits", logits.dtype(), DTypeSet::FLOAT)?;
    OpError::check_axis(axis, logits.rank())?;
    // The logarithm of zero is not finite.
    let low = logits.scalar_like(smallest_normal(logits.dtype()));
    let uniform = rng_uniform(key, Some(&low), None, &logits.shape())?;
    let gumbel = -(-uniform.log()).log();
    Ok((gumbel + logits).apply(Op::ArgReduce { op: ArgOp::Max, axis, dtype: DType::I32 }, &[]))
}

impl Tensor {
    /// Draws an i32 index for each set of these logits along `axis`, with the probabilities softmax(logits), from `key`
    /// (`u32[2]`).
    #[track_caller]
    pub fn categorical(&self, key: &Tensor, axis: usize) -> Tensor {
        key.apply(Op::Categorical { axis }, &[self])
    }
}
