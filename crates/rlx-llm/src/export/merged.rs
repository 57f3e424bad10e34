//! Writes models with adapters merged into their weights, in the model's own format.

use super::file_type;
use crate::adapter::{AdapterSource, merged};
use crate::checkpoint::{Checkpoint, CheckpointFiles};
use crate::error::LlmError;
use rlx_files::weights::{PlannedTensor, StoredType, Tensor, save_made};
use rlx_gguf::{GgufError, GgufWriter, MetaValue, TensorType, convert};
use std::io;
use std::path::Path;

/// A model with adapters merged into its weights.
pub struct MergedModel {
    checkpoint: Checkpoint,
}

impl MergedModel {
    /// Opens the model at `path`, a folder or a GGUF file, and merges the adapters.
    ///
    /// # Errors
    /// The same as [`LanguageModel::open`](crate::LanguageModel::open), and [`LlmError::Adapter`] if tensors cannot
    /// be merged.
    pub fn open(path: &Path, adapters: &[AdapterSource]) -> Result<MergedModel, LlmError> {
        Ok(MergedModel { checkpoint: merged(path, adapters)? })
    }

    /// Returns the file to write if the model is a GGUF file, or `None` if it is a folder. Changed tensors keep their
    /// type, except that blocks become f16; their values are computed as they are written.
    pub fn gguf(&self) -> Option<GgufWriter<'_>> {
        let CheckpointFiles::Gguf(file) = &self.checkpoint.files else { return None };
        let mut writer = convert::from_gguf(file);
        let mut blocks = 0;
        for tensor in file.tensors() {
            let name = tensor.name();
            let view = self.checkpoint.tensor(name).filter(|view| view.is_merged());
            if let Some(stored) = view.and_then(|view| view.storage) {
                writer.replace_made(name, stored, move || self.bytes(name));
            } else {
                blocks += usize::from(matches!(tensor.stored_type(), TensorType::Blocks(_)));
            }
        }
        if blocks == 0 {
            let usual = file_type(&writer);
            writer.set("general.file_type", MetaValue::U32(usual));
        }
        Some(writer)
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, GgufError> {
        let made = self.checkpoint.tensor(name).map(|view| view.into_bytes()).transpose();
        let failed = |error: LlmError| GgufError::Unwritable {
            what: format!("tensor {name}"),
            problem: error.to_string(),
        };
        made.map(Option::unwrap_or_default).map_err(failed)
    }

    /// Writes the weights of a folder to one safetensors file. Changed values are computed as they are written.
    ///
    /// # Errors
    /// Returns [`LlmError::Weights`] if the file cannot be written, if merged weights are infinite or NaN, or if
    /// weights of a narrow type already were; and [`LlmError::Export`] for a GGUF file.
    pub fn save(&self, to: &Path) -> Result<(), LlmError> {
        let CheckpointFiles::Safetensors(weights) = &self.checkpoint.files else {
            let problem = "a GGUF file with adapters can only be written as .gguf".into();
            return Err(LlmError::Export { path: to.into(), problem });
        };
        let planned = weights.all().iter().map(|tensor| {
            let name = weights.ours(tensor.name());
            let merged = self.checkpoint.tensor(&name).filter(|view| view.is_merged());
            let stored = match merged.and_then(|view| view.storage) {
                Some(TensorType::Plain(dtype)) => StoredType::of(dtype).unwrap_or(tensor.stored_type()),
                _ => tensor.stored_type(),
            };
            PlannedTensor { name: tensor.name(), stored, shape: tensor.shape() }
        });
        let planned: Vec<PlannedTensor<'_>> = planned.collect();
        let mut failed = None;
        let saved = save_made(to, &planned, weights.all().metadata(), &mut |tensor, out| {
            let name = weights.ours(tensor.name);
            let Some(view) = self.checkpoint.tensor(&name) else { return Ok(()) };
            match view.mapped() {
                Some(bytes) => {
                    let copied =
                        Tensor { name: tensor.name, stored: tensor.stored, shape: tensor.shape, bytes };
                    // Tensors of full precision are copied unchecked.
                    let is_narrow = tensor.stored.bits() < 32;
                    if let Some(error) = is_narrow.then(|| copied.check_finite().err()).flatten() {
                        failed = Some(error.into());
                        return Err(io::ErrorKind::Other.into());
                    }
                    out.write_all(bytes)
                }
                None => match view.into_bytes() {
                    Ok(bytes) => out.write_all(&bytes),
                    Err(error) => {
                        failed = Some(error);
                        Err(io::ErrorKind::Other.into())
                    }
                },
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(saved?),
        }
    }
}
