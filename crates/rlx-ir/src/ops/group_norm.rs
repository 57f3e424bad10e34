//! Group normalization (Wu and He, 2018).

use crate::dim::Dim;
use crate::op::{Op, OpError};
use crate::ops::norm::{check_weight, scaled_and_shifted, standardised};
use crate::ops::precision::{check_epsilon, check_float};
use crate::tensor::Tensor;

/// Normalizes x `[N, C, …]`, whose channels form `groups` equal groups, over the channels of each group and all positions,
/// separately for each sample. Then scales and shifts each channel by gamma and beta `[C]`.
pub(crate) fn group_norm(
    x: &Tensor,
    gamma: Option<&Tensor>,
    beta: Option<&Tensor>,
    groups: usize,
    eps: f64,
) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    check_epsilon(eps)?;
    let dims = x.dims();
    if dims.len() < 2 {
        return Err(OpError::shape(format!("x must be [batch, channels, …], got {}", x.shape())));
    }
    let divides = groups > 0 && dims[1].as_static().is_none_or(|c| c % groups == 0);
    if !divides {
        return Err(OpError::attribute(format!("groups = {groups} does not divide {} channels", dims[1])));
    }
    for (name, weight) in [("gamma", gamma), ("beta", beta)] {
        weight.map_or(Ok(()), |w| check_weight(name, w, x, &[1]))?;
    }
    let run = dims[1].floor_div(&Dim::Static(groups));
    let split = [&[dims[0].clone(), Dim::Static(groups), run], &dims[2..]].concat();
    let axes: Vec<usize> = (2..split.len()).collect();
    let y = standardised(&x.widened().reshape(&split), &axes, eps).reshape(&dims);
    Ok(scaled_and_shifted(y, gamma, beta, &[1]).convert(x.dtype()))
}

impl Tensor {
    /// Group normalization of `[N, C, …]`.
    #[track_caller]
    pub fn group_norm(
        &self,
        groups: usize,
        eps: f64,
        gamma: Option<&Tensor>,
        beta: Option<&Tensor>,
    ) -> Tensor {
        let weights = self.norm_weights(gamma, beta);
        self.apply(Op::GroupNorm { groups, eps }, &weights.iter().collect::<Vec<_>>())
    }
}
