//! The pre-norm transformer decoder layer of GPT-2 (Radford et al., 2019).

use super::attention::{AttentionNames, self_attention};
use super::linear::linear_named;
use super::norm::layer_norm;
use crate::flow::Flow;
use rlx_ir::{Activation, AttentionOptions, MaskKind, Tensor};

/// Sizes of a decoder layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DecoderConfig {
    /// Width of the residual stream.
    pub width: usize,
    /// Number of heads.
    pub heads: usize,
    /// Width inside the feed-forward network.
    pub intermediate: usize,
    /// Added to the variance in each norm.
    pub eps: f64,
}

/// One layer on x `[batch, seq, width]`: causal attention, then a feed-forward network with GELU. Each takes the norm
/// of the residual stream, and its result is added to the stream.
pub fn decoder_layer(flow: &Flow, x: &Tensor, config: &DecoderConfig) -> Tensor {
    let DecoderConfig { width, heads, intermediate, eps } = *config;
    let normed = flow.block("norm1", |flow| layer_norm(flow, x, width, eps));
    let attended = flow.block("attention", |flow| {
        let names = AttentionNames { query: "query", key: "key", value: "value" };
        let kind = MaskKind::Causal;
        let options = AttentionOptions { num_heads: Some(heads), mask: kind, ..AttentionOptions::default() };
        let context = self_attention(flow, &normed, width, names, None, options);
        linear_named(flow, "output", &context, width, width)
    });
    let x = x + attended;
    let normed = flow.block("norm2", |flow| layer_norm(flow, &x, width, eps));
    let inner = linear_named(flow, "up", &normed, width, intermediate).activation(Activation::Gelu);
    &x + linear_named(flow, "down", &inner, intermediate, width)
}
