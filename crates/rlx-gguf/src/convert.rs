//! Converts safetensors files to GGUF and back. Names are kept: this module does not know how families of models name
//! their tensors.

use crate::error::GgufError;
use crate::file::Gguf;
use crate::tensor::{TensorType, TensorView};
use crate::value::MetaValue;
use crate::write::GgufWriter;
use rlx_files::display::quoted;
use rlx_files::weights::{StoredType, Tensor, Weights, WeightsError, save};
use rlx_ir::DType;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns a file with the tensors and the metadata of safetensors files.
///
/// # Errors
/// Returns [`GgufError::Unwritable`] for an element type that GGUF does not have.
pub fn from_safetensors(weights: &Weights) -> Result<GgufWriter<'_>, GgufError> {
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
                problem: format!("the format does not have the type {}", tensor.stored_type()),
            });
        };
        writer.tensor(tensor.name(), stored, tensor.shape(), tensor.bytes());
    }
    Ok(writer)
}

/// Returns the same file in little-endian form, in one part.
pub fn from_gguf(file: &Gguf) -> GgufWriter<'_> {
    let mut writer = GgufWriter::new();
    for (key, value) in file.metadata().filter(|(key, _)| !key.starts_with("split.")) {
        writer.set(key, value);
    }
    for tensor in file.tensors() {
        writer.tensor(tensor.name, tensor.stored, tensor.shape, tensor.bytes());
    }
    writer
}

/// Writes the tensors of a file as safetensors: numbers unchanged, blocks as f32. Metadata become strings; lists are
/// left out.
///
/// # Errors
/// The same as [`save`]; also fails for blocks that unpack to infinite numbers or NaN, and for such numbers in f16
/// and bf16.
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
    let is_whole = |stored: TensorType| matches!(stored, TensorType::Plain(DType::F32 | DType::F64));
    for (tensor, (_, (dtype, bytes))) in file.tensors().zip(&decoded).filter(|(t, _)| !is_whole(t.stored)) {
        if let Some(stored) = StoredType::of(*dtype) {
            Tensor { name: tensor.name, stored, shape: tensor.shape, bytes }.check_finite()?;
        }
    }
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
