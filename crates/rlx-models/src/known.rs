//! Checks settings that a family of models does not read. Settings without effect are known by name, settings that
//! would change the model are refused with their value, and unknown ones get a note.

use serde_json::Value;

use crate::display::quoted;
use crate::fields::{ConfigError, Fields};

/// What is known about the settings that a family does not read.
#[derive(Clone, Copy, Debug)]
pub struct KnownFields {
    /// Settings that change nothing: those of training, of other tools, or of features that another setting has
    /// switched off.
    pub harmless: &'static [&'static str],
    /// Settings that change the model.
    pub refused: &'static [RefusedField],
}

/// A setting that changes the model: its name, the values, as JSON, with which it does not, and why other values are
/// refused.
pub type RefusedField = (&'static str, &'static [&'static str], &'static str);

/// The value of a switch that is off.
pub const NO: &[&str] = &["false"];
/// The value of a switch that is on.
pub const YES: &[&str] = &["true"];
/// The factor that has no effect.
pub const ONE: &[&str] = &["1"];
/// No allowed values.
pub const NONE: &[&str] = &[];
/// Empty lists and objects, and false.
pub const EMPTY: &[&str] = &["{}", "[]", "false"];

/// Settings without effect in all families: those that `transformers` writes to every file, and those of training and
/// generation, which are now in `generation_config.json`.
const HARMLESS: &[&str] = &[
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_commit_hash",
    "_experts_implementation",
    "_flash_attn_2_enabled",
    "_name_or_path",
    "architectures",
    "attention_dropout",
    "attn_implementation",
    "attn_pdrop",
    "bad_words_ids",
    "begin_suppress_tokens",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "cls_token_id",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "dtype",
    "early_stopping",
    "embd_pdrop",
    "encoder_no_repeat_ngram_size",
    "eos_token_id",
    "exponential_decay_length_penalty",
    "finetuning_task",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "gradient_checkpointing",
    "hidden_dropout",
    "id2label",
    "initializer_range",
    "is_decoder",
    "label2id",
    "length_penalty",
    "mask_token_id",
    "max_length",
    "min_length",
    "model_type",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "output_scores",
    "pad_token_id",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "remove_invalid_values",
    "repetition_penalty",
    "resid_pdrop",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "sep_token_id",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "typical_p",
    "unk_token_id",
    "unsloth_fixed",
    "unsloth_version",
    "use_bfloat16",
    "use_cache",
    "use_flash_attn",
];

/// Settings that change the model in any family. Most belong to other families, and occur in files that name the
/// wrong family.
const REFUSED: &[RefusedField] = &[
    ("add_cross_attention", NO, "cross attention is not supported"),
    ("alibi", NO, "position biases of scores (ALiBi) are not supported"),
    ("attention_chunk_size", NONE, "attention in chunks is not supported"),
    ("attention_multiplier", NONE, "a different factor for scores is not supported"),
    ("attn_temperature_tuning", NO, "scores that depend on the length of the text are not supported"),
    ("auto_map", EMPTY, "models that bring their own code are not supported"),
    ("clip_qkv", NONE, "clamped queries, keys and values are not supported"),
    ("embedding_multiplier", ONE, "a factor for the token embeddings is not supported"),
    ("is_causal", YES, "attention to later tokens is not supported"),
    ("is_encoder_decoder", NO, "encoder-decoder models are not supported"),
    ("logit_scale", ONE, "a factor for logits is not supported"),
    ("logits_scaling", ONE, "a divisor for logits is not supported"),
    ("parallel_attn", NO, "layers with parallel parts are not supported"),
    ("pruned_heads", EMPTY, "pruned heads are not supported"),
    ("qk_layernorm", NO, "norms of heads are not supported for this family"),
    (
        "quantization_config",
        EMPTY,
        "weights quantized by another library are not supported; convert them to GGUF",
    ),
    ("residual_multiplier", ONE, "a factor for the outputs of layers is not supported"),
    ("tie_last_layer", NO, "this is not supported"),
    ("use_bidirectional_attention", NO, "attention to later tokens is not supported"),
    ("use_mrope", NO, "multi-dimensional positions are not supported"),
    ("use_parallel_residual", NO, "layers with parallel parts are not supported"),
    ("use_qk_norm", NO, "norms of heads are not supported for this family"),
];

/// The maximum number of settings that are reported.
const MOST: usize = 20;

impl KnownFields {
    /// Nothing beyond the settings that are known for all families.
    pub const NONE: KnownFields = KnownFields { harmless: &[], refused: &[] };

    fn refused(&self, key: &str) -> Option<&'static RefusedField> {
        self.refused.iter().chain(REFUSED).find(|(field, ..)| *field == key)
    }

    /// Fails if a setting changes the model but was not read. To be called after the model has read its settings.
    ///
    /// # Errors
    /// Returns a [`ConfigError::Value`] with the first such setting.
    pub fn check(&self, fields: &Fields) -> Result<(), ConfigError> {
        for (key, value) in fields.unread() {
            if let Some((field, allowed, problem)) = self.refused(key)
                && !is_one_of(value, allowed)
            {
                return Err(fields.wrong(field, *problem));
            }
        }
        Ok(())
    }

    /// Returns a sentence for each setting that is unknown and was not read. To be called after the model has read
    /// its settings.
    pub fn unknown(&self, fields: &Fields, family: &str) -> Vec<String> {
        let is_known = |key: &str| {
            HARMLESS.contains(&key) || self.harmless.contains(&key) || self.refused(key).is_some()
        };
        let unread = fields.unread().into_iter().filter(|(key, _)| !is_known(key));
        let mut told: Vec<String> = unread.map(|(key, value)| unknown(fields, family, key, value)).collect();
        let more = told.len().saturating_sub(MOST);
        told.truncate(MOST);
        if more > 0 {
            told.push(format!("{}: {more} more settings are unknown", fields.path().display()));
        }
        told
    }
}

/// Returns the sentence about an unknown setting.
pub fn unknown(fields: &Fields, family: &str, key: &str, value: &Value) -> String {
    let value = quoted(&value.to_string());
    let value = value.trim_matches('"').replace("\\\"", "\"");
    format!(
        "{}: {key} = {value}: the family {family} does not know this setting; it has no effect",
        fields.path().display()
    )
}

/// Whether a value is one of the allowed ones, which are JSON. Numbers are compared by value.
pub fn is_one_of(value: &Value, allowed: &[&str]) -> bool {
    let is = |text: &&str| match serde_json::from_str::<Value>(text) {
        Ok(known) => known == *value || (known.is_number() && known.as_f64() == value.as_f64()),
        Err(_) => false,
    };
    allowed.iter().any(is)
}
