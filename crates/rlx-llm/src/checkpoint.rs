//! The files of a model: safetensors in a folder, or GGUF.

use crate::adapter::TensorMerge;
use crate::error::LlmError;
use crate::families::TextTensors;
use crate::progress::{LoadObserver, LoadStep};
use rlx_files::weights::Weights;
use rlx_gguf::{Gguf, ModelFiles, TensorType};
use rlx_ir::DType;
use rlx_session::ParamBytes;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Once};

/// The tensors of a model, by name.
pub(crate) struct Checkpoint {
    pub(crate) files: CheckpointFiles,
    /// Updates to add to tensors.
    merges: BTreeMap<String, TensorMerge>,
}

/// The files of a checkpoint.
pub(crate) enum CheckpointFiles {
    /// One or more safetensors files.
    Safetensors(TextTensors),
    /// One or more GGUF files, which also hold the settings.
    Gguf(Gguf),
}

/// One tensor of a checkpoint.
pub(crate) struct StoredView<'a> {
    name: &'a str,
    /// The type of the stored numbers, as the file names it in `type_name`; `None` if graphs do not support the type.
    pub(crate) storage: Option<TensorType>,
    pub(crate) type_name: &'static str,
    pub(crate) shape: &'a [usize],
    bytes: &'a [u8],
    /// The bytes in the order that graphs expect, if the file stores them in another order.
    swapped: Option<Vec<u8>>,
    /// The update to add to the tensor, and the type that the file stores it in.
    merge: Option<(&'a TensorMerge, TensorType)>,
}

impl<'a> StoredView<'a> {
    /// Returns the bytes of the file if they can be used unchanged: in the expected order, with nothing to add.
    pub(crate) fn mapped(&self) -> Option<&'a [u8]> {
        (self.swapped.is_none() && self.merge.is_none()).then_some(self.bytes)
    }

    /// Returns the bytes in little-endian order.
    ///
    /// # Errors
    /// Fails if an update is to be added to values that are not numbers.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, LlmError> {
        let bytes = self.swapped.unwrap_or_else(|| self.bytes.to_vec());
        match self.merge {
            Some((merge, stored)) => merge.bytes(self.name, &bytes, stored),
            None => Ok(bytes),
        }
    }

    /// Whether an update is added to the tensor.
    pub(crate) fn is_merged(&self) -> bool {
        self.merge.is_some()
    }

    fn merged(mut self, merge: Option<&'a TensorMerge>) -> StoredView<'a> {
        if let (Some(merge), Some(stored)) = (merge, self.storage) {
            self.merge = Some((merge, stored));
            self.storage = Some(TensorMerge::stored(stored));
        }
        self
    }
}

impl Checkpoint {
    /// Finds the tensors of a model: in its GGUF file, or in the safetensors files of its folder.
    pub(crate) fn new(files: &ModelFiles) -> Result<Checkpoint, LlmError> {
        let files = match files.gguf() {
            Some(file) => {
                file.check()?;
                CheckpointFiles::Gguf(file.clone())
            }
            None => CheckpointFiles::Safetensors(TextTensors::new(Weights::open(files.path())?)),
        };
        Ok(Checkpoint { files, merges: BTreeMap::new() })
    }

    /// Returns the same checkpoint with updates to add to its tensors.
    pub(crate) fn with_merges(self, merges: BTreeMap<String, TensorMerge>) -> Checkpoint {
        Checkpoint { merges, ..self }
    }

    /// Whether it is a GGUF file.
    pub(crate) fn is_gguf(&self) -> bool {
        matches!(self.files, CheckpointFiles::Gguf(_))
    }

