//! Converts the tensors of a file to the types that a recipe chooses.

use crate::error::GgufError;
use crate::imatrix::ImportanceMatrix;
use crate::recipe::{ModelFacts, QuantizeOptions};
use crate::tensor::{TensorType, TensorView};
use crate::value::MetaValue;
use crate::write::{Data, GgufWriter, Tensor};
use rlx_files::blocks::{NoBlocks, blocks_of};
use rlx_files::display::quoted;
use rlx_files::finite::narrowed;
use rlx_ir::{DType, QuantScheme};
use std::num::NonZero;
use std::thread;

/// The version of ggml's formats.
const QUANTIZATION_VERSION: u32 = 2;

impl<'a> GgufWriter<'a> {
    /// Returns the same file with its tensors in the types that a recipe chooses. Tensors are converted as they are
    /// written. Weights that are not finite, or would not be finite in their new type, are refused at that point.
    ///
    /// # Errors
    /// Returns [`GgufError::NoImportance`] if formats need an importance matrix, [`GgufError::ImportanceSize`] if it
    /// belongs to another model, and [`GgufError::Quantized`] for tensors that are already quantized, unless
    /// requantizing is requested.
    pub fn quantized(
        mut self,
        options: &QuantizeOptions,
        importance: Option<&'a ImportanceMatrix>,
    ) -> Result<GgufWriter<'a>, GgufError> {
        let facts = ModelFacts::of(|key| {
            self.metadata().find(|(known, _)| *known == key).map(|(_, value)| value.clone())
        });
        let tensors: Vec<_> = self.tensors().collect();
        let types = options.types(&facts, &tensors, importance.is_some())?;
        self.set("general.quantization_version", MetaValue::U32(QUANTIZATION_VERSION));
        self.set("general.file_type", MetaValue::U32(options.recipe.file_type()));
        if let Some(importance) = importance {
            let entries = importance.names().len() as u32;
            self.set("quantize.imatrix.entries_count", MetaValue::U32(entries));
            self.set("quantize.imatrix.chunks_count", MetaValue::U32(importance.chunks));
            if let Some(dataset) = importance.datasets.first() {
                self.set("quantize.imatrix.dataset", dataset.as_str().into());
            }
        }
        let tensors = self.take_tensors().into_iter().zip(types);
        let tensors = tensors.map(|(tensor, stored)| {
            if tensor.stored == stored {
                return Ok(tensor);
            }
            if let (TensorType::Blocks(scheme), false) = (tensor.stored, options.requantize) {
                return Err(GgufError::Quantized { tensor: quoted(&tensor.name), scheme: scheme.name() });
            }
            let weights = importance.map(|i| weights_of(i, &tensor, stored)).transpose()?.flatten();
            Ok(converted(tensor, stored, weights))
        });
        let tensors = tensors.collect::<Result<_, _>>()?;
        self.put_tensors(tensors);
        self.refuse_all_not_finite();
        Ok(self)
    }
}

/// Returns the importance of a tensor, if there is one and the type uses it.
fn weights_of(
    importance: &ImportanceMatrix,
    tensor: &Tensor<'_>,
    stored: TensorType,
) -> Result<Option<Vec<f32>>, GgufError> {
    let (TensorType::Blocks(scheme), Some(&columns)) = (stored, tensor.shape.last()) else { return Ok(None) };
    let matrices: usize = tensor.shape.iter().rev().skip(2).product();
    let table = tensor.name == "token_embd.weight" || tensor.name == "output.weight";
    match importance.weights(&tensor.name) {
        Some(weights) if weights.len() == columns * matrices => Ok(Some(weights)),
        // Older files have a single entry for tensors with several matrices.
        Some(weights) if weights.len() == columns => Ok(Some(weights.repeat(matrices))),
        Some(_) if table => Ok(None),
        Some(weights) => Err(GgufError::ImportanceSize {
            tensor: quoted(&tensor.name),
            needed: columns * matrices,
            there: weights.len(),
        }),
        None if !table && QuantizeOptions::needs_importance(scheme) => {
            Err(GgufError::NoImportance { tensor: quoted(&tensor.name), scheme: scheme.name() })
        }
        None => Ok(None),
    }
}

