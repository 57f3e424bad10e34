//! Optimizers with a limited step per element: Lion and Sophia.

use crate::update::{RuleContext, mean};
use rlx_ir::Tensor;

/// Takes a step along the sign of a mean.
pub(crate) fn lion(cx: &RuleContext<'_>, b1: f64, b2: f64, weight_decay: f64) -> (Tensor, Vec<Tensor>) {
    let m = &cx.state[0];
    let direction = cx.mean(b1, m, &cx.g).sign();
    (cx.descended(&cx.decayed(direction, weight_decay)), vec![cx.mean(b2, m, &cx.g)])
}

/// Sophia's denominator, and the limit of a step.
pub(crate) struct Denominator {
    pub(crate) eps: f64,
    pub(crate) gamma: f64,
    pub(crate) clip_threshold: f64,
}

/// Takes a step divided by the Hessian's diagonal, using the estimates up to the previous update.
pub(crate) fn sophia(
    cx: &RuleContext<'_>,
    b1: f64,
    b2: f64,
    by: &Denominator,
    weight_decay: f64,
) -> (Tensor, Vec<Tensor>) {
    let [m, h] = [&cx.state[0], &cx.state[1]];
    let m = cx.mean(b1, m, &cx.g);
    let least = m.scalar_like(by.eps);
    let mut direction = &m * (1.0 / cx.weight(b1, 0.0)) / (by.gamma * h).maximum(&least);
    if by.clip_threshold.is_finite() {
        let (low, high) = (m.scalar_like(-by.clip_threshold), m.scalar_like(by.clip_threshold));
        direction = direction.maximum(&low).minimum(&high);
    }
    let h = cx.hessian.as_ref().map_or_else(|| h.clone(), |estimate| curvature(b2, h, estimate));
    (cx.descended(&cx.decayed(direction, weight_decay)), vec![m, h])
}

/// Returns the mean of estimates, including a new one.
pub(crate) fn curvature(b2: f64, h: &Tensor, estimate: &Tensor) -> Tensor {
    mean(b2, h, estimate)
}
