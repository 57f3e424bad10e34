//! What the normalizations share: standard scores over axes, and the learned scale and shift. Everything here is computed in the
//! wide type.

use crate::dim::Dim;
use crate::op::OpError;
use crate::ops::precision::check_companion;
use crate::shape::Shape;
use crate::tensor::Tensor;

/// Fails unless `w` has the dimensions of `x` at `axes`, and the element type of `x` or the wide type.
pub(crate) fn check_weight(
    name: &'static str,
    w: &Tensor,
    x: &Tensor,
    axes: &[usize],
) -> Result<(), OpError> {
    check_companion(name, w, x)?;
    let own = x.shape();
    let expected: Vec<Dim> = axes.iter().map(|&a| own.dim(a).clone()).collect();
    let expected = Shape::from_dims(&expected, w.dtype());
    if w.shape().compatible(&expected) {
        return Ok(());
    }
    let message = format!("{name} must be {expected} to fit axes {axes:?} of x {own}, got {}", w.shape());
    Err(OpError::shape(message))
}

/// (x − mean) / sqrt(variance + eps) over `axes`, with the biased variance.
pub(crate) fn standardised(x: &Tensor, axes: &[usize], eps: f64) -> Tensor {
    let centered = x - x.mean(axes, true);
    let variance = (&centered * &centered).mean(axes, true);
    centered * (variance + eps).rsqrt()
}

/// `w` in the wide type, with its axes placed at `axes` of `x`.
pub(crate) fn placed(w: &Tensor, x: &Tensor, axes: &[usize]) -> Tensor {
    w.widened().broadcast_in_dim(&x.dims(), axes)
}

/// y·gamma + beta, with the axes of both placed at `axes` of y. Either may be missing.
pub(crate) fn scaled_and_shifted(
    y: Tensor,
    gamma: Option<&Tensor>,
    beta: Option<&Tensor>,
    axes: &[usize],
) -> Tensor {
    let y = match gamma {
        Some(gamma) => &y * placed(gamma, &y, axes),
        None => y,
    };
    match beta {
        Some(beta) => &y + placed(beta, &y, axes),
        None => y,
    }
}

impl Tensor {
    /// The optional scale and shift of a normalization as operands: a shift without a scale gets a scale of ones.
    #[track_caller]
    pub(crate) fn norm_weights(&self, gamma: Option<&Tensor>, beta: Option<&Tensor>) -> Vec<Tensor> {
        match (gamma, beta) {
            (None, None) => Vec::new(),
            (Some(gamma), None) => vec![gamma.clone()],
            (Some(gamma), Some(beta)) => vec![gamma.clone(), beta.clone()],
            (None, Some(beta)) => vec![beta.scalar_like(1.0).broadcast_to(&beta.dims()), beta.clone()],
        }
    }
}
