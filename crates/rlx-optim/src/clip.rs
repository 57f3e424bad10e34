//! Transformations of gradients before an update: clipping, and sums over several batches.

use rlx_ir::{DType, ReduceOp, Tensor};

/// Returns the Euclidean norm of all gradients together, as an f32 scalar (f64 if one of them is f64), or `None` if there are no gradients.
pub fn global_norm(gradients: &[Tensor]) -> Option<Tensor> {
    let is_double = gradients.iter().any(|g| g.dtype() == DType::F64);
    let wide = if is_double { DType::F64 } else { DType::F32 };
    let square = |g: &Tensor| {
        let g = g.convert(wide);
        let axes: Vec<usize> = (0..g.rank()).collect();
        (&g * &g).reduce(ReduceOp::Sum, &axes, false)
    };
    gradients.iter().map(square).reduce(|a, b| a + &b).map(|sum| sum.sqrt())
}

/// Scales the gradients so that their common norm is at most `max_norm`; smaller gradients do not change. Each keeps its type. (Pascanu et
/// al. 2012, <https://arxiv.org/abs/1211.5063>.)
pub fn clip_by_global_norm(gradients: &[Tensor], max_norm: f64) -> Vec<Tensor> {
    let Some(norm) = global_norm(gradients) else { return Vec::new() };
    let limit = norm.scalar_like(max_norm);
    let one = norm.scalar_like(1.0);
    // Division by zero is avoided even where its result is unused, because its derivative would be NaN.
    let is_less = norm.less(&limit);
    let factor = is_less.select(&one, &(&limit / is_less.select(&one, &norm)));
    let clipped = |g: &Tensor| (g.convert(factor.dtype()) * &factor).convert(g.dtype());
    gradients.iter().map(clipped).collect()
}

/// Clamps each element of the gradient to ±`limit`. NaN stays NaN.
pub fn clip_by_value(gradient: &Tensor, limit: f64) -> Tensor {
    gradient.maximum(&gradient.scalar_like(-limit)).minimum(&gradient.scalar_like(limit))
}

/// Adds a gradient to a sum of gradients, in the element type of the sum: f32 for narrow gradients.
pub fn accumulate(sum: &Tensor, gradient: &Tensor) -> Tensor {
    sum + gradient.convert(sum.dtype())
}

/// Divides a sum of gradients by their number (an integer scalar).
pub fn average(sum: &Tensor, count: &Tensor) -> Tensor {
    sum / count.convert(sum.dtype())
}
