//! Rules of elementwise functions, which say how tangents pass through them. The derivatives are in `unary` and `binary`.

pub(super) mod binary;
mod special;
pub(super) mod unary;

use super::{Batch, Jvp, Rules, Transpose};
use crate::backward::{Arg, Backward, Cotangents};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace::{full_like, zeros_like};
use rlx_ir::{DType, Op, OpKind, Tensor};

/// An elementwise function that is linear in some operands, or in none.
const fn elementwise(jvp: Jvp, transpose: Transpose) -> Rules {
    Rules { jvp, transpose, batch: Batch::Table }
}

const UNARY: Rules = elementwise(Jvp::Rule(unary::jvp), Transpose::Rule(unary::transpose));
const BINARY: Rules = elementwise(Jvp::Rule(binary::jvp), Transpose::Rule(binary::transpose));
const COMPARE: Rules = elementwise(Jvp::Zero, Transpose::None);
const SELECT: Rules = elementwise(Jvp::Table, Transpose::Rule(select_transpose));
const CLAMP: Rules = elementwise(Jvp::Rule(clamp_jvp), Transpose::None);
const BETAINC: Rules = elementwise(Jvp::Rule(betainc_jvp), Transpose::None);

/// The rules of this family's ops.
pub(super) const fn rules(kind: OpKind) -> Option<Rules> {
    Some(match kind {
        OpKind::Unary => UNARY,
        OpKind::Binary => BINARY,
        OpKind::Compare => COMPARE,
        OpKind::Select => SELECT,
        OpKind::Clamp => CLAMP,
        OpKind::Betainc => BETAINC,
        _ => return None,
    })
}

/// The type in which a derivative is computed if its formula rounds more than once.
pub(super) fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        other => other,
    }
}

/// The sum of the operands' contributions to a tangent; `None` if no operand contributes.
pub(super) fn total(parts: impl IntoIterator<Item = Option<Tensor>>) -> Option<Tensor> {
    parts.into_iter().flatten().reduce(|a, b| a + b)
}

/// The tensor where `pred` is true, 0 elsewhere.
pub(super) fn only_where(pred: &Tensor, x: &Tensor) -> Tensor {
    pred.select(x, &zeros_like(x))
}

/// The tensor where `pred` is false, 0 elsewhere.
pub(super) fn except_where(pred: &Tensor, x: &Tensor) -> Tensor {
    pred.select(&zeros_like(x), x)
}

fn select_transpose(
    cx: &Backward<'_>,
    _: &Op,
    operands: &[Arg],
    cts: &Cotangents<'_>,
) -> Result<Vec<Option<Tensor>>, Error> {
    let [pred, on_true, on_false] = operands else { return Ok(Vec::new()) };
    let (pred, ct) = (pred.known()?, cts.first(cx.builder));
    let of_true = on_true.is_linear().then(|| only_where(pred, &ct));
    let of_false = on_false.is_linear().then(|| except_where(pred, &ct));
    Ok(vec![None, of_true, of_false])
}

/// The derivative is zero for operands that the result does not equal, and for all operands where x is at a limit. If both limits
/// are equal, only the one that moves x counts.
fn clamp_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [low, x, high] = operands else { return Ok(Vec::new()) };
    let primal = cx.apply(op, &[low.primal.clone(), x.primal.clone(), high.primal.clone()]).swap_remove(0);
    let part = |of: &Dual, where_: &dyn Fn() -> Tensor| of.tangent.as_ref().map(|t| only_where(&where_(), t));
    let (l, v, h) = (&low.primal, &x.primal, &high.primal);
    let of_low = part(low, &|| l.greater(v).and(&l.less_equal(h)));
    let of_x = part(x, &|| v.greater(l).and(&v.less(h)));
    let of_high = part(high, &|| h.less(v).or(&h.less(l)));
    Ok(vec![Dual { primal, tangent: total([of_low, of_x, of_high]) }])
}

/// The derivative in x is x^(a−1) (1−x)^(b−1) / B(a, b); those in a and b come from the expansion. It is undefined where the
/// function is, and in a and b where one of them is 0, because the function jumps there.
fn betainc_jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let [a, b, x] = operands else { return Ok(Vec::new()) };
    let primals = [&a.primal, &b.primal, &x.primal];
    let primal = cx.builder.apply(op.clone(), &primals);
    let inside = |x: &Tensor| x.greater(&zeros_like(x));
    let defined = inside(&a.primal).and(&inside(&b.primal)).and(&primal.equal(&primal));
    let undefined = full_like(&primal, f64::NAN);
    let mut parts = Vec::new();
    for (i, of) in operands.iter().enumerate() {
        let Some(t) = &of.tangent else { continue };
        let slope = if i == 2 {
            beta_density(&primals)
        } else {
            special::slope_of_loop(cx, op, &primals, i, &[0, 1])?
        };
        parts.push(Some(t * defined.select(&slope, &undefined)));
    }
    Ok(vec![Dual { primal, tangent: total(parts) }])
}

fn beta_density(operands: &[&Tensor; 3]) -> Tensor {
    let dtype = operands[2].dtype();
    let [a, b, x] = operands.map(|x| x.convert(wide(dtype)));
    let log_beta = lgamma(&a) + lgamma(&b) - lgamma(&(&a + &b));
    // x⁰ is 1 even at 0, and (1 − x)⁰ even at 1.
    let is = |x: &Tensor, value: f64| x.equal(&full_like(x, value));
    let low = is(&a, 1.0).and(&is(&x, 0.0)).select(&full_like(&x, 1.0), &x);
    let high = is(&b, 1.0).and(&is(&x, 1.0)).select(&zeros_like(&x), &x);
    ((b - 1.0) * (-high).log1p() + (a - 1.0) * low.log() - log_beta).exp().convert(dtype)
}

fn lgamma(x: &Tensor) -> Tensor {
    x.unary(rlx_ir::UnaryOp::Lgamma)
}

/// 1 where `pred` is true, 0 elsewhere, in the type of x.
pub(super) fn indicator(pred: &Tensor, x: &Tensor) -> Tensor {
    pred.select(&full_like(x, 1.0), &zeros_like(x))
}
