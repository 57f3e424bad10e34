//! Passes parameters to a program.

use super::{Change, NumberChange, TensorSource, numbered};
use crate::checkpoint::{Checkpoint, StoredRows, element_type};
use crate::error::LlmError;
use crate::progress::LoadObserver;
use rlx_session::{CompiledGraph, Param, ParamBytes};
use std::ops::Range;
use std::sync::{Arc, Once};

/// Passes a parameter to the program. If it is stored unchanged in the file, the program uses the bytes of the file,
/// and the observer is told when they are packed.
pub(crate) fn set(
    program: &mut CompiledGraph,
    source: &TensorSource,
    checkpoint: &Arc<Checkpoint>,
    observer: Option<&LoadObserver>,
) -> Result<(), LlmError> {
    let TensorSource { param, storage, .. } = source;
    if let Some(shared) = stored_rows(source, checkpoint, observer) {
        return Ok(program.set_param_shared(param, Arc::new(shared))?);
    }
    let bytes = parameter_bytes(source, checkpoint)?;
    Ok(program.set_param_typed(param, &bytes, element_type(*storage))?)
}

/// Returns the value of a parameter: the bytes of the file if it is stored there unchanged.
pub(crate) fn value(source: &TensorSource, checkpoint: &Arc<Checkpoint>) -> Result<Param, LlmError> {
    Ok(match stored_rows(source, checkpoint, None) {
        Some(shared) => Param::new(Arc::new(shared)),
        None => Param::new(Arc::new(OwnBytes(parameter_bytes(source, checkpoint)?))),
    })
}

/// Bytes that were computed.
struct OwnBytes(Vec<u8>);

impl ParamBytes for OwnBytes {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Returns the bytes of a parameter in the file if it is stored there unchanged.
fn stored_rows(
    source: &TensorSource,
    checkpoint: &Arc<Checkpoint>,
    observer: Option<&LoadObserver>,
) -> Option<StoredRows> {
    let TensorSource { tensor, change, .. } = source;
    let Change::Rows(rows, all) = change else { return None };
    let bytes = part(checkpoint.tensor(tensor)?.mapped()?.len(), rows, *all);
    let (checkpoint, tensor) = (checkpoint.clone(), tensor.clone());
    Some(StoredRows { checkpoint, tensor, bytes, observer: observer.cloned(), told: Once::new() })
}

/// Returns the bytes of a parameter in the form that graphs expect.
pub(crate) fn parameter_bytes(source: &TensorSource, checkpoint: &Checkpoint) -> Result<Vec<u8>, LlmError> {
    let TensorSource { tensor, change, storage, .. } = source;
    let dtype = element_type(*storage);
    let bytes_of = |tensor: &str| match checkpoint.tensor(tensor) {
        Some(stored) => stored.into_bytes(),
        None => Ok(Vec::new()),
    };
    Ok(match change {
        Change::Rows(rows, all) => {
            let bytes = bytes_of(tensor)?;
            bytes[part(bytes.len(), rows, *all)].to_vec()
        }
        Change::TransposedRows(rows, dims) => {
            let bytes = transposed(&bytes_of(tensor)?, *dims, dtype.size());
            bytes[part(bytes.len(), rows, dims[1])].to_vec()
        }
        Change::Numbers(rows, all, change) => {
            let values = checkpoint.values(tensor)?;
            let values = values[part(values.len(), rows, *all)].iter().map(|x| match change {
                NumberChange::None => *x,
                NumberChange::PlusOne => x + 1.0,
                NumberChange::MinusExp => -f64::from(*x).exp() as f32,
            });
            values.flat_map(f32::to_le_bytes).collect()
        }
        Change::Stack(count) => {
            let experts = (0..*count).map(|expert| bytes_of(&numbered(tensor, expert)));
            experts.collect::<Result<Vec<_>, LlmError>>()?.concat()
        }
        Change::Turns(turn, dims) => turn.weights(&bytes_of(tensor)?, *dims, dtype.size()),
        Change::BiasTurns(turn) => {
            turn.biases(&checkpoint.values(tensor)?).into_iter().flat_map(f32::to_le_bytes).collect()
        }
        Change::BlockTurns(turn, n) => {
            let of = |part: &str| bytes_of(&format!("{tensor}_{part}"));
            turn.blocks(&of("blocks")?, &of("scales")?, *n)
        }
    })
}

/// Returns where a range of `all` rows is among `len` elements.
fn part(len: usize, rows: &Range<usize>, all: usize) -> Range<usize> {
    let row = len / all.max(1);
    rows.start * row..rows.end * row
}

/// Transposes a matrix `[rows, columns]` with elements of `size` bytes.
fn transposed(bytes: &[u8], [rows, columns]: [usize; 2], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for column in 0..columns {
        for row in 0..rows {
            out.extend_from_slice(&bytes[(row * columns + column) * size..][..size]);
        }
    }
    out
}
