//! Reports the progress of loading a model.

use std::fmt;
use std::sync::Arc;

/// A report made while a model is opened and until its first run is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoadStep {
    /// Weights of this many bytes are about to be passed to the program.
    Loading(u64),
    /// This many more bytes were passed.
    Loaded(u64),
    /// Kernels are about to pack weights of at most this many bytes as they read them.
    Packing(u64),
    /// This many more bytes were packed. Any thread may report it.
    Packed(u64),
    /// The model is loaded and the first run is done.
    Ready,
}

/// A callback that receives [`LoadStep`]s.
#[derive(Clone)]
pub struct LoadObserver(Arc<dyn Fn(LoadStep) + Send + Sync>);

impl LoadObserver {
    /// Creates an observer that calls `tell`.
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
