//! Reads settings that most families share.

use super::rope;
use crate::spec::{
    AttentionSpec, DecoderSpec, FeedSpec, LayerSpec, MixerSpec, NormKind, NormPlacement, NormSpec, RopeSpec,
};
use rlx_ir::Activation;
use rlx_models::fields::{ConfigError, Fields};
use serde_json::{Value, json};

/// The maximum sizes that are accepted: far larger than in any real model, and the product of any two fits in 64
/// bits.
pub(super) const MAX_WIDTH: usize = 1 << 24;
pub(super) const MAX_VOCAB: usize = 1 << 28;
pub(super) const MAX_LAYERS: usize = 4096;

/// The values of `hidden_act`. The names are those of the `transformers` library.
const ACTIVATIONS: [(&str, Activation); 8] = [
    ("silu", Activation::Silu),
    ("swish", Activation::Silu),
    ("gelu", Activation::Gelu),
    ("gelu_new", Activation::GeluTanh),
    ("gelu_pytorch_tanh", Activation::GeluTanh),
    ("gelu_fast", Activation::GeluTanh),
    ("relu", Activation::Relu),
    ("sigmoid", Activation::Sigmoid),
];

/// The sizes of a Llama-like model, and what follows from them.
pub(super) struct Settings<'a> {
    pub(super) fields: &'a Fields,
    pub(super) width: usize,
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) kv_heads: usize,
    pub(super) head_size: usize,
    pub(super) intermediate: usize,
    pub(super) eps: f64,
}

