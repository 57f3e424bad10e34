//! GPT-OSS (OpenAI, 2025): experts in MXFP4, a window in every other layer, and attention sinks.

use super::gguf::{COMMON_FIELDS, Translation};
use super::names::{COMMON, COMMON_PARTS, GGUF, GGUF_PARTS, TensorNames};
use super::settings::{MAX_VOCAB, MAX_WIDTH, Settings, number, windows};
use super::written::{self, GgufWritten, Keys, Limits, OutputMatrix, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{AttentionSpec, DecoderSpec, ExpertGate, ExpertWeights, ExpertsSpec, FeedSpec};
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::{KnownFields, YES};
use serde_json::{Map, Value, json};

pub(super) const GPT_OSS: Family = Family {
    name: "gpt_oss",
    read: gpt_oss,
    defaults: &[],
    known: KnownFields {
        harmless: &["experts_per_token", "hidden_act", "initial_context_length"],
        refused: &[("attention_bias", YES, "attention without biases is not supported")],
    },
    partial_rotation: false,
    names: &TensorNames {
        parts: &[
            &[
                ("feed.router", "mlp.router"),
                ("feed.experts.gate.weight", "mlp.experts.gate_up_proj"),
                ("feed.experts.up.weight", "mlp.experts.gate_up_proj"),
                ("feed.experts.down.weight", "mlp.experts.down_proj"),
                ("feed.experts.gate.bias", "mlp.experts.gate_up_proj_bias"),
                ("feed.experts.up.bias", "mlp.experts.gate_up_proj_bias"),
                ("feed.experts.down.bias", "mlp.experts.down_proj_bias"),
            ],
            COMMON_PARTS,
        ],
        alternating: true,
        ..COMMON
    },
    gguf: Some(GgufForm {
        architecture: "gpt-oss",
        fields: &[
            COMMON_FIELDS,
            &[
                ("expert_used_count", "num_experts_per_tok"),
                ("attention.sliding_window", "sliding_window"),
                ("attention.sliding_window_pattern", "sliding_window_pattern"),
            ],
        ],
        rest: experts_and_yarn,
        written: GgufWritten {
            order: RowOrder::Same,
            keys,
            limits: Limits { output: OutputMatrix::Needed, output_bias: true, ..Limits::COMMON },
        },
        names: &TensorNames { parts: &[&[("feed_norm", "post_attention_norm")], GGUF_PARTS], ..GGUF },
    }),
};

fn keys(keys: &mut Keys<'_>) {
    written::common(keys);
    keys.whole("attention.sliding_window", &["sliding_window"]);
    keys.windows(|i| i.is_multiple_of(2));
    keys.whole("expert_feed_forward_length", &["intermediate_size"]);
}

/// Sets what files do not store.
fn experts_and_yarn(out: &mut Translation<'_>) {
    out.rename_over("expert_feed_forward_length", "intermediate_size");
    out.layer_types();
    let scaling = out.get("rope_scaling").and_then(Value::as_object).cloned();
    let mut scaling: Map<String, Value> = scaling.unwrap_or_default();
    scaling.insert("truncate".into(), json!(false));
    out.set("rope_scaling", scaling.into());
}

fn gpt_oss(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    // Published checkpoints store their experts in MXFP4, and its blocks are used as they are.
    let is_mxfp4 = |config: &Value| config.get("quant_method").and_then(Value::as_str) == Some("mxfp4");
    let settings = if f.get("quantization_config").is_some_and(is_mxfp4) {
        Settings::packed(f)?
    } else {
        Settings::new(f)?
    };
    let count = f.count("num_local_experts", 1..=MAX_WIDTH)?;
    let feed = FeedSpec::Experts(ExpertsSpec {
        count,
        used: f.count("num_experts_per_tok", 1..=count)?,
        intermediate: settings.intermediate,
        weights: ExpertWeights::OfUsed,
        gate: ExpertGate::Clamped {
            alpha: number(f, "swiglu_alpha", 0.0..=f64::MAX)?.unwrap_or(1.702),
            limit: number(f, "swiglu_limit", 0.0..=f64::MAX)?.unwrap_or(7.0),
        },
        bias: true,
        shared: None,
    });
    let window = f.count_or("sliding_window", 1..=MAX_VOCAB)?;
    let layer = |window| {
        let attention = AttentionSpec {
            input_bias: true,
            output_bias: true,
            sinks: true,
            window,
            ..settings.attention()
        };
        settings.layer(attention, feed.clone())
    };
    let windows = windows(f, settings.layers, window, |i| i.is_multiple_of(2))?;
    settings.decoder(windows.into_iter().map(layer).collect())
}
