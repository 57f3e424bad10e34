//! Runs a graph on one backend without a session, on values by name.

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

/// Why a graph does not run through a backend.
#[derive(Debug, thiserror::Error)]
pub enum DirectError {
    /// It cannot be lowered to what the backend has.
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
    /// A value that the graph or the backend does not take.
    #[error("{0}")]
    Argument(String),
}

/// A graph of static sizes that a backend has prepared.
pub struct DirectExecutable {
    inputs: Vec<(String, Shape)>,
    params: Vec<(String, Shape)>,
    outputs: Vec<Shape>,
    executable: Box<dyn Executable>,
}

impl DirectExecutable {
    /// Lowers and prepares a graph, by these options of the backend's and the environment's switches.
    ///
    /// # Errors
    /// A [`DirectError`] where a switch of the environment is wrong, the graph has symbols, or the backend has no form of it.
    pub fn prepare(
        graph: &Graph,
        backend: &dyn Backend,
        queue: &Arc<dyn Queue>,
        options: impl BackendOptions,
    ) -> Result<DirectExecutable, DirectError> {
        let env = Env::read()?;
        let mut all = CompileOptions::new().with_backend(options).with_env(&env);
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

    /// Sets a parameter to what `value` makes for its shape, or says why it cannot be made.
    ///
    /// # Errors
    /// [`DirectError::Argument`] if no parameter has this name, or `value` fails.
    pub fn set_param(
        &mut self,
        name: &str,
        value: impl FnOnce(&Shape) -> Result<Literal, String>,
    ) -> Result<(), DirectError> {
        let (index, value) = found("parameter", &self.params, name, value)?;
        self.executable.set_param(index, Param::new(Arc::new(value)));
        Ok(())
    }

    /// Runs on inputs by their names, in any order. `bytes` gives the row-major little-endian elements of a value that has the shape of
    /// its input, or says why it does not fit.
    ///
    /// # Errors
    /// [`DirectError::Argument`] where an input is missing, not there or does not fit, and [`DirectError::Run`] where the backend fails.
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

    /// The shapes and bytes of the last run's outputs, in the order of the graph's.
    pub fn outputs(&self) -> impl Iterator<Item = Result<(&Shape, &[u8]), DirectError>> {
        let output = |(index, shape)| Ok((shape, self.executable.output(index)?));
        self.outputs.iter().enumerate().map(output)
    }

    /// How it runs, in lines of text.
    pub fn describe(&self) -> String {
        self.executable.describe()
    }
}

/// The number of a value by its name, and what `fit` makes of its shape.
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