impl<'a> Settings<'a> {
    pub(super) fn new(f: &'a Fields) -> Result<Settings<'a>, ConfigError> {
        f.absent(
            "quantization_config",
            "weights quantized by another library are not supported; convert them to GGUF",
        )?;
        Self::packed(f)
    }

    /// Does the same as [`new`](Self::new) for a model whose weights may be quantized.
    pub(super) fn packed(f: &'a Fields) -> Result<Settings<'a>, ConfigError> {
        f.absent("auto_map", "models that bring their own code are not supported")?;
        let width = f.count("hidden_size", 1..=MAX_WIDTH)?;
        let heads = f.count("num_attention_heads", 1..=MAX_WIDTH)?;
        let kv_heads = f.count_or("num_key_value_heads", 1..=MAX_WIDTH)?.unwrap_or(heads);
        if !heads.is_multiple_of(kv_heads) {
            let problem = format!("num_attention_heads = {heads} is not a multiple of it");
            return Err(f.wrong("num_key_value_heads", problem));
        }
        let head_size = match f.count_or("head_dim", 1..=MAX_WIDTH)? {
            Some(size) => size,
            None if width.is_multiple_of(heads) => width / heads,
            None => {
                return Err(
                    f.wrong("num_attention_heads", format!("hidden_size = {width} is not a multiple of it"))
                );
            }
        };
        Ok(Settings {
            fields: f,
            width,
            layers: f.count("num_hidden_layers", 0..=MAX_LAYERS)?,
            heads,
            kv_heads,
            head_size,
            intermediate: f.count("intermediate_size", 1..=MAX_WIDTH)?,
            eps: number(f, "rms_norm_eps", 0.0..=1.0)?.unwrap_or(1e-6),
        })
    }

    /// Returns the RMS norm.
    pub(super) fn norm(&self) -> NormSpec {
        NormSpec { kind: NormKind::Rms, eps: self.eps }
    }

    /// Returns attention to all earlier tokens, with rotary embedding 0, and without biases or additional norms.
    pub(super) fn attention(&self) -> AttentionSpec {
        AttentionSpec {
            heads: self.heads,
            kv_heads: self.kv_heads,
            head_size: self.head_size,
            scale: 1.0 / (self.head_size as f64).sqrt(),
            input_bias: false,
            output_bias: false,
            head_norm: None,
            rope: Some(0),
            window: None,
            softcap: None,
            sinks: false,
            gated: false,
        }
    }

    /// Returns a gated feed-forward part without biases. The setting `field` names its activation function.
    pub(super) fn gated(&self, field: &str) -> Result<FeedSpec, ConfigError> {
        let activation = activation(self.fields, field)?.unwrap_or(Activation::Silu);
        Ok(FeedSpec::Gated { intermediate: self.intermediate, activation, bias: false })
    }

    /// Returns a layer with norms before its parts.
    pub(super) fn layer(&self, attention: AttentionSpec, feed: FeedSpec) -> LayerSpec {
        let (mixer, feed) = (MixerSpec::Attention(attention), Some(feed));
        LayerSpec { mixer, feed, norm: self.norm(), placement: NormPlacement::Before }
    }

    /// Returns a decoder with these layers and one rotary embedding for all of them.
    pub(super) fn decoder(&self, layers: Vec<LayerSpec>) -> Result<DecoderSpec, ConfigError> {
        self.decoder_with(vec![rope::rope(self.fields, self.head_size, None)?], layers)
    }

    /// Returns a decoder with these layers and the rotary embeddings that they refer to.
    pub(super) fn decoder_with(
        &self,
        ropes: Vec<RopeSpec>,
        layers: Vec<LayerSpec>,
    ) -> Result<DecoderSpec, ConfigError> {
        let f = self.fields;
        let context = f.count_or("max_position_embeddings", 1..=MAX_VOCAB)?.unwrap_or(2048);
        Ok(DecoderSpec {
            vocab: f.count("vocab_size", 1..=MAX_VOCAB)?,
            width: self.width,
            context,
            embedding_scale: None,
            learned_positions: false,
            ropes,
            layers,
            norm: self.norm(),
            tied: f.flag("tie_word_embeddings")?.unwrap_or(false),
            logit_softcap: None,
        })
    }
}

/// Reads a number within a range.
pub(super) fn number(
    f: &Fields,
    field: &str,
    range: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>, ConfigError> {
    let Some(value) = f.get(field) else { return Ok(None) };
    match value.as_f64().filter(|x| range.contains(x)) {
        Some(x) => Ok(Some(x)),
        None => Err(f.wrong(field, format!("expected a number from {} to {}", range.start(), range.end()))),
    }
}

/// Reads the activation function that a setting names.
pub(super) fn activation(f: &Fields, field: &str) -> Result<Option<Activation>, ConfigError> {
    let Some(name) = f.text(field)? else { return Ok(None) };
    match ACTIVATIONS.iter().find(|(n, _)| *n == name) {
        Some((_, activation)) => Ok(Some(*activation)),
        None => {
            let known = ACTIVATIONS.map(|(name, _)| name).join(", ");
            Err(f.wrong(field, format!("expected one of {known}")))
        }
    }
}

/// Returns the size of the window of each layer, from `layer_types` if present, otherwise from `default`.
pub(super) fn windows(
    f: &Fields,
    layers: usize,
    window: Option<usize>,
    default: impl Fn(usize) -> bool,
) -> Result<Vec<Option<usize>>, ConfigError> {
    let Some(types) = f.get("layer_types") else {
        return Ok((0..layers).map(|i| window.filter(|_| default(i))).collect());
    };
    let list = types.as_array().filter(|list| list.len() == layers);
    let list = list.ok_or_else(|| f.wrong("layer_types", format!("expected a list of {layers} types")))?;
    let window_of = |kind: &Value| match kind.as_str() {
        Some("full_attention") => Ok(None),
        Some("sliding_attention") => window.map(Some).ok_or_else(|| f.missing("sliding_window")),
        _ => Err(f.wrong("layer_types", "expected \"full_attention\" or \"sliding_attention\"")),
    };
    list.iter().map(window_of).collect()
}

/// Fails on settings that nothing here implements.
pub(super) fn only_plain(f: &Fields) -> Result<(), ConfigError> {
    f.only("num_local_experts", &json!(0), "mixtures of experts of this family are not supported")?;
    f.only("mlp_bias", &json!(false), "biases of the feed-forward part are not supported")
}
