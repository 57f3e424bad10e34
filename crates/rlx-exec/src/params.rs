//! Parameters of a program: values that instances share, and what engines made of them.

use rlx_compile::Param;
use std::sync::{Arc, Mutex};

/// The parameters of an instance, and what the engine made of them.
///
/// **RUN-1**: parameters, and their packed forms, are shared between clones and between all sizes; setting a
/// parameter gives that instance its own.
pub trait ParamStore: Clone + Send + Sync + 'static {
    /// No values yet, for `count` parameters.
    fn new(count: usize) -> Self;

    /// The value of a parameter, if it was set.
    fn get(&self, index: usize) -> Option<&Param>;

    /// Replaces a value, and forgets what was made of the one before. Clones keep theirs.
    fn set(&mut self, index: usize, value: Param);
}

/// Values of which nothing is made.
impl ParamStore for Vec<Option<Param>> {
    fn new(count: usize) -> Self {
        vec![None; count]
    }

    fn get(&self, index: usize) -> Option<&Param> {
        <[Option<Param>]>::get(self, index)?.as_ref()
    }

    fn set(&mut self, index: usize, value: Param) {
        if let Some(param) = self.get_mut(index) {
            *param = Some(value);
        }
    }
}

/// A value, and what was made of it: by `K`, for example its sizes.
pub struct CachedParam<K, T> {
    value: Param,
    made: Mutex<Vec<(K, T)>>,
}

impl<K: PartialEq, T: Clone> CachedParam<K, T> {
    /// The value.
    pub fn value(&self) -> &Param {
        &self.value
    }

    /// What was made of the value under this key, by `make` if it is not there yet. Others that ask meanwhile wait, and get the same.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<E>(&self, key: K, make: impl FnOnce(&Param) -> Result<T, E>) -> Result<T, E> {
        // A panic leaves the list whole: entries are pushed last.
        let mut made = rlx_pool::lock(&self.made);
        if let Some((_, known)) = made.iter().find(|(of, _)| *of == key) {
            return Ok(known.clone());
        }
        let new = make(&self.value)?;
        made.push((key, new.clone()));
        Ok(new)
    }
}

/// Parameters of which an engine makes something for itself, once for all instances that share them: arrays on a device.
pub struct CachedParams<K, T>(Vec<Option<Arc<CachedParam<K, T>>>>);

impl<K, T> CachedParams<K, T> {
    /// A parameter, if it was set.
    pub fn param(&self, index: usize) -> Option<&CachedParam<K, T>> {
        self.0.get(index)?.as_deref()
    }

    /// Whether all parameters are set.
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

    fn get(&self, index: usize) -> Option<&Param> {
        self.param(index).map(|param| &param.value)
    }

    fn set(&mut self, index: usize, value: Param) {
        if let Some(param) = self.0.get_mut(index) {
            *param = Some(Arc::new(CachedParam { value, made: Mutex::default() }));
        }
    }
}
