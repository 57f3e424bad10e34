//! Translates the settings of GGUF files into those of `config.json`, so that a family needs one function for both.

use super::names::DIVISORS;
use super::settings::MAX_LAYERS;
use super::written::{GgufWritten, usual_magnitude};
use rlx_gguf::{Gguf, MetaValue};
use rlx_models::fields::Fields;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// How a family is represented in GGUF files.
pub struct GgufForm {
    /// The value of `general.architecture`.
    pub architecture: &'static str,
    /// Keys, without the architecture, and the fields that they correspond to. If several rows have the same field,
    /// the first one whose key is present counts.
    pub(super) fields: &'static [&'static [(&'static str, &'static str)]],
    /// Translates everything that is not a simple renaming.
    pub(super) rest: fn(&mut Translation<'_>),
    /// How the family is written.
    pub(crate) written: GgufWritten,
    /// The names of its tensors.
    pub(crate) names: &'static super::TensorNames,
}

/// What a file says about a model. Implemented for files that are read and for files about to be written.
pub(crate) trait GgufHeader {
    /// Returns the value of a key.
    fn value(&self, key: &str) -> Option<MetaValue<'_>>;
    /// Returns the shape of a tensor.
    fn shape(&self, tensor: &str) -> Option<Vec<usize>>;
    /// Returns the values of a small tensor.
    fn numbers(&self, tensor: &str) -> Option<Cow<'_, [f32]>>;
}

impl GgufHeader for Gguf {
    fn value(&self, key: &str) -> Option<MetaValue<'_>> {
        self.get(key)
    }

    fn shape(&self, tensor: &str) -> Option<Vec<usize>> {
        Some(self.tensor(tensor)?.shape().to_vec())
    }

    fn numbers(&self, tensor: &str) -> Option<Cow<'_, [f32]>> {
        Some(self.tensor(tensor)?.to_f32().ok()?.into())
    }
}

/// The keys that most architectures have.
pub(super) const COMMON_FIELDS: &[(&str, &str)] = &[
    ("embedding_length", "hidden_size"),
    ("block_count", "num_hidden_layers"),
    ("feed_forward_length", "intermediate_size"),
    ("attention.head_count", "num_attention_heads"),
    ("attention.head_count_kv", "num_key_value_heads"),
    ("attention.key_length", "head_dim"),
    ("attention.layer_norm_rms_epsilon", "rms_norm_eps"),
    ("context_length", "max_position_embeddings"),
    ("rope.freq_base", "rope_theta"),
    ("rope.dimension_count", "rotary_dim"),
    ("expert_count", "num_local_experts"),
];

/// The settings of a scaling of rotary embeddings.
pub(super) const SCALING: [(&str, &str); 5] = [
    ("factor", "factor"),
    ("original_context_length", "original_max_position_embeddings"),
    ("yarn_beta_fast", "beta_fast"),
    ("yarn_beta_slow", "beta_slow"),
    ("yarn_attn_factor", "attention_factor"),
];

/// The base of rotary embeddings if a file has none: converters omit the value of the first Llama.
const DEFAULT_THETA: f64 = 10_000.0;

/// The settings of one file while they are translated.
pub(super) struct Translation<'a> {
    gguf: &'a dyn GgufHeader,
    architecture: &'a str,
    map: Map<String, Value>,
    keys: BTreeMap<String, String>,
}

/// Translates the settings of a file of this family. Errors name `path` as their file.
pub(crate) fn translate(gguf: &dyn GgufHeader, form: &GgufForm, path: &Path) -> Fields {
    let (map, keys) = Default::default();
    let mut out = Translation { gguf, architecture: form.architecture, map, keys };
    for (key, field) in form.fields.iter().copied().flatten() {
        out.rename(key, field);
    }
    // Most files imply the size by the token table. If a file has both, the table is checked against the key.
    out.rename("vocab_size", "vocab_size");
    if let (None, Some(shape)) = (out.get("vocab_size"), gguf.shape("token_embd.weight")) {
        out.set("vocab_size", json!(shape.first()));
    }
    out.set("tie_word_embeddings", json!(gguf.shape("output.weight").is_none()));
    out.set("attention_bias", json!(gguf.shape("blk.0.attn_q.bias").is_some()));
    out.scaling();
    (form.rest)(&mut out);
    Fields::translated(path, out.map, out.keys)
}

