//! Parameters: their values and arrays, which instances share.

use crate::emit::{ArrayType, WORDS, scale_type};
use crate::packing::{PackedBytes, Packing, ScaleError};
use rlx_compile::Param;
use rlx_exec::{CachedParam, CachedParams};
use rlx_mlx_sys::{Mlx, MlxArray, MlxError};

/// The bytes of a parameter as an owner of memory.
struct ParamMemory(Param);

impl AsRef<[u8]> for ParamMemory {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The form of a parameter's arrays: unpacked, or packed for products. A parameter with symbolic sizes may be needed at several
/// sizes.
#[derive(PartialEq)]
pub struct ArrayKey {
    packing: Option<Packing>,
    dims: Vec<usize>,
}

/// Parameters, with their arrays.
pub(crate) type MlxParams = CachedParams<ArrayKey, Vec<MlxArray>>;

/// A parameter, with its arrays.
type MlxParam = CachedParam<ArrayKey, Vec<MlxArray>>;

/// Returns the array of a parameter. If MLX can use the bytes in place, they are not copied.
pub(crate) fn array(param: &MlxParam, mlx: Mlx, kind: &ArrayType) -> Result<MlxArray, MlxError> {
    let key = ArrayKey { packing: None, dims: kind.dims.clone() };
    let arrays = param.get(key, |value| {
        MlxArray::over(mlx, ParamMemory(value.clone()), &kind.dims, kind.element).map(|array| vec![array])
    })?;
    arrays.into_iter().next().ok_or_else(|| MlxError::Failed("the parameter has no array".into()))
}

/// Returns the arrays of packed weights, which are made once from blocks. If nothing else reads the bytes of the blocks, they are then
/// released.
pub(crate) fn packed(
    param: &MlxParam,
    mlx: Mlx,
    kind: &ArrayType,
    packing: Packing,
    is_alone: bool,
) -> Result<Vec<MlxArray>, MlxError> {
    let key = ArrayKey { packing: Some(packing), dims: kind.dims.clone() };
    param.get(key, |value| {
        let bytes = value.bytes();
        let wanted = kind.dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        if wanted != Some(bytes.len()) {
            return Err(MlxError::Argument(format!(
                "{} bytes do not make {:?} packed bytes",
                bytes.len(),
                kind.dims
            )));
        }
        let (lead, last) = kind.dims.split_at(kind.dims.len().saturating_sub(1));
        let row = last.first().copied().unwrap_or(0);
        let values = packing
            .values(row)
            .ok_or_else(|| MlxError::Argument("rows do not consist of whole groups".into()))?;
        let codes = values * packing.spread();
        let made = pack_rows(packing, bytes, row).map_err(|e| MlxError::Argument(e.to_string()))?;
        let sized = |count: usize| [lead, &[count]].concat();
        let groups = sized(codes / packing.group);
        let mut arrays = vec![
            MlxArray::from_bytes(mlx, &made.words, &sized(codes * packing.bits / 32), WORDS)?,
            MlxArray::from_bytes(mlx, &made.scales, &groups, scale_type(packing))?,
        ];
        if packing.arrays() == 3 {
            arrays.push(MlxArray::from_bytes(mlx, &made.biases, &groups, scale_type(packing))?);
        }
        if is_alone {
            value.release();
        }
        Ok(arrays)
    })
}

/// Converts rows of blocks to MLX's layout, on all processors.
fn pack_rows(packing: Packing, bytes: &[u8], row: usize) -> Result<PackedBytes, ScaleError> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let rows = bytes.len() / row.max(1);
    let share = rows.div_ceil(threads).max(1) * row.max(1);
    let parts: Vec<Result<PackedBytes, ScaleError>> = std::thread::scope(|scope| {
        // Parts for which the system cannot start a thread are converted on this one.
        let mut running = Vec::new();
        for part in bytes.chunks(share) {
            let started = std::thread::Builder::new().spawn_scoped(scope, move || packing.pack(part));
            running.push(started.map_err(|_| part));
        }
        let parts = running.into_iter().map(|started| match started {
            Ok(thread) => thread.join().unwrap_or_else(|payload| std::panic::resume_unwind(payload)),
            Err(part) => packing.pack(part),
        });
        parts.collect()
    });
    let mut all = PackedBytes { words: Vec::new(), scales: Vec::new(), biases: Vec::new() };
    for part in parts {
        let part = part?;
        all.words.extend(part.words);
        all.scales.extend(part.scales);
        all.biases.extend(part.biases);
    }
    Ok(all)
}
