//! A model in a folder as a GGUF file: its settings and the names of its tensors by the rows of its family, read backwards.

use crate::error::LlmError;
use crate::families::{Family, Param};
use crate::graph::training_graph;
use rlx_files::weights::Weights;
use rlx_gguf::{GgufWriter, MetaValue, TensorType};
use rlx_models::fields::{ConfigError, Fields};
use serde_json::Value;
use std::path::Path;

/// Families whose tensors and settings GGUF keeps as they are; others have rows in another order, or settings that their rows do not say.
const WRITTEN: [&str; 2] = ["qwen2", "qwen3"];

/// Whether the model whose settings are in the file `config` can be written as GGUF.
///
/// # Errors
/// An [`LlmError::Config`].
pub fn has_gguf_form(config: &Path) -> Result<bool, LlmError> {
    let fields = Fields::load(config)?;
    Ok(fields.text("model_type")?.is_some_and(|name| WRITTEN.contains(&name)))
}

/// The settings and tensors of the model whose settings are in the file `config`, from `weights`.
///
/// # Errors
/// An [`LlmError::Config`] for a family that is not written, an [`LlmError::Misfit`] for tensors that are missing.
pub fn to_gguf<'a>(config: &Path, weights: &'a Weights) -> Result<GgufWriter<'a>, LlmError> {
    let fields = Fields::load(config)?;
    let family = Family::named(&fields)?;
    let unwritten = || fields.wrong("model_type", format!("GGUF is written of {}", WRITTEN.join(", ")));
    let form = family.gguf.as_ref().filter(|_| WRITTEN.contains(&family.name)).ok_or_else(unwritten)?;
    let (spec, names) = Family::of_settings(&fields)?;
    let mut writer = GgufWriter::new();
    writer.set("general.architecture", form.architecture.into());
    for (key, field) in form.fields.iter().copied().flatten() {
        if let Some(value) = fields.get(field) {
            writer.set(format!("{}.{key}", form.architecture), number(&fields, field, value)?);
        }
    }
    if let Some(size) = fields.get("head_dim") {
        let key = format!("{}.attention.value_length", form.architecture);
        writer.set(key, number(&fields, "head_dim", size)?);
    }
    let mut misfit = crate::Misfit::default();
    for (name, _) in training_graph(&spec, 1, 1)?.named_params() {
        let param = Param::new(name);
        let (from, to) =
            (names.alone(&param).unwrap_or_default(), form.names.alone(&param).unwrap_or_default());
        match weights.get(from.as_str()).and_then(|tensor| Some((tensor.stored_type().dtype()?, tensor))) {
            Some((dtype, tensor)) => {
                writer.tensor(to, TensorType::Plain(dtype), tensor.shape(), tensor.bytes())
            }
            None => misfit.missing.push(from),
        }
    }
    if misfit.is_empty() { Ok(writer) } else { Err(misfit.into()) }
}

/// A setting as GGUF has it.
fn number(fields: &Fields, field: &str, value: &Value) -> Result<MetaValue<'static>, ConfigError> {
    let whole = value.as_u64().and_then(|n| u32::try_from(n).ok()).map(MetaValue::U32);
    let float = value.as_f64().map(|x| MetaValue::F32(x as f32));
    whole.or(float).ok_or_else(|| fields.wrong(field, "a number is needed"))
}
