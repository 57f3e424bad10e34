//! GPT-2 (Radford et al., 2019): its own words for everything, and projections that are kept transposed.

use super::settings::{MAX_LAYERS, MAX_VOCAB, MAX_WIDTH, activation, number};
use super::sources::{Change, Sources};
use crate::spec::{AttentionSpec, DecoderSpec, FeedSpec, LayerSpec, NormKind, NormPlacement, NormSpec};
use rlx_ir::Activation;
use rlx_models::fields::{ConfigError, Fields};
use serde_json::json;

pub(super) fn gpt2(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    f.only(
        "scale_attn_weights",
        &json!(true),
        "scores that are not divided by the root of a head's size are not supported",
    )?;
    f.only(
        "scale_attn_by_inverse_layer_idx",
        &json!(false),
        "scores that are divided by the layer's number are not supported",
    )?;
    f.absent("add_cross_attention", "cross attention is not supported")?;
    let width = f.count("n_embd", 1..=MAX_WIDTH)?;
    let heads = f.count("n_head", 1..=MAX_WIDTH)?;
    if !width.is_multiple_of(heads) {
        return Err(f.wrong("n_head", format!("n_embd = {width} does not divide by it")));
    }
    let head_size = width / heads;
    let norm =
        NormSpec { kind: NormKind::Layer, eps: number(f, "layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) };
    let layer = LayerSpec {
        attention: AttentionSpec {
            heads,
            kv_heads: heads,
            head_size,
            scale: 1.0 / (head_size as f64).sqrt(),
            input_bias: true,
            output_bias: true,
            head_norm: None,
            rope: None,
            window: None,
            softcap: None,
        },
        feed: FeedSpec::Plain {
            intermediate: f.count_or("n_inner", 1..=MAX_WIDTH)?.unwrap_or(4 * width),
            activation: activation(f, "activation_function")?.unwrap_or(Activation::GeluTanh),
            bias: true,
        },
        norm,
        placement: NormPlacement::Before,
    };
    Ok(DecoderSpec {
        vocab: f.count("vocab_size", 1..=MAX_VOCAB)?,
        width,
        context: f.count("n_positions", 1..=MAX_VOCAB)?,
        embedding_scale: None,
        learned_positions: true,
        ropes: Vec::new(),
        layers: vec![layer; f.count("n_layer", 0..=MAX_LAYERS)?],
        norm,
        tied: f.flag("tie_word_embeddings")?.unwrap_or(true),
        logit_softcap: None,
    })
}

pub(super) fn sources(spec: &DecoderSpec) -> Sources {
    let mut out = Sources::default();
    let width = spec.width;
    out.take("tokens.weight", &[spec.vocab, width], "transformer.wte.weight".into(), Change::None);
    out.take("positions.weight", &[spec.context, width], "transformer.wpe.weight".into(), Change::None);
    norm(&mut out, "norm", "transformer.ln_f", width);
    if !spec.tied {
        out.take("output.weight", &[spec.vocab, width], "lm_head.weight".into(), Change::None);
    }
    for (i, layer) in spec.layers.iter().enumerate() {
        let [ours, theirs] = [format!("layers.{i}"), format!("transformer.h.{i}")];
        let (FeedSpec::Gated { intermediate, .. } | FeedSpec::Plain { intermediate, .. }) = layer.feed;
        norm(&mut out, &format!("{ours}.attention_norm"), &format!("{theirs}.ln_1"), width);
        norm(&mut out, &format!("{ours}.feed_norm"), &format!("{theirs}.ln_2"), width);
        for (part, n) in [("query", 0), ("key", 1), ("value", 2)] {
            let from = format!("{theirs}.attn.c_attn");
            projection(
                &mut out,
                &format!("{ours}.attention.{part}"),
                &from,
                (width, n * width..(n + 1) * width),
            );
        }
        let parts = [
            ("attention.output", "attn.c_proj", width, width),
            ("feed.up", "mlp.c_fc", width, intermediate),
            ("feed.down", "mlp.c_proj", intermediate, width),
        ];
        for (part, from, inputs, outputs) in parts {
            projection(
                &mut out,
                &format!("{ours}.{part}"),
                &format!("{theirs}.{from}"),
                (inputs, 0..outputs),
            );
        }
    }
    out
}

fn norm(out: &mut Sources, ours: &str, theirs: &str, width: usize) {
    for part in ["weight", "bias"] {
        out.take(&format!("{ours}.{part}"), &[width], format!("{theirs}.{part}"), Change::None);
    }
}

/// Columns of a projection that is kept as `[inputs, outputs]`.
fn projection(
    out: &mut Sources,
    ours: &str,
    theirs: &str,
    (inputs, columns): (usize, std::ops::Range<usize>),
) {
    let outputs = columns.len();
    let change = Change::TransposedRows(columns.clone());
    out.take(&format!("{ours}.weight"), &[outputs, inputs], format!("{theirs}.weight"), change);
    out.take(&format!("{ours}.bias"), &[outputs], format!("{theirs}.bias"), Change::Rows(columns));
}
