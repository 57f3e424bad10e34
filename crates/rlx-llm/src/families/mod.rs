//! The families of models: how each writes its settings, and where its tensors are.
//!
//! A family is one file, with a function from settings to a [`DecoderSpec`], and one row of [`FAMILIES`].
//!
//! To add a family: the file, the row, and a checkpoint made by `scripts/llm_checkpoints.py`, without which a
//! test fails; its logits and greedy texts are those of `transformers`. `scripts/llm_gguf.py` makes GGUF files
//! of the checkpoints with llama.cpp's converter, and records what llama.cpp computes.

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
    /// Its name, as `model_type` of `config.json` has it.
    pub name: &'static str,
    /// The spec that settings ask for.
    read: fn(&Fields) -> Result<DecoderSpec, ConfigError>,
    /// Settings that published files leave out, and what the reference takes then.
    defaults: &'static [(&'static str, u64)],
    /// Where its tensors lie in safetensors.
    names: &'static TensorNames,
    /// What is known of settings that it does not read.
    known: KnownFields,
    /// Whether a part of a head may rotate, and the rest not.
    partial_rotation: bool,
    /// How it lies in GGUF files, where these tell it from others.
    pub gguf: Option<GgufForm>,
}

/// All families that are known.
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
    /// The family of a folder with `config.json`, and its settings: of a model that reads more than text those of its language model.
    ///
    /// # Errors
    /// As [`Family::load`].
    pub(crate) fn of_folder(path: &Path) -> Result<(&'static Family, Fields), ConfigError> {
        let fields = text_part::settings(Fields::load(&path.join("config.json"))?);
        let family = Self::named(&fields)?;
        let missing = family.defaults.iter().filter(|(field, _)| fields.get(field).is_none());
        let fields = missing.fold(fields.clone(), |fields, &(field, value)| fields.with(field, json!(value)));
        Ok((family, fields))
    }

    /// The spec that settings ask for.
    ///
    /// # Errors
    /// A setting that cannot be used, and one that the family does not read and that changes the model.
    pub(crate) fn spec(&self, fields: &Fields) -> Result<DecoderSpec, ConfigError> {
        let spec = (self.read)(fields)?;
        self.refuse_unread(fields)?;
        Ok(spec)
    }

    /// The family that reads GGUF files of an architecture.
    pub(crate) fn of_architecture(architecture: &str) -> Option<&'static Family> {
        let is =
            |family: &&Family| family.gguf.as_ref().is_some_and(|form| form.architecture == architecture);
        FAMILIES.iter().find(is)
    }

    /// Where its tensors lie in safetensors.
    pub(crate) fn names(&self) -> &'static TensorNames {
        self.names
    }

    /// What GGUF files call the tensors of a checkpoint, if they have names for its family.
    pub(crate) fn gguf_names(path: &Path, checkpoint: &Checkpoint) -> Option<&'static TensorNames> {
        match &checkpoint.files {
            CheckpointFiles::Safetensors(_) => Some(Family::of_folder(path).ok()?.0.gguf.as_ref()?.names),
            CheckpointFiles::Gguf(_) => Some(Family::load(path, checkpoint).ok()?.1),
        }
    }

    /// What the settings of a checkpoint ask for, and where its tensors lie: `config.json` beside safetensors at `path`, or the keys
    /// of a GGUF file.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the field and its value; of a model of another family, with the list of those that are known.
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

    /// The family of a checkpoint, and its settings.
    ///
    /// # Errors
    /// As [`Family::load`].
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

    /// A sentence for each setting of a checkpoint that nothing here knows, and that has no effect.
    ///
    /// # Errors
    /// As [`Family::load`].
    pub(crate) fn unknown_settings(path: &Path, checkpoint: &Checkpoint) -> Result<Vec<String>, ConfigError> {
        match &checkpoint.files {
            CheckpointFiles::Safetensors(_) => unknown_settings(path),
            CheckpointFiles::Gguf(file) => {
                let form = Family::of(path, checkpoint)?.0.gguf.as_ref();
                Ok(form.map(|form| form.unknown_keys(file, path)).unwrap_or_default())
            }
        }
    }

    /// The family that `config.json` names.
    pub(crate) fn named(fields: &Fields) -> Result<&'static Family, ConfigError> {
        known(fields, |family| Some(family.name))
    }
}

/// A sentence for each setting in a folder's `config.json`, `tokenizer_config.json` and `generation_config.json` that nothing here knows, or
/// that has an effect elsewhere and none here.
///
/// # Errors
/// A [`ConfigError`] for a setting that cannot be used, with its name and value; also for one that changes the model and is not supported.
pub fn unknown_settings(folder: &Path) -> Result<Vec<String>, ConfigError> {
    let (family, fields) = Family::of_folder(folder)?;
    // What is read is known once it was read.
    family.spec(&fields)?;
    let mut told = family.unknown(&fields);
    told.extend(companions::sentences(folder, family.name)?);
    Ok(told)
}

/// The family whose name is the field `model_type`.
fn known(
    fields: &Fields,
    name_of: impl Fn(&'static Family) -> Option<&'static str>,
) -> Result<&'static Family, ConfigError> {
    let name = fields.text("model_type")?.ok_or_else(|| fields.missing("model_type"))?;
    FAMILIES.iter().find(|family| name_of(family) == Some(name)).ok_or_else(|| {
        // Two families may lie in files alike.
        let mut known: Vec<&str> = FAMILIES.iter().filter_map(name_of).collect();
        known.dedup();
        let problem =
            format!("no such family of language models is known; those that are: {}", known.join(", "));
        fields.wrong("model_type", problem)
    })
}
