//! Runs a graph on one backend without a session, with values identified by name.

use crate::backend::Backend;
use crate::executable::{Arguments, Executable, Value};
use crate::lower::lower;
use crate::queue::Queue;
use rlx_compile::options::{BackendOptions, CompileOptions};
use rlx_compile::{BackendError, BindError, CompileError, Param};
use rlx_driver::Env;
use rlx_driver::env::EnvError;
use rlx_ir::{Bindings, Graph, Literal, Node, Shape};
use std::sync::Arc;

/// Why a graph did not run on a backend.
#[derive(Debug, thiserror::Error)]
pub enum DirectError {
    /// The graph cannot be lowered for the backend.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The sizes cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The program cannot be prepared or run.
    #[error(transparent)]
    Run(#[from] BackendError),
    /// An environment variable has an invalid value.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The graph or the backend does not accept a value.
    #[error("{0}")]
    Argument(String),
}

/// A graph with static sizes, prepared by a backend.
pub struct DirectExecutable {
    inputs: Vec<(String, Shape)>,
    params: Vec<(String, Shape)>,
    outputs: Vec<Shape>,
    executable: Box<dyn Executable>,
}

impl DirectExecutable {
    /// Lowers and prepares a graph with the given backend options and the settings of the environment.
    ///
    /// # Errors
    /// Returns a [`DirectError`] if a setting of the environment is invalid, the graph has symbols, or the backend cannot run it.
    pub fn prepare(
        graph: &Graph,
        backend: &dyn Backend,
        queue: &Arc<dyn Queue>,
        options: impl BackendOptions,
    ) -> Result<DirectExecutable, DirectError> {
        let env = Env::process();
        env.check(backend.variables())?;
        let mut all = CompileOptions::new().with_backend(options).with_env(&env)?;
        backend.apply_env(&mut all, &env)?;
        let named = |node: &Node| (node.name().unwrap_or_default().to_string(), node.shape().clone());
        let mut executable = backend.prepare(lower(graph, &[], backend, &all)?, queue)?;
        executable.bind(&Bindings::new())?;
        Ok(DirectExecutable {
            inputs: graph.inputs().map(named).collect(),
            params: graph.params().map(named).collect(),
            outputs: graph.output_shapes(),
            executable,
        })
    }

    /// Sets a parameter. `value` makes its value for the parameter's shape, or returns why it cannot.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if no parameter has this name, or `value` fails.
    pub fn set_param(
        &mut self,
        name: &str,
        value: impl FnOnce(&Shape) -> Result<Literal, String>,
    ) -> Result<(), DirectError> {
        let (index, value) = found("parameter", &self.params, name, value)?;
        self.executable.set_param(index, Param::new(Arc::new(value)));
        Ok(())
    }

    /// Runs with named inputs, in any order. `bytes` returns the row-major little-endian elements of a value for the shape of its input,
    /// or why the value does not fit.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if an input is missing, unknown or does not fit, and [`DirectError::Run`] if the backend fails.
    pub fn run<'v, V: Copy>(
        &mut self,
        inputs: &[(&str, V)],
        bytes: impl Fn(&Shape, V) -> Result<&'v [u8], String>,
    ) -> Result<(), DirectError> {
        let mut given = vec![None; self.inputs.len()];
        for &(name, value) in inputs {
            let (index, bytes) = found("input", &self.inputs, name, |shape| bytes(shape, value))?;
            given[index] = Some(Value::Host(bytes));
        }
        if let Some(((name, _), _)) = self.inputs.iter().zip(&given).find(|(_, given)| given.is_none()) {
            return Err(DirectError::Argument(format!("input `{name}` is not given")));
        }
        let given: Vec<Value<'_>> = given.into_iter().flatten().collect();
        self.executable.run(Arguments { inputs: &given, state: &mut [], outputs: &mut [] })?;
        Ok(self.executable.wait()?)
    }

    /// Returns the shapes and bytes of the outputs of the last run, in graph order.
    pub fn outputs(&self) -> impl Iterator<Item = Result<(&Shape, &[u8]), DirectError>> {
        let output = |(index, shape)| Ok((shape, self.executable.output(index)?));
        self.outputs.iter().enumerate().map(output)
    }

    /// Describes how the graph runs, in lines of text.
    pub fn describe(&self) -> String {
        self.executable.describe()
    }
}

/// Returns the index of a named value, and what `fit` returns for its shape.
fn found<T>(
    what: &str,
    all: &[(String, Shape)],
    name: &str,
    fit: impl FnOnce(&Shape) -> Result<T, String>,
) -> Result<(usize, T), DirectError> {
    let Some(index) = all.iter().position(|(known, _)| known == name) else {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("there is no {what} `{name}`; there are [{}]", known.join(", "));
        return Err(DirectError::Argument(message));
    };
    match fit(&all[index].1) {
        Ok(value) => Ok((index, value)),
        Err(why) => Err(DirectError::Argument(format!("{what} `{name}` {why}"))),
    }
}
