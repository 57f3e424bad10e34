//! The post-norm transformer encoder layer of BERT (Devlin et al., 2019), with BERT's parameter names.

use super::attention::{AttentionNames, self_attention};
use super::linear::linear_named;
use super::norm::layer_norm;
use crate::flow::Flow;
use rlx_ir::{Activation, AttentionOptions, MaskKind, Tensor};

/// Sizes of an encoder layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EncoderConfig {
    /// Width of the residual stream.
    pub width: usize,
    /// Number of heads.
    pub heads: usize,
    /// Width inside the feed-forward network.
    pub intermediate: usize,
    /// The activation inside the feed-forward network.
    pub activation: Activation,
    /// Added to the variance in each norm.
    pub eps: f64,
}

/// One layer on x `[batch, seq, width]` with a mask of the keys `[batch, seq]` (true or nonzero: attend).
pub fn encoder_layer(flow: &Flow, x: &Tensor, mask: Option<&Tensor>, config: &EncoderConfig) -> Tensor {
    let EncoderConfig { width, heads, intermediate, activation, eps } = *config;
    let attended = flow.block("attention", |flow| {
        let names = AttentionNames { query: "query", key: "key", value: "value" };
        let kind = if mask.is_some() { MaskKind::Custom } else { MaskKind::None };
        let options = AttentionOptions { num_heads: Some(heads), mask: kind, ..AttentionOptions::default() };
        let context = flow.block("self", |flow| self_attention(flow, x, width, names, mask, options));
        flow.block("output", |flow| {
            let projected = linear_named(flow, "dense", &context, width, width);
            flow.block("LayerNorm", |flow| layer_norm(flow, &(projected + x), width, eps))
        })
    });
    let inner = flow.block("intermediate", |flow| {
        linear_named(flow, "dense", &attended, width, intermediate).activation(activation)
    });
    flow.block("output", |flow| {
        let projected = linear_named(flow, "dense", &inner, intermediate, width);
        flow.block("LayerNorm", |flow| layer_norm(flow, &(projected + &attended), width, eps))
    })
}
