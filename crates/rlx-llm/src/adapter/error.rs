//! Errors: why an adapter cannot be used.

use crate::error::{LlmError, section};
use rlx_files::display::{quoted, shape};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why an adapter cannot be used with a model.
#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    /// The file or folder is not an adapter, or it is of a kind that is not supported.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The adapter.
        path: PathBuf,
        /// Why not, and what can be done.
        problem: String,
    },
    /// The scale is not a finite number.
    #[error("{}: the scale of an adapter must be a finite number, not {scale}", path.display())]
    Scale {
        /// The adapter.
        path: PathBuf,
        /// The factor.
        scale: f64,
    },
    /// A tensor does not belong to an adapter.
    #[error("{}: tensor {}: {problem}", path.display(), quoted(tensor))]
    Tensor {
        /// The adapter.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two matrices cannot be multiplied.
    #[error(
        "{}: A {} is {} and B {} is {}; A must be [rank, inputs] and B [outputs, rank], with the same rank above 0",
        path.display(), quoted(&a.0), shape(&a.1), quoted(&b.0), shape(&b.1)
    )]
    Rank {
        /// The name and shape of A.
        path: PathBuf,
        /// The name and shape of B.
        a: (String, Vec<usize>),
        /// B: its name and its shape.
        b: (String, Vec<usize>),
    },
    /// The adapter was made for another model.
    #[error(transparent)]
    Misfit(#[from] AdapterMisfit),
}

/// How an adapter and a model differ. Each list is complete.
#[derive(Clone, Default, PartialEq, Eq, Debug, thiserror::Error)]
pub struct AdapterMisfit {
    /// The adapter.
    pub path: PathBuf,
    /// Tensors that the adapter changes but the model does not have, or does not use as the matrix of a product or as
    /// a table.
    pub unknown: Vec<String>,
    /// Tensors of the adapter with the wrong shape: name, needed, found.
    pub wrong_shape: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// Weights that the adapter replaces with different ones.
    pub replaced: Vec<String>,
}

impl AdapterError {
    pub(super) fn unusable(path: &Path, problem: impl Into<String>) -> AdapterError {
        AdapterError::Unusable { path: path.to_path_buf(), problem: problem.into() }
    }

    pub(super) fn tensor(path: &Path, tensor: &str, problem: impl Into<String>) -> AdapterError {
        AdapterError::Tensor { path: path.to_path_buf(), tensor: tensor.into(), problem: problem.into() }
    }
}

impl From<AdapterError> for LlmError {
    fn from(error: AdapterError) -> Self {
        LlmError::Adapter(Box::new(error))
    }
}

impl AdapterMisfit {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.unknown.is_empty() && self.wrong_shape.is_empty() && self.replaced.is_empty()
    }
}

impl fmt::Display for AdapterMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the adapter does not fit the model", self.path.display())?;
        section(
            f,
            "for tensors that are not matrices of the model",
            self.unknown.iter().map(|name| quoted(name)),
        )?;
        let wrong = self.wrong_shape.iter().map(|(name, needed, found)| {
            format!("{}: expected {}, found {}", quoted(name), shape(needed), shape(found))
        });
        section(f, "with the wrong shape", wrong)?;
        let title = "that replace weights of the model with different ones; if training did not change them, save the adapter again with \
                     save_embedding_layers=False, otherwise merge it with PEFT";
        section(f, title, self.replaced.iter().map(|name| quoted(name)))
    }
}
