//! Phi-3 and Phi-4 (Abdin et al., 2024): the settings of Mistral, whose projections lie together.

use super::gguf::{COMMON_FIELDS, Translation};
use super::llama::mistral;
use super::names::{COMMON, COMMON_PARTS, GGUF, TensorNames};
use super::{Family, GgufForm};
use serde_json::{Map, Value, json};

pub(super) const PHI3: Family = Family {
    name: "phi3",
    read: mistral,
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
        names: &TensorNames {
            joined: &[
                (&["attention.query", "attention.key", "attention.value"], "attn_qkv"),
                (&["feed.gate", "feed.up"], "ffn_up"),
            ],
            ..GGUF
        },
    }),
};

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
