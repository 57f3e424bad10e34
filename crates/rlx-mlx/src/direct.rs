//! Runs a graph on MLX without a session, for programs that need MLX and nothing else.

use crate::backend::MlxBackend;
use crate::launch::MlxMode;
use crate::options::MlxOptions;
use rlx_exec::{Backend, DirectError, DirectExecutable};
use rlx_ir::{Graph, Literal, Shape};

/// A graph of static sizes that MLX runs.
pub struct MlxExecutable(DirectExecutable);

impl MlxExecutable {
    /// Prepares a graph in the mode that `RLX_MLX_MODE` names, lazily by default.
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

    /// Prepares a graph in a mode, or in the one that the environment names.
    ///
    /// # Errors
    /// A [`DirectError`] where MLX is not there, the graph has symbols, or MLX has no form of it.
    pub fn try_compile(graph: Graph, mode: Option<MlxMode>) -> Result<MlxExecutable, DirectError> {
        let backend = MlxBackend::new();
        let queue = backend.queue(0)?;
        DirectExecutable::prepare(&graph, &backend, &queue, MlxOptions { mode }).map(MlxExecutable)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`DirectError::Argument`] if no parameter has this name, or it has another shape.
    pub fn set_param(&mut self, name: &str, value: Literal) -> Result<(), DirectError> {
        self.0.set_param(name, |wanted| fits(wanted, &value).map(|()| value))
    }

    /// Runs on inputs by their names, in any order; the outputs, in the order of the graph's.
    ///
    /// # Errors
    /// [`DirectError::Argument`] where an input is missing, not there or of another shape, and [`DirectError::Run`] where MLX fails: in the
    /// eager mode it names the op with its model path and shapes.
    pub fn run(&mut self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, DirectError> {
        self.0.run(inputs, |wanted, value| fits(wanted, value).map(|()| value.bytes()))?;
        let literal = |output: Result<(&Shape, &[u8]), DirectError>| {
            let (shape, bytes) = output?;
            Literal::from_bytes(shape, bytes).map_err(|e| DirectError::Argument(e.to_string()))
        };
        self.0.outputs().map(literal).collect()
    }

    /// How it runs, in lines of text.
    pub fn describe(&self) -> String {
        self.0.describe()
    }
}

/// Whether a value has the shape that is wanted.
fn fits(wanted: &Shape, value: &Literal) -> Result<(), String> {
    match value.shape() {
        got if got == wanted => Ok(()),
        got => Err(format!("is {wanted}, got {got}")),
    }
}
