//! Reports how far a model has been loaded.

use std::fmt;
use std::sync::Arc;

/// What is told while a model is opened, and until its first run is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadStep {
    /// Weights of so many bytes are given to the program.
    Loading(u64),
    /// That many bytes more were given.
    Loaded(u64),
    /// Kernels arrange weights, of so many bytes at most, as they read them.
    Packing(u64),
    /// That many bytes more were arranged; told by any thread.
    Packed(u64),
    /// All is done.
    Ready,
}

/// Who is told.
#[derive(Clone)]
pub struct LoadObserver(Arc<dyn Fn(LoadStep) + Send + Sync>);

impl LoadObserver {
    /// One that calls this.
    pub fn new(tell: impl Fn(LoadStep) + Send + Sync + 'static) -> LoadObserver {
        LoadObserver(Arc::new(tell))
    }

    pub(crate) fn tell(&self, step: LoadStep) {
        (self.0)(step);
    }
}

impl fmt::Debug for LoadObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoadObserver(…)")
    }
}
