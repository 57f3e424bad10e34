//! Phi-3 and Phi-4 (Abdin et al., 2024): the settings of Mistral, with fused projections.

use super::gguf::{COMMON_FIELDS, Translation};
use super::llama::mistral;
use super::names::{COMMON, COMMON_PARTS, GGUF, TensorNames};
use super::written::{GgufWritten, Keys, Limits, RowOrder};
use super::{Family, GgufForm};
use rlx_models::known::{KnownFields, NO, ONE};
use serde_json::Value;

pub(super) const PHI3: Family = Family {
    name: "phi3",
    read: mistral,
    defaults: &[],
    known: KnownFields {
        harmless: &["attention_bias", "full_attn_mod", "original_max_position_embeddings"],
        refused: &[
            ("interpolate_factor", ONE, "a different stretch of positions is not supported"),
            ("lm_head_bias", NO, "a bias of the output projection is not supported"),
            ("mlp_bias", NO, "biases of the feed-forward part are not supported"),
        ],
    },
    partial_rotation: true,
    names: &TensorNames {
        parts: &[COMMON_PARTS],
        joined: &[
            (&["attention.query", "attention.key", "attention.value"], "self_attn.qkv_proj"),
            (&["feed.gate", "feed.up"], "mlp.gate_up_proj"),
        ],
        ..COMMON
    },
    gguf: Some(GgufForm {
        architecture: "phi3",
        fields: &[COMMON_FIELDS, &[("attention.sliding_window", "sliding_window")]],
        rest: no_window,
        written: GgufWritten {
            order: RowOrder::Same,
            keys,
            limits: Limits { square: true, whole_heads: false, ..Limits::COMMON },
        },
        names: &TensorNames {
            joined: &[
                (&["attention.query", "attention.key", "attention.value"], "attn_qkv"),
                (&["feed.gate", "feed.up"], "ffn_up"),
            ],
            ..GGUF
        },
    }),
};

/// Writes the keys. A window of 0 means that there is none; divisors for short and long texts are tensors.
fn keys(keys: &mut Keys<'_>) {
    keys.sizes();
    keys.rotary();
    let original = keys.rope("original_max_position_embeddings").and_then(Value::as_u64);
    if let Some(original) = original {
        keys.put_whole("rope.scaling.original_context_length", original);
    }
    let part = keys.rope("partial_rotary_factor").and_then(Value::as_f64).unwrap_or(1.0);
    if let (Some(width), Some(heads)) = (keys.number("hidden_size"), keys.number("num_attention_heads")) {
        keys.put_whole("rope.dimension_count", (part * width as f64) as u64 / heads.max(1));
    }
    let window = keys.number("sliding_window").unwrap_or(0);
    keys.put_whole("attention.sliding_window", window);
    if let (Some(long), Some(short)) = (keys.rope_list("long_factor"), keys.rope_list("short_factor")) {
        let magnitude = keys.spec.ropes.first().map_or(1.0, |rope| rope.magnitude);
        keys.put_float("rope.scaling.attn_factor", magnitude);
        keys.tensors.extend([("rope_factors_long.weight", long), ("rope_factors_short.weight", short)]);
    }
}

/// Removes a window of 0, which means that there is none.
fn no_window(out: &mut Translation<'_>) {
    out.drop_zero("sliding_window");
}
