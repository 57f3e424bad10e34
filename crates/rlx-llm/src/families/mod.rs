//! The families of models: how each one writes its settings and names its tensors.
//!
//! A family is one file, with a function from settings to a [`DecoderSpec`], and one row of [`FAMILIES`].
//!
//! To add a family, add the file, the row, and a checkpoint made by `scripts/llm_checkpoints.py`; a test fails if the
//! checkpoint is missing. Its expected logits and greedy texts come from `transformers`. `scripts/llm_gguf.py`
//! converts the checkpoints with llama.cpp's converter and records what llama.cpp computes.

mod companions;
mod gemma;
mod gguf;
mod gguf_keys;
mod gpt2;
mod gpt_oss;
mod known;
mod llama;
mod mamba2;
mod names;
mod phi3;
mod qwen;
mod qwen35;
mod qwen_moe;
mod rope;
mod settings;
mod smollm3;
mod text_part;
mod written;

use crate::checkpoint::{Checkpoint, CheckpointFiles};
use crate::spec::DecoderSpec;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::path::Path;

pub use gguf::GgufForm;
pub(crate) use gguf::{GgufHeader, translate};
pub(crate) use names::{Param, TensorNames};
pub(crate) use text_part::TextTensors;
pub(crate) use written::{Keys, Limits, OutputMatrix};

/// A family of models.
pub struct Family {
    /// The name, as in the field `model_type` of `config.json`.
    pub name: &'static str,
    /// Builds the spec that settings describe.
    read: fn(&Fields) -> Result<DecoderSpec, ConfigError>,
    /// Settings that published files omit, with the reference's defaults.
    defaults: &'static [(&'static str, u64)],
    /// The names of its tensors in safetensors.
    names: &'static TensorNames,
    /// What is known about settings that the family does not read.
    known: KnownFields,
    /// Whether a part of each head may rotate while the rest does not.
    partial_rotation: bool,
    /// How it is represented in GGUF files, if they distinguish it from other families.
    pub gguf: Option<GgufForm>,
}

/// All supported families.
pub const FAMILIES: &[Family] = &[
    llama::LLAMA,
    llama::MISTRAL,
    qwen::QWEN2,
    qwen::QWEN3,
    qwen_moe::QWEN2_MOE,
    qwen_moe::QWEN3_MOE,
    qwen35::QWEN35,
    smollm3::SMOLLM3,
    gemma::GEMMA2,
    gemma::GEMMA3,
    phi3::PHI3,
    gpt2::GPT2,
    gpt_oss::GPT_OSS,
    mamba2::MAMBA2,
];

impl Family {
    /// Returns the family of a folder with `config.json`, and its settings. For a model that reads more than text,
    /// these are the settings of its language model.
    ///
    /// # Errors
    /// The same as [`Family::load`].
    pub(crate) fn of_folder(path: &Path) -> Result<(&'static Family, Fields), ConfigError> {
        let fields = text_part::settings(Fields::load(&path.join("config.json"))?);
        let family = Self::named(&fields)?;
        let missing = family.defaults.iter().filter(|(field, _)| fields.get(field).is_none());
        let fields = missing.fold(fields.clone(), |fields, &(field, value)| fields.with(field, json!(value)));
        Ok((family, fields))
    }

    /// Builds the spec that settings describe.
    ///
    /// # Errors
    /// Fails if a setting cannot be used, or if a setting changes the model but is not read by the family.
    pub(crate) fn spec(&self, fields: &Fields) -> Result<DecoderSpec, ConfigError> {
        let spec = (self.read)(fields)?;
        self.refuse_unread(fields)?;
        Ok(spec)
    }

