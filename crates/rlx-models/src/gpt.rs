//! A small decoder-only language model (Radford et al., 2019). It has token and position embeddings, pre-norm layers
//! and a final norm, and its token table is also the output projection (Press, Wolf 2017,
//! <https://arxiv.org/abs/1608.05859>).

use rlx_flow::Flow;
use rlx_flow::blocks::{DecoderConfig, contract_last, decoder_layer, layer_norm};
use rlx_ir::{DType, Dim, Graph, Tensor, Violations};

/// The sizes of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GptConfig {
    /// The number of tokens in the vocabulary.
    pub vocab: usize,
    /// The number of layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub width: usize,
    /// The number of heads; it must divide the width.
    pub heads: usize,
    /// Width inside the feed-forward parts.
    pub intermediate: usize,
    /// The maximum length of a text, in tokens.
    pub context: usize,
}

/// The number added to the variance in each norm.
const EPS: f64 = 1e-5;

/// Builds the graph of the mean cross-entropy of the next tokens. The inputs are `tokens` and `targets` `i32[batch,
/// seq]`; output 0 is the loss.
pub fn loss_graph(config: &GptConfig, batch: usize, seq: usize) -> Result<Graph, Violations> {
    let flow = Flow::new("gpt", DType::F32);
    let dims = [Dim::from(batch), Dim::from(seq)];
    let tokens = flow.input("tokens", &dims, DType::I32);
    let targets = flow.input("targets", &dims, DType::I32);
    let logits = logits(&flow, config, &tokens);
    let loss = logits.softmax_cross_entropy(&targets).mean(&[0, 1], false);
    flow.finish(&[&loss])
}

/// Builds the graph of the logits of the next tokens: input `tokens` `i32[1, seq]`, output `f32[1, seq, vocab]`.
pub fn logits_graph(config: &GptConfig, seq: usize) -> Result<Graph, Violations> {
    let flow = Flow::new("gpt", DType::F32);
    let tokens = flow.input("tokens", &[Dim::from(1), Dim::from(seq)], DType::I32);
    let logits = logits(&flow, config, &tokens);
    flow.finish(&[&logits])
}

fn logits(flow: &Flow, config: &GptConfig, tokens: &Tensor) -> Tensor {
    let width = config.width;
    let positions = flow.at("positions").param("weight", &[config.context, width]);
    let table = flow.at("tokens").param("weight", &[config.vocab, width]);
    let mut x = table.embedding(tokens) + positions.slice_axis(0, 0, tokens.dim(1));
    let layer = DecoderConfig { width, heads: config.heads, intermediate: config.intermediate, eps: EPS };
    for i in 0..config.layers {
        x = flow.block(&format!("layers.{i}"), |flow| decoder_layer(flow, &x, &layer));
    }
    let x = flow.block("norm", |f| layer_norm(f, &x, width, EPS));
    contract_last(&x, &table)
}

/// Returns how a parameter is initialized, which depends on its name.
pub fn initial(name: &str, config: &GptConfig) -> Initial {
    match name.rsplit('.').next() {
        Some("bias") => Initial::Constant(0.0),
        _ if name.contains("norm") => Initial::Constant(1.0),
        // The smaller deviation keeps the magnitude of sums along the residual stream (Radford et al., 2019).
        _ if name.ends_with("output.weight") || name.ends_with("down.weight") => {
            Initial::Normal(0.02 / (2.0 * config.layers as f64).sqrt())
        }
        _ => Initial::Normal(0.02),
    }
}

/// How a parameter is initialized.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Initial {
    /// The same value everywhere.
    Constant(f64),
    /// Normally distributed with this standard deviation.
    Normal(f64),
    /// Uniformly distributed between minus this value and this value.
    Uniform(f64),
}
