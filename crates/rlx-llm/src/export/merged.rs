//! Writes models with adapters merged into their weights, in the format that they came in.

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
    /// The model at `path`, a folder or a GGUF file.
    ///
    /// # Errors
    /// As [`LanguageModel::open`](crate::LanguageModel::open); [`LlmError::Adapter`] where tensors cannot be merged.
    pub fn open(path: &Path, adapters: &[AdapterSource]) -> Result<MergedModel, LlmError> {
        Ok(MergedModel { checkpoint: merged(path, adapters)? })
    }

    /// The file of a model that came as a GGUF file. Numbers that changed are stored as they were, f16 in place of blocks; they are computed
    /// as they are written. None for a folder.
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

    /// Writes the weights of a folder to one file of safetensors. Numbers that changed are computed as they are written.
    ///
    /// # Errors
    /// [`LlmError::Weights`] where it cannot be written, and for weights that are infinite or NaN once they are merged, or in a narrow type
    /// before; [`LlmError::Export`] for a GGUF file.
    pub fn save(&self, to: &Path) -> Result<(), LlmError> {
        let CheckpointFiles::Safetensors(weights) = &self.checkpoint.files else {
            let problem = "a GGUF file with adapters is written as .gguf".into();
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
                    // Numbers of full precision are copied as they are.
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
