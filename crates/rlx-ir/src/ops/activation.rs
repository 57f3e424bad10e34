//! Activations, each composed of primitives.

use crate::op::OpError;
use crate::op::kinds::Activation;
use crate::tensor::{Tensor, check_inexact};

/// The function `kind` of x.
pub(crate) fn activation(x: &Tensor, kind: Activation) -> Result<Tensor, OpError> {
    use Activation::*;
    let zero = || x.scalar_like(0.0);
    let keeps_integers = matches!(kind, Relu | Relu6 | Square | Neg | Abs);
    if !keeps_integers {
        check_inexact(x)?;
    }
    Ok(match kind {
        Relu => x.maximum(&zero()),
        Relu6 => x.maximum(&zero()).minimum(&x.scalar_like(6.0)),
        Gelu => x * 0.5 * ((x * std::f64::consts::FRAC_1_SQRT_2).erf() + 1.0),
        GeluTanh => {
            let inner = (x + x * x * x * 0.044715) * (2.0 / std::f64::consts::PI).sqrt();
            x * 0.5 * (inner.tanh() + 1.0)
        }
        Silu => x * x.logistic(),
        Softplus => softplus(x),
        Elu => x.greater(&zero()).select(x, &x.minimum(&zero()).expm1()),
        HardSigmoid => (x + 3.0).relu6() / 6.0,
        HardSwish => x * (x + 3.0).relu6() / 6.0,
        Mish => x * softplus(x).tanh(),
        Recip => 1.0 / x,
        Square => x * x,
        other => {
            let undefined =
                || OpError::attribute(format!("activation {other} is neither a composition nor a primitive"));
            x.unary(other.unary().ok_or_else(undefined)?)
        }
    })
}

/// log(1 + e^x) = max(x, 0) + log(1 + e^−|x|), which does not overflow.
fn softplus(x: &Tensor) -> Tensor {
    x.maximum(&x.scalar_like(0.0)) + (-x.abs()).exp().log1p()
}

impl Tensor {
    #[track_caller]
    fn relu6(&self) -> Tensor {
        self.activation(Activation::Relu6)
    }
}
