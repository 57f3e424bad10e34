//! Parameter values and what kernels packed from them, shared between instances.

use super::kernel::Packed;
use rlx_compile::Param;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The parameters of one program, as one or several instances see them. Setting a parameter of an instance makes new
/// `Params` for it; the others keep theirs.
#[derive(Default)]
pub(crate) struct Params {
    values: Vec<Option<Param>>,
    /// Packed forms by parameter and packing key.
    packed: Mutex<HashMap<(usize, u64), Packed>>,
}

impl Params {
    /// No values yet, for `count` parameters.
    pub(crate) fn new(count: usize) -> Params {
        Params { values: vec![None; count], packed: Mutex::default() }
    }

    /// The value of a parameter, if it was set.
    pub(crate) fn get(&self, index: usize) -> Option<&Param> {
        self.values.get(index)?.as_ref()
    }

    /// These parameters with one replaced.
    pub(crate) fn with(self: &Arc<Self>, index: usize, value: Param) -> Arc<Params> {
        let mut values = self.values.clone();
        if let Some(slot) = values.get_mut(index) {
            *slot = Some(value);
        }
        let packed = self.lock().iter().filter(|(k, _)| k.0 != index).map(|(k, v)| (*k, v.clone())).collect();
        Arc::new(Params { values, packed: Mutex::new(packed) })
    }

    /// The packed form of a parameter, made by `pack` the first time it is asked for.
    pub(crate) fn packed(
        &self,
        index: usize,
        key: u64,
        pack: impl FnOnce(&[u8]) -> Option<Packed>,
    ) -> Option<Packed> {
        let mut packed = self.lock();
        if let Some(found) = packed.get(&(index, key)) {
            return Some(found.clone());
        }
        let made = pack(self.get(index)?.bytes())?;
        packed.insert((index, key), made.clone());
        Some(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(usize, u64), Packed>> {
        // A panic while packing leaves the map whole: entries are inserted last.
        self.packed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
