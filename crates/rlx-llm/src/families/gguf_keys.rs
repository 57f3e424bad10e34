//! Checks the keys of GGUF files that a family does not read. Keys that change nothing are ignored, keys that would
//! change the model are refused with their value, and unknown ones get a note.

use super::gguf::{GgufForm, SCALING, json_of};
use rlx_gguf::{Gguf, MetaValue};
use rlx_models::fields::ConfigError;
use rlx_models::known::{NO, NONE, RefusedField, YES, is_one_of};
use std::path::Path;

/// Keys, without the architecture, that do not affect anything that is computed here or that are read outside of a
/// family's fields.
const HARMLESS: &[&str] = &[
    // State space models set this to 0.
    "attention.head_count",
    "attention.group_norm_epsilon",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.sliding_window_pattern",
    "attention.value_length",
    "context_length",
    "dense_2_feat_in",
    "dense_2_feat_out",
    "dense_3_feat_in",
    "dense_3_feat_out",
    "embedding_length_out",
    "expert_feed_forward_length",
    "expert_shared_count",
    "feed_forward_length",
    "pooling_type",
    "rope.dimension_count",
    "rope.dimension_sections",
    "rope.freq_base",
    "rope.freq_base_swa",
    "rope.scale_linear",
    "rope.scaling.attn_factor",
    "rope.scaling.finetuned",
    "rope.scaling.type",
    "rope.scaling.yarn_log_multiplier",
    "tensor_data_layout",
    "vocab_size",
];

const ZERO: &[&str] = &["0"];
const ZERO_OR_ONE: &[&str] = &["0", "1"];

/// Keys that change the model: the values with which they do not, and why other values are refused.
const REFUSED: &[RefusedField] = &[
    ("attention.causal", YES, "attention to later tokens is not supported"),
    ("attention.clamp_kqv", ZERO, "clamped queries, keys and values are not supported"),
    ("attention.key_length_swa", NONE, "a different head size in layers with windows is not supported"),
    ("attention.max_alibi_bias", ZERO, "position biases of scores (ALiBi) are not supported"),
    ("attention.output_scale", ZERO_OR_ONE, "a factor for the output of attention is not supported"),
    ("attention.scale", ZERO, "a different factor for scores is not supported"),
    ("attention.shared_kv_layers", ZERO, "layers that share keys and values are not supported"),
    ("attention.temperature_length", ZERO, "scores that depend on the position are not supported"),
    ("attention.temperature_scale", ZERO, "scores that depend on the position are not supported"),
    ("attention.value_length_swa", NONE, "a different head size in layers with windows is not supported"),
    ("attention.value_scale", ZERO_OR_ONE, "a factor for values is not supported"),
    ("embedding_scale", ZERO_OR_ONE, "a factor for the token embeddings is not supported"),
    ("expert_gating_func", ZERO_OR_ONE, "experts that are not weighted by a softmax are not supported"),
    ("expert_group_count", ZERO_OR_ONE, "groups of experts are not supported"),
    ("expert_weights_scale", ZERO_OR_ONE, "a factor for experts is not supported"),
    ("hidden_activation", NONE, "a different activation function of the feed-forward part is not supported"),
    (
        "interleave_moe_layer_step",
        ZERO_OR_ONE,
        "layers without experts between those with them are not supported",
    ),
    ("leading_dense_block_count", ZERO, "layers without experts before those with experts are not supported"),
    ("logit_scale", ZERO_OR_ONE, "a factor for logits is not supported"),
    ("residual_scale", ZERO_OR_ONE, "a factor for the outputs of layers is not supported"),
    ("rope.dimension_count_swa", NONE, "other rotary dimensions in layers with windows are not supported"),
    ("rope.scaling.alpha", ZERO, "a base that depends on alpha is not supported"),
    ("rope.scaling.yarn_ext_factor", &["1", "-1"], "a different share of YaRN's ramp is not supported"),
    ("router_logit_softcapping", ZERO, "soft caps of routers are not supported"),
    ("ssm.dt_b_c_rms", NO, "norms inside a state space are not supported"),
    ("swiglu_clamp_exp", ZERO, "limits for the gates of experts are not supported"),
    ("swiglu_clamp_shexp", ZERO, "limits for the gate of the shared expert are not supported"),
    ("use_parallel_residual", NO, "layers with parallel parts are not supported"),
];

/// Whether files with experts normalize the experts' weights. Each architecture implies one of the two ways.
const NORMALIZED: &str = "expert_weights_norm";

impl GgufForm {
    /// Fails if a key changes the model but is not read.
    pub(super) fn refuse_keys(&self, file: &Gguf, path: &Path) -> Result<(), ConfigError> {
        let wrong = |key: &str, value: &MetaValue<'_>, problem: String| ConfigError::Value {
            path: path.to_path_buf(),
            field: key.into(),
            value: shown(value),
            problem,
        };
        for (key, name, value) in self.keys_of(file) {
            if self.reads(name) {
                continue;
            }
            if let Some((_, allowed, problem)) = REFUSED.iter().find(|(known, ..)| *known == name)
                && !is_one_of(&json_of(&value), allowed)
            {
                return Err(wrong(key, &value, (*problem).into()));
            }
            let renormalized = self.architecture == "qwen3moe";
            if name == NORMALIZED && value.as_bool() != Some(renormalized) {
                let problem = format!("this architecture always implies {renormalized}");
                return Err(wrong(key, &value, problem));
            }
        }
        let length = |name: &str| file.get(&format!("{}.attention.{name}", self.architecture));
        match (length("key_length"), length("value_length")) {
            (Some(keys), Some(values)) if json_of(&keys) != json_of(&values) => {
                let key = format!("{}.attention.value_length", self.architecture);
                let problem = format!(
                    "keys have {}; different head sizes of keys and values are not supported",
                    shown(&keys)
                );
                Err(wrong(&key, &values, problem))
            }
            _ => Ok(()),
        }
    }

    /// Returns a sentence for each unknown key of the architecture.
    pub(super) fn unknown_keys(&self, file: &Gguf, path: &Path) -> Vec<String> {
        let is_known = |name: &str| {
            self.reads(name)
                || HARMLESS.contains(&name)
                || name == NORMALIZED
                || REFUSED.iter().any(|(known, ..)| *known == name)
        };
        let unknown = self.keys_of(file).filter(|(_, name, _)| !is_known(name));
        let told = unknown.map(|(key, _, value)| {
            let (path, value) = (path.display(), shown(&value));
            format!("{path}: {key} = {value}: unknown key; it has no effect")
        });
        told.take(MOST).collect()
    }

    /// Whether a key, given without the architecture, is translated.
    fn reads(&self, name: &str) -> bool {
        let of_rope = name.strip_prefix("rope.scaling.");
        self.fields.iter().copied().flatten().any(|(key, _)| *key == name)
            || of_rope.is_some_and(|name| SCALING.iter().any(|(key, _)| *key == name))
    }

    /// Returns the keys of the architecture: in full, without the architecture, and their values.
    fn keys_of<'f>(&self, file: &'f Gguf) -> impl Iterator<Item = (&'f str, &'f str, MetaValue<'f>)> {
        let architecture = self.architecture;
        file.metadata().filter_map(move |(key, value)| {
            Some((key, key.strip_prefix(architecture)?.strip_prefix('.')?, value))
        })
    }
}

/// The maximum number of keys that are reported.
const MOST: usize = 20;

fn shown(value: &MetaValue<'_>) -> String {
    let text = rlx_files::display::quoted(&json_of(value).to_string());
    text.trim_matches('"').replace("\\\"", "\"")
}