    /// Returns the family that reads GGUF files of an architecture.
    pub(crate) fn of_architecture(architecture: &str) -> Option<&'static Family> {
        let is =
            |family: &&Family| family.gguf.as_ref().is_some_and(|form| form.architecture == architecture);
        FAMILIES.iter().find(is)
    }

    /// Returns the names of its tensors in safetensors.
    pub(crate) fn names(&self) -> &'static TensorNames {
        self.names
    }

    /// Returns the names of a checkpoint's tensors in GGUF files, if there are names for its family.
    pub(crate) fn gguf_names(path: &Path, checkpoint: &Checkpoint) -> Option<&'static TensorNames> {
        match &checkpoint.files {
            CheckpointFiles::Safetensors(_) => Some(Family::of_folder(path).ok()?.0.gguf.as_ref()?.names),
            CheckpointFiles::Gguf(_) => Some(Family::load(path, checkpoint).ok()?.1),
        }
    }

    /// Returns the spec that the settings of a checkpoint describe, and the names of its tensors. The settings are
    /// `config.json` next to safetensors at `path`, or the keys of a GGUF file.
    ///
    /// # Errors
    /// Returns a [`ConfigError`] that names the field and its value. For a model of an unknown family, it lists the
    /// known ones.
    pub(crate) fn load(
        path: &Path,
        checkpoint: &Checkpoint,
    ) -> Result<(DecoderSpec, &'static TensorNames), ConfigError> {
        let (family, fields) = Family::of(path, checkpoint)?;
        let names = match (&checkpoint.files, &family.gguf) {
            (CheckpointFiles::Gguf(_), Some(form)) => form.names,
            _ => family.names,
        };
        Ok((family.spec(&fields)?, names))
    }

    /// Returns the family of a checkpoint, and its settings.
    ///
    /// # Errors
    /// The same as [`Family::load`].
    pub(crate) fn of(path: &Path, checkpoint: &Checkpoint) -> Result<(&'static Family, Fields), ConfigError> {
        match &checkpoint.files {
            CheckpointFiles::Safetensors(_) => Family::of_folder(path),
            CheckpointFiles::Gguf(file) => {
                let architecture = file.get("general.architecture");
                let map = Map::from_iter(
                    architecture.iter().filter_map(|a| a.as_str()).map(|a| ("model_type".into(), json!(a))),
                );
                let keys = BTreeMap::from([("model_type".into(), "general.architecture".into())]);
                let fields = Fields::translated(path, map, keys);
                let family = known(&fields, |family| family.gguf.as_ref().map(|form| form.architecture))?;
                let form = family.gguf.as_ref().ok_or_else(|| fields.missing("model_type"))?;
                form.refuse_keys(file, path)?;
                Ok((family, gguf::translate(file, form, path)))
            }
        }
    }

    /// Returns a sentence for each setting of a checkpoint that is not recognized and therefore has no effect.
    ///
    /// # Errors
    /// The same as [`Family::load`].
    pub(crate) fn unknown_settings(path: &Path, checkpoint: &Checkpoint) -> Result<Vec<String>, ConfigError> {
        match &checkpoint.files {
            CheckpointFiles::Safetensors(_) => unknown_settings(path),
            CheckpointFiles::Gguf(file) => {
                let form = Family::of(path, checkpoint)?.0.gguf.as_ref();
                Ok(form.map(|form| form.unknown_keys(file, path)).unwrap_or_default())
            }
        }
    }

    /// Returns the family that `config.json` names.
    pub(crate) fn named(fields: &Fields) -> Result<&'static Family, ConfigError> {
        known(fields, |family| Some(family.name))
    }
}

/// Returns a sentence for each setting in a folder's `config.json`, `tokenizer_config.json` and
/// `generation_config.json` that is not recognized, or that has an effect elsewhere but none here.
///
/// # Errors
/// Returns a [`ConfigError`] for a setting that cannot be used, or that changes the model but is not supported, with
/// its name and value.
pub fn unknown_settings(folder: &Path) -> Result<Vec<String>, ConfigError> {
    let (family, fields) = Family::of_folder(folder)?;
    // Which settings are read is known only after building the spec.
    family.spec(&fields)?;
    let mut told = family.unknown(&fields);
    told.extend(companions::sentences(folder, family.name)?);
    Ok(told)
}

/// Returns the family named by the field `model_type`.
fn known(
    fields: &Fields,
    name_of: impl Fn(&'static Family) -> Option<&'static str>,
) -> Result<&'static Family, ConfigError> {
    let name = fields.text("model_type")?.ok_or_else(|| fields.missing("model_type"))?;
    FAMILIES.iter().find(|family| name_of(family) == Some(name)).ok_or_else(|| {
        // Two families may look the same in files.
        let mut known: Vec<&str> = FAMILIES.iter().filter_map(name_of).collect();
        known.dedup();
        let problem = format!("unknown family of language models; known families: {}", known.join(", "));
        fields.wrong("model_type", problem)
    })
}
