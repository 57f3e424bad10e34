//! The update rules, one file per family of optimizers. Rules compute only with wide numbers; a rule names its state, and returns the new
//! parameter with the new state in the same order.

mod adafactor;
mod adam;
mod muon;
mod sgd;
mod sign;

pub(crate) use sign::curvature;

use crate::optimizer::Optimizer;
use crate::param::Param;
use crate::slot::Slot;
use crate::update::RuleContext;
use rlx_ir::Tensor;

/// Returns the state of a parameter with these sizes, except for the wide copy of a narrow one.
pub(crate) fn slots(optimizer: &Optimizer, param: &Param, sizes: &[usize]) -> Vec<Slot> {
    let like = |names: &[&'static str]| names.iter().map(|name| Slot::like(name, param)).collect();
    match *optimizer {
        Optimizer::Sgd { momentum } | Optimizer::Nesterov { momentum } => {
            like(if momentum == 0.0 { &[] } else { &["momentum"] })
        }
        Optimizer::Lion { .. } => like(&["m"]),
        Optimizer::Muon { .. } => like(if param.is_matrix() { &["m"] } else { &["m", "v"] }),
        Optimizer::Adam { .. } | Optimizer::AdamW { .. } | Optimizer::Lamb { .. } => like(&["m", "v"]),
        Optimizer::Sophia { .. } => like(&["m", "h"]),
        Optimizer::Adafactor { min_dim_size_to_factor, momentum, .. } => {
            adafactor::slots(param, sizes, min_dim_size_to_factor, momentum)
        }
    }
}

/// Returns the new parameter and the new state.
pub(crate) fn update(optimizer: &Optimizer, cx: &RuleContext<'_>) -> (Tensor, Vec<Tensor>) {
    match *optimizer {
        Optimizer::Sgd { momentum } => sgd::update(cx, momentum, false),
        Optimizer::Nesterov { momentum } => sgd::update(cx, momentum, true),
        Optimizer::Adam { b1, b2, eps } => adam::update(cx, b1, b2, eps, 0.0),
        Optimizer::AdamW { b1, b2, eps, weight_decay } => adam::update(cx, b1, b2, eps, weight_decay),
        Optimizer::Lamb { b1, b2, eps, weight_decay } => adam::lamb(cx, b1, b2, eps, weight_decay),
        Optimizer::Lion { b1, b2, weight_decay } => sign::lion(cx, b1, b2, weight_decay),
        Optimizer::Sophia { b1, b2, eps, gamma, clip_threshold, weight_decay, .. } => {
            sign::sophia(cx, b1, b2, &sign::Denominator { eps, gamma, clip_threshold }, weight_decay)
        }
        Optimizer::Muon { nesterov, adam_b1, adam_b2, eps, adam_weight_decay, .. }
            if !cx.param.is_matrix() =>
        {
            let rule = if nesterov { adam::nesterov } else { adam::update };
            rule(cx, adam_b1, adam_b2, eps, adam_weight_decay)
        }
        Optimizer::Muon { beta, nesterov, ns_steps, eps, weight_decay, consistent_rms, .. } => {
            let settings = muon::Settings { beta, nesterov, ns_steps, eps, consistent_rms };
            muon::update(cx, &settings, weight_decay)
        }
        Optimizer::Adafactor {
            min_dim_size_to_factor,
            decay_rate,
            multiply_by_parameter_scale,
            clipping_threshold,
            momentum,
            weight_decay,
            eps,
        } => {
            let (direction, mut state) = adafactor::scaled(cx, min_dim_size_to_factor, decay_rate, eps);
            let scale = multiply_by_parameter_scale;
            let (w, mean) =
                adafactor::descended(cx, direction, scale, clipping_threshold, momentum, weight_decay);
            state.extend(mean);
            (w, state)
        }
    }
}
