//! Translates settings of GGUF files into those of `config.json`, so that a family reads both with one
//! function.

use super::names::DIVISORS;
use super::settings::MAX_LAYERS;
use super::written::{GgufWritten, usual_magnitude};
use rlx_gguf::{Gguf, MetaValue};
use rlx_models::fields::Fields;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// How a family lies in GGUF files.
pub struct GgufForm {
    /// What `general.architecture` says.
    pub architecture: &'static str,
    /// Keys behind the architecture, and the fields that say the same; of rows with the same field the first that is there counts.
    pub(super) fields: &'static [&'static [(&'static str, &'static str)]],
    /// What else there is to say.
    pub(super) rest: fn(&mut Translation<'_>),
    /// How it is written.
    pub(crate) written: GgufWritten,
    /// Where its tensors lie.
    pub(crate) names: &'static super::TensorNames,
}

/// What a file says of a model: that of a file that is read, and that of one that is about to be written.
pub(crate) trait GgufHeader {
    /// The value of a key.
    fn value(&self, key: &str) -> Option<MetaValue<'_>>;
    /// The shape of a tensor.
    fn shape(&self, tensor: &str) -> Option<Vec<usize>>;
    /// The numbers of a small tensor.
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

/// What most architectures have.
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

/// What scalings of rotary embeddings are told.
pub(super) const SCALING: [(&str, &str); 5] = [
    ("factor", "factor"),
    ("original_context_length", "original_max_position_embeddings"),
    ("yarn_beta_fast", "beta_fast"),
    ("yarn_beta_slow", "beta_slow"),
    ("yarn_attn_factor", "attention_factor"),
];

/// The base of rotary embeddings where a file has none: converters leave out what the first Llama had.
const DEFAULT_THETA: f64 = 10_000.0;

/// Settings of one file under translation.
pub(super) struct Translation<'a> {
    gguf: &'a dyn GgufHeader,
    architecture: &'a str,
    map: Map<String, Value>,
    keys: BTreeMap<String, String>,
}

/// The settings of a file of this family, of which errors say that they are in the file `path`.
pub(crate) fn translate(gguf: &dyn GgufHeader, form: &GgufForm, path: &Path) -> Fields {
    let (map, keys) = Default::default();
    let mut out = Translation { gguf, architecture: form.architecture, map, keys };
    for (key, field) in form.fields.iter().copied().flatten() {
        out.rename(key, field);
    }
    // Most files leave it to the table of the tokens. Where both say it, the table is checked against the key.
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

/// Nothing.
pub(super) fn nothing(_: &mut Translation<'_>) {}

/// Pairs of rotary embeddings are neighbors: the rows of queries and keys were put in that order.
pub(super) fn interleaved(out: &mut Translation<'_>) {
    out.set("rope_interleave", json!(true));
}

impl Translation<'_> {
    /// Takes the value of a key over as that of a field, unless the field has one.
    pub(super) fn rename(&mut self, key: &str, field: &str) {
        let key = format!("{}.{key}", self.architecture);
        if self.map.contains_key(field) {
            return;
        }
        if let Some(value) = self.gguf.value(&key) {
            self.map.insert(field.into(), json_of(&value));
        }
        // Where it is missing, the last one that it could have been is said.
        self.keys.insert(field.into(), key);
    }

    /// Takes the value of a key, if it is there, over as that of a field that has one already.
    pub(super) fn rename_over(&mut self, key: &str, field: &str) {
        if let Some(value) = self.gguf.value(&format!("{}.{key}", self.architecture)) {
            self.set(field, json_of(&value));
        }
    }

    /// Says what the file implies.
    pub(super) fn set(&mut self, field: &str, value: Value) {
        self.map.insert(field.into(), value);
    }

    /// The value of a field so far.
    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.map.get(field)
    }

    /// A field that is 0 where there is nothing to say.
    pub(super) fn drop_zero(&mut self, field: &str) {
        if self.get(field).and_then(Value::as_f64) == Some(0.0) {
            self.map.remove(field);
        }
    }

    /// A field that is so large where there is nothing to say.
    pub(super) fn drop_from(&mut self, field: &str, least: f64) {
        if self.get(field).and_then(Value::as_f64).is_some_and(|number| number >= least) {
            self.map.remove(field);
        }
    }

    /// Says what files mean that do not say it.
    pub(super) fn set_if_missing(&mut self, field: &str, value: Value) {
        self.map.entry(field).or_insert(value);
    }

    /// Which layers attend to a window, where the file lists them: a number is after how many layers one does not.
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

    /// The numbers of a tensor.
    pub(super) fn numbers(&self, tensor: &str) -> Option<Value> {
        Some(json!(self.gguf.numbers(tensor)?))
    }

    /// Divisors for long texts are tensors.
    fn long_and_short(&self, scaling: &mut Map<String, Value>) {
        let factors = ["long", "short"].map(|kind| self.numbers(&format!("rope_factors_{kind}.weight")));
        if let [Some(long), Some(short)] = factors {
            scaling.insert("type".into(), json!("longrope"));
            scaling.insert("long_factor".into(), long);
            scaling.insert("short_factor".into(), short);
        }
    }

    /// What cosines and sines are multiplied with: of YaRN a factor of what its stretch asks for, else the number itself.
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

    /// The scaling of rotary embeddings.
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

/// A value as JSON. Of a list with one entry per layer that are all the same, that entry.
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
