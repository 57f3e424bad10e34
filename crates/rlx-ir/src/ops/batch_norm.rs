//! Batch normalization (Ioffe and Szegedy, 2015), with given statistics or with those of the batch.

use crate::op::{Op, OpError};
use crate::ops::norm::{check_weight, placed};
use crate::ops::precision::{check_epsilon, check_float};
use crate::tensor::Tensor;

fn check(x: &Tensor, weights: &[(&'static str, &Tensor)], axis: usize, eps: f64) -> Result<(), OpError> {
    check_float("x", x)?;
    check_epsilon(eps)?;
    OpError::check_axis(axis, x.rank())?;
    weights.iter().try_for_each(|(name, w)| check_weight(name, w, x, &[axis]))
}

/// (x − mean) / sqrt(variance + eps) · gamma + beta; all four have the size of `axis`.
pub(crate) fn batch_norm(
    [x, gamma, beta, mean, variance]: [&Tensor; 5],
    axis: usize,
    eps: f64,
) -> Result<Tensor, OpError> {
    check(x, &[("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance)], axis, eps)?;
    Ok(normalized(x, gamma, beta, &mean.widened(), &variance.widened(), axis, eps).convert(x.dtype()))
}

/// [`batch_norm`] with the mean and biased variance of x over all axes except `axis`, which are results two and three.
pub(crate) fn batch_norm_training(
    x: &Tensor,
    gamma: &Tensor,
    beta: &Tensor,
    axis: usize,
    eps: f64,
) -> Result<[Tensor; 3], OpError> {
    check(x, &[("gamma", gamma), ("beta", beta)], axis, eps)?;
    let wide = x.widened();
    let others: Vec<usize> = (0..x.rank()).filter(|&a| a != axis).collect();
    let mean = wide.mean(&others, false);
    let centered = &wide - placed(&mean, &wide, &[axis]);
    let variance = (&centered * &centered).mean(&others, false);
    let y = normalized(x, gamma, beta, &mean, &variance, axis, eps);
    Ok([y, mean, variance].map(|t| t.convert(x.dtype())))
}

fn normalized(
    x: &Tensor,
    gamma: &Tensor,
    beta: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    axis: usize,
    eps: f64,
) -> Tensor {
    let wide = x.widened();
    let factor = (variance + eps).rsqrt() * gamma.widened();
    (&wide - placed(mean, &wide, &[axis])) * placed(&factor, &wide, &[axis]) + placed(beta, &wide, &[axis])
}

impl Tensor {
    /// Batch normalization along the feature axis with given statistics.
    #[track_caller]
    pub fn batch_norm(
        &self,
        axis: usize,
        eps: f64,
        gamma: &Tensor,
        beta: &Tensor,
        mean: &Tensor,
        variance: &Tensor,
    ) -> Tensor {
        self.apply(Op::BatchNorm { axis, eps }, &[gamma, beta, mean, variance])
    }

    /// Batch normalization along the feature axis with the statistics of this tensor: the result, its mean and its
    /// biased variance.
    #[track_caller]
    pub fn batch_norm_training(&self, axis: usize, eps: f64, gamma: &Tensor, beta: &Tensor) -> [Tensor; 3] {
        self.apply_array(Op::BatchNormTraining { axis, eps }, &[gamma, beta])
    }
}
