//! The graph of a BERT encoder, and the tensor for each of its parameters.

use super::{BertConfig, BertWeights, LinearNames, NormNames};
use crate::sentence::SentenceConfig;
use rlx_flow::Flow;
use rlx_flow::blocks::{
    EncoderConfig, embedding, encoder_layer, in_batch_negatives, layer_norm, normalize, pool_tokens,
};
use rlx_ir::{DType, Dim, Graph, Tensor, Violations};

/// The names of the inputs of [`sentence_graph`], each `i32[batch,seq]`.
pub const INPUTS: [&str; 3] = ["input_ids", "token_type_ids", "attention_mask"];

/// Builds the graph from tokens to vectors of texts: inputs [`INPUTS`], output `f32[batch, output_size]`, with
/// symbolic `batch` and `seq`.
pub fn sentence_graph(config: &BertConfig, sentence: &SentenceConfig) -> Result<Graph, Violations> {
    let flow = Flow::new("sentence_encoder", DType::F32);
    let vectors = sentences(&flow, config, sentence, &[Dim::dynamic("batch"), Dim::dynamic("seq")]);
    flow.finish(&[&vectors])
}

/// Builds the graph of the loss for `pairs` pairs of texts, where each text should find its partner among all texts
/// of the batch ([`in_batch_negatives`]). The inputs [`INPUTS`] have `2·pairs` rows of `seq` tokens: the anchors,
/// then their positives in the same order. The outputs are the loss, and the cosines `f32[pairs, pairs]` of anchors
/// and positives. The parameters are those of [`sentence_graph`].
pub fn contrastive_graph(
    config: &BertConfig,
    sentence: &SentenceConfig,
    (pairs, seq): (usize, usize),
    scale: f64,
) -> Result<Graph, Violations> {
    let flow = Flow::new("sentence_pairs", DType::F32);
    let vectors = sentences(&flow, config, sentence, &[2 * pairs, seq].map(Dim::from));
    let half = |from: usize| vectors.slice_axis(0, from, Dim::from(from + pairs));
    let (loss, cosines) = in_batch_negatives(&half(0), &half(pairs), scale);
    flow.finish(&[&loss, &cosines])
}

/// Builds the vectors of texts from the inputs [`INPUTS`], each `i32[dims]`.
fn sentences(flow: &Flow, config: &BertConfig, sentence: &SentenceConfig, dims: &[Dim; 2]) -> Tensor {
    let [ids, types, mask] = INPUTS.map(|name| flow.input(name, dims, DType::I32));
    let hidden = encoder(flow, config, &ids, &types, &mask);
    let pooled: Vec<Tensor> = sentence.pooling.iter().map(|p| pool_tokens(&hidden, &mask, *p)).collect();
    let joined = join(flow, &pooled);
    if sentence.normalize { normalize(&joined) } else { joined }
}

/// Builds the token vectors `[batch, seq, hidden]`.
fn encoder(flow: &Flow, config: &BertConfig, ids: &Tensor, types: &Tensor, mask: &Tensor) -> Tensor {
    let width = config.hidden_size;
    let mut x = flow.block("embeddings", |flow| {
        let words = flow.block("word_embeddings", |f| embedding(f, ids, config.vocab_size, width));
        let kinds = flow.block("token_type_embeddings", |f| embedding(f, types, config.token_types, width));
        let places = flow.at("position_embeddings").param("weight", &[config.max_positions, width]);
        let places = places.slice_axis(0, 0, ids.dim(1));
        flow.block("LayerNorm", |f| layer_norm(f, &(words + kinds + places), width, config.layer_norm_eps))
    });
    let layer = EncoderConfig {
        width,
        heads: config.heads,
        intermediate: config.intermediate_size,
        activation: config.activation,
        eps: config.layer_norm_eps,
    };
    for i in 0..config.layers {
        let part = format!("encoder.layer.{i}");
        x = flow.block(&part, |flow| encoder_layer(flow, &x, Some(mask), &layer));
    }
    x
}

fn join(flow: &Flow, parts: &[Tensor]) -> Tensor {
    match parts {
        [one] => one.clone(),
        many => {
            let operands: Vec<&Tensor> = many.iter().collect();
            flow.builder().apply(rlx_ir::Op::Concatenate { axis: 1 }, &operands)
        }
    }
}

/// Returns, for each parameter of [`sentence_graph`], the tensor of the weights that holds it.
pub fn parameters(names: &BertWeights) -> Vec<(String, &str)> {
    let mut out: Vec<(String, &str)> = vec![
        ("embeddings.word_embeddings.weight".into(), &names.tokens),
        ("embeddings.position_embeddings.weight".into(), &names.positions),
        ("embeddings.token_type_embeddings.weight".into(), &names.token_types),
    ];
    norm(&mut out, "embeddings.LayerNorm", &names.norm);
    for (i, layer) in names.layers.iter().enumerate() {
        let at = |part: &str| format!("encoder.layer.{i}.{part}");
        linear(&mut out, &at("attention.self.query"), &layer.query);
        linear(&mut out, &at("attention.self.key"), &layer.key);
        linear(&mut out, &at("attention.self.value"), &layer.value);
        linear(&mut out, &at("attention.output.dense"), &layer.attention_output);
        norm(&mut out, &at("attention.output.LayerNorm"), &layer.attention_norm);
        linear(&mut out, &at("intermediate.dense"), &layer.intermediate);
        linear(&mut out, &at("output.dense"), &layer.output);
        norm(&mut out, &at("output.LayerNorm"), &layer.output_norm);
    }
    out
}

fn linear<'a>(out: &mut Vec<(String, &'a str)>, path: &str, names: &'a LinearNames) {
    out.push((format!("{path}.weight"), &names.weight));
    out.push((format!("{path}.bias"), &names.bias));
}

fn norm<'a>(out: &mut Vec<(String, &'a str)>, path: &str, names: &'a NormNames) {
    out.push((format!("{path}.weight"), &names.scale));
    out.push((format!("{path}.bias"), &names.shift));
}
