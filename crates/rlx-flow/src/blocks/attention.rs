//! Multi-head self-attention.

use super::linear::linear_named;
use crate::flow::Flow;
use rlx_ir::{AttentionOptions, Tensor};

/// Names of the projections in weight files.
#[derive(Clone, Copy, Debug)]
pub struct AttentionNames<'a> {
    /// The queries' projection.
    pub query: &'a str,
    /// The keys' projection.
    pub key: &'a str,
    /// The values' projection.
    pub value: &'a str,
}

/// Projections and attention of x `[batch, seq, width]`, without the output projection. There are `options.num_heads`
/// heads; `mask` has the form that the options' kind of mask requires.
pub fn self_attention(
    flow: &Flow,
    x: &Tensor,
    width: usize,
    names: AttentionNames<'_>,
    mask: Option<&Tensor>,
    options: AttentionOptions,
) -> Tensor {
    let project = |name| linear_named(flow, name, x, width, width);
    project(names.query).attention(&project(names.key), &project(names.value), mask, options)
}
