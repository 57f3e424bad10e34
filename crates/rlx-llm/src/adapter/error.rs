//! Errors: why an adapter cannot be used.

use crate::error::{LlmError, section};
use rlx_files::display::{quoted, shape};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why an adapter cannot be used with a model.
#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    /// No adapter, or one of a kind that is not supported.
    #[error("{}: {problem}", path.display())]
    Unusable {
        /// The adapter.
        path: PathBuf,
        /// Why not, and what can be done.
        problem: String,
    },
    /// A factor that is no finite number.
    #[error("{}: an adapter is scaled by a finite number, not by {scale}", path.display())]
    Scale {
        /// The adapter.
        path: PathBuf,
        /// The factor.
        scale: f64,
    },
    /// A tensor that is no part of an adapter.
    #[error("{}: tensor {}: {problem}", path.display(), quoted(tensor))]
    Tensor {
        /// The adapter.
        path: PathBuf,
        /// The tensor.
        tensor: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two matrices that cannot be multiplied.
    #[error(
        "{}: A {} is {} and B {} is {}; A is [rank, inputs] and B [outputs, rank], of the same rank above 0",
        path.display(), quoted(&a.0), shape(&a.1), quoted(&b.0), shape(&b.1)
    )]
    Rank {
        /// The adapter.
        path: PathBuf,
        /// A: its name and its shape.
        a: (String, Vec<usize>),
        /// B: its name and its shape.
        b: (String, Vec<usize>),
    },
    /// An adapter of another model.
    #[error(transparent)]
    Misfit(#[from] AdapterMisfit),
}

/// How an adapter and a model differ. Each list is complete.
#[derive(Clone, Default, PartialEq, Eq, Debug, thiserror::Error)]
pub struct AdapterMisfit {
    /// The adapter.
    pub path: PathBuf,
    /// Tensors that the adapter changes and the model does not have, or not as the matrix of a product or a table.
    pub unknown: Vec<String>,
    /// Tensors of the adapter with another shape: name, needed, found.
    pub wrong_shape: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// Weights that the adapter replaces by others.
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
            "for tensors that the model has no matrix for",
            self.unknown.iter().map(|name| quoted(name)),
        )?;
        let wrong = self.wrong_shape.iter().map(|(name, needed, found)| {
            format!("{}: {} is needed, {} is there", quoted(name), shape(needed), shape(found))
        });
        section(f, "of another shape", wrong)?;
        let title = "that are no matrices of an adapter but weights, and not those of the model; if training left them alone, write the \
                     adapter again with save_embedding_layers=False, and if not, merge it with PEFT";
        section(f, title, self.replaced.iter().map(|name| quoted(name)))
    }
}
