//! Adam and its relatives.

use crate::update::{RuleContext, all_axes, norm};
use rlx_ir::Tensor;

/// Takes a step of Adam, with decoupled weight decay.
pub(crate) fn update(
    cx: &RuleContext<'_>,
    b1: f64,
    b2: f64,
    eps: f64,
    weight_decay: f64,
) -> (Tensor, Vec<Tensor>) {
    let (m, v) = moments(cx, b1, b2);
    let direction = &m * (1.0 / cx.weight(b1, 0.0)) / root(cx, &v, b2, eps);
    (cx.descended(&cx.decayed(direction, weight_decay)), vec![m, v])
}

/// Takes a step of AdamW with Nesterov's momentum: m̂ is b1·m / (1 − b1^(t+1)) + (1 − b1)·g / (1 − b1^t). (Dozat 2016.)
pub(crate) fn nesterov(
    cx: &RuleContext<'_>,
    b1: f64,
    b2: f64,
    eps: f64,
    weight_decay: f64,
) -> (Tensor, Vec<Tensor>) {
    let (m, v) = moments(cx, b1, b2);
    let direction = cx.ahead(b1, &m) / root(cx, &v, b2, eps);
    (cx.descended(&cx.decayed(direction, weight_decay)), vec![m, v])
}

/// Takes a step of AdamW with the norm of the parameter. If either norm is 0, the step is not scaled.
pub(crate) fn lamb(
    cx: &RuleContext<'_>,
    b1: f64,
    b2: f64,
    eps: f64,
    weight_decay: f64,
) -> (Tensor, Vec<Tensor>) {
    let (m, v) = moments(cx, b1, b2);
    let direction = &m * (1.0 / cx.weight(b1, 0.0)) / root(cx, &v, b2, eps);
    let direction = cx.decayed(direction, weight_decay);
    let axes = all_axes(&direction);
    let (of_w, of_step) = (norm(&cx.w, &axes), norm(&direction, &axes));
    let zero = direction.scalar_like(0.0);
    let is_zero = of_w.equal(&zero).or(&of_step.equal(&zero));
    let one = direction.scalar_like(1.0);
    // Division by zero is avoided even where the quotient is unused, because its derivative would be NaN.
    let ratio = is_zero.select(&one, &(of_w / is_zero.select(&one, &of_step)));
    (cx.descended(&(ratio * direction)), vec![m, v])
}

fn moments(cx: &RuleContext<'_>, b1: f64, b2: f64) -> (Tensor, Tensor) {
    (cx.mean(b1, &cx.state[0], &cx.g), cx.mean(b2, &cx.state[1], &(&cx.g * &cx.g)))
}

/// Returns √(v / (1 − b2^t)) + eps. The correction is a factor computed once, so an element costs one square root and one division.
fn root(cx: &RuleContext<'_>, v: &Tensor, b2: f64, eps: f64) -> Tensor {
    v.sqrt() * cx.weight(b2, 0.0).rsqrt() + eps
}
