//! Runs a graph on MLX without a session, for programs that only need MLX.

use crate::backend::MlxBackend;
use crate::launch::MlxMode;
use crate::options::MlxOptions;
use rlx_exec::{Backend, DirectError, DirectExecutable};
use rlx_ir::{Graph, Literal, Shape};

/// A graph with static sizes, prepared for MLX.
pub struct MlxExecutable(DirectExecutable);

impl MlxExecutable {
    /// Prepares a graph in the mode that `RLX_MLX_MODE` names, which is lazy by default.
    ///
    /// # Panics
    /// With the full message where [`try_compile`](Self::try_compile) fails.
    pub fn compile(graph: Graph) -> MlxExecutable {
        MlxExecutable::try_compile(graph, None).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Prepares a graph in a mode.
    ///
    /// # Panics
    /// With the full message where [`try_compile`](Self::try_compile) fails.
    pub fn compile_with_mode(graph: Graph, mode: MlxMode) -> MlxExecutable {
        MlxExecutable::try_compile(graph, Some(mode)).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Prepares a graph in the given mode, or in the one that the environment names.
    ///
    /// # Errors
    /// Returns a [`DirectError`] if MLX is not available, the graph has symbols, or it cannot be expressed in MLX.
    pub fn try_compile(graph: Graph, mode: Option<MlxMode>) -> Result<MlxExecutable, DirectError> {
        let backend = MlxBackend::new();
        let queue = backend.queue(0)?;
        DirectExecutable::prepare(&graph, &backend, &queue, MlxOptions { mode }).map(MlxExecutable)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if no parameter has this name, or it has another shape.
    pub fn set_param(&mut self, name: &str, value: Literal) -> Result<(), DirectError> {
        self.0.set_param(name, |wanted| fits(wanted, &value).map(|()| value))
    }

    /// Runs with named inputs, in any order, and returns the outputs in graph order.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if an input is missing, unknown or of another shape, and [`DirectError::Run`] if MLX fails. In
    /// eager mode, the latter names the op with its model path and shapes.
    pub fn run(&mut self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, DirectError> {
        self.0.run(inputs, |wanted, value| fits(wanted, value).map(|()| value.bytes()))?;
        let literal = |output: Result<(&Shape, &[u8]), DirectError>| {
            let (shape, bytes) = output?;
            Literal::from_bytes(shape, bytes).map_err(|e| DirectError::Argument(e.to_string()))
        };
        self.0.outputs().map(literal).collect()
    }

    /// Describes how the graph runs, in lines of text.
    pub fn describe(&self) -> String {
        self.0.describe()
    }
}

/// Fails unless a value has the expected shape.
fn fits(wanted: &Shape, value: &Literal) -> Result<(), String> {
    match value.shape() {
        got if got == wanted => Ok(()),
        got => Err(format!("is {wanted}, got {got}")),
    }
}
