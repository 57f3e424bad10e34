//! Parameters of a program: values that instances share, and data that engines derive from them.

use rlx_compile::Param;
use std::sync::{Arc, Mutex};

/// The parameters of an instance, with data that the engine derives from them.
///
/// **RUN-1**: parameters, and their packed forms, are shared between clones and between all sizes; setting a
/// parameter gives that instance its own.
pub trait ParamStore: Clone + Send + Sync + 'static {
    /// Creates a store for `count` parameters without values.
    fn new(count: usize) -> Self;

    /// Returns the value of a parameter, if it is set.
    fn value(&self, index: usize) -> Option<&Param>;

    /// Replaces a value, and forgets the data derived from the previous one. Clones keep theirs.
    fn set(&mut self, index: usize, value: Param);
}

/// Only the values, without derived data.
impl ParamStore for Vec<Option<Param>> {
    fn new(count: usize) -> Self {
        vec![None; count]
    }

    fn value(&self, index: usize) -> Option<&Param> {
        self.get(index)?.as_ref()
    }

    fn set(&mut self, index: usize, value: Param) {
        if let Some(param) = self.get_mut(index) {
            *param = Some(value);
        }
    }
}

/// A value, and data derived from it, by a key such as its sizes.
pub struct CachedParam<K, T> {
    value: Param,
    made: Mutex<Vec<(K, T)>>,
}

impl<K: PartialEq, T: Clone> CachedParam<K, T> {
    /// Returns the value.
    pub fn value(&self) -> &Param {
        &self.value
    }

    /// Returns the data for this key. If it does not exist yet, `make` derives it from the value; concurrent callers wait and get the same.
    ///
    /// # Errors
    /// Returns the errors of `make`.
    pub fn get<E>(&self, key: K, make: impl FnOnce(&Param) -> Result<T, E>) -> Result<T, E> {
        // A panic leaves the list intact, because an entry is pushed only once it is complete.
        let mut made = rlx_pool::lock(&self.made);
        if let Some((_, known)) = made.iter().find(|(of, _)| *of == key) {
            return Ok(known.clone());
        }
        let new = make(&self.value)?;
        made.push((key, new.clone()));
        Ok(new)
    }
}

/// Parameters with data that an engine derives from them once for all instances that share them, such as arrays on a device.
pub struct CachedParams<K, T>(Vec<Option<Arc<CachedParam<K, T>>>>);

impl<K, T> CachedParams<K, T> {
    /// Returns a parameter, if it is set.
    pub fn param(&self, index: usize) -> Option<&CachedParam<K, T>> {
        self.0.get(index)?.as_deref()
    }

    /// Returns whether all parameters are set.
    pub fn are_set(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }
}

impl<K, T> Clone for CachedParams<K, T> {
    fn clone(&self) -> Self {
        CachedParams(self.0.clone())
    }
}

impl<K: Send + 'static, T: Send + 'static> ParamStore for CachedParams<K, T> {
    fn new(count: usize) -> Self {
        CachedParams((0..count).map(|_| None).collect())
    }

    fn value(&self, index: usize) -> Option<&Param> {
        self.param(index).map(|param| &param.value)
    }

    fn set(&mut self, index: usize, value: Param) {
        if let Some(param) = self.0.get_mut(index) {
            *param = Some(Arc::new(CachedParam { value, made: Mutex::default() }));
        }
    }
}
