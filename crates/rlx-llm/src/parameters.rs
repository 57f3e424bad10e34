//! Tensors of a checkpoint as parameters of the graph.

use crate::error::{LlmError, Misfit};
use crate::families::{Change, Sources, TensorSource};
use rlx_files::weights::{TensorView, Weights};
use std::collections::BTreeSet;

/// Holds the tensors of a checkpoint against what the graph needs.
///
/// # Errors
/// A [`Misfit`] with every tensor that is missing, of another shape, or not of numbers.
pub(crate) fn check(sources: &Sources, weights: &Weights) -> Result<(), Misfit> {
    let mut misfit = Misfit::default();
    let mut seen = BTreeSet::new();
    for source in &sources.list {
        let Some(tensor) = weights.get(&source.tensor) else {
            if seen.insert(&source.tensor) {
                misfit.missing.push(source.tensor.clone());
            }
            continue;
        };
        if !tensor.stored_type().dtype().is_some_and(rlx_ir::DType::is_float) {
            misfit.wrong_type.push((source.tensor.clone(), tensor.stored_type().tag()));
        }
        if !fits(source, tensor.shape()) {
            misfit.wrong_shape.push((source.tensor.clone(), source.dims.clone(), tensor.shape().to_vec()));
        }
    }
    if misfit.is_empty() { Ok(()) } else { Err(misfit) }
}

/// Whether a tensor of this shape holds the parameter.
fn fits(source: &TensorSource, shape: &[usize]) -> bool {
    match (&source.change, shape) {
        (Change::None | Change::PlusOne, shape) => shape == source.dims,
        (Change::Rows(rows), [all, rest @ ..]) => rows.end <= *all && rest == &source.dims[1..],
        (Change::TransposedRows(rows), [inner, all]) => rows.end <= *all && source.dims[1..] == [*inner],
        _ => false,
    }
}

/// The values of a parameter, whose tensor [`check`] has accepted.
pub(crate) fn values(source: &TensorSource, weights: &Weights) -> Result<Vec<f32>, LlmError> {
    let tensor: TensorView<'_> = weights.tensor(&source.tensor)?;
    let all = tensor.to_f32()?;
    let width: usize = tensor.shape().iter().skip(1).product();
    Ok(match &source.change {
        Change::None => all.into_owned(),
        Change::PlusOne => all.iter().map(|x| x + 1.0).collect(),
        Change::Rows(rows) => all[rows.start * width..rows.end * width].to_vec(),
        Change::TransposedRows(columns) => {
            columns.clone().flat_map(|c| all.iter().skip(c).step_by(width.max(1)).copied()).collect()
        }
    })
}
