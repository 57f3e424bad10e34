//! Parameter values and their packed forms, shared between instances (RUN-1).

use super::packing::Packed;
use rlx_compile::{Param, Storage};
use rlx_exec::ParamStore;
use rlx_pool::{Held, lock};
use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The parameters of one program, shared by one or more instances. Setting a parameter of an instance makes new
/// `Params` for it; the other instances keep theirs.
#[derive(Default)]
pub(crate) struct Params {
    values: Vec<Option<Param>>,
    forms: Mutex<Forms>,
    /// Whether any program has run with these values.
    has_run: AtomicBool,
}

/// A packed form of values, made once by the first thread that needs it. Holds `None` if it could not be made.
pub(super) type Form = Arc<OnceLock<Option<Packed>>>;

/// The values that a form is made from, and the key of its packing.
type FormKey = (Vec<Storage>, u64);

/// All packed forms of the parameters and constants.
#[derive(Clone, Default)]
pub(super) struct Forms {
    /// Forms by the parameters and constants that they are made from.
    forms: HashMap<FormKey, Form>,
    /// For each parameter, the forms that are made from it.
    of_param: HashMap<usize, Vec<FormKey>>,
    /// The parameters that some program reads unpacked.
    pub(super) read_in_place: HashSet<Storage>,
}

impl Forms {
    /// Returns the form of these values with this key.
    pub(super) fn form(&mut self, sources: &[Storage], key: u64) -> Form {
        let of = (sources.to_vec(), key);
        if let Some(form) = self.forms.get(&of) {
            return form.clone();
        }
        for source in sources {
            if let Storage::Param(index) = source {
                self.of_param.entry(*index).or_default().push(of.clone());
            }
        }
        self.forms.entry(of).or_default().clone()
    }

    /// Returns the parameters that kernels read in a packed form, so that no program reads more than a few places of their bytes.
    pub(super) fn replaced(&self) -> HashSet<usize> {
        let is_made =
            |of: &FormKey| self.forms.get(of).is_some_and(|form| matches!(form.get(), Some(Some(_))));
        let replaced = |(param, forms): &(&usize, &Vec<FormKey>)| {
            !self.read_in_place.contains(&Storage::Param(**param)) && forms.iter().any(is_made)
        };
        self.of_param.iter().filter(replaced).map(|(param, _)| *param).collect()
    }

    /// Forgets the forms that were made from a parameter.
    fn forget(&mut self, param: usize) {
        for of in self.of_param.remove(&param).unwrap_or_default() {
            self.forms.remove(&of);
        }
    }
}

/// [`Params`] that instances share.
#[derive(Clone)]
pub(crate) struct SharedParams(Arc<Params>);

impl Deref for SharedParams {
    type Target = Params;

    fn deref(&self) -> &Params {
        &self.0
    }
}

impl ParamStore for SharedParams {
    fn new(count: usize) -> SharedParams {
        SharedParams(Arc::new(Params::new(count)))
    }

    fn value(&self, index: usize) -> Option<&Param> {
        self.0.get(index)
    }

    fn set(&mut self, index: usize, value: Param) {
        match Arc::get_mut(&mut self.0) {
            Some(params) => params.set(index, value),
            // Other instances keep theirs (RUN-1).
            None => self.0 = self.0.with(index, value),
        }
    }
}

impl Params {
    /// Creates `count` parameters without values.
    pub(crate) fn new(count: usize) -> Params {
        Params { values: vec![None; count], ..Params::default() }
    }

    /// Returns the value of a parameter, if it is set.
    pub(crate) fn get(&self, index: usize) -> Option<&Param> {
        self.values.get(index)?.as_ref()
    }

    /// Replaces a parameter, and forgets the forms that were packed from it.
    pub(crate) fn set(&mut self, index: usize, value: Param) {
        if let Some(slot) = self.values.get_mut(index) {
            *slot = Some(value);
        }
        self.forms.get_mut().unwrap_or_else(PoisonError::into_inner).forget(index);
        *self.has_run.get_mut() = false;
    }

    /// Returns these parameters with one replaced.
    pub(crate) fn with(self: &Arc<Self>, index: usize, value: Param) -> Arc<Params> {
        let forms = Mutex::new(self.forms().clone());
        let mut params = Params { values: self.values.clone(), forms, has_run: AtomicBool::new(false) };
        params.set(index, value);
        Arc::new(params)
    }

    /// Returns whether this is the first run with these values, and records that there has been one.
    pub(super) fn is_first_run(&self) -> bool {
        !self.has_run.swap(true, Ordering::Relaxed)
    }

    /// Returns whether a run with these values has begun.
    pub(super) fn has_run(&self) -> bool {
        self.has_run.load(Ordering::Relaxed)
    }

    pub(super) fn forms(&self) -> Held<MutexGuard<'_, Forms>> {
        // A panic leaves the lists intact, because packing happens outside the lock.
        lock(&self.forms)
    }
}