/// Does nothing, for architectures that only rename keys.
pub(super) fn nothing(_: &mut Translation<'_>) {}

/// Rotary pairs are adjacent elements: the rows of queries and keys were reordered for that.
pub(super) fn interleaved(out: &mut Translation<'_>) {
    out.set("rope_interleave", json!(true));
}

impl Translation<'_> {
    /// Copies the value of a key to a field, unless the field already has one.
    pub(super) fn rename(&mut self, key: &str, field: &str) {
        let key = format!("{}.{key}", self.architecture);
        if self.map.contains_key(field) {
            return;
        }
        if let Some(value) = self.gguf.value(&key) {
            self.map.insert(field.into(), json_of(&value));
        }
        // If the key is missing, errors name the last key that could have held the field.
        self.keys.insert(field.into(), key);
    }

    /// Copies the value of a key, if present, to a field, even if the field already has one.
    pub(super) fn rename_over(&mut self, key: &str, field: &str) {
        if let Some(value) = self.gguf.value(&format!("{}.{key}", self.architecture)) {
            self.set(field, json_of(&value));
        }
    }

    /// Sets a field to a value that the file implies.
    pub(super) fn set(&mut self, field: &str, value: Value) {
        self.map.insert(field.into(), value);
    }

    /// Returns the current value of a field.
    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.map.get(field)
    }

    /// Removes a field whose value 0 means that it is not set.
    pub(super) fn drop_zero(&mut self, field: &str) {
        if self.get(field).and_then(Value::as_f64) == Some(0.0) {
            self.map.remove(field);
        }
    }

    /// Removes a field whose value of at least `least` means that it is not set.
    pub(super) fn drop_from(&mut self, field: &str, least: f64) {
        if self.get(field).and_then(Value::as_f64).is_some_and(|number| number >= least) {
            self.map.remove(field);
        }
    }

    /// Sets a field to the value that files imply when they lack it.
    pub(super) fn set_if_missing(&mut self, field: &str, value: Value) {
        self.map.entry(field).or_insert(value);
    }

    /// Sets which layers attend to a window if the file lists them. If the file has a number n instead, every n-th
    /// layer has no window.
    pub(super) fn layer_types(&mut self) {
        let key = format!("{}.attention.sliding_window_pattern", self.architecture);
        let Some(MetaValue::Array(list)) = self.gguf.value(&key) else { return };
        if list.len() > MAX_LAYERS {
            return;
        }
        let kind = |value: MetaValue<'_>| match value.as_bool().or(value.as_int().map(|n| n != 0)) {
            Some(true) => json!("sliding_attention"),
            Some(false) => json!("full_attention"),
            None => Value::Null,
        };
        let types: Vec<Value> = list.iter().map(kind).collect();
        self.map.remove("sliding_window_pattern");
        self.set("layer_types", types.into());
        self.keys.insert("layer_types".into(), key);
    }

    /// Returns the values of a tensor as a list.
    pub(super) fn numbers(&self, tensor: &str) -> Option<Value> {
        Some(json!(self.gguf.numbers(tensor)?))
    }

    /// Adds the divisors for short and long texts, which are tensors.
    fn long_and_short(&self, scaling: &mut Map<String, Value>) {
        let factors = ["long", "short"].map(|kind| self.numbers(&format!("rope_factors_{kind}.weight")));
        if let [Some(long), Some(short)] = factors {
            scaling.insert("type".into(), json!("longrope"));
            scaling.insert("long_factor".into(), long);
            scaling.insert("short_factor".into(), short);
        }
    }

    /// Sets the factor of cosines and sines. For YaRN, the file's value multiplies the factor that the stretch
    /// implies; otherwise it is the factor itself.
    fn magnitude(
        &mut self,
        scaling: &mut Map<String, Value>,
        factor: Option<MetaValue<'_>>,
        log_multiplier: Option<MetaValue<'_>>,
    ) {
        let number = |value: Option<MetaValue<'_>>| value.and_then(|value| value.as_f64());
        let (factor, log_multiplier) = (number(factor), number(log_multiplier).filter(|m| *m != 0.0));
        let stretch = scaling.get("factor").and_then(Value::as_f64);
        match (scaling.get("type").and_then(Value::as_str), stretch) {
            (Some("yarn"), Some(stretch)) if factor.is_some() || log_multiplier.is_some() => {
                let usual = usual_magnitude(stretch, 1.0);
                let usual = log_multiplier.map_or(usual, |m| usual / usual_magnitude(stretch, m));
                scaling.insert("attention_factor".into(), json!(usual * factor.unwrap_or(1.0)));
            }
            (Some("longrope"), _) if factor.is_some() => {
                scaling.insert("attention_factor".into(), json!(factor));
            }
            _ if factor.is_some_and(|factor| factor != 1.0) => {
                self.set("rope_magnitude", json!(factor));
                let key = format!("{}.rope.scaling.attn_factor", self.architecture);
                self.keys.insert("rope_magnitude".into(), key);
            }
            _ => {}
        }
    }

    /// Translates the scaling of rotary embeddings.
    fn scaling(&mut self) {
        self.map.entry("rope_theta").or_insert(json!(DEFAULT_THETA));
        let (gguf, architecture) = (self.gguf, self.architecture);
        let get = |key: &str| gguf.value(&format!("{architecture}.rope.{key}"));
        let mut scaling = Map::new();
        for (key, field) in SCALING {
            if let Some(value) = get(&format!("scaling.{key}")) {
                scaling.insert(field.into(), json_of(&value));
            }
        }
        match get("scaling.type").as_ref().and_then(MetaValue::as_str) {
            None if scaling.contains_key("factor") => scaling.insert("type".into(), json!("linear")),
            None | Some("none") => None,
            Some(kind) => scaling.insert("type".into(), json!(kind)),
        };
        if let Some(factor) = get("scale_linear")
            && !scaling.contains_key("type")
        {
            scaling.insert("type".into(), json!("linear"));
            scaling.insert("factor".into(), json_of(&factor));
        }
        self.long_and_short(&mut scaling);
        self.magnitude(&mut scaling, get("scaling.attn_factor"), get("scaling.yarn_log_multiplier"));
        self.map.insert("rope_scaling".into(), scaling.into());
        self.keys.insert("rope_scaling".into(), format!("{}.rope.scaling", self.architecture));
        if let Some(divisors) = self.numbers(DIVISORS) {
            self.set("rope_divisors", divisors);
            self.keys.insert("rope_divisors".into(), DIVISORS.into());
        }
    }
}

/// Converts a value to JSON. A list whose entries are all equal, such as one entry per layer, becomes that entry.
pub(super) fn json_of(value: &MetaValue<'_>) -> Value {
    match value {
        MetaValue::Bool(on) => json!(on),
        MetaValue::Text(text) => json!(String::from_utf8_lossy(text)),
        MetaValue::Array(array) if array.len() > MAX_LAYERS => json!(format!("a list of {}", array.len())),
        MetaValue::Array(array) => {
            let list: Vec<Value> = array.iter().map(|value| json_of(&value)).collect();
            match list.split_first() {
                Some((first, rest)) if rest.iter().all(|value| value == first) => first.clone(),
                _ => list.into(),
            }
        }
        MetaValue::F32(_) | MetaValue::F64(_) => match value.as_f64() {
            Some(x) if x.is_finite() => json!(x),
            x => json!(x.map(|x| x.to_string())),
        },
        whole => match whole.as_int().map(i64::try_from) {
            Some(Ok(n)) => json!(n),
            _ => json!(whole.as_u64()),
        },
    }
}
