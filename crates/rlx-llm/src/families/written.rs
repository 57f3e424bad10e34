//! Writes settings of `config.json` as keys of a GGUF file, as llama.cpp's converter does.

pub(super) use crate::row_order::RowOrder;
use crate::spec::{
    AttentionSpec, DecoderSpec, FeedSpec, MixerSpec, NormKind, RopeSpec, RopeStretch, StretchRule,
};
use rlx_gguf::{Array, MetaType, MetaValue};
use rlx_models::fields::Fields;
use serde_json::Value;
use std::f32::consts::TAU;

/// How a family is written to GGUF files.
pub struct GgufWritten {
    /// The order of rows, compared with safetensors.
    pub(crate) order: RowOrder,
    /// Writes the keys.
    pub(crate) keys: fn(&mut Keys<'_>),
    /// What llama.cpp can load.
    pub(crate) limits: Limits,
}

/// What llama.cpp can load for an architecture: it refuses files with other tensors or shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Whether files have a separate output projection.
    pub(crate) output: OutputMatrix,
    /// Whether the output projection of attention may have a bias.
    pub(crate) output_bias: bool,
    /// Whether the width of all heads together must be that of the model.
    pub(crate) square: bool,
    /// Whether all elements of a head must rotate.
    pub(crate) whole_heads: bool,
    /// Whether files may have a divisor for each frequency of the rotary embedding.
    pub(crate) divisors: bool,
}

/// The output projection in files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputMatrix {
    /// If it is missing, the token table is used.
    Optional,
    /// It must be present.
    Needed,
    /// It is always the token table.
    Table,
}

impl Limits {
    /// The limits of most architectures.
    pub(super) const COMMON: Limits = Limits {
        output: OutputMatrix::Optional,
        output_bias: false,
        square: false,
        whole_heads: true,
        divisors: false,
    };
    /// The limits of Llama.
    pub(super) const LLAMA: Limits = Limits { output_bias: true, divisors: true, ..Limits::COMMON };
}

/// A soft cap so large that tanh(x / c) · c is x in single precision: llama.cpp cannot express that there is none.
pub(super) const NO_CAP: f64 = (1u64 << 30) as f64;

