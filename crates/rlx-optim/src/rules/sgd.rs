//! Gradient descent, with momentum.

use crate::update::RuleContext;
use rlx_ir::Tensor;

/// Computes v ← momentum·v + g, then takes a step along v, or with Nesterov's momentum along g + momentum·v.
pub(crate) fn update(cx: &RuleContext<'_>, momentum: f64, nesterov: bool) -> (Tensor, Vec<Tensor>) {
    let [v] = cx.state else { return (cx.descended(&cx.g), Vec::new()) };
    let v = &cx.g + momentum * v;
    let direction = if nesterov { &cx.g + momentum * &v } else { v.clone() };
    (cx.descended(&direction), vec![v])
}
