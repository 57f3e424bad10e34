//! When the graph of a model is compiled.

/// When a model's graph is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CompilationMode {
    /// When the model is loaded.
    #[default]
    Eager,
    /// When it first runs with given sizes.
    Lazy,
}
