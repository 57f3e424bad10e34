//! Linear layers.

use crate::flow::Flow;
use rlx_ir::{DotDims, Op, Tensor};

/// x `[…, inputs]` · Wᵀ + b → `[…, outputs]`, where W `[outputs, inputs]` and b `[outputs]` are this part's `weight`
/// and `bias`.
pub fn linear(flow: &Flow, x: &Tensor, inputs: usize, outputs: usize) -> Tensor {
    let weight = flow.param("weight", &[outputs, inputs]);
    let bias = flow.param("bias", &[outputs]);
    contract_last(x, &weight) + bias
}

/// [`linear`] in the part `name` of `flow`.
pub fn linear_named(flow: &Flow, name: &str, x: &Tensor, inputs: usize, outputs: usize) -> Tensor {
    flow.block(name, |part| linear(part, x, inputs, outputs))
}

/// x `[…, k]` · wᵀ for w `[n, k]`, without transposing w in memory.
pub fn contract_last(x: &Tensor, w: &Tensor) -> Tensor {
    let dims = DotDims::contracting(&[x.rank().saturating_sub(1)], &[1]);
    x.apply(Op::DotGeneral { dims, dtype: None }, &[w])
}
