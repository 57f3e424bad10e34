//! Parameter values and what kernels packed from them, shared between instances.

use super::packing::Packed;
use rlx_compile::{Param, Storage};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The parameters of one program, as one or several instances see them. Setting a parameter of an instance makes new
/// `Params` for it; the others keep theirs.
#[derive(Default)]
pub(crate) struct Params {
    values: Vec<Option<Param>>,
    forms: Mutex<Forms>,
}

/// A packed form of values: made once, by whoever comes first; empty where it could not be made.
pub(super) type Form = Arc<OnceLock<Option<Packed>>>;

/// What is known of packed forms.
#[derive(Clone, Default)]
pub(super) struct Forms {
    /// By what they are made from, parameters and constants, and by the key of the packing.
    forms: HashMap<(Vec<Storage>, u64), Form>,
    /// The parameters that some program reads as they are.
    pub(super) read_in_place: HashSet<Storage>,
}

impl Forms {
    /// The form with this key of these values.
    pub(super) fn form(&mut self, sources: &[Storage], key: u64) -> Form {
        self.forms.entry((sources.to_vec(), key)).or_default().clone()
    }
}

impl Params {
    /// No values yet, for `count` parameters.
    pub(crate) fn new(count: usize) -> Params {
        Params { values: vec![None; count], forms: Mutex::default() }
    }

    /// The value of a parameter, if it was set.
    pub(crate) fn get(&self, index: usize) -> Option<&Param> {
        self.values.get(index)?.as_ref()
    }

    /// These parameters with one replaced, and without what was packed from it.
    pub(crate) fn with(self: &Arc<Self>, index: usize, value: Param) -> Arc<Params> {
        let mut values = self.values.clone();
        if let Some(slot) = values.get_mut(index) {
            *slot = Some(value);
        }
        let mut forms = self.forms().clone();
        forms.forms.retain(|(sources, _), _| !sources.contains(&Storage::Param(index)));
        Arc::new(Params { values, forms: Mutex::new(forms) })
    }

    pub(super) fn forms(&self) -> MutexGuard<'_, Forms> {
        // A panic leaves the lists whole: what is packed is packed outside of the lock.
        self.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
