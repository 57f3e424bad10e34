//! Rules of softmax and norms. The value stays the composite. Its tangent is computed from the result or from the statistics, so
//! that little is kept for reverse mode.

use super::{Batch, Jvp, Rules, Transpose};
use crate::batching::{Batched, Batching};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{Op, OpKind, ReduceOp, Tensor};

const SOFTMAX: Rules = over_axes(softmax_jvp);
const LOG_SOFTMAX: Rules = over_axes(log_softmax_jvp);
const LOG_SUM_EXP: Rules = over_axes(logsumexp_jvp);
const LAYER_NORM: Rules = over_axes(norm_jvp);
const RMS_NORM: Rules = over_axes(norm_jvp);

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Softmax => SOFTMAX,
        OpKind::LogSoftmax => LOG_SOFTMAX,
        OpKind::LogSumExp => LOG_SUM_EXP,
        OpKind::LayerNorm => LAYER_NORM,
        OpKind::RmsNorm => RMS_NORM,
        _ => return None,
    })
}

/// The rules of a composite that works along some axes, wherever they are.
const fn over_axes(jvp: fn(&Forward<'_>, &Op, &[Dual]) -> Result<Vec<Dual>, Error>) -> Rules {
    Rules { jvp: Jvp::Rule(jvp), transpose: Transpose::None, batch: Batch::Rule(batch) }
}

/// Shifts the axes of the op by one. The weights of a norm must be the same for the whole batch; otherwise the norm is
/// decomposed.
fn batch(cx: &Batching<'_>, op: &Op, operands: &[Batched]) -> Result<Vec<Batched>, Error> {
    if operands.iter().skip(1).any(|weight| weight.batched) {
        return cx.decomposed(op, operands);
    }
    let mut op = op.clone();
    match &mut op {
        Op::Softmax { axis } | Op::LogSoftmax { axis } => *axis += 1,
        Op::LayerNorm { axis, .. } | Op::RmsNorm { axis, .. } => *axis += 1,
        Op::LogSumExp { axes, .. } => axes.iter_mut().for_each(|axis| *axis += 1),
        _ => return cx.decomposed(&op, operands),
    }
    let values: Vec<Tensor> = operands.iter().map(|x| x.value.clone()).collect();
    Ok(cx.apply(op, &values))
}

/// The operand of an op that has just one, its tangent, and the result.
fn parts(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<(Tensor, Tensor, Tensor), Error> {
    match operands {
        [Dual { primal: x, tangent: Some(t) }] => {
            Ok((x.clone(), t.clone(), cx.apply(op, std::slice::from_ref(x)).swap_remove(0)))
        }
        _ => Err(Error::no_rule("derivative", "it has one operand")),
    }
}

/// y (ẋ − Σ y ẋ).
fn softmax_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Softmax { axis } = op else { return cx.decomposed(op, operands) };
    let (_, t, y) = parts(cx, op, operands)?;
    let inner = (&t * &y).reduce(ReduceOp::Sum, &[*axis], true);
    let tangent = (t - inner) * &y;
    Ok(vec![Dual::new(y, tangent)])
}

/// ẋ − Σ e^y ẋ.
fn log_softmax_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::LogSoftmax { axis } = op else { return cx.decomposed(op, operands) };
    let (_, t, y) = parts(cx, op, operands)?;
    let t = t.widened();
    let mean = (&t * y.widened().exp()).reduce(ReduceOp::Sum, &[*axis], true);
    let tangent = (t - mean).convert(y.dtype());
    Ok(vec![Dual::new(y, tangent)])
}

/// Σ e^(x − y) ẋ.
fn logsumexp_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::LogSumExp { axes, keep_dims } = op else { return cx.decomposed(op, operands) };
    let (x, t, y) = parts(cx, op, operands)?;
    let mut dims = x.dims();
    axes.iter().for_each(|&axis| dims[axis] = 1.into());
    let weights = (x.widened() - y.widened().reshape(&dims)).exp();
    let tangent = (t.widened() * weights).reduce(ReduceOp::Sum, axes, *keep_dims).convert(y.dtype());
    Ok(vec![Dual::new(y, tangent)])
}

/// With x̂ = (x − mean)·r and r = 1/√(variance + eps): γ·r·(ẋ − mean(ẋ) − x̂·mean(x̂·ẋ)) + γ̇·x̂ + β̇. Without the means of x and
/// ẋ for the root-mean-square norm.
fn norm_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (axis, eps, centered) = match op {
        Op::LayerNorm { axis, eps } => (*axis, *eps, true),
        Op::RmsNorm { axis, eps } => (*axis, *eps, false),
        _ => return cx.decomposed(op, operands),
    };
    let [x, weights @ ..] = operands else { return cx.decomposed(op, operands) };
    let (gamma, beta) = (weights.first(), weights.get(1));
    let axes: Vec<usize> = (axis..x.primal.rank()).collect();
    let primals: Vec<Tensor> = operands.iter().map(|d| d.primal.clone()).collect();
    let y = cx.apply(op, &primals).swap_remove(0);

    let wide = x.primal.widened();
    let wide = if centered { &wide - wide.mean(&axes, true) } else { wide };
    let rate = ((&wide * &wide).mean(&axes, true) + eps).rsqrt();
    let score = wide * &rate;
    let placed = |w: &Tensor| w.widened().broadcast_in_dim(&score.dims(), &axes);
    let of_x = x.tangent.as_ref().map(|t| {
        let t = t.widened();
        let along = (&t * &score).mean(&axes, true);
        let t = if centered { &t - t.mean(&axes, true) } else { t };
        let t = (t - &score * along) * &rate;
        gamma.map_or_else(|| t.clone(), |gamma| &t * placed(&gamma.primal))
    });
    let tangent_of = |weight: Option<&Dual>| weight.and_then(|w| w.tangent.as_ref()).map(placed);
    let of_gamma = tangent_of(gamma).map(|t| t * &score);
    let tangent = trace::sum([of_x, of_gamma, tangent_of(beta)]).map(|t| t.convert(y.dtype()));
    Ok(vec![Dual { primal: y, tangent }])
}
