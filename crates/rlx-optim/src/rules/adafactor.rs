//! Adafactor, which keeps the mean of squared gradients as rows and columns.

use crate::param::Param;
use crate::slot::Slot;
use crate::update::{RuleContext, all_axes};
use rlx_ir::Tensor;

/// Minimum root mean square of a parameter that steps are relative to.
const LEAST_SCALE: f64 = 1e-3;

/// Returns the axes along which the mean of squares is reduced for columns and for rows: the second largest and the largest axis, if both
/// are long enough.
fn factored(sizes: &[usize], at_least: usize) -> Option<(usize, usize)> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&axis| sizes[axis]);
    let [.., second, largest] = order[..] else { return None };
    (sizes[second] >= at_least).then_some((second, largest))
}

/// Returns the state: rows and columns, or the full mean of squares, and the mean of steps.
pub(crate) fn slots(param: &Param, sizes: &[usize], at_least: usize, momentum: f64) -> Vec<Slot> {
    let mut slots = match factored(sizes, at_least) {
        None => vec![Slot::like("v", param)],
        Some((second, largest)) => {
            let without = |name, axis: usize| {
                let slot = Slot::like(name, param);
                Slot { shape: slot.shape.without_axes(&[axis]), ..slot }
            };
            vec![without("v_row", largest), without("v_col", second)]
        }
    };
    if momentum > 0.0 {
        slots.push(Slot::like("momentum", param));
    }
    slots
}

/// Returns the gradient divided by the root of the mean of squares, and the new means.
pub(crate) fn scaled(
    cx: &RuleContext<'_>,
    at_least: usize,
    decay_rate: f64,
    eps: f64,
) -> (Tensor, Vec<Tensor>) {
    let sizes = cx.param.shape().static_dims().unwrap_or_default();
    let squares = &cx.g * &cx.g + eps;
    // The weight of the new squares is t^−decay_rate; the old ones have the rest.
    let new = cx.t.pow(&cx.t.scalar_like(-decay_rate));
    let old = 1.0 - &new;
    let mean = |of: &Tensor, x: &Tensor| &old * of + &new * x;
    let Some((second, largest)) = factored(&sizes, at_least) else {
        let v = mean(&cx.state[0], &squares);
        return (&cx.g * v.rsqrt(), vec![v]);
    };
    let row = mean(&cx.state[0], &squares.mean(&[largest], false));
    let col = mean(&cx.state[1], &squares.mean(&[second], false));
    // The tensor of rows lacks the largest axis.
    let second_of_row = if second > largest { second - 1 } else { second };
    let row_factor = (&row / row.mean(&[second_of_row], true)).rsqrt();
    let direction = &cx.g * row_factor.unsqueeze(largest) * col.rsqrt().unsqueeze(second);
    (direction, vec![row, col])
}

/// Returns the parameter after a step along `direction`, and the new mean of steps, if there is one.
pub(crate) fn descended(
    cx: &RuleContext<'_>,
    direction: Tensor,
    relative: bool,
    threshold: f64,
    momentum: f64,
    weight_decay: f64,
) -> (Tensor, Option<Tensor>) {
    let mut step = direction;
    if threshold.is_finite() {
        let least = step.scalar_like(1.0);
        step = &step / (rms(&step) / threshold).maximum(&least);
    }
    step = &cx.lr * step;
    if relative {
        step = rms(&cx.w).maximum(&cx.w.scalar_like(LEAST_SCALE)) * step;
    }
    let mean = (momentum > 0.0).then(|| cx.state.last().map(|old| cx.mean(momentum, old, &step))).flatten();
    let step = cx.decayed(mean.clone().unwrap_or(step), weight_decay);
    (&cx.w - step, mean)
}

/// Returns the root mean square of all elements.
fn rms(x: &Tensor) -> Tensor {
    (x * x).mean(&all_axes(x), false).sqrt()
}