    /// Returns the tensor called `name`.
    pub(crate) fn tensor<'a>(&'a self, name: &'a str) -> Option<StoredView<'a>> {
        let view = match &self.files {
            CheckpointFiles::Safetensors(weights) => {
                let tensor = weights.get(name)?;
                let stored = tensor.stored_type();
                StoredView {
                    name,
                    storage: stored.dtype().filter(|dtype| dtype.is_float()).map(TensorType::Plain),
                    type_name: stored.tag(),
                    shape: tensor.shape(),
                    bytes: tensor.bytes(),
                    swapped: None,
                    merge: None,
                }
            }
            CheckpointFiles::Gguf(gguf) => {
                let tensor = gguf.tensor(name)?;
                let stored = tensor.stored_type();
                let is_float = |stored: &TensorType| match stored {
                    TensorType::Plain(dtype) => dtype.is_float(),
                    TensorType::Blocks(_) => true,
                };
                let swapped = match tensor.bytes() {
                    Cow::Owned(bytes) => Some(bytes),
                    Cow::Borrowed(_) => None,
                };
                StoredView {
                    name,
                    storage: Some(stored).filter(is_float),
                    type_name: stored.name(),
                    shape: tensor.shape(),
                    bytes: tensor.stored_bytes(),
                    swapped,
                    merge: None,
                }
            }
        };
        Some(view.merged(self.merges.get(name)))
    }

    /// Returns the names of all tensors, as families call them.
    pub(crate) fn names(&self) -> Vec<Cow<'_, str>> {
        match &self.files {
            CheckpointFiles::Safetensors(weights) => {
                weights.all().iter().map(|tensor| weights.ours(tensor.name())).collect()
            }
            CheckpointFiles::Gguf(gguf) => gguf.tensors().map(|tensor| tensor.name().into()).collect(),
        }
    }

    /// Returns how many layers after the last one predict further tokens.
    pub(crate) fn further_layers(&self) -> usize {
        let CheckpointFiles::Gguf(gguf) = &self.files else { return 0 };
        let architecture = gguf.get("general.architecture");
        let architecture = architecture.as_ref().and_then(|name| name.as_str()).unwrap_or_default();
        let count = gguf.get(&format!("{architecture}.nextn_predict_layers"));
        count.and_then(|count| usize::try_from(count.as_int()?).ok()).unwrap_or(0)
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match &self.files {
            CheckpointFiles::Safetensors(weights) => weights.get(name).is_some(),
            CheckpointFiles::Gguf(gguf) => gguf.tensor(name).is_some(),
        }
    }

    /// Returns the values of a tensor as they are stored.
    pub(crate) fn values(&self, name: &str) -> Result<Vec<f32>, LlmError> {
        Ok(match &self.files {
            CheckpointFiles::Safetensors(weights) => weights.tensor(name)?.to_f32()?.into_owned(),
            CheckpointFiles::Gguf(gguf) => match gguf.tensor(name) {
                Some(tensor) => tensor.to_f32()?,
                None => Vec::new(),
            },
        })
    }
}

/// The bytes of a tensor as a file stores them, used as a parameter. Pages of a mapped file are in memory only while
/// they are read; once kernels have packed their own copy of the bytes, the pages are released.
pub(crate) struct StoredRows {
    pub(crate) checkpoint: Arc<Checkpoint>,
    pub(crate) tensor: String,
    pub(crate) bytes: Range<usize>,
    /// The observer to notify, once, that the bytes were packed.
    pub(crate) observer: Option<LoadObserver>,
    pub(crate) told: Once,
}

impl ParamBytes for StoredRows {
    fn bytes(&self) -> &[u8] {
        let bytes = match &self.checkpoint.files {
            CheckpointFiles::Safetensors(weights) => weights.get(&self.tensor).map(|tensor| tensor.bytes()),
            CheckpointFiles::Gguf(gguf) => gguf.tensor(&self.tensor).map(|tensor| tensor.stored_bytes()),
        };
        bytes.and_then(|bytes| bytes.get(self.bytes.clone())).unwrap_or_default()
    }

    fn release(&self) {
        let tell = |observer: &LoadObserver| observer.tell(LoadStep::Packed(self.bytes.len() as u64));
        self.told.call_once(|| self.observer.iter().for_each(tell));
        match &self.checkpoint.files {
            CheckpointFiles::Safetensors(weights) => weights.release(&self.tensor),
            CheckpointFiles::Gguf(gguf) => gguf.release(&self.tensor),
        }
    }
}

/// Returns the element type of the parameter for values that are stored as `storage`.
pub(crate) fn element_type(storage: TensorType) -> DType {
    match storage {
        TensorType::Plain(dtype) => dtype,
        TensorType::Blocks(_) => DType::U8,
    }
}
