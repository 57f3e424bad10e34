//! Reads `config.json` of a BERT encoder. An unsupported setting that changes the result is an error; settings that
//! only concern training or other tools are ignored.

use rlx_ir::Activation;
use std::path::Path;

use serde_json::{Value, json};

use crate::fields::{ConfigError, Fields};
use crate::known::{KnownFields, NO, YES};

/// The maximum sizes that are accepted. They are far larger than in any real model, and every product of sizes fits
/// in 64 bits.
const MAX_WIDTH: usize = 1 << 20;
const MAX_VOCAB: usize = 1 << 28;
const MAX_LAYERS: usize = 4096;

/// The sizes and settings of a BERT encoder.
#[derive(Debug, Clone, PartialEq)]
pub struct BertConfig {
    /// Number of tokens that have an embedding.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Number of layers.
    pub layers: usize,
    /// Attention heads per layer. The number divides [`hidden_size`](Self::hidden_size).
    pub heads: usize,
    /// Width between the two linear maps of the feed-forward part.
    pub intermediate_size: usize,
    /// The activation function between the two.
    pub activation: Activation,
    /// Added to the variance in each layer norm.
    pub layer_norm_eps: f64,
    /// The maximum length of a sequence in tokens, limited by the position embeddings.
    pub max_positions: usize,
    /// Number of token types (sentence A, sentence B).
    pub token_types: usize,
    /// The token that pads a batch.
    pub pad_token: u32,
}

/// The values of `hidden_act`. The names are those of the `transformers` library.
const ACTIVATIONS: [(&str, Activation); 7] = [
    ("gelu", Activation::Gelu),
    ("gelu_new", Activation::GeluTanh),
    ("gelu_pytorch_tanh", Activation::GeluTanh),
    ("gelu_fast", Activation::GeluTanh),
    ("relu", Activation::Relu),
    ("silu", Activation::Silu),
    ("swish", Activation::Silu),
];

/// Settings of BERT that are not read: those of training, and of heads for other tasks.
const KNOWN: KnownFields = KnownFields {
    harmless: &[
        "attention_probs_dropout_prob",
        "directionality",
        "hidden_dropout_prob",
        "layer_norm_eps",
        "output_past",
        "pooler_fc_size",
        "pooler_num_attention_heads",
        "pooler_num_fc_layers",
        "pooler_size_per_head",
        "pooler_type",
        "tie_word_embeddings",
    ],
    refused: &[
        ("is_causal", NO, "only encoders are supported"),
        ("use_bidirectional_attention", YES, "only encoders are supported"),
    ],
};

impl BertConfig {
    /// Reads `config.json` at `path`.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] that names the field and its value.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::from_fields(&Fields::load(path)?)
    }

    fn from_fields(f: &Fields) -> Result<Self, ConfigError> {
        check_kind(f)?;
        let config = BertConfig {
            vocab_size: f.count("vocab_size", 1..=MAX_VOCAB)?,
            hidden_size: f.count("hidden_size", 1..=MAX_WIDTH)?,
            layers: f.count("num_hidden_layers", 0..=MAX_LAYERS)?,
            heads: f.count("num_attention_heads", 1..=MAX_WIDTH)?,
            intermediate_size: f.count("intermediate_size", 1..=MAX_WIDTH)?,
            activation: activation(f)?,
            layer_norm_eps: epsilon(f)?,
            max_positions: f.count("max_position_embeddings", 1..=MAX_WIDTH)?,
            token_types: f.count_or("type_vocab_size", 1..=MAX_WIDTH)?.unwrap_or(2),
            pad_token: f.count_or("pad_token_id", 0..=MAX_VOCAB)?.unwrap_or(0) as u32,
        };
        KNOWN.check(f)?;
        if !config.hidden_size.is_multiple_of(config.heads) {
            let problem = format!("hidden_size = {} is not a multiple of it", config.hidden_size);
            return Err(f.wrong("num_attention_heads", problem));
        }
        if config.pad_token as usize >= config.vocab_size {
            return Err(
                f.wrong("pad_token_id", format!("it must be below vocab_size = {}", config.vocab_size))
            );
        }
        Ok(config)
    }

    /// Returns a sentence for each setting in `config.json` at `path` that is not recognized and therefore has no
    /// effect.
    ///
    /// # Errors
    /// The same as [`BertConfig::load`].
    pub fn unknown_settings(path: &Path) -> Result<Vec<String>, ConfigError> {
        let fields = Fields::load(path)?;
        Self::from_fields(&fields)?;
        Ok(KNOWN.unknown(&fields, "bert"))
    }

    /// Returns the width of one attention head.
    pub fn head_size(&self) -> usize {
        self.hidden_size / self.heads
    }

    /// Returns the number of floating point operations in the matrix products of the encoder for `batch` texts of
    /// `sequence` tokens, counting two for each multiplication. This is the usual measure of its work.
    pub fn flops(&self, batch: usize, sequence: usize) -> u64 {
        let [s, h, wide] = [sequence, self.hidden_size, self.intermediate_size].map(|n| n as u64);
        // The four projections, the two products of attention, and the two of the feed-forward part.
        let layer = 2 * s * (4 * h * h + 2 * s * h + 2 * h * wide);
        batch as u64 * self.layers as u64 * layer
    }
}

