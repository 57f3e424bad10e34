//! Tensors of safetensors under the names and in the order of GGUF files.

use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::{Family, GgufForm, Param, TensorNames};
use crate::graph::{CacheType, Parameters, Role, decoder_graph};
use crate::parameters::{TensorSource, TensorsFound, parameter_bytes};
use crate::row_order::Reordering;
use crate::spec::DecoderSpec;
use rlx_gguf::recipe::is_matrix;
use rlx_gguf::{GgufError, GgufWriter, TensorType};
use rlx_ir::DType;
use rlx_models::fields::Fields;
use std::cell::RefCell;
use std::sync::Arc;

/// The parameters that a graph asks for, in their order, with their dimensions.
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

/// A tensor of the file that is written: parameters, row after row.
struct Joined {
    name: String,
    parts: Vec<TensorSource>,
    rows: usize,
    of_row: Vec<usize>,
    /// The order of rows, where it is not that of the checkpoint.
    order: Option<Reordering>,
}

/// Adds all tensors; of the table of tokens the first `cut_to` rows, if that is a number.
pub(super) fn add(
    writer: &mut GgufWriter<'static>,
    checkpoint: &Arc<Checkpoint>,
    family: &Family,
    form: &GgufForm,
    fields: &Fields,
    cut_to: Option<usize>,
) -> Result<(), LlmError> {
    let spec = family.spec(fields)?;
    for mut tensor in joined(&spec, checkpoint, family.names(), form)? {
        let rows =
            if tensor.name == "token_embd.weight" { cut_to.unwrap_or(tensor.rows) } else { tensor.rows };
        tensor.rows = tensor.rows.min(rows);
        let shape = [&[tensor.rows], &tensor.of_row[..]].concat();
        let stored = tensor.parts.first().map_or(TensorType::Plain(DType::F32), |part| part.storage);
        let kept = matches!(stored, TensorType::Blocks(_)) || is_matrix(&tensor.name, &shape);
        let stored = if kept { stored } else { TensorType::Plain(DType::F32) };
        let checkpoint = checkpoint.clone();
        writer.tensor_made(tensor.name.clone(), stored, &shape, move || tensor.bytes(&checkpoint, stored));
    }
    Ok(())
}

/// The tensors that the file has, by what the graph asks for.
fn joined(
    spec: &DecoderSpec,
    checkpoint: &Checkpoint,
    names: &TensorNames,
    form: &GgufForm,
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
                all.push(Joined { name, parts: vec![source], rows, of_row: of_row.to_vec(), order });
            }
        }
    }
    Ok(all)
}

/// What files call the tensor of a parameter: what lies together stays together where they have a name for that.
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
            bytes.extend(rlx_gguf::converted_numbers(&self.name, made, part.storage, stored)?);
        }
        let of_row = bytes.len().checked_div(self.parts_rows(stored, bytes.len())).unwrap_or(0);
        bytes.truncate(of_row * self.rows);
        if let Some(order) = &self.order {
            let elements = self.of_row.iter().product();
            bytes = order.apply(&bytes, of_row, of_row / usize::max(elements, 1));
        }
        Ok(bytes)
    }

    /// Rows of the parts together, of which `bytes` are all.
    fn parts_rows(&self, stored: TensorType, bytes: usize) -> usize {
        let (len, size) = stored.block();
        let row = self.of_row.iter().product::<usize>() / len * size;
        bytes.checked_div(row).unwrap_or(self.rows)
    }
}
