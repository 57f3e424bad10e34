//! A graph that MLX runs, without a session: what programs use that want MLX and nothing else.

use crate::backend::MlxBackend;
use crate::launch::MlxMode;
use crate::options::MlxOptions;
use rlx_compile::pipeline::lower;
use rlx_compile::{
    Arguments, Backend, BackendError, BindError, CompileError, CompileOptions, Executable, Param, Value,
};
use rlx_driver::Env;
use rlx_driver::env::EnvError;
use rlx_ir::{Bindings, Graph, Literal, Shape};
use std::sync::Arc;

/// Why a graph does not run through MLX.
#[derive(Debug, thiserror::Error)]
pub enum MlxRunError {
    /// It cannot be lowered to what MLX has.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Its sizes cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// It cannot be prepared or run.
    #[error(transparent)]
    Run(#[from] BackendError),
    /// A variable of the environment has a value that it does not take.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// A value that the graph does not take.
    #[error("{0}")]
    Argument(String),
}

/// A graph of static sizes that MLX runs.
pub struct MlxExecutable {
    inputs: Vec<(String, Shape)>,
    params: Vec<(String, Shape)>,
    outputs: Vec<Shape>,
    executable: Box<dyn Executable>,
}

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
    /// A [`MlxRunError`] where MLX is not there, the graph has symbols, or MLX has no form of it.
    pub fn try_compile(graph: Graph, mode: Option<MlxMode>) -> Result<MlxExecutable, MlxRunError> {
        let env = Env::read()?;
        let backend = MlxBackend::new();
        let mut options = CompileOptions::new().with_backend(MlxOptions { mode }).with_env(&env);
        backend.apply_env(&mut options, &env)?;
        let queue = backend.queue(0)?;
        let named = |nodes: &mut dyn Iterator<Item = &rlx_ir::Node>| {
            let one =
                |node: &rlx_ir::Node| (node.name().unwrap_or_default().to_string(), node.shape().clone());
            nodes.map(one).collect::<Vec<_>>()
        };
        let (inputs, params) = (named(&mut graph.inputs()), named(&mut graph.params()));
        let outputs = graph.output_shapes();
        let lowered = lower(&graph, &[], &backend, &options)?;
        let mut executable = backend.prepare(lowered, &queue)?;
        executable.bind(&Bindings::new())?;
        Ok(MlxExecutable { inputs, params, outputs, executable })
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`MlxRunError::Argument`] where there is none of this name, or it has another shape.
    pub fn set_param(&mut self, name: &str, value: Literal) -> Result<(), MlxRunError> {
        let index = position("parameter", &self.params, name, &value)?;
        self.executable.set_param(index, Param::new(Arc::new(value)));
        Ok(())
    }

    /// Runs on inputs by their names, in any order; the outputs, in the order of the graph's.
    ///
    /// # Errors
    /// [`MlxRunError::Argument`] where an input is missing, not there or of another shape, and [`MlxRunError::Run`] where MLX fails: in the
    /// eager mode it names the op with its model path and shapes.
    pub fn run(&mut self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, MlxRunError> {
        let mut given: Vec<Option<&Literal>> = vec![None; self.inputs.len()];
        for (name, value) in inputs {
            given[position("input", &self.inputs, name, value)?] = Some(value);
        }
        if let Some(((name, _), _)) = self.inputs.iter().zip(&given).find(|(_, given)| given.is_none()) {
            return Err(MlxRunError::Argument(format!("input `{name}` is not given")));
        }
        let values: Vec<Value<'_>> = given.iter().flatten().map(|value| Value::Host(value.bytes())).collect();
        self.executable.run(Arguments { inputs: &values, state: &mut [], outputs: &mut [] })?;
        self.executable.wait()?;
        let literal = |(index, shape): (usize, &Shape)| {
            let bytes = self.executable.output(index)?;
            Literal::from_bytes(shape, bytes).map_err(|e| MlxRunError::Argument(e.to_string()))
        };
        self.outputs.iter().enumerate().map(literal).collect()
    }

    /// How it runs, in lines of text.
    pub fn describe(&self) -> String {
        self.executable.describe()
    }
}

/// The number of a value, which must have its shape.
fn position(what: &str, all: &[(String, Shape)], name: &str, value: &Literal) -> Result<usize, MlxRunError> {
    let Some(index) = all.iter().position(|(known, _)| known == name) else {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("there is no {what} `{name}`; there are [{}]", known.join(", "));
        return Err(MlxRunError::Argument(message));
    };
    let (wanted, got) = (&all[index].1, value.shape());
    if wanted != got {
        return Err(MlxRunError::Argument(format!("{what} `{name}` is {wanted}, got {got}")));
    }
    Ok(index)
}