/// Refuses other architectures, and settings of this architecture that are not implemented.
fn check_kind(f: &Fields) -> Result<(), ConfigError> {
    match f.text("model_type")? {
        Some("bert") => {}
        Some(_) => return Err(f.wrong("model_type", "only models of the type \"bert\" are supported")),
        None => return Err(f.missing("model_type")),
    }
    let first = f.get("architectures").and_then(|a| a.get(0)).and_then(Value::as_str);
    if first.is_some_and(|name| !name.starts_with("Bert")) {
        return Err(f.wrong("architectures", "only BERT encoders are supported"));
    }
    f.only("position_embedding_type", &json!("absolute"), "only absolute position embeddings are supported")?;
    f.absent("is_decoder", "only encoders are supported")?;
    f.absent("add_cross_attention", "cross attention is not supported")?;
    f.absent("auto_map", "models that bring their own code are not supported")?;
    f.absent("quantization_config", "quantized weights are not supported")?;
    f.absent("pruned_heads", "pruned heads are not supported")
}

fn activation(f: &Fields) -> Result<Activation, ConfigError> {
    let known = ACTIVATIONS.map(|(name, _)| name).join(", ");
    let needed = format!("expected one of {known}");
    f.not_null("hidden_act", &needed)?;
    let name = f.text("hidden_act")?.unwrap_or("gelu");
    let activation = ACTIVATIONS.iter().find(|(n, _)| *n == name);
    activation.map(|(_, activation)| *activation).ok_or_else(|| f.wrong("hidden_act", needed))
}

fn epsilon(f: &Fields) -> Result<f64, ConfigError> {
    const NEEDED: &str = "expected a number that is at least 0 and less than 1";
    f.not_null("layer_norm_eps", NEEDED)?;
    let Some(value) = f.get("layer_norm_eps") else { return Ok(1e-12) };
    match value.as_f64() {
        Some(eps) if (0.0..1.0).contains(&eps) => Ok(eps),
        _ => Err(f.wrong("layer_norm_eps", NEEDED)),
    }
}

