//! Pooling: from token vectors to one vector per text.

use rlx_ir::{DType, Op, ReduceOp, Tensor};

/// How to combine the vectors of a text's tokens into one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolKind {
    /// The vector of the first token.
    Cls,
    /// The mean over tokens.
    Mean,
    /// The maximum of each component.
    Max,
    /// The sum over tokens, divided by the square root of their number.
    MeanSqrtLen,
    /// The mean weighted by position, 1 for the first token.
    WeightedMean,
    /// The vector of the last token.
    LastToken,
}

/// Minimum divisor, as in sentence-transformers: a text without tokens gives zeros instead of NaN.
const LEAST: f64 = 1e-9;

/// Pools x `[batch, seq, width]` over the tokens where mask `[batch, seq]` (0 or 1, an integer type) is 1 →
/// `[batch, width]`.
pub fn pool_tokens(x: &Tensor, mask: &Tensor, kind: PoolKind) -> Tensor {
    let dims = x.dims();
    let weights = mask.convert(x.dtype());
    let over_tokens = |weights: &Tensor| {
        let spread = weights.broadcast_in_dim(&dims, &[0, 1]);
        ((x * spread).reduce(ReduceOp::Sum, &[1], false), weights.reduce(ReduceOp::Sum, &[1], true))
    };
    let at_least = |total: Tensor| total.maximum(&x.scalar_like(LEAST));
    match kind {
        PoolKind::Cls => x.slice_axis(1, 0, 1).squeeze(1),
        PoolKind::Mean => {
            let (sum, total) = over_tokens(&weights);
            sum / at_least(total)
        }
        PoolKind::MeanSqrtLen => {
            let (sum, total) = over_tokens(&weights);
            sum / at_least(total).sqrt()
        }
        PoolKind::WeightedMean => {
            let positions = x.builder().iota(mask.shape().with_dtype(x.dtype()), 1) + 1.0;
            let (sum, total) = over_tokens(&(weights * positions));
            sum / at_least(total)
        }
        PoolKind::Max => {
            let spread = mask.convert(DType::Bool).broadcast_in_dim(&dims, &[0, 1]);
            let nothing = x.scalar_like(LEAST.recip()) * -1.0;
            spread.select(x, &nothing).reduce(ReduceOp::Max, &[1], false)
        }
        PoolKind::LastToken => {
            let last = mask.convert(DType::I32).reduce(ReduceOp::Sum, &[1], true);
            let index = &last - &x.builder().int(1, DType::I32);
            let positions = x.builder().iota(mask.shape().with_dtype(DType::I32), 1);
            let chosen = positions.equal(&index).convert(x.dtype());
            over_tokens(&chosen).0
        }
    }
}

/// x / max(‖x‖₂, 1e-12) over the last axis.
pub fn normalize(x: &Tensor) -> Tensor {
    let last = x.rank().saturating_sub(1);
    let squares = (x * x).apply(Op::Reduce { kind: ReduceOp::Sum, axes: vec![last] }, &[]).unsqueeze(last);
    x / squares.sqrt().maximum(&x.scalar_like(1e-12))
}
