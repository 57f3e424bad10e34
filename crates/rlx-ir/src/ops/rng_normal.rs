//! Normally distributed numbers from a Threefry key, as `jax.random.normal` makes them.

use crate::dtype::{DType, DTypeSet};
use crate::op::kinds::{BinaryOp, UnaryOp};
use crate::op::{Op, OpError};
use crate::ops::rng_uniform::{after_minus_one, blocks, check_key, rng_uniform};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// √2 erf⁻¹(u) for u uniform in (−1, 1). A complex number has two such parts, each divided by √2, from the two keys that
/// `jax.random.split` makes.
pub(crate) fn rng_normal(key: &Tensor, shape: &Shape) -> Result<Tensor, OpError> {
    check_key(key)?;
    OpError::check_dtype("the result", shape.dtype(), DTypeSet::INEXACT)?;
    if !shape.dtype().is_complex() {
        return real(key, shape);
    }
    let part = shape.with_dtype(shape.dtype().real());
    let [high, low] = blocks(key, &Shape::new(&[2], DType::U32));
    let key_of = |i: usize| {
        let words = [high.slice_axis(0, i, i + 1), low.slice_axis(0, i, i + 1)];
        key.builder().apply(Op::Concatenate { axis: 0 }, &[&words[0], &words[1]])
    };
    let scale = std::f64::consts::SQRT_2;
    let (re, im) = (real(&key_of(0), &part)? / scale, real(&key_of(1), &part)? / scale);
    Ok(re.binary(BinaryOp::Complex, &im))
}

fn real(key: &Tensor, shape: &Shape) -> Result<Tensor, OpError> {
    let b = key.builder();
    let (low, high) = (b.scalar(after_minus_one(shape.dtype()), shape.dtype()), b.scalar(1.0, shape.dtype()));
    let uniform = rng_uniform(key, Some(&low), Some(&high), shape)?;
    Ok(uniform.unary(UnaryOp::ErfInv) * std::f64::consts::SQRT_2)
}

impl Tensor {
    /// Normally distributed numbers with the dimensions and the float or complex type of `shape`, from this key (`u32[2]`).
    #[track_caller]
    pub fn rng_normal(&self, shape: Shape) -> Tensor {
        self.apply(Op::RngNormal { shape }, &[])
    }
}