/// A model small enough to spell out.
#[cfg(test)]
pub(super) fn tiny() -> BertConfig {
    BertConfig {
        vocab_size: 10,
        hidden_size: 4,
        layers: 1,
        heads: 2,
        intermediate_size: 8,
        activation: Activation::Gelu,
        layer_norm_eps: 1e-12,
        max_positions: 6,
        token_types: 2,
        pad_token: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minilm() -> Value {
        json!({
            "_name_or_path": "nreimers/MiniLM-L6-H384-uncased", "architectures": ["BertModel"],
            "attention_probs_dropout_prob": 0.1, "gradient_checkpointing": false, "hidden_act": "gelu",
            "hidden_dropout_prob": 0.1, "hidden_size": 384, "initializer_range": 0.02,
            "intermediate_size": 1536, "layer_norm_eps": 1e-12, "max_position_embeddings": 512,
            "model_type": "bert", "num_attention_heads": 12, "num_hidden_layers": 6, "pad_token_id": 0,
            "position_embedding_type": "absolute", "type_vocab_size": 2, "use_cache": true, "vocab_size": 30522
        })
    }

    #[test]
    fn a_real_config_is_read() {
        let config = BertConfig::from_fields(&Fields::of(minilm())).unwrap();
        assert_eq!((config.layers, config.heads, config.head_size()), (6, 12, 32));
        // 6 layers of 2 · 128 · (4·384² + 2·128·384 + 2·384·1536).
        assert_eq!(config.flops(2, 128), 2 * 6 * 256 * (589_824 + 98_304 + 1_179_648));
        assert_eq!((config.activation, config.layer_norm_eps), (Activation::Gelu, 1e-12));
    }

    #[test]
    fn every_unsupported_setting_is_named_with_its_value() {
        let rows = [
            ("model_type", json!("roberta"), "model_type = \"roberta\": only"),
            ("model_type", Value::Null, "the field model_type is missing"),
            ("architectures", json!(["JinaBertModel"]), "only BERT encoders"),
            ("position_embedding_type", json!("relative_key"), "only absolute"),
            ("is_decoder", json!(true), "only encoders"),
            ("add_cross_attention", json!(true), "cross attention"),
            ("auto_map", json!({"AutoModel": "x--y.Z"}), "own code"),
            ("quantization_config", json!({"bits": 4}), "quantized"),
            ("pruned_heads", json!({"0": [1]}), "pruned"),
            ("hidden_act", json!("mish"), "hidden_act = \"mish\": expected one of gelu, gelu_new"),
            ("hidden_act", json!(3), "expected a string"),
            ("hidden_act", json!(null), "hidden_act = null: expected one of gelu, gelu_new"),
            ("layer_norm_eps", json!(null), "layer_norm_eps = null: expected a number that is at least 0"),
            ("hidden_size", json!(385), "hidden_size = 385 is not a multiple"),
            ("hidden_size", json!(0), "from 1 to"),
            ("hidden_size", json!(1e3), "from 1 to"),
            ("hidden_size", json!("384"), "hidden_size = \"384\""),
            ("num_hidden_layers", json!(-1), "from 0 to"),
            ("num_hidden_layers", json!(u64::MAX), "from 0 to"),
            ("num_attention_heads", json!(0), "from 1 to"),
            ("vocab_size", Value::Null, "vocab_size is missing"),
            ("layer_norm_eps", json!("1e-12"), "a number"),
            ("layer_norm_eps", json!(-1.0), "a number"),
            ("pad_token_id", json!(30522), "below vocab_size = 30522"),
            ("is_causal", json!(true), "only encoders"),
            ("use_qk_norm", json!(true), "use_qk_norm = true: norms of heads"),
        ];
        for (field, value, says) in rows {
            let mut config = minilm();
            config[field] = value;
            let text = BertConfig::from_fields(&Fields::of(config)).expect_err(says).to_string();
            assert!(text.contains(says), "{text}\nneeds {says}");
        }
    }

    #[test]
    fn files_that_are_not_settings() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.json");
        for text in ["[]", "{", "nul", "{\"a\":1}{}", "\u{feff}{}"] {
            std::fs::write(&path, text).unwrap();
            let error = BertConfig::load(&path).unwrap_err();
            assert!(
                matches!(error, ConfigError::File(crate::files::FileError::Json { .. })),
                "{text:?}: {error}"
            );
        }
        std::fs::write(&path, "").unwrap();
        let error = BertConfig::load(&path).unwrap_err();
        assert_eq!(error.to_string(), format!("{}: it is empty", path.display()));
        let error = BertConfig::load(&dir.path().join("none.json")).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
    }
}
