//! Parameters: their values, and their arrays, which instances share.

use rlx_compile::Param;
use rlx_mlx_sys::{Array, Mlx, MlxError};
use std::sync::{Arc, Mutex, PoisonError};

use crate::emit::ArrayType;

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
    arrays: Mutex<Vec<(Vec<usize>, Array)>>,
}

impl HeldParam {
    pub(crate) fn new(value: Param) -> Arc<HeldParam> {
        Arc::new(HeldParam { value, arrays: Mutex::default() })
    }

    /// The array, over the bytes where they lie if MLX can use them there.
    pub(crate) fn array(&self, mlx: Mlx, kind: &ArrayType) -> Result<Array, MlxError> {
        // A panic leaves the list whole: entries are pushed last.
        let mut arrays = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, array)) = arrays.iter().find(|(dims, _)| *dims == kind.dims) {
            return Ok(array.clone());
        }
        let array = Array::over(mlx, ParamMemory(self.value.clone()), &kind.dims, kind.element)?;
        arrays.push((kind.dims.clone(), array.clone()));
        Ok(array)
    }
}
