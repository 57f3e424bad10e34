//! Parameters: their values, and their arrays, which instances share.

use rlx_compile::Param;
use rlx_mlx_sys::{Mlx, MlxArray, MlxError};
use std::sync::{Arc, Mutex, PoisonError};

use crate::emit::{ArrayType, WORDS, scale_type};
use crate::packing::{PackedBytes, Packing, ScaleError};

/// The bytes of a parameter as an owner of memory.
struct ParamMemory(Param);

impl AsRef<[u8]> for ParamMemory {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The value of one parameter. Instances that were cloned from each other hold the same one, whatever sizes they are for.
pub(crate) struct HeldParam {
    value: Param,
    /// By sizes: a parameter of symbolic sizes may be asked for under several.
    arrays: Mutex<Vec<(Vec<usize>, MlxArray)>>,
    /// The same packed for products.
    packed: Mutex<Vec<(Packing, Vec<usize>, Vec<MlxArray>)>>,
}

impl HeldParam {
    pub(crate) fn new(value: Param) -> Arc<HeldParam> {
        Arc::new(HeldParam { value, arrays: Mutex::default(), packed: Mutex::default() })
    }

    /// The array, over the bytes where they lie if MLX can use them there.
    pub(crate) fn array(&self, mlx: Mlx, kind: &ArrayType) -> Result<MlxArray, MlxError> {
        // A panic leaves the list whole: entries are pushed last.
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, array)) = arrays.iter().find(|(dims, _)| *dims == kind.dims) {
            return Ok(array.clone());
        }
        let array = MlxArray::over(mlx, ParamMemory(self.value.clone()), &kind.dims, kind.element)?;
        arrays.push((kind.dims.clone(), array.clone()));
        Ok(array)
    }

    /// The arrays of packed weights, made once of blocks, whose bytes are then let go of if nothing else reads them.
    pub(crate) fn packed(
        &self,
        mlx: Mlx,
        kind: &ArrayType,
        packing: Packing,
        alone: bool,
    ) -> Result<Vec<MlxArray>, MlxError> {
        let mut packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known =
            |entry: &&(Packing, Vec<usize>, Vec<MlxArray>)| entry.0 == packing && entry.1 == kind.dims;
        if let Some((_, _, arrays)) = packed.iter().find(is_known) {
            return Ok(arrays.clone());
        }
        let bytes = self.value.bytes();
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
        let values =
            packing.values(row).ok_or_else(|| MlxError::Argument("rows are no whole groups".into()))?;
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
        if alone {
            self.value.release();
        }
        packed.push((packing, kind.dims.clone(), arrays.clone()));
        Ok(arrays)
    }
}

/// Rows of blocks packed anew, on all processors.
fn pack_rows(packing: Packing, bytes: &[u8], row: usize) -> Result<PackedBytes, ScaleError> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let rows = bytes.len() / row.max(1);
    let share = rows.div_ceil(threads).max(1) * row.max(1);
    let parts: Vec<Result<PackedBytes, ScaleError>> = std::thread::scope(|scope| {
        // What the system has no thread for is done here.
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
