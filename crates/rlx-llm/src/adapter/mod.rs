//! LoRA adapters (Hu et al., 2021, <https://arxiv.org/abs/2106.09685>): low-rank updates of a model's matrices.
//! An adapter has matrices A `[rank, inputs]` and B `[outputs, rank]` for each of some matrices W of a model,
//! which becomes W + scale·B·A. Applied as a model runs ([`ModelOptions::adapters`](crate::ModelOptions)), or
//! merged into its weights ([`crate::export`]).

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

/// An adapter that a model is opened with.
#[derive(Clone, PartialEq, Debug)]
pub struct AdapterSource {
    /// A folder that PEFT wrote, with `adapter_config.json` and `adapter_model.safetensors`, or a GGUF file of llama.cpp's converter.
    pub path: PathBuf,
    /// Factor of what it adds, beside that of the adapter itself.
    pub scale: f64,
}

/// The names of which format an adapter uses, and so the order of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AdapterFormat {
    Peft,
    Gguf,
}

/// An adapter that was read.
#[derive(Debug)]
pub(crate) struct Adapter {
    pub(crate) path: PathBuf,
    pub(crate) format: AdapterFormat,
    /// `general.architecture` of a GGUF file.
    pub(crate) architecture: Option<String>,
    /// What is added to tensors, by their names in the format.
    pub(crate) pairs: BTreeMap<String, Pair>,
    /// Weights of tables and output projections that PEFT writes beside an adapter; they have to be those of the model.
    pub(crate) copies: BTreeMap<String, Factor>,
    /// What is told of settings that nothing here knows.
    pub(crate) unknown_settings: Vec<String>,
}

/// What is added to a tensor: B·A.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Pair {
    /// `[rank, inputs]`, behind the number of experts where one tensor has those of all.
    pub(crate) a: Factor,
    /// `[outputs, rank]`, with the scale in it.
    pub(crate) b: Factor,
}

/// A matrix of an adapter, and what its file calls it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Factor {
    pub(crate) tensor: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f32>,
}

impl Adapter {
    /// The adapter of a source.
    ///
    /// # Errors
    /// [`LlmError::Adapter`] for what is no adapter, or one that is not supported.
    pub(crate) fn open(source: &AdapterSource) -> Result<Adapter, LlmError> {
        let AdapterSource { path, scale } = source;
        if !scale.is_finite() {
            return Err(AdapterError::Scale { path: path.clone(), scale: *scale }.into());
        }
        if !path.exists() {
            return Err(AdapterError::unusable(path, "there is no such adapter").into());
        }
        if path.is_dir() {
            return peft::open(path, *scale);
        }
        let is = |extension: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        match path.parent() {
            _ if is("gguf") => gguf::open(path, *scale),
            Some(folder) if is("safetensors") && path.ends_with(peft::WEIGHTS) => peft::open(folder, *scale),
            _ => Err(AdapterError::unusable(path, "an adapter is a folder that PEFT wrote, or a .gguf file")
                .into()),
        }
    }
}

impl Pair {
    /// The rank, where both matrices agree on it.
    ///
    /// # Errors
    /// [`AdapterError::Rank`] with both shapes.
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
    /// Rows as columns of a matrix; anything else stays.
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
