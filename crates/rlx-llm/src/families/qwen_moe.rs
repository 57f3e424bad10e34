//! Qwen2 and Qwen3 with mixtures of experts.

use super::gguf::{COMMON_FIELDS, Translation, nothing};
use super::names::{COMMON, GGUF};
use super::qwen::{qwen2_attention, qwen3_attention, with_feed};
use super::settings::{MAX_LAYERS, MAX_WIDTH, Settings};
use super::written::{self, GgufWritten, Keys, Limits, OutputMatrix, RowOrder};
use super::{Family, GgufForm};
use crate::spec::{AttentionSpec, DecoderSpec, ExpertGate, ExpertWeights, ExpertsSpec, FeedSpec};
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::{KnownFields, YES};
use serde_json::{Value, json};

pub(super) const QWEN2_MOE: Family = Family {
    name: "qwen2_moe",
    read: qwen2_moe,
    defaults: &[],
    known: KnownFields {
        refused: &[("qkv_bias", YES, "query, key and value projections without biases are not supported")],
        ..EXPERTS
    },
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(GgufForm {
        architecture: "qwen2moe",
        fields: FIELDS,
        rest: nothing,
        written: GgufWritten {
            limits: Limits { output: OutputMatrix::Needed, square: true, ..Limits::COMMON },
            ..WRITTEN
        },
        names: &GGUF,
    }),
};

pub(super) const QWEN3_MOE: Family = Family {
    name: "qwen3_moe",
    read: qwen3_moe,
    defaults: &[],
    known: EXPERTS,
    partial_rotation: false,
    names: &COMMON,
    gguf: Some(GgufForm {
        architecture: "qwen3moe",
        fields: FIELDS,
        rest: renormalized,
        written: WRITTEN,
        names: &GGUF,
    }),
};

/// The number of experts has one of two names, and windows that are switched off still have sizes.
const EXPERTS: KnownFields = KnownFields {
    harmless: &["attention_bias", "max_window_layers", "num_experts", "num_local_experts", "sliding_window"],
    refused: &[],
};

const FIELDS: &[&[(&str, &str)]] = &[
    COMMON_FIELDS,
    &[
        ("expert_used_count", "num_experts_per_tok"),
        ("expert_feed_forward_length", "moe_intermediate_size"),
        ("expert_shared_feed_forward_length", "shared_expert_intermediate_size"),
    ],
];

const WRITTEN: GgufWritten = GgufWritten { order: RowOrder::Same, keys, limits: Limits::COMMON };

fn keys(keys: &mut Keys<'_>) {
    written::common(keys);
    keys.whole("expert_feed_forward_length", &["moe_intermediate_size"]);
    keys.whole("expert_shared_feed_forward_length", &["shared_expert_intermediate_size"]);
}

/// Files do not store this setting; all published models of the architecture renormalize.
fn renormalized(out: &mut Translation<'_>) {
    out.set("norm_topk_prob", json!(true));
}

fn qwen2_moe(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let shared = f.count("shared_expert_intermediate_size", 1..=MAX_WIDTH)?;
    mixture(f, Some(shared), qwen2_attention)
}

fn qwen3_moe(f: &Fields) -> Result<DecoderSpec, ConfigError> {
    let bias = f.flag("attention_bias")?.unwrap_or(false);
    mixture(f, None, move |settings| qwen3_attention(settings, bias))
}

fn mixture(
    f: &Fields,
    shared: Option<usize>,
    attention: impl Fn(&Settings<'_>) -> AttentionSpec,
) -> Result<DecoderSpec, ConfigError> {
    let settings = Settings::new(f)?;
    let field = if f.has("num_experts") { "num_experts" } else { "num_local_experts" };
    let count = f.count(field, 1..=MAX_WIDTH)?;
    let renormalize = f.flag("norm_topk_prob")?.unwrap_or(false);
    f.only("hidden_act", &json!("silu"), "experts only support silu")?;
    let experts = FeedSpec::Experts(ExpertsSpec {
        count,
        used: f.count("num_experts_per_tok", 1..=count)?,
        intermediate: f.count("moe_intermediate_size", 1..=MAX_WIDTH)?,
        weights: if renormalize { ExpertWeights::Renormalized } else { ExpertWeights::OfAll },
        gate: ExpertGate::Swiglu,
        bias: false,
        shared,
    });
    let every = f.count_or("decoder_sparse_step", 1..=MAX_LAYERS)?.unwrap_or(1);
    let dense: Vec<u64> = match f.get("mlp_only_layers") {
        None => Vec::new(),
        Some(list) => list
            .as_array()
            .and_then(|list| list.iter().map(Value::as_u64).collect())
            .ok_or_else(|| f.wrong("mlp_only_layers", "expected a list of layer numbers"))?,
    };
    let plain = settings.gated("hidden_act")?;
    let feed = |i: usize| {
        let is_dense = dense.contains(&(i as u64)) || !(i + 1).is_multiple_of(every);
        if is_dense { plain.clone() } else { experts.clone() }
    };
    with_feed(&settings, attention, feed)
}
