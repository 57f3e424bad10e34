//! GPT-2 (Radford et al., 2019), whose settings have different names and whose projections are stored transposed.

use super::gguf::nothing;
use super::names::{GGUF, TensorNames};
use super::settings::{MAX_LAYERS, MAX_VOCAB, MAX_WIDTH, activation, number};
use super::written::{GgufWritten, Keys, Limits, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{
    AttentionSpec, DecoderSpec, FeedSpec, LayerSpec, MixerSpec, NormKind, NormPlacement, NormSpec,
};
use rlx_ir::Activation;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::json;

pub(super) const GPT2: Family = Family {
    name: "gpt2",
    read: gpt2,
    defaults: &[],
    known: KnownFields {
        harmless: &[
            "n_ctx",
            "n_special",
            "predict_special_tokens",
            "reorder_and_upcast_attn",
            "summary_activation",
            "summary_first_dropout",
            "summary_proj_to_labels",
            "summary_type",
            "summary_use_proj",
        ],
        refused: &[],
    },
    partial_rotation: false,
    names: &TensorNames {
        layers: "transformer.h",
        parts: &[&[
            ("tokens", "transformer.wte"),
            ("positions", "transformer.wpe"),
            ("norm", "transformer.ln_f"),
            ("output", "lm_head"),
            ("mixer_norm", "ln_1"),
            ("feed_norm", "ln_2"),
            ("attention.output", "attn.c_proj"),
            ("feed.up", "mlp.c_fc"),
            ("feed.down", "mlp.c_proj"),
        ]],
        joined: &[(&["attention.query", "attention.key", "attention.value"], "attn.c_attn")],
        transposed: true,
        norms_less_one: false,
        alternating: false,
        log_decay: false,
        settings: &[],
        buffers: &[".attn.bias", ".attn.masked_bias"],
    },
    gguf: Some(GgufForm {
        architecture: "gpt2",
        fields: &[&[
            ("embedding_length", "n_embd"),
            ("block_count", "n_layer"),
            ("feed_forward_length", "n_inner"),
            ("attention.head_count", "n_head"),
            ("attention.layer_norm_epsilon", "layer_norm_epsilon"),
            ("context_length", "n_positions"),
        ]],
        rest: nothing,
        written: GgufWritten {
            order: RowOrder::Same,
            keys,
            limits: Limits { output_bias: true, square: true, ..Limits::COMMON },
        },
        names: &GGUF,
    }),
};

fn keys(keys: &mut Keys<'_>) {
    keys.sizes();
    if let (None, Some(width)) = (keys.number("n_inner"), keys.number("n_embd")) {
        keys.put_whole("feed_forward_length", 4 * width);
    }
}

fn gpt2(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    f.only(
        "scale_attn_weights",
        &json!(true),
        "scores that are not divided by the square root of the head size are not supported",
    )?;
    f.only(
        "scale_attn_by_inverse_layer_idx",
        &json!(false),
        "scores that are divided by the number of the layer are not supported",
    )?;
    f.absent("add_cross_attention", "cross attention is not supported")?;
    let width = f.count("n_embd", 1..=MAX_WIDTH)?;
    let heads = f.count("n_head", 1..=MAX_WIDTH)?;
    if !width.is_multiple_of(heads) {
        return Err(f.wrong("n_head", format!("n_embd = {width} is not a multiple of it")));
    }
    let head_size = width / heads;
    let norm =
        NormSpec { kind: NormKind::Layer, eps: number(f, "layer_norm_epsilon", 0.0..=1.0)?.unwrap_or(1e-5) };
    let layer = LayerSpec {
        mixer: MixerSpec::Attention(AttentionSpec {
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
            sinks: false,
            gated: false,
        }),
        feed: Some(FeedSpec::Plain {
            intermediate: f.count_or("n_inner", 1..=MAX_WIDTH)?.unwrap_or(4 * width),
            activation: activation(f, "activation_function")?.unwrap_or(Activation::GeluTanh),
            bias: true,
        }),
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