/// Converts numbers or blocks to numbers of another type.
///
/// # Errors
/// Returns [`GgufError::NotFloat`] for integers, and [`GgufError::Unwritable`] for types other than floats of 16 and
/// 32 bits.
pub fn converted_numbers(
    name: &str,
    bytes: Vec<u8>,
    from: TensorType,
    to: TensorType,
) -> Result<Vec<u8>, GgufError> {
    let TensorType::Plain(dtype) = to else { return Ok(bytes) };
    if from == to {
        return Ok(bytes);
    }
    let (len, size) = from.block();
    let shape = [bytes.len() / size * len];
    let view = TensorView { name, stored: from, shape: &shape, bytes: &bytes, big_endian: false };
    float_bytes(name, &view.to_f32()?, dtype)
}

/// Returns the tensor in another type, converted when it is written.
fn converted(tensor: Tensor<'_>, stored: TensorType, weights: Option<Vec<f32>>) -> Tensor<'_> {
    let (name, shape) = (tensor.name.clone(), tensor.shape.clone());
    let make = move || {
        let bytes = tensor.bytes()?;
        let (name, shape) = (tensor.name.as_str(), tensor.shape.as_slice());
        let view = TensorView { name, stored: tensor.stored, shape, bytes: &bytes, big_endian: false };
        let values = view.to_f32()?;
        match stored {
            TensorType::Plain(dtype) => float_bytes(name, &values, dtype),
            TensorType::Blocks(scheme) => blocks(name, shape, &values, scheme, weights.as_deref()),
        }
    };
    Tensor { name, stored, shape, data: Data::Made(Box::new(make)) }
}

/// Converts values to the bytes of a tensor of this type.
///
/// # Errors
/// Returns [`GgufError::Unwritable`], with the first such value, if a value is not finite or would not be finite in
/// this type; also for types other than f32, f16 and bf16.
pub fn float_bytes(name: &str, values: &[f32], dtype: DType) -> Result<Vec<u8>, GgufError> {
    match narrowed(values, dtype) {
        Some(bytes) => bytes.map_err(|e| unwritable(name, e.to_string())),
        None => Err(unwritable(name, format!("floats cannot be written as {dtype}"))),
    }
}

/// Quantizes a tensor to blocks on all threads.
fn blocks(
    name: &str,
    shape: &[usize],
    values: &[f32],
    scheme: QuantScheme,
    weights: Option<&[f32]>,
) -> Result<Vec<u8>, GgufError> {
    let columns = shape.last().copied().unwrap_or(1).max(1);
    let matrix = shape.iter().rev().take(2).product::<usize>().max(1);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let rows = (matrix / columns).div_ceil(threads).max(1);
    // Pieces of whole rows, each from one matrix with the weights of that matrix, and where they begin.
    type Piece<'a> = (usize, &'a [f32], Option<&'a [f32]>);
    let pieces: Vec<Piece<'_>> = values
        .chunks(matrix)
        .enumerate()
        .flat_map(|(i, values)| {
            let weights = weights.and_then(|w| w.get(i * columns..(i + 1) * columns));
            let piece = move |(j, piece)| (i * matrix + j * rows * columns, piece, weights);
            values.chunks(rows * columns).enumerate().map(piece)
        })
        .collect();
    let quantize = |pieces: &[Piece<'_>]| {
        let blocks = |&(at, values, weights): &Piece<'_>| {
            blocks_of(scheme, values, weights).map_err(|NoBlocks { value, problem }| match value {
                Some(index) => unwritable(name, format!("value {} {problem}", at + index)),
                None => unwritable(name, problem),
            })
        };
        pieces.iter().map(blocks).collect::<Vec<_>>()
    };
    let of_thread = pieces.len().div_ceil(threads).max(1);
    let done: Vec<_> = thread::scope(|scope| {
        // If the system cannot start more threads, the work is done here.
        let (quantize, mut running) = (&quantize, Vec::new());
        for part in pieces.chunks(of_thread) {
            let started = thread::Builder::new().spawn_scoped(scope, move || quantize(part));
            running.push(started.map_err(|_| part));
        }
        let parts = running.into_iter().flat_map(|started| match started {
            Ok(thread) => thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e)),
            Err(part) => quantize(part),
        });
        parts.collect()
    });
    let blocks: Result<Vec<Vec<u8>>, _> = done.into_iter().collect();
    Ok(blocks?.concat())
}

fn unwritable(name: &str, problem: String) -> GgufError {
    GgufError::Unwritable { what: format!("tensor {}", quoted(name)), problem }
}