/// The keys of a file to be written, and the tensors that represent settings.
pub(crate) struct Keys<'a> {
    fields: &'a Fields,
    pub(super) spec: &'a DecoderSpec,
    architecture: &'a str,
    pub(crate) list: Vec<(String, MetaValue<'static>)>,
    pub(crate) tensors: Vec<(&'static str, Vec<f32>)>,
}

/// Integer keys that most architectures have, and the fields that may hold them; the first one present counts.
const WHOLE: [(&str, &[&str]); 7] = [
    ("block_count", &["num_hidden_layers", "n_layer"]),
    ("context_length", &["max_position_embeddings", "n_ctx", "n_positions"]),
    ("embedding_length", &["hidden_size", "n_embd"]),
    ("feed_forward_length", &["intermediate_size", "n_inner"]),
    ("attention.head_count", &["num_attention_heads", "n_head"]),
    ("attention.head_count_kv", &["num_key_value_heads"]),
    ("expert_count", &["num_local_experts", "num_experts"]),
];

/// The settings of YaRN.
const YARN: [(&str, &[&str]); 3] = [
    ("yarn_attn_factor", &["attention_factor", "attn_factor"]),
    ("yarn_beta_fast", &["beta_fast"]),
    ("yarn_beta_slow", &["beta_slow"]),
];

impl<'a> Keys<'a> {
    pub(crate) fn new(fields: &'a Fields, spec: &'a DecoderSpec, architecture: &'a str) -> Keys<'a> {
        let list = vec![("general.architecture".into(), architecture.into())];
        Keys { fields, spec, architecture, list, tensors: Vec::new() }
    }

    /// Returns the attention of the first layer that has one.
    pub(super) fn attention(&self) -> Option<&'a AttentionSpec> {
        self.spec.layers.iter().find_map(|layer| match &layer.mixer {
            MixerSpec::Attention(attention) => Some(attention),
            _ => None,
        })
    }

    /// Adds the sizes that llama.cpp needs but the settings omit, with the family's defaults.
    pub(crate) fn complete(&mut self) {
        let spec = self.spec;
        let epsilon = match spec.norm.kind {
            NormKind::Rms => "attention.layer_norm_rms_epsilon",
            NormKind::Layer => "attention.layer_norm_epsilon",
        };
        self.put_float_if_missing(epsilon, spec.norm.eps);
        let mut sizes = vec![
            ("block_count", spec.layers.len()),
            ("context_length", spec.context),
            ("embedding_length", spec.width),
        ];
        if let Some(&AttentionSpec { heads, kv_heads, head_size, .. }) = self.attention() {
            sizes.push(("attention.head_count", heads));
            if kv_heads != heads {
                sizes.push(("attention.head_count_kv", kv_heads));
            }
            if heads.saturating_mul(head_size) != spec.width {
                sizes.extend([("attention.key_length", head_size), ("attention.value_length", head_size)]);
            }
        }
        match spec.layers.first().and_then(|layer| layer.feed.as_ref()) {
            Some(FeedSpec::Gated { intermediate, .. } | FeedSpec::Plain { intermediate, .. }) => {
                sizes.push(("feed_forward_length", *intermediate));
            }
            Some(FeedSpec::Experts(experts)) => {
                sizes.push(("expert_feed_forward_length", experts.intermediate));
            }
            None => {}
        }
        for (key, size) in sizes {
            if !self.has(key) {
                self.put_whole(key, size as u64);
            }
        }
    }

    fn has(&self, key: &str) -> bool {
        let key = format!("{}.{key}", self.architecture);
        self.list.iter().any(|(known, _)| *known == key)
    }

    fn put_float_if_missing(&mut self, key: &str, number: f64) {
        if !self.has(key) {
            self.put_float(key, number);
        }
    }

    /// Lists which layers attend to a window if they differ from `default`, which files without the list imply.
    pub(super) fn windows(&mut self, default: impl Fn(usize) -> bool) {
        let windowed = |layer: &crate::spec::LayerSpec| match &layer.mixer {
            MixerSpec::Attention(attention) => attention.window.is_some(),
            _ => false,
        };
        let list: Vec<bool> = self.spec.layers.iter().map(windowed).collect();
        if list.iter().enumerate().any(|(i, &windowed)| windowed != default(i)) {
            let list = Array::new(MetaType::Bool, list.into_iter().map(MetaValue::Bool));
            self.put("attention.sliding_window_pattern", MetaValue::Array(list));
        }
    }

    /// Writes the only rotary embedding as divisors of the frequencies of its base and a factor of its magnitude.
    /// Files that may have divisors can represent any embedding this way, whatever its settings.
    pub(crate) fn exact_rope(&mut self, rope: &RopeSpec) {
        // A pair that does not rotate cannot be expressed by a divisor.
        if rope.frequencies.contains(&0.0) {
            return;
        }
        let scaling = format!("{}.rope.scaling.", self.architecture);
        self.list.retain(|(key, _)| !key.starts_with(&scaling));
        self.tensors.clear();
        let theta = self.rope_float("rope_theta").unwrap_or(1e4);
        self.put_float("rope.freq_base", theta);
        let theta = f64::from(theta as f32);
        let pairs = rope.frequencies.len();
        let divisors = |frequencies: &[f64]| -> Vec<f32> {
            let base = |i: usize| theta.powf(-((2 * i) as f64) / (2 * pairs) as f64);
            frequencies.iter().enumerate().map(|(i, f)| (base(i) / f) as f32).collect()
        };
        if rope.magnitude != 1.0 {
            self.put_float("rope.scaling.attn_factor", rope.magnitude);
        }
        match &rope.stretch {
            None | Some(RopeStretch { rule: StretchRule::GrowingBase { .. }, .. }) => {
                self.tensors.push(("rope_freqs.weight", divisors(&rope.frequencies)))
            }
            Some(RopeStretch { limit, rule: StretchRule::Fixed(long) }) => {
                self.put("rope.scaling.type", "longrope".into());
                self.put_whole("rope.scaling.original_context_length", *limit as u64);
                let long = ("rope_factors_long.weight", divisors(long));
                self.tensors.extend([long, ("rope_factors_short.weight", divisors(&rope.frequencies))]);
            }
        }
    }

    /// Sets the value of a key, given without the architecture.
    pub(super) fn put(&mut self, key: &str, value: MetaValue<'static>) {
        let key = format!("{}.{key}", self.architecture);
        self.list.retain(|(known, _)| *known != key);
        self.list.push((key, value));
    }

    pub(super) fn put_whole(&mut self, key: &str, number: u64) {
        self.put(key, MetaValue::U32(u32::try_from(number).unwrap_or(u32::MAX)));
    }

    pub(super) fn put_float(&mut self, key: &str, number: f64) {
        self.put(key, MetaValue::F32(number as f32));
    }

    /// Writes the first of these fields that is an integer.
    pub(super) fn whole(&mut self, key: &str, fields: &[&str]) {
        if let Some(number) = fields.iter().find_map(|field| self.number(field)) {
            self.put_whole(key, number);
        }
    }

    /// Writes the product of two fields if both are present.
    pub(super) fn product(&mut self, key: &str, fields: [&str; 2]) {
        if let [Some(a), Some(b)] = fields.map(|field| self.number(field)) {
            self.put_whole(key, a.saturating_mul(b));
        }
    }

    /// Writes the first of these fields that is a number.
    pub(super) fn float(&mut self, key: &str, fields: &[&str]) {
        let value = |field: &&str| self.fields.get(field).and_then(Value::as_f64);
        if let Some(number) = fields.iter().find_map(value) {
            self.put_float(key, number);
        }
    }

    /// Returns a field that is a non-negative integer.
    pub(super) fn number(&self, field: &str) -> Option<u64> {
        self.fields.get(field).and_then(Value::as_u64)
    }

    /// Returns a field of a rotary embedding. If kinds of layers differ, it is that of the layers that see all
    /// tokens.
    pub(super) fn rope(&self, field: &str) -> Option<&Value> {
        let map = self.fields.get("rope_parameters").or_else(|| self.fields.get("rope_scaling"));
        let map = map.and_then(Value::as_object);
        let far = map.and_then(|map| map.get("full_attention")).and_then(Value::as_object).or(map);
        far.and_then(|map| map.get(field)).filter(|value| !value.is_null()).or_else(|| self.fields.get(field))
    }

    fn rope_float(&self, field: &str) -> Option<f64> {
        self.rope(field).and_then(Value::as_f64)
    }

    /// Returns the width of a head.
    pub(super) fn head_size(&self) -> Option<u64> {
        let divided = || self.number("hidden_size")?.checked_div(self.number("num_attention_heads")?);
        self.number("head_dim").or_else(divided)
    }

    /// Writes the sizes, the epsilon of norms and the width of heads.
    pub(super) fn sizes(&mut self) {
        for (key, fields) in WHOLE {
            self.whole(key, fields);
        }
        self.whole("expert_used_count", &["num_experts_per_tok"]);
        self.float("attention.layer_norm_rms_epsilon", &["rms_norm_eps"]);
        self.float("attention.layer_norm_epsilon", &["layer_norm_eps", "layer_norm_epsilon"]);
        if let Some(size) = self.number("head_dim") {
            self.put_whole("attention.key_length", size);
            self.put_whole("attention.value_length", size);
        }
    }

    /// Writes the rotary embedding.
    pub(super) fn rotary(&mut self) {
        let kind = self.rope("rope_type").or_else(|| self.rope("type")).and_then(Value::as_str);
        match (kind, self.rope_float("factor")) {
            (Some("linear"), Some(factor)) => {
                self.put("rope.scaling.type", "linear".into());
                self.put_float("rope.scaling.factor", factor);
            }
            (Some("yarn"), Some(factor)) => {
                self.put("rope.scaling.type", "yarn".into());
                self.put_float("rope.scaling.factor", factor);
                if let Some(length) = self.rope("original_max_position_embeddings").and_then(Value::as_u64) {
                    self.put_whole("rope.scaling.original_context_length", length);
                }
                for (key, fields) in YARN {
                    if let Some(number) = fields.iter().find_map(|field| self.rope_float(field)) {
                        self.put_float(&format!("rope.scaling.{key}"), number);
                    }
                }
                self.magnitude_of_yarn(factor);
            }
            _ => {}
        }
        self.theta();
        let local = self.fields.get("rope_parameters").and_then(|map| map.get("sliding_attention"));
        let local = local.and_then(|map| map.get("rope_theta")).or(self.fields.get("rope_local_base_freq"));
        if let Some(theta) = local.and_then(Value::as_f64) {
            self.put_float("rope.freq_base_swa", theta);
        }
    }

    /// Writes the magnitude of a YaRN embedding if it is not the one that files imply, as a factor of that one.
    fn magnitude_of_yarn(&mut self, factor: f64) {
        let Some(rope) = self.attention().and_then(|attention| self.spec.ropes.get(attention.rope?)) else {
            return;
        };
        let usual = usual_magnitude(factor, 1.0);
        if (rope.magnitude - usual).abs() > 1e-7 * usual {
            self.put_float("rope.scaling.attn_factor", rope.magnitude / usual);
        }
    }

    pub(super) fn theta(&mut self) {
        if let Some(theta) = self.rope_float("rope_theta") {
            self.put_float("rope.freq_base", theta);
        }
    }

    /// Writes the scaling of Llama 3 as a divisor for each pair.
    pub(super) fn divisors(&mut self) {
        if self.rope("rope_type").or_else(|| self.rope("type")).and_then(Value::as_str) != Some("llama3") {
            return;
        }
        let Some(size) = self.head_size() else { return };
        let number = |field: &str, default: f64| self.rope_float(field).unwrap_or(default) as f32;
        let (theta, factor) = (number("rope_theta", 1e4), number("factor", 8.0));
        let (low, high) = (number("low_freq_factor", 1.0), number("high_freq_factor", 4.0));
        let original = number("original_max_position_embeddings", 8192.0);
        // In single precision, as llama.cpp's converter computes it.
        let divisor = |i: u64| {
            let frequency = 1.0 / f64::from(theta).powf(f64::from((2 * i) as f32 / size as f32)) as f32;
            let length = TAU / frequency;
            if length < original / high {
                return 1.0;
            }
            if length > original / low {
                return factor;
            }
            let smooth = (original / length - low) / (high - low);
            1.0 / ((1.0 - smooth) / factor + smooth)
        };
        self.tensors.push(("rope_freqs.weight", (0..size / 2).map(divisor).collect()));
    }

    /// Returns a list of numbers from the settings of the rotary embedding.
    pub(super) fn rope_list(&self, field: &str) -> Option<Vec<f32>> {
        let list = self.rope(field)?.as_array()?;
        list.iter().map(|x| x.as_f64().map(|x| x as f32)).collect()
    }

    /// Returns a field that is a list of strings.
    pub(super) fn texts_of(&self, field: &str) -> Option<Vec<&str>> {
        self.fields.get(field)?.as_array()?.iter().map(Value::as_str).collect()
    }

    /// Returns a list of strings as a value.
    pub(crate) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> MetaValue<'static> {
        MetaValue::Array(Array::new(MetaType::Text, texts.into_iter().map(MetaValue::from)))
    }
}

/// Returns the factor of cosines and sines that YaRN uses for a text stretched by `factor` (Peng et al., 2023).
pub(super) fn usual_magnitude(factor: f64, m: f64) -> f64 {
    if factor <= 1.0 { 1.0 } else { 0.1 * m * factor.ln() + 1.0 }
}

/// Writes only the keys that most architectures have.
pub(super) fn common(keys: &mut Keys<'_>) {
    keys.sizes();
    keys.rotary();
}

/// Writes the keys of Llama and its relatives.
pub(super) fn llama(keys: &mut Keys<'_>) {
    common(keys);
    keys.whole("vocab_size", &["vocab_size"]);
    if let Some(size) = keys.head_size() {
        keys.put_whole("rope.dimension_count", size);
    }
    keys.divisors();
}
