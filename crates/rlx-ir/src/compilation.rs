//! The enum that says when a model's graph is compiled.

/// When a model's graph is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CompilationMode {
    /// When the model is loaded.
    #[default]
    Eager,
    /// When it first runs with given sizes.
    Lazy,
}
