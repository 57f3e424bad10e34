//! Layer normalization (Ba, Kiros and Hinton, 2016), over trailing axes and over the channels of images.

use crate::op::{Op, OpError};
use crate::ops::norm::{check_weight, scaled_and_shifted, standardised};
use crate::ops::precision::{check_epsilon, check_float};
use crate::tensor::Tensor;

/// (x − mean) / sqrt(variance + eps) · gamma + beta over the axes from `axis` to the last; gamma and beta have the
/// dimensions of those axes.
pub(crate) fn layer_norm(
    x: &Tensor,
    gamma: Option<&Tensor>,
    beta: Option<&Tensor>,
    axis: usize,
    eps: f64,
) -> Result<Tensor, OpError> {
    OpError::check_axis(axis, x.rank())?;
    let axes: Vec<usize> = (axis..x.rank()).collect();
    normalized_over(x, gamma, beta, &axes, eps)
}

/// [`layer_norm`] over axis 1 alone, for each position of `[N, C, H, W]`; gamma and beta are `[C]`.
pub(crate) fn layer_norm_2d(
    x: &Tensor,
    gamma: Option<&Tensor>,
    beta: Option<&Tensor>,
    eps: f64,
) -> Result<Tensor, OpError> {
    if x.rank() != 4 {
        return Err(OpError::shape(format!("x must be [batch, channels, height, width], got {}", x.shape())));
    }
    normalized_over(x, gamma, beta, &[1], eps)
}

fn normalized_over(
    x: &Tensor,
    gamma: Option<&Tensor>,
    beta: Option<&Tensor>,
    axes: &[usize],
    eps: f64,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    check_epsilon(eps)?;
    for (name, weight) in [("gamma", gamma), ("beta", beta)] {
        weight.map_or(Ok(()), |w| check_weight(name, w, x, axes))?;
    }
    let y = standardised(&x.widened(), axes, eps);
    Ok(scaled_and_shifted(y, gamma, beta, axes).convert(x.dtype()))
}

impl Tensor {
    /// Layer normalization over the axes from `axis` to the last.
    #[track_caller]
    pub fn layer_norm(&self, axis: usize, eps: f64, gamma: Option<&Tensor>, beta: Option<&Tensor>) -> Tensor {
        let weights = self.norm_weights(gamma, beta);
        self.apply(Op::LayerNorm { axis, eps }, &weights.iter().collect::<Vec<_>>())
    }

    /// Layer normalization of `[N, C, H, W]` over its channels.
    #[track_caller]
    pub fn layer_norm_2d(&self, eps: f64, gamma: Option<&Tensor>, beta: Option<&Tensor>) -> Tensor {
        let weights = self.norm_weights(gamma, beta);
        self.apply(Op::LayerNorm2d { eps }, &weights.iter().collect::<Vec<_>>())
    }
}
