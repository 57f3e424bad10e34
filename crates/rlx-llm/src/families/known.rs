//! Checks settings that a family does not read, in addition to those that [`KnownFields`] knows for every model.

use super::Family;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::{EMPTY, NONE, ONE, RefusedField, is_one_of, unknown};
use serde_json::{Map, Value};

/// Fields that are not read if `rope_parameters` has the same settings.
const BESIDE_ROPE_PARAMETERS: &[&str] = &["partial_rotary_factor", "rope_local_base_freq", "rope_theta"];

/// Known settings of rotary embeddings: names of fields, and of groups of fields.
const ROPE: &[&str] = &[
    "attention_factor",
    "beta_fast",
    "beta_slow",
    "factor",
    "full_attention",
    "high_freq_factor",
    "long_factor",
    "low_freq_factor",
    "mrope_interleaved",
    "mrope_section",
    "mscale",
    "mscale_all_dim",
    "original_max_position_embeddings",
    "partial_rotary_factor",
    "rope_theta",
    "rope_type",
    "short_factor",
    "sliding_attention",
    "truncate",
    "type",
];

/// Settings that change the model in other families.
const ROPE_REFUSED: &[RefusedField] = &[
    ("alpha", NONE, "a base that depends on alpha is not supported"),
    ("extrapolation_factor", ONE, "a different share of YaRN's ramp is not supported"),
    ("llama_4_scaling_beta", NONE, "scores that depend on the position are not supported"),
    ("long_mscale", NONE, "a separate magnitude for long texts is not supported"),
    ("short_mscale", NONE, "a separate magnitude for short texts is not supported"),
];

impl Family {
    /// Fails if a setting changes the model but was not read by the family.
    pub(super) fn refuse_unread(&self, fields: &Fields) -> Result<(), ConfigError> {
        self.known.check(fields)?;
        let beside = fields
            .unread()
            .into_iter()
            .find(|(key, value)| *key == "rope_scaling" && !is_one_of(value, EMPTY));
        if beside.is_some() {
            let problem = "rope_parameters already defines the rotary embedding; remove one of the two";
            return Err(fields.wrong("rope_scaling", problem));
        }
        for (field, map) in rope_maps(fields) {
            let refused = |(name, allowed, problem): &RefusedField| {
                let value = map.get(*name).filter(|value| !value.is_null() && !is_one_of(value, allowed))?;
                Some(fields.wrong(field, format!("{name} = {value}: {problem}")))
            };
            if let Some(error) = ROPE_REFUSED.iter().find_map(refused) {
                return Err(error);
            }
            // For proportional embeddings, the setting is a share of the pairs, and heads rotate completely.
            let kind = map.get("rope_type").or_else(|| map.get("type")).and_then(Value::as_str);
            if kind == Some("proportional") {
                continue;
            }
            let part =
                map.get("partial_rotary_factor").filter(|part| !part.is_null() && !is_one_of(part, ONE));
            if let (Some(part), false) = (part, self.partial_rotation) {
                return Err(fields.wrong(field, format!("partial_rotary_factor = {part}: {WHOLE}")));
            }
        }
        match fields.get("partial_rotary_factor").filter(|part| !is_one_of(part, ONE)) {
            Some(_) if !self.partial_rotation => Err(fields.wrong("partial_rotary_factor", WHOLE)),
            _ => Ok(()),
        }
    }

    /// Returns a sentence for each setting that is not recognized. To be called after the settings were read.
    pub(crate) fn unknown(&self, fields: &Fields) -> Vec<String> {
        // If there are `rope_parameters`, nothing asks for the fields that older files have instead.
        BESIDE_ROPE_PARAMETERS.iter().for_each(|field| _ = fields.get(field));
        let mut told = self.known.unknown(fields, self.name);
        for (field, map) in rope_maps(fields) {
            let is_known =
                |key: &str| ROPE.contains(&key) || ROPE_REFUSED.iter().any(|(name, ..)| *name == key);
            let unread = map.iter().filter(|(key, value)| !is_known(key) && !value.is_null());
            told.extend(
                unread.map(|(key, value)| unknown(fields, self.name, &format!("{field}.{key}"), value)),
            );
        }
        told
    }
}

const WHOLE: &str = "in this family, all elements of a head rotate";

/// Returns the settings of rotary embeddings, for all layers and for each kind of layer.
fn rope_maps(fields: &Fields) -> Vec<(&'static str, &Map<String, Value>)> {
    let mut maps = Vec::new();
    for field in ["rope_parameters", "rope_scaling"] {
        let Some(map) = fields.get(field).and_then(Value::as_object) else { continue };
        maps.push((field, map));
        let kinds = ["full_attention", "sliding_attention"].into_iter();
        maps.extend(kinds.filter_map(|kind| Some((field, map.get(kind)?.as_object()?))));
    }
    maps
}
