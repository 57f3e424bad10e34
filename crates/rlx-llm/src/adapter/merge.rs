//! Merges updates into the tensors of a checkpoint.

use super::{AdapterError, AdapterSource, ModelUpdates, Update};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::Family;
use crate::graph::{CacheType, decoder_graph};
use crate::parameters::{TensorPlace, TensorSource, TensorsFound};
use rlx_gguf::{ModelFiles, TensorType, converted_numbers, float_bytes};
use rlx_ir::DType;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The updates of a tensor.
#[derive(Default)]
pub(crate) struct TensorMerge {
    patches: Vec<Patch>,
}

/// An update, and the rows of the tensor that it applies to.
struct Patch {
    update: Arc<Update>,
    place: TensorPlace,
}

/// Opens the checkpoint at `path` and merges adapters into its weights.
///
/// # Errors
/// The same as [`LanguageModel::open`](crate::LanguageModel::open), and [`AdapterError::Unusable`] for a parameter
/// that cannot be merged: its tensor is also another parameter, or stores experts in an order that updates do not
/// support.
pub(crate) fn merged(path: &Path, sources: &[AdapterSource]) -> Result<Checkpoint, LlmError> {
    let checkpoint = Checkpoint::new(&ModelFiles::open(path)?)?;
    if sources.is_empty() {
        return Ok(checkpoint);
    }
    let (spec, names) = Family::load(path, &checkpoint)?;
    let model_updates = ModelUpdates::open(sources, path, &checkpoint)?;
    let parameters = model_updates.with(TensorsFound::new(&checkpoint, names), &spec);
    let graph = decoder_graph(&spec, &parameters, CacheType::F32);
    let (tensors, updates) = parameters.finish()?;
    let sources = tensors.finish()?;
    graph?;
    let mut merges: BTreeMap<String, TensorMerge> = BTreeMap::new();
    for update in updates {
        let param = update.param.clone();
        let unusable = |problem: &str| {
            AdapterError::unusable(path, format!("the update of {param} cannot be merged: {problem}"))
        };
        if spec.tied && ["tokens.weight", "output.weight"].contains(&param.as_str()) {
            let problem = "one tensor is both the token table and the output projection, but the adapter changes only one of \
                           them; apply the adapter when the model runs";
            return Err(unusable(problem).into());
        }
        let places = sources.iter().find(|source| source.param == param).and_then(TensorSource::places);
        let places =
            places.ok_or_else(|| unusable("its tensor stores the rows of experts in another order"))?;
        let update = Arc::new(update);
        for (tensor, place) in places {
            merges.entry(tensor).or_default().patches.push(Patch { update: update.clone(), place });
        }
    }
    Ok(checkpoint.with_merges(merges))
}

impl TensorMerge {
    /// Returns the type of a tensor after updates are added: blocks become f16.
    pub(crate) fn stored(stored: TensorType) -> TensorType {
        TensorType::Plain(match stored {
            TensorType::Plain(dtype @ (DType::F32 | DType::F16 | DType::BF16)) => dtype,
            TensorType::Plain(_) => DType::F32,
            TensorType::Blocks(_) => DType::F16,
        })
    }

    /// Returns the bytes of the tensor with its updates, in the type that [`stored`](TensorMerge::stored) returns.
    ///
    /// # Errors
    /// Fails if the values cannot be converted to f32, or if a sum is not finite in the type that it is stored in.
    pub(crate) fn bytes(&self, tensor: &str, bytes: &[u8], stored: TensorType) -> Result<Vec<u8>, LlmError> {
        let f32 = TensorType::Plain(DType::F32);
        let numbers = converted_numbers(tensor, bytes.to_vec(), stored, f32)?;
        let mut values: Vec<f32> = numbers.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        self.patches.iter().for_each(|patch| patch.add(&mut values));
        let TensorType::Plain(dtype) = TensorMerge::stored(stored) else { return Ok(bytes.to_vec()) };
        Ok(float_bytes(tensor, &values, dtype)?)
    }
}

impl Patch {
    fn add(&self, values: &mut [f32]) {
        let Update { dims, rank, a, b, .. } = &*self.update;
        let &[ref lead @ .., rows, columns] = &dims[..] else { return };
        let experts = match self.place {
            TensorPlace::Expert(expert) => expert..expert + 1,
            _ => 0..lead.iter().product(),
        };
        let mut row = vec![0f32; columns];
        for (place, expert) in experts.enumerate() {
            let a = &a[expert * rank * columns..][..rank * columns];
            for i in 0..rows {
                row.fill(0.0);
                let factors = &b[(expert * rows + i) * rank..][..*rank];
                for (factor, a) in factors.iter().zip(a.chunks_exact(columns)) {
                    row.iter_mut().zip(a).for_each(|(sum, a)| *sum += factor * a);
                }
                let at = place * rows + i;
                let add = |(value, x): (&mut f32, &f32)| *value += x;
                match self.place {
                    TensorPlace::Columns { from, all } => {
                        values.iter_mut().skip(from + at).step_by(all).zip(&row).for_each(add);
                    }
                    TensorPlace::Rows(from) => {
                        values[(from + at) * columns..].iter_mut().zip(&row).for_each(add)
                    }
                    TensorPlace::Expert(_) => values[at * columns..].iter_mut().zip(&row).for_each(add),
                }
            }
        }
    }
}
