//! Errors of files of weights.

use std::path::PathBuf;

use thiserror::Error;

use super::{HeaderError, StoredType};
use crate::files::FileError;

/// Why weights could not be opened, read or written.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file itself could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder contains no weights.
    #[error("{}: no model.safetensors and no model.safetensors.index.json in this folder{hint}", dir.display())]
    NoWeights {
        /// The folder.
        dir: PathBuf,
        /// What was found instead, if that helps.
        hint: &'static str,
    },
    /// The file is not a valid safetensors file.
    #[error("{}: not a valid safetensors file", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: HeaderError,
    },
    /// The index of a model in several files names a file that is not a plain name in the same folder.
    #[error("{}: names the file {file}, but only files in the same folder are allowed", path.display())]
    ShardName {
        /// The index.
        path: PathBuf,
        /// The file that it names, quoted.
        file: String,
    },
    /// The index and the files that it names disagree.
    #[error("{}: does not match its files: {details}", path.display())]
    ShardMismatch {
        /// The index.
        path: PathBuf,
        /// Which tensors are missing, unlisted or duplicated, and where.
        details: String,
    },
    /// There is no tensor with this name.
    #[error("these weights have no tensor {tensor}")]
    NoSuchTensor {
        /// The requested name, quoted.
        tensor: String,
    },
    /// The IR does not have the element type.
    #[error(
        "tensor {tensor}: RLX does not support the element type {stored}; store the tensor in a supported type, for example BF16"
    )]
    NoSuchType {
        /// The tensor, quoted.
        tensor: String,
        /// Its type in the file.
        stored: StoredType,
    },
    /// Values of this type cannot be converted to `f32`.
    #[error("tensor {tensor}: {stored} cannot be converted to f32; only F64, F32, F16, BF16 and F8 can")]
    NotFloat {
        /// The tensor, quoted.
        tensor: String,
        /// Its type in the file.
        stored: StoredType,
    },
    /// A tensor cannot be saved as it is.
    #[error("tensor {tensor}: cannot be saved: {problem}")]
    Unsaveable {
        /// The tensor, quoted.
        tensor: String,
        /// Why.
        problem: String,
    },
}
