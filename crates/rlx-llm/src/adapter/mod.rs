//! LoRA adapters (Hu et al., 2021, <https://arxiv.org/abs/2106.09685>): low-rank updates of a model's matrices.
//!
//! For each matrix W that it changes, an adapter has matrices A `[rank, inputs]` and B `[outputs, rank]`, and W
//! becomes W + scale·B·A. Updates are applied while the model runs ([`ModelOptions::adapters`](crate::ModelOptions))
//! or merged into its weights ([`crate::export`]).

mod error;
mod gguf;
mod merge;
mod peft;
mod updates;

pub use error::{AdapterError, AdapterMisfit};
pub(crate) use merge::{TensorMerge, merged};
pub(crate) use updates::{ModelUpdates, Update};

use crate::error::LlmError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An adapter to open a model with.
#[derive(Clone, PartialEq, Debug)]
pub struct AdapterSource {
    /// A folder written by PEFT, with `adapter_config.json` and `adapter_model.safetensors`, or a GGUF file from
    /// llama.cpp's converter.
    pub path: PathBuf,
    /// A factor for the updates, in addition to the adapter's own scale.
    pub scale: f64,
}

/// The format that an adapter's tensor names and row order come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AdapterFormat {
    Peft,
    Gguf,
}

/// An adapter that has been read.
#[derive(Debug)]
pub(crate) struct Adapter {
    pub(crate) path: PathBuf,
    pub(crate) format: AdapterFormat,
    /// `general.architecture` of a GGUF file.
    pub(crate) architecture: Option<String>,
    /// The updates, by the names of the tensors in the adapter's format.
    pub(crate) pairs: BTreeMap<String, Pair>,
    /// Weights of tables and output projections that PEFT writes next to an adapter. They must be equal to those of
    /// the model.
    pub(crate) copies: BTreeMap<String, Factor>,
    /// Notes about settings that are not recognized.
    pub(crate) unknown_settings: Vec<String>,
}

/// The update of a tensor: B·A.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pair {
    /// A: `[rank, inputs]`, or `[experts, rank, inputs]` if one tensor holds all experts.
    pub(crate) a: Factor,
    /// B: `[outputs, rank]`, including the scale; likewise with experts first.
    pub(crate) b: Factor,
}

/// A matrix of an adapter, with its name in the file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Factor {
    pub(crate) tensor: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

impl Adapter {
    /// Opens the adapter of a source.
    ///
    /// # Errors
    /// Returns [`LlmError::Adapter`] if the path is not an adapter, or the adapter is not supported.
    pub(crate) fn open(source: &AdapterSource) -> Result<Adapter, LlmError> {
        let AdapterSource { path, scale } = source;
        if !scale.is_finite() {
            return Err(AdapterError::Scale { path: path.clone(), scale: *scale }.into());
        }
        if !path.exists() {
            return Err(AdapterError::unusable(path, "no such file or folder").into());
        }
        if path.is_dir() {
            return peft::open(path, *scale);
        }
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        match path.parent() {
            _ if is("gguf") => gguf::open(path, *scale),
            Some(folder) if is("safetensors") && path.ends_with(peft::WEIGHTS) => peft::open(folder, *scale),
            _ => {
                Err(AdapterError::unusable(path, "expected a folder written by PEFT or a .gguf file").into())
            }
        }
    }
}

impl Pair {
    /// Returns the rank if both matrices agree on it.
    ///
    /// # Errors
    /// Returns [`AdapterError::Rank`] with both shapes.
    pub(crate) fn rank(&self, path: &Path) -> Result<usize, AdapterError> {
        match (&self.a.shape[..], &self.b.shape[..]) {
            ([lead_a @ .., rank, _], [lead_b @ .., _, of_b])
                if lead_a == lead_b && lead_a.len() < 2 && rank == of_b && *rank > 0 =>
            {
                Ok(*rank)
            }
            _ => Err(AdapterError::Rank {
                path: path.to_path_buf(),
                a: (self.a.tensor.clone(), self.a.shape.clone()),
                b: (self.b.tensor.clone(), self.b.shape.clone()),
            }),
        }
    }
}

impl Factor {
    /// Transposes a matrix; other factors are returned unchanged.
    fn transposed(self) -> Factor {
        let Factor { tensor, shape, values } = self;
        let &[rows, columns] = &shape[..] else { return Factor { tensor, shape, values } };
        let at = |i: usize| values[(i % rows) * columns + i / rows];
        let values = (0..rows * columns).map(at).collect();
        Factor { tensor, shape: vec![columns, rows], values }
    }

    fn scaled(mut self, factor: f64) -> Factor {
        self.values.iter_mut().for_each(|x| *x = (f64::from(*x) * factor) as f32);
        self
    }
}
