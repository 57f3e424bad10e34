//! The identities of reductions, as constants of every type.

use rlx_ir::{Builder, DType, FloatFormat, ReduceOp, Tensor, UnaryOp};

/// The reduction's identity as a scalar. For a mean, which has none, returns that of its sum.
pub(crate) fn identity(b: &Builder, kind: ReduceOp, dtype: DType) -> Tensor {
    use ReduceOp::*;
    match (kind, dtype.int_range()) {
        (Sum | Or | Mean, Some(_)) => b.int(0, dtype),
        (LogSumExp, _) => b.scalar(lowest(dtype), dtype),
        (Prod, Some(_)) => b.int(1, dtype),
        (And, Some(_)) => b.int(0, dtype).unary(UnaryOp::Not),
        (Max, Some((low, _))) => smallest(b, low, dtype),
        // All bits except the sign; for unsigned numbers and booleans, all bits.
        (Min, Some((low, _))) => smallest(b, low, dtype).unary(UnaryOp::Not),
        (Prod, None) => b.scalar(1.0, dtype),
        (Max, None) => b.scalar(lowest(dtype), dtype),
        (Min, None) => b.scalar(-lowest(dtype), dtype),
        (Sum | And | Or | Mean, None) => b.scalar(0.0, dtype),
    }
}

fn smallest(b: &Builder, low: i128, dtype: DType) -> Tensor {
    b.int(i64::try_from(low).unwrap_or(i64::MIN), dtype)
}

/// −∞, or the minimum of a format without infinities.
fn lowest(dtype: DType) -> f64 {
    FloatFormat::of(dtype).map_or(f64::NEG_INFINITY, FloatFormat::lowest)
}
