//! Rules of activations whose derivative differs from that of their decomposition, or is better written explicitly. The value
//! stays one node; derivatives are computed from it in a wide type.

use super::elementwise::{indicator, unary, wide};
use super::{Batch, Jvp, Rules, Transpose};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace::{full_like, zeros_like};
use rlx_ir::{Activation, Op, OpKind, Tensor};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// A composite that computes each element separately.
const fn elementwise(jvp: Jvp) -> Rules {
    Rules { jvp, transpose: Transpose::None, batch: Batch::Table }
}

const STOP_GRADIENT: Rules = elementwise(Jvp::Zero);
const ACTIVATION: Rules = elementwise(Jvp::Rule(activation_jvp));
const ELU: Rules = elementwise(Jvp::Rule(elu_jvp));

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::StopGradient => STOP_GRADIENT,
        OpKind::Activation => ACTIVATION,
        OpKind::Elu => ELU,
        _ => return None,
    })
}

/// A function of one tensor whose tangent is computed from (x, y, tangent of x).
fn of_one(
    cx: &Forward<'_>,
    op: &Op,
    operands: &[Dual],
    tangent: impl FnOnce(&Tensor, &Tensor, &Tensor) -> Option<Tensor>,
) -> Result<Vec<Dual>, Error> {
    let [Dual { primal: x, tangent: Some(t) }] = operands else {
        return Err(Error::no_rule("derivative", "it is not a function of one tensor"));
    };
    let primal = cx.apply(op, std::slice::from_ref(x)).swap_remove(0);
    let tangent = tangent(x, &primal, t);
    Ok(vec![Dual { primal, tangent }])
}

/// t · f′(x), with a formula in x and y in a wide type.
fn scaled(x: &Tensor, y: &Tensor, t: &Tensor, slope: impl FnOnce(&Tensor, &Tensor) -> Tensor) -> Tensor {
    let inner = wide(x.dtype());
    t * slope(&x.convert(inner), &y.convert(inner)).convert(x.dtype())
}

fn elu_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Elu { alpha } = op else { return Err(Error::no_rule("derivative", "it is not an ELU")) };
    of_one(cx, op, operands, |x, y, t| Some(scaled(x, y, t, |x, y| elu_slope(x, y, *alpha))))
}

/// 1 where x > 0, alpha e^x = y + alpha elsewhere.
fn elu_slope(x: &Tensor, y: &Tensor, alpha: f64) -> Tensor {
    x.greater(&zeros_like(x)).select(&full_like(x, 1.0), &(y + alpha))
}

fn activation_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Activation { kind } = op else {
        return Err(Error::no_rule("derivative", "it is not an activation"));
    };
    // Complex numbers are compared part by part, as in the decomposition.
    let bent = [Activation::Relu, Activation::Relu6, Activation::HardSigmoid, Activation::HardSwish];
    if bent.contains(kind) && operands.iter().any(|d| d.primal.dtype().is_complex()) {
        return cx.decomposed(op, operands);
    }
    of_one(cx, op, operands, |x, y, t| match (kind, kind.unary()) {
        // Straight-through.
        (Activation::Round, _) => Some(t.clone()),
        // Selected instead of multiplied, so that it is 0 even where the tangent is infinite.
        (Activation::Relu, _) => Some(x.greater(&zeros_like(x)).select(t, &zeros_like(t))),
        (Activation::Relu6, _) => Some(is_inside(x).select(t, &zeros_like(t))),
        (_, Some(function)) => unary::tangent(function, x, y, t),
        _ => Some(scaled(x, y, t, |x, y| slope(*kind, x, y))),
    })
}

/// f′(x) for y = f(x). The derivative of relu6 is 0 at its kinks, as in JAX.
fn slope(kind: Activation, x: &Tensor, y: &Tensor) -> Tensor {
    match kind {
        Activation::HardSigmoid => inside(&(x + 3.0)) / 6.0,
        Activation::HardSwish => ((x + 3.0).activation(Activation::Relu6) + x * inside(&(x + 3.0))) / 6.0,
        Activation::Recip => -(y * y),
        Activation::Square => x + x,
        Activation::Softplus => x.logistic(),
        Activation::Elu => elu_slope(x, y, 1.0),
        Activation::Silu => {
            let s = x.logistic();
            &s + y * (1.0 - &s)
        }
        Activation::Gelu => {
            let density = (x * x * -0.5).exp() * (FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
            ((x * FRAC_1_SQRT_2).erf() + 1.0) * 0.5 + x * density
        }
        Activation::GeluTanh => {
            let scale = (2.0 / PI).sqrt();
            let squared = x * x;
            let th = (x * (&squared * 0.044715 + 1.0) * scale).tanh();
            let inner = (squared * (3.0 * 0.044715) + 1.0) * scale;
            (&th + 1.0) * 0.5 + x * 0.5 * (1.0 - &th) * (&th + 1.0) * inner
        }
        Activation::Mish => {
            let th = x.softplus().tanh();
            &th + x * x.logistic() * (1.0 - &th) * (&th + 1.0)
        }
        // Straight-through functions, and other names of functions that have their own rules.
        Activation::Round
        | Activation::Relu
        | Activation::Relu6
        | Activation::Sigmoid
        | Activation::Tanh
        | Activation::Exp
        | Activation::Log
        | Activation::Sqrt
        | Activation::Rsqrt
        | Activation::Neg
        | Activation::Abs
        | Activation::Sin
        | Activation::Cos
        | Activation::Tan
        | Activation::Atan
        | Activation::Erf => full_like(x, 1.0),
    }
}

/// Whether 0 < x < 6.
fn is_inside(x: &Tensor) -> Tensor {
    x.greater(&zeros_like(x)).and(&x.less(&full_like(x, 6.0)))
}

/// 1 where 0 < x < 6, 0 elsewhere.
fn inside(x: &Tensor) -> Tensor {
    indicator(&is_inside(x), x)
}
