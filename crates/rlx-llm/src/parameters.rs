//! Tensors of a checkpoint as parameters of the graph.

use crate::checkpoint::{Checkpoint, StoredRows, element_type};
use crate::error::{LlmError, Misfit};
use crate::families::{Param, TensorNames};
use crate::graph::{Parameters, Role};
use rlx_gguf::TensorType;
use rlx_ir::DType;
use rlx_session::CompiledGraph;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The tensors that a graph needs, found as it asks for them.
pub(crate) struct TensorsFound<'a> {
    checkpoint: &'a Checkpoint,
    names: &'a TensorNames,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    sources: Vec<TensorSource>,
    misfit: Misfit,
    /// Of tensors that hold several parameters, how many rows were asked for.
    taken: BTreeMap<String, usize>,
    /// Tensors that were reported.
    reported: BTreeSet<String>,
}

/// Where a parameter lies, and what is done to it.
pub(crate) struct TensorSource {
    param: String,
    tensor: String,
    /// The rows of it, once `change` is done.
    rows: Range<usize>,
    change: Change,
    /// Bytes of memory or of mapped pages that it needs.
    pub(crate) bytes: usize,
}

/// What is done to a tensor of a checkpoint before it is a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    /// Nothing: its bytes are the parameter's.
    None,
    /// Rows and columns of these dimensions change places.
    Transposed([usize; 2]),
    /// It is converted to f32, and this is added: weights of norms may be kept as w − 1.
    Plus(f32),
}

impl<'a> TensorsFound<'a> {
    pub(crate) fn new(checkpoint: &'a Checkpoint, names: &'a TensorNames) -> TensorsFound<'a> {
        TensorsFound { checkpoint, names, found: RefCell::default() }
    }

    /// What was found.
    ///
    /// # Errors
    /// A [`Misfit`] with every tensor that is missing, of another shape, or not of numbers.
    pub(crate) fn finish(self) -> Result<Vec<TensorSource>, Misfit> {
        let Found { sources, misfit, .. } = self.found.into_inner();
        if misfit.is_empty() { Ok(sources) } else { Err(misfit) }
    }

    /// The tensor of a parameter, and whether it may hold others as well.
    fn tensor_of(&self, name: &str) -> (String, bool) {
        let param = Param::new(name);
        let alone = self.names.alone(&param);
        match self.names.joined(&param) {
            Some(joined) if alone.is_none() || self.checkpoint.has(&joined) => (joined, true),
            _ => (alone.unwrap_or_else(|| name.into()), false),
        }
    }
}

impl Parameters for TensorsFound<'_> {
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType {
        let mut found = self.found.borrow_mut();
        let f32s = TensorType::Plain(DType::F32);
        let (tensor, shared) = self.tensor_of(name);
        let is_new = found.reported.insert(tensor.clone()) || !shared;
        let Some(stored) = self.checkpoint.tensor(&tensor) else {
            if is_new {
                found.misfit.missing.push(tensor);
            }
            return f32s;
        };
        let Some(storage) = stored.storage else {
            if is_new {
                found.misfit.wrong_type.push((tensor, stored.type_name));
            }
            return f32s;
        };
        let transposed = self.names.transposed && role == Role::Matrix && Param::new(name).layer.is_some();
        let shape = match *stored.shape {
            [inputs, outputs] if transposed => vec![outputs, inputs],
            ref shape => shape.to_vec(),
        };
        let rows = dims.first().copied().unwrap_or(1);
        let start = if shared { found.taken.entry(tensor.clone()).or_insert(0) } else { &mut 0 };
        let range = *start..*start + rows;
        *start = range.end;
        let fits = match (&shape[..], dims) {
            ([all, rest @ ..], [_, needed @ ..]) if shared => range.end <= *all && rest == needed,
            (shape, dims) => shape == dims,
        };
        let plain = matches!(storage, TensorType::Plain(_));
        if !fits || transposed && !plain {
            found.misfit.wrong_shape.push((tensor, dims.to_vec(), stored.shape.to_vec()));
            return f32s;
        }
        let (change, storage) = match role {
            Role::Matrix if transposed => (Change::Transposed([shape[1], shape[0]]), storage),
            Role::Matrix => (Change::None, storage),
            Role::Norm if self.names.norms_less_one && name.ends_with(".weight") => (Change::Plus(1.0), f32s),
            Role::Norm | Role::Vector if storage == f32s => (Change::None, f32s),
            Role::Norm | Role::Vector => (Change::Plus(0.0), f32s),
        };
        let (len, bytes) = storage.block();
        let bytes = dims.iter().product::<usize>() / len * bytes;
        found.sources.push(TensorSource { param: name.into(), tensor, rows: range, change, bytes });
        storage
    }
}

/// Gives the program a parameter: bytes of the file where nothing is changed about them.
pub(crate) fn set(
    program: &mut CompiledGraph,
    source: &TensorSource,
    checkpoint: &Arc<Checkpoint>,
) -> Result<(), LlmError> {
    let Some(stored) = checkpoint.tensor(&source.tensor) else { return Ok(()) };
    let dtype = stored.storage.map_or(DType::F32, element_type);
    match source.change {
        Change::None => {
            let bytes = stored.rows(&source.rows);
            if stored.is_swapped() {
                program.set_param_typed(&source.param, &stored.bytes()[bytes], dtype)?;
            } else {
                let (checkpoint, tensor) = (checkpoint.clone(), source.tensor.clone());
                program
                    .set_param_shared(&source.param, Arc::new(StoredRows { checkpoint, tensor, bytes }))?;
            }
        }
        Change::Transposed(dims) => {
            let bytes = transposed(stored.bytes(), dims, dtype.size());
            let row = dims[0] * dtype.size();
            let rows = source.rows.start * row..source.rows.end * row;
            program.set_param_typed(&source.param, &bytes[rows], dtype)?;
        }
        Change::Plus(term) => {
            let all = checkpoint.values(&source.tensor)?;
            let width = all.len() / stored.shape.first().copied().unwrap_or(1).max(1);
            let values = &all[source.rows.start * width..source.rows.end * width];
            let values: Vec<f32> = values.iter().map(|x| x + term).collect();
            program.try_set_param(&source.param, &values)?;
        }
    }
    Ok(())
}

/// Elements of `size` bytes of a matrix `[rows, columns]`, column by column.
fn transposed(bytes: &[u8], [rows, columns]: [usize; 2], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for column in 0..columns {
        for row in 0..rows {
            out.extend_from_slice(&bytes[(row * columns + column) * size..][..size]);
        }
    }
    out
}
