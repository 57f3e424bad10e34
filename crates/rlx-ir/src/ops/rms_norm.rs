//! Root-mean-square normalization (Zhang and Sennrich, 2019).

use crate::op::{Op, OpError};
use crate::ops::norm::{check_weight, scaled_and_shifted};
use crate::ops::precision::{check_epsilon, check_float};
use crate::tensor::Tensor;

/// x / sqrt(mean(x²) + eps) · gamma over the axes from `axis` to the last; gamma has the dimensions of those axes.
pub(crate) fn rms_norm(x: &Tensor, gamma: Option<&Tensor>, axis: usize, eps: f64) -> Result<Tensor, OpError> {
    check_float("x", x)?;
    check_epsilon(eps)?;
    OpError::check_axis(axis, x.rank())?;
    let axes: Vec<usize> = (axis..x.rank()).collect();
    gamma.map_or(Ok(()), |w| check_weight("gamma", w, x, &axes))?;
    let wide = x.widened();
    let y = &wide * ((&wide * &wide).mean(&axes, true) + eps).rsqrt();
    Ok(scaled_and_shifted(y, gamma, None, &axes).convert(x.dtype()))
}

impl Tensor {
    /// Root-mean-square normalization over the axes from `axis` to the last.
    #[track_caller]
    pub fn rms_norm(&self, axis: usize, eps: f64, gamma: Option<&Tensor>) -> Tensor {
        self.apply(Op::RmsNorm { axis, eps }, gamma.as_slice())
    }
}
