//! Phi-3 and Phi-4 (Abdin et al., 2024): the settings of Mistral, whose projections lie together.

use super::gguf::{COMMON_FIELDS, Translation};
use super::llama::mistral;
use super::names::{COMMON, COMMON_PARTS, DIVISORS, GGUF, TensorNames};
use super::written::{GgufWritten, Keys, RowOrder};
use super::{Family, GgufForm};
use serde_json::{Map, Value, json};

pub(super) const PHI3: Family = Family {
    name: "phi3",
    read: mistral,
    defaults: &[],
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
        rest: longrope,
        written: GgufWritten { order: RowOrder::Same, keys },
        names: &TensorNames {
            joined: &[
                (&["attention.query", "attention.key", "attention.value"], "attn_qkv"),
                (&["feed.gate", "feed.up"], "ffn_up"),
            ],
            settings: &[DIVISORS, "rope_factors_long.weight", "rope_factors_short.weight"],
            ..GGUF
        },
    }),
};

/// A window of 0 says that there is none; divisors for short and long texts are tensors.
fn keys(keys: &mut Keys<'_>) {
    keys.sizes();
    keys.theta();
    let original = keys.rope("original_max_position_embeddings").and_then(Value::as_u64);
    let longest = keys.number("max_position_embeddings");
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
        if let (Some(longest), Some(original)) = (longest, original) {
            let (stretch, original) = (longest as f64 / original as f64, original as f64);
            let factor = if stretch > 1.0 { (1.0 + stretch.ln() / original.ln()).sqrt() } else { 1.0 };
            keys.put_float("rope.scaling.attn_factor", factor);
        }
        keys.tensors.extend([("rope_factors_long.weight", long), ("rope_factors_short.weight", short)]);
    }
}

/// Divisors for long texts are tensors, and a window of 0 says that there is none.
fn longrope(out: &mut Translation<'_>) {
    out.drop_zero("sliding_window");
    let factors = ["long", "short"].map(|kind| out.numbers(&format!("rope_factors_{kind}.weight")));
    if let [Some(long), Some(short)] = factors {
        let mut scaling: Map<String, Value> =
            out.get("rope_scaling").and_then(Value::as_object).cloned().unwrap_or_default();
        scaling.insert("type".into(), json!("longrope"));
        scaling.insert("long_factor".into(), long);
        scaling.insert("short_factor".into(), short);
        out.set("rope_scaling", scaling.into());
    }
}
