//! Finds weights that are not finite after a model has computed values that are not.

use crate::checkpoint::{Checkpoint, StoredView};
use crate::error::LlmError;
use crate::graph::CacheType;
use rlx_files::display::quoted;
use rlx_gguf::TensorType;
use rlx_ir::{DType, Literal, Shape};
use rlx_session::CompiledGraph;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum number of tensors that a message names.
const MOST_NAMES: usize = 3;
/// How many numbers are checked at a time.
const CHUNK: usize = 1 << 18;

/// What is needed of a model to search it for weights that are not finite.
#[derive(Clone)]
pub(crate) struct FiniteCheck {
    path: PathBuf,
    /// The tensors that the parameters come from.
    tensors: Arc<[String]>,
    /// The parameters that adapters add.
    added: Arc<[String]>,
    /// The type of the cache.
    cache: CacheType,
}

impl FiniteCheck {
    pub(crate) fn new(
        path: &Path,
        tensors: Vec<String>,
        added: Vec<String>,
        cache: CacheType,
    ) -> FiniteCheck {
        FiniteCheck { path: path.to_path_buf(), tensors: tensors.into(), added: added.into(), cache }
    }

    /// Returns the error for `what`, a value that is not finite, with its likely cause.
    pub(crate) fn error(&self, what: String, checkpoint: &Checkpoint, program: &CompiledGraph) -> LlmError {
        LlmError::NotFinite { path: self.path.clone(), what, cause: self.cause(checkpoint, program) }
    }

    fn cause(&self, checkpoint: &Checkpoint, program: &CompiledGraph) -> String {
        let is_broken = |tensor: &&String| {
            checkpoint.tensor(tensor).is_some_and(|stored| !is_finite(stored).unwrap_or(false))
        };
        let broken: Vec<&String> = self.tensors.iter().filter(is_broken).collect();
        if !broken.is_empty() {
            let damaged = "the file is damaged or was made from damaged weights";
            return format!("the weights of {} are not finite: {damaged}", names(&broken));
        }
        let is_broken = |param: &&String| match program.param(param) {
            Ok(Some(bytes)) => !all_finite(bytes, TensorType::Plain(DType::F32)).unwrap_or(false),
            _ => false,
        };
        let broken: Vec<&String> = self.added.iter().filter(is_broken).collect();
        if !broken.is_empty() {
            return format!("the adapters' updates in {} are not finite", names(&broken));
        }
        let too_large = "all weights are finite, so values overflowed while the model ran";
        match self.cache {
            CacheType::F16 | CacheType::Q8_0 => {
                format!(
                    "{too_large}; a {} cache cannot hold numbers above 65504: try bf16 or f32",
                    self.cache.name()
                )
            }
            CacheType::F32 | CacheType::Bf16 => format!("{too_large}: the weights may fit another model"),
        }
    }
}

/// Lists the names of the first tensors, and how many more there are.
fn names(tensors: &[&String]) -> String {
    let named: Vec<String> = tensors.iter().take(MOST_NAMES).map(|name| quoted(name)).collect();
    match tensors.len().saturating_sub(MOST_NAMES) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// Whether all numbers of a tensor are finite.
fn is_finite(stored: StoredView<'_>) -> Result<bool, LlmError> {
    let Some(storage) = stored.storage else { return Ok(true) };
    match stored.mapped() {
        Some(bytes) => all_finite(bytes, storage),
        None => all_finite(&stored.into_bytes()?, storage),
    }
}

fn all_finite(bytes: &[u8], storage: TensorType) -> Result<bool, LlmError> {
    let (len, size) = storage.block();
    let at_once = (CHUNK / len).max(1);
    let mut values = vec![0f32; at_once * len];
    for chunk in bytes.chunks(at_once * size) {
        let count = chunk.len() / size * len;
        let finite = match storage {
            TensorType::Blocks(scheme) => {
                scheme.dequantize(chunk, &mut values[..count]);
                values[..count].iter().all(|x| x.is_finite())
            }
            TensorType::Plain(dtype) => {
                let numbers = Literal::from_bytes(&Shape::new(&[count], dtype), chunk)
                    .map_err(|e| rlx_ir::OpError::shape(e.to_string()))?;
                let numbers = numbers.convert(DType::F32);
                numbers.bytes().as_chunks().0.iter().all(|b| f32::from_le_bytes(*b).is_finite())
            }
        };
        if !finite {
            return Ok(false);
        }
    }
    Ok(true)
}
