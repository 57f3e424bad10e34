//! Muon: orthogonalized momentum.

use crate::param::MatrixLayout;
use crate::update::{RuleContext, all_axes, norm};
use rlx_ir::Tensor;

/// The settings of the rule for matrices.
pub(crate) struct Settings {
    pub(crate) beta: f64,
    pub(crate) nesterov: bool,
    pub(crate) ns_steps: usize,
    pub(crate) eps: f64,
    pub(crate) consistent_rms: f64,
}

/// Takes a step of a matrix along its orthogonalized momentum.
pub(crate) fn update(cx: &RuleContext<'_>, settings: &Settings, weight_decay: f64) -> (Tensor, Vec<Tensor>) {
    let m = cx.mean(settings.beta, &cx.state[0], &cx.g);
    let hat = match settings.nesterov {
        true => cx.ahead(settings.beta, &m),
        false => &m * (1.0 / cx.weight(settings.beta, 0.0)),
    };
    let direction = orthogonal(&hat, settings.ns_steps, settings.eps) * scale(cx, settings.consistent_rms);
    (cx.descended(&cx.decayed(direction, weight_decay)), vec![m])
}

/// Returns the factor that makes steps comparable between matrices of different sizes.
fn scale(cx: &RuleContext<'_>, consistent_rms: f64) -> f64 {
    let sizes = cx.param.shape().static_dims().unwrap_or_default();
    // INVARIANT: only matrices of static sizes get here.
    let [rows, columns] = sizes[..] else { return 1.0 };
    let (fan_in, fan_out) = match cx.param.layout() {
        MatrixLayout::InOut => (rows as f64, columns as f64),
        MatrixLayout::OutIn => (columns as f64, rows as f64),
    };
    if consistent_rms > 0.0 {
        return consistent_rms * fan_in.max(fan_out).sqrt();
    }
    (fan_out / fan_in).max(1.0).sqrt()
}

/// Coefficients of the iteration x ← a·x + b·(x·xᵀ)·x + c·(x·xᵀ)²·x with the largest slope at 0. It moves singular values close to 1, but
/// does not converge to 1. (Jordan 2024.)
const COEFFICIENTS: [f64; 3] = [3.4445, -4.7750, 2.0315];

/// Returns a matrix with the singular vectors of x and singular values near 1, computed by Newton–Schulz iterations. They use the wide
/// orientation, in which x·xᵀ is the smaller product.
fn orthogonal(x: &Tensor, steps: usize, eps: f64) -> Tensor {
    let shape = x.shape();
    let is_tall = shape.static_dims().is_some_and(|d| d[0] > d[1]);
    let x = if is_tall { x.transpose_last() } else { x.clone() };
    let mut x = &x / (norm(&x, &all_axes(&x)) + eps);
    let [a, b, c] = COEFFICIENTS;
    for _ in 0..steps {
        let square = x.matmul(&x.transpose_last());
        let factor = b * &square + c * square.matmul(&square);
        x = a * &x + factor.matmul(&x);
    }
    if is_tall { x.transpose_last() } else { x }
}
