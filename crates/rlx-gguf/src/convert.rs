//! Files of tensors as GGUF, quantised on the way or not, and back to safetensors. Names stay as they are: what a family of models calls its
//! tensors is not known here.

use crate::error::GgufError;
use crate::file::Gguf;
use crate::tensor::{TensorType, TensorView};
use crate::value::MetaValue;
use crate::write::GgufWriter;
use rlx_files::display::quoted;
use rlx_files::weights::{StoredType, Tensor, Weights, WeightsError, save};
use rlx_ir::{DType, QuantScheme};
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::Path;
use std::thread;

/// The format of rows that are too short for the one that was asked for.
const SHORT_ROWS: QuantScheme = QuantScheme::Q8_0;

/// The tensors and the metadata of safetensors files; `quantize` as in [`requantized`].
///
/// # Errors
/// [`GgufError::Unwritable`] for an element type that GGUF does not have, and values that are not finite in a tensor that is quantised.
pub fn from_safetensors(
    weights: &Weights,
    quantize: Option<QuantScheme>,
) -> Result<GgufWriter<'_>, GgufError> {
    let mut writer = GgufWriter::new();
    for (key, value) in weights.metadata() {
        writer.set(key.as_str(), value.as_str().into());
    }
    for tensor in weights.iter() {
        let dtype = tensor.stored_type().dtype();
        let stored = dtype.map(TensorType::Plain).filter(|stored| stored.id().is_some());
        let Some(stored) = stored else {
            return Err(GgufError::Unwritable {
                what: format!("tensor {}", quoted(tensor.name())),
                problem: format!("the format has no type {}", tensor.stored_type()),
            });
        };
        let view = TensorView {
            name: tensor.name(),
            stored,
            shape: tensor.shape(),
            bytes: tensor.bytes(),
            big_endian: false,
        };
        add(&mut writer, view, quantize)?;
    }
    Ok(writer)
}

/// The same file, little-endian, in one part, and its tensors of floats quantised if `quantize` says how.
///
/// Quantised are matrices and what has more dimensions: their rows, if these are whole blocks, or else in Q8_0, if they are whole blocks of
/// that. Everything else stays as it is, and so does what is quantised already.
///
/// # Errors
/// [`GgufError::Unwritable`] for values that are not finite in a tensor that is quantised.
pub fn requantized(file: &Gguf, quantize: Option<QuantScheme>) -> Result<GgufWriter<'_>, GgufError> {
    let mut writer = GgufWriter::new();
    for (key, value) in file.metadata().filter(|(key, _)| !key.starts_with("split.")) {
        writer.set(key, value);
    }
    for tensor in file.tensors() {
        add(&mut writer, tensor, quantize)?;
    }
    Ok(writer)
}

fn add<'a>(
    writer: &mut GgufWriter<'a>,
    tensor: TensorView<'a>,
    quantize: Option<QuantScheme>,
) -> Result<(), GgufError> {
    match quantize.and_then(|scheme| scheme_of(&tensor, scheme)) {
        None => writer.tensor(tensor.name, tensor.stored, tensor.shape, tensor.bytes()),
        Some(scheme) => {
            let bytes = quantized(&tensor, scheme)?;
            writer.tensor(tensor.name, TensorType::Blocks(scheme), tensor.shape, bytes);
        }
    }
    Ok(())
}

/// In which format a tensor is quantised, if it is.
fn scheme_of(tensor: &TensorView<'_>, scheme: QuantScheme) -> Option<QuantScheme> {
    let floats = [DType::F64, DType::F32, DType::F16, DType::BF16].map(TensorType::Plain);
    let &row = tensor.shape.last().filter(|_| tensor.shape.len() > 1 && floats.contains(&tensor.stored))?;
    [scheme, SHORT_ROWS].into_iter().find(|scheme| row > 0 && row.is_multiple_of(scheme.block_len()))
}

/// The blocks of a tensor, made on all threads.
fn quantized(tensor: &TensorView<'_>, scheme: QuantScheme) -> Result<Vec<u8>, GgufError> {
    let values = tensor.to_f32()?;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let blocks = (values.len() / scheme.block_len()).div_ceil(threads).max(1);
    let parts: Vec<&[f32]> = values.chunks(blocks * scheme.block_len()).collect();
    let done: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> =
            parts.iter().map(|part| scope.spawn(move || scheme.quantize(part, None))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
            .collect()
    });
    let unwritable = |problem: String| {
        let what = format!("tensor {}", quoted(tensor.name));
        GgufError::Unwritable { what, problem }
    };
    let parts: Result<Vec<Vec<u8>>, _> = done.into_iter().collect();
    Ok(parts.map_err(|e| unwritable(e.to_string()))?.concat())
}

/// Writes the tensors of a file as safetensors: numbers as they are, blocks as f32. Metadata become text, lists are left out.
///
/// # Errors
/// As [`save`].
pub fn to_safetensors(file: &Gguf, path: &Path) -> Result<(), WeightsError> {
    let decode = |tensor: TensorView<'_>| match tensor.stored {
        TensorType::Plain(dtype) => (dtype, tensor.bytes().into_owned()),
        TensorType::Blocks(scheme) => {
            let mut values = vec![0.0; tensor.len()];
            scheme.dequantize(&tensor.bytes(), &mut values);
            (DType::F32, values.iter().flat_map(|v| v.to_le_bytes()).collect())
        }
    };
    let decoded: Vec<(TensorView<'_>, (DType, Vec<u8>))> =
        file.tensors().map(|tensor| (tensor, decode(tensor))).collect();
    let tensors: Vec<Tensor<'_>> = decoded
        .iter()
        .filter_map(|(tensor, (dtype, bytes))| {
            let stored = StoredType::of(*dtype)?;
            Some(Tensor { name: tensor.name, stored, shape: tensor.shape, bytes })
        })
        .collect();
    let metadata: BTreeMap<String, String> =
        file.metadata().filter_map(|(key, value)| Some((key.to_string(), as_text(&value)?))).collect();
    save(path, &tensors, &metadata)
}

fn as_text(value: &MetaValue<'_>) -> Option<String> {
    let truth = value.as_bool().map(|truth| truth.to_string());
    let whole = value.as_int().map(|number| number.to_string());
    let float = value.as_f64().map(|number| format!("{number:?}"));
    value.as_str().map(str::to_string).or(truth).or(whole).or(float)
}
