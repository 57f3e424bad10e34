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
    /// A folder without weights in it.
    #[error("{}: no model.safetensors and no model.safetensors.index.json in this folder{hint}", dir.display())]
    NoWeights {
        /// The folder.
        dir: PathBuf,
        /// What was found in its place, when that helps.
        hint: &'static str,
    },
    /// The file is not a sound safetensors file.
    #[error("{}: not a sound safetensors file", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: HeaderError,
    },
    /// The index of a model in several files names a file that is not a plain name in the same folder.
    #[error("{}: names the file {file}; only files of the same folder may be named", path.display())]
    ShardName {
        /// The index.
        path: PathBuf,
        /// The file it names, quoted.
        file: String,
    },
    /// The index and the files it names disagree.
    #[error("{}: does not agree with its files: {details}", path.display())]
    ShardMismatch {
        /// The index.
        path: PathBuf,
        /// Which tensors are missing, unlisted or doubled, and where.
        details: String,
    },
    /// There is no tensor of that name.
    #[error("there is no tensor {tensor} in these weights")]
    NoSuchTensor {
        /// The name that was asked for, quoted.
        tensor: String,
    },
    /// The IR has no such element type.
    #[error(
        "tensor {tensor}: RLX has no element type for {stored}; store it as one it has, for example BF16"
    )]
    NoSuchType {
        /// The tensor, quoted.
        tensor: String,
        /// Its type in the file.
        stored: StoredType,
    },
    /// Values of this type are not converted to `f32`.
    #[error("tensor {tensor}: {stored} values are not converted to f32; only F64, F32, F16, BF16 and F8 are")]
    NotFloat {
        /// The tensor, quoted.
        tensor: String,
        /// Its type in the file.
        stored: StoredType,
    },
    /// A tensor that cannot be saved as it was given.
    #[error("tensor {tensor}: cannot be saved: {problem}")]
    Unsaveable {
        /// The tensor, quoted.
        tensor: String,
        /// Why.
        problem: String,
    },
}
