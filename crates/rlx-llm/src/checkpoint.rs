//! The files that a model comes from: safetensors in a folder, or GGUF.

use crate::error::LlmError;
use rlx_files::weights::Weights;
use rlx_gguf::{Gguf, TensorType};
use rlx_ir::DType;
use rlx_session::ParamBytes;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The tensors of a model, by name.
pub(crate) enum Checkpoint {
    /// One file or several.
    Safetensors(Weights),
    /// One file or several, with the settings.
    Gguf(Gguf),
}

/// One tensor as it lies in a file.
pub(crate) struct StoredView<'a> {
    /// How its numbers are stored, and what the file calls that; nothing where no graph can have it.
    pub(crate) storage: Option<TensorType>,
    pub(crate) type_name: &'static str,
    pub(crate) shape: &'a [usize],
    bytes: &'a [u8],
    /// The bytes in the order that graphs expect, where the file has another.
    swapped: Option<Vec<u8>>,
}

impl<'a> StoredView<'a> {
    /// The bytes, numbers with the least significant one first.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.swapped.as_deref().unwrap_or(self.bytes)
    }

    /// Whether the bytes are a copy in another order.
    pub(crate) fn is_swapped(&self) -> bool {
        self.swapped.is_some()
    }
}

impl Checkpoint {
    /// The tensors at `path`: a GGUF file, or a folder of safetensors.
    pub(crate) fn open(path: &Path) -> Result<Checkpoint, LlmError> {
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf")) {
            return Self::of_gguf(Gguf::open(path)?);
        }
        Ok(Checkpoint::Safetensors(Weights::open(path)?))
    }

    /// The tensors of a GGUF file.
    pub(crate) fn of_gguf(file: Gguf) -> Result<Checkpoint, LlmError> {
        file.check()?;
        Ok(Checkpoint::Gguf(file))
    }

    /// The tensor of this name.
    pub(crate) fn tensor(&self, name: &str) -> Option<StoredView<'_>> {
        match self {
            Checkpoint::Safetensors(weights) => {
                let tensor = weights.get(name)?;
                let stored = tensor.stored_type();
                Some(StoredView {
                    storage: stored.dtype().filter(|dtype| dtype.is_float()).map(TensorType::Plain),
                    type_name: stored.tag(),
                    shape: tensor.shape(),
                    bytes: tensor.bytes(),
                    swapped: None,
                })
            }
            Checkpoint::Gguf(gguf) => {
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
                Some(StoredView {
                    storage: Some(stored).filter(is_float),
                    type_name: stored.name(),
                    shape: tensor.shape(),
                    bytes: tensor.stored_bytes(),
                    swapped,
                })
            }
        }
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        match self {
            Checkpoint::Safetensors(weights) => weights.get(name).is_some(),
            Checkpoint::Gguf(gguf) => gguf.tensor(name).is_some(),
        }
    }

    /// The values of a tensor.
    pub(crate) fn values(&self, name: &str) -> Result<Vec<f32>, LlmError> {
        Ok(match self {
            Checkpoint::Safetensors(weights) => weights.tensor(name)?.to_f32()?.into_owned(),
            Checkpoint::Gguf(gguf) => match gguf.tensor(name) {
                Some(tensor) => tensor.to_f32()?,
                None => Vec::new(),
            },
        })
    }
}

/// Bytes of a tensor as they lie in a file, for a parameter: of mapped files only those are in memory that somebody reads, and those of
/// which kernels have forms of their own leave it again.
pub(crate) struct StoredRows {
    pub(crate) checkpoint: Arc<Checkpoint>,
    pub(crate) tensor: String,
    pub(crate) bytes: Range<usize>,
}

impl ParamBytes for StoredRows {
    fn bytes(&self) -> &[u8] {
        let bytes = match &*self.checkpoint {
            Checkpoint::Safetensors(weights) => weights.get(&self.tensor).map(|tensor| tensor.bytes()),
            Checkpoint::Gguf(gguf) => gguf.tensor(&self.tensor).map(|tensor| tensor.stored_bytes()),
        };
        bytes.and_then(|bytes| bytes.get(self.bytes.clone())).unwrap_or_default()
    }

    fn release(&self) {
        match &*self.checkpoint {
            Checkpoint::Safetensors(weights) => weights.release(&self.tensor),
            Checkpoint::Gguf(gguf) => gguf.release(&self.tensor),
        }
    }
}

/// The element type of the parameter that holds what is stored so.
pub(crate) fn element_type(storage: TensorType) -> DType {
    match storage {
        TensorType::Plain(dtype) => dtype,
        TensorType::Blocks(_) => DType::U8,
    }
}
