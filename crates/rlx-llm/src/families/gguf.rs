//! Settings of GGUF files in the words of `config.json`, so that a family reads both by one function.

use super::names::DIVISORS;
use super::settings::MAX_LAYERS;
use super::written::GgufWritten;
use rlx_gguf::{Gguf, MetaValue};
use rlx_models::fields::Fields;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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
const SCALING: [(&str, &str); 6] = [
    ("factor", "factor"),
    ("original_context_length", "original_max_position_embeddings"),
    ("yarn_beta_fast", "beta_fast"),
    ("yarn_beta_slow", "beta_slow"),
    ("yarn_attn_factor", "attention_factor"),
    ("attn_factor", "attention_factor"),
];

/// The base of rotary embeddings where a file has none: converters leave out what the first Llama had.
const DEFAULT_THETA: f64 = 10_000.0;

/// Settings of one file under translation.
pub(super) struct Translation<'a> {
    gguf: &'a Gguf,
    architecture: &'a str,
    map: Map<String, Value>,
    keys: BTreeMap<String, String>,
}

/// The settings of a file of this family.
pub(super) fn translate(gguf: &Gguf, form: &GgufForm) -> Fields {
    let (map, keys) = Default::default();
    let mut out = Translation { gguf, architecture: form.architecture, map, keys };
    for (key, field) in form.fields.iter().copied().flatten() {
        out.rename(key, field);
    }
    // Most files leave it to the table of the tokens. Where both say it, the table is checked against the key.
    out.rename("vocab_size", "vocab_size");
    if let (None, Some(tensor)) = (out.get("vocab_size"), gguf.tensor("token_embd.weight")) {
        out.set("vocab_size", json!(tensor.shape().first()));
    }
    out.set("tie_word_embeddings", json!(gguf.tensor("output.weight").is_none()));
    out.set("attention_bias", json!(gguf.tensor("blk.0.attn_q.bias").is_some()));
    out.scaling();
    (form.rest)(&mut out);
    let path = gguf.paths().next().map(|path| path.to_path_buf()).unwrap_or_default();
    Fields::translated(&path, out.map, out.keys)
}

/// Nothing.
pub(super) fn nothing(_: &mut Translation<'_>) {}

/// Pairs of rotary embeddings are neighbours: the rows of queries and keys were put in that order.
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
        if let Some(value) = self.gguf.get(&key) {
            self.map.insert(field.into(), json_of(&value));
        }
        // Where it is missing, the last one that it could have been is said.
        self.keys.insert(field.into(), key);
    }

    /// Takes the value of a key, if it is there, over as that of a field that has one already.
    pub(super) fn rename_over(&mut self, key: &str, field: &str) {
        if let Some(value) = self.gguf.get(&format!("{}.{key}", self.architecture)) {
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

    /// The numbers of a tensor.
    pub(super) fn numbers(&self, tensor: &str) -> Option<Value> {
        Some(json!(self.gguf.tensor(tensor)?.to_f32().ok()?))
    }

    /// The scaling of rotary embeddings.
    fn scaling(&mut self) {
        self.map.entry("rope_theta").or_insert(json!(DEFAULT_THETA));
        let get = |key: &str| self.gguf.get(&format!("{}.rope.{key}", self.architecture));
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
        self.map.insert("rope_scaling".into(), scaling.into());
        self.keys.insert("rope_scaling".into(), format!("{}.rope.scaling", self.architecture));
        if let Some(divisors) = self.numbers(DIVISORS) {
            self.set("rope_divisors", divisors);
            self.keys.insert("rope_divisors".into(), DIVISORS.into());
        }
    }
}

/// A value as JSON. Of a list with one entry per layer that are all the same, that entry.
fn json_of(value: &MetaValue<'_>) -> Value {
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
