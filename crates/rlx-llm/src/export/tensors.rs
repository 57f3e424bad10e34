//! Arranges the tensors of safetensors under the names and in the order of GGUF files.

use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::{GgufForm, Param, TensorNames};
use crate::graph::{CacheType, Parameters, Role, decoder_graph};
use crate::parameters::{TensorSource, TensorsFound, parameter_bytes};
use crate::row_order::Reordering;
use crate::spec::DecoderSpec;
use rlx_gguf::recipe::is_matrix;
use rlx_gguf::{GgufError, GgufWriter, TensorType};
use rlx_ir::DType;
use std::cell::RefCell;
use std::sync::Arc;

/// Records the parameters that a graph asks for, in order, with their dimensions.
struct Asked<'a> {
    found: TensorsFound<'a>,
    dims: RefCell<Vec<(String, Vec<usize>)>>,
}

impl Parameters for Asked<'_> {
    fn storage(&self, name: &str, dims: &[usize], role: Role) -> TensorType {
        self.dims.borrow_mut().push((name.into(), dims.to_vec()));
        self.found.storage(name, dims, role)
    }
}

/// A tensor of the file to write: one or more parameters, concatenated by rows.
pub(super) struct Joined {
    pub(super) name: String,
    parts: Vec<TensorSource>,
    rows: usize,
    of_row: Vec<usize>,
    /// The order of rows, if it differs from that of the checkpoint.
    order: Option<Reordering>,
    /// A factor for the values, if a setting becomes part of them. The tensor is then f32.
    factor: Option<f32>,
}

impl Joined {
    /// Returns the dimensions.
    pub(super) fn shape(&self) -> Vec<usize> {
        [&[self.rows], &self.of_row[..]].concat()
    }

    /// Multiplies the values by a factor.
    pub(super) fn scale(&mut self, factor: f64) {
        self.factor = Some(factor as f32);
    }

    /// Returns a copy of the tensor under another name.
    pub(super) fn copy(&self, name: &str) -> Joined {
        let (parts, of_row) = (self.parts.clone(), self.of_row.clone());
        Joined { name: name.into(), parts, of_row, ..*self }
    }

    /// Returns the type that the tensor is written in.
    fn stored(&self) -> TensorType {
        let stored = self.parts.first().map_or(TensorType::Plain(DType::F32), |part| part.storage);
        let is_kept = matches!(stored, TensorType::Blocks(_)) || is_matrix(&self.name, &self.shape());
        if is_kept && self.factor.is_none() { stored } else { TensorType::Plain(DType::F32) }
    }
}

/// Adds tensors to a file.
pub(super) fn add(writer: &mut GgufWriter<'static>, checkpoint: &Arc<Checkpoint>, tensors: Vec<Joined>) {
    for tensor in tensors {
        let (stored, shape) = (tensor.stored(), tensor.shape());
        let checkpoint = checkpoint.clone();
        writer.tensor_made(tensor.name.clone(), stored, &shape, move || tensor.bytes(&checkpoint, stored));
    }
}

/// Returns the tensors that the file will have, found in the way that a graph asks for them. The token table is
/// truncated to `cut_to` rows, if given.
pub(super) fn planned(
    spec: &DecoderSpec,
    checkpoint: &Checkpoint,
    names: &TensorNames,
    form: &GgufForm,
    cut_to: Option<usize>,
) -> Result<Vec<Joined>, LlmError> {
    let asked = Asked { found: TensorsFound::new(checkpoint, names), dims: RefCell::default() };
    let graph = decoder_graph(spec, &asked, CacheType::F32);
    let (sources, dims) = (asked.found.finish()?, asked.dims.into_inner());
    graph?;
    let mut all: Vec<Joined> = Vec::new();
    for (source, (name, dims)) in sources.into_iter().zip(dims) {
        let param = Param::new(&name);
        let Some(name) = gguf_name(&param, checkpoint, names, form.names) else { continue };
        let (&rows, of_row) = dims.split_first().unwrap_or((&1, &[]));
        match all.iter_mut().find(|tensor| tensor.name == name) {
            Some(tensor) => {
                tensor.rows += rows;
                tensor.parts.push(source);
            }
            None => {
                let order = form.written.order.of(spec, &param);
                let of_row = of_row.to_vec();
                all.push(Joined { name, parts: vec![source], rows, of_row, order, factor: None });
            }
        }
    }
    for tensor in all.iter_mut().filter(|tensor| tensor.name == TOKENS) {
        tensor.rows = cut_to.map_or(tensor.rows, |rows| rows.min(tensor.rows));
    }
    Ok(all)
}

/// The names of the token table and of the output projection.
pub(super) const TOKENS: &str = "token_embd.weight";
pub(super) const OUTPUT: &str = "output.weight";

/// Returns the name of the GGUF tensor for a parameter. Parameters that share a tensor in the checkpoint also share
/// one in the file if GGUF has a name for it.
pub(crate) fn gguf_name(
    param: &Param<'_>,
    checkpoint: &Checkpoint,
    names: &TensorNames,
    gguf: &TensorNames,
) -> Option<String> {
    let together = names.joined(param).filter(|joined| checkpoint.has(joined));
    together.and_then(|_| gguf.joined(param)).or_else(|| gguf.alone(param))
}

impl Joined {
    fn bytes(&self, checkpoint: &Checkpoint, stored: TensorType) -> Result<Vec<u8>, GgufError> {
        let mut bytes = Vec::new();
        for part in &self.parts {
            let made = parameter_bytes(part, checkpoint);
            let made = made.map_err(|error| GgufError::Unwritable {
                what: format!("tensor {}", self.name),
                problem: error.to_string(),
            })?;
            let numbers = rlx_gguf::converted_numbers(&self.name, made, part.storage, stored)?;
            bytes.extend(match self.factor {
                Some(factor) => {
                    let scaled = numbers.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b) * factor);
                    rlx_gguf::float_bytes(&self.name, &scaled.collect::<Vec<f32>>(), DType::F32)?
                }
                None => numbers,
            });
        }
        let of_row = bytes.len().checked_div(self.parts_rows(stored, bytes.len())).unwrap_or(0);
        bytes.truncate(of_row * self.rows);
        if let Some(order) = &self.order {
            let elements = self.of_row.iter().product();
            bytes = order.apply(&bytes, of_row, of_row / usize::max(elements, 1));
        }
        Ok(bytes)
    }

    /// Returns the number of rows of all parts, which take `bytes` bytes together.
    fn parts_rows(&self, stored: TensorType, bytes: usize) -> usize {
        let (len, size) = stored.block();
        let row = self.of_row.iter().product::<usize>() / len * size;
        bytes.checked_div(row).unwrap_or(self.rows)
    }
}
