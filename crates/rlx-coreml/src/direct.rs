//! A graph that CoreML runs, without a session: what programs use that want CoreML and nothing else.

use crate::backend::{AneBackend, CoremlOptions};
use crate::engine::{Engine, system_engine};
use rlx_compile::pipeline::lower;
use rlx_compile::{
    Arguments, Backend, BackendError, BindError, CompileError, CompileOptions, Executable, HostQueue, Param,
    Queue, Value,
};
use rlx_driver::env::EnvError;
use rlx_driver::{Device, DeviceId, Env};
use rlx_ir::{Bindings, DType, Graph, Literal, Shape};
use std::sync::Arc;

/// Why a graph does not run through CoreML.
#[derive(Debug, thiserror::Error)]
pub enum CoremlError {
    /// It cannot be lowered to what programs have.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Its sizes cannot be bound.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// It cannot be written, loaded or run.
    #[error(transparent)]
    Run(#[from] BackendError),
    /// A variable of the environment has a value that it does not take.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// An input or parameter that the graph has not, or that is not f32.
    #[error("{0}")]
    Argument(String),
}

/// A graph of static sizes as a package that CoreML runs; inputs, parameters and outputs are f32.
pub struct CoremlExecutable {
    inputs: Vec<(String, Shape)>,
    params: Vec<(String, Shape)>,
    outputs: usize,
    executable: Box<dyn Executable>,
}

impl CoremlExecutable {
    /// Lowers a graph. The package is written and loaded by the first run.
    ///
    /// # Panics
    /// With the full message where [`try_compile`](Self::try_compile) fails.
    pub fn compile(graph: Graph) -> CoremlExecutable {
        CoremlExecutable::try_compile(graph).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Lowers a graph.
    ///
    /// # Errors
    /// A [`CoremlError`] where programs cannot say it, or a value is not f32.
    pub fn try_compile(graph: Graph) -> Result<CoremlExecutable, CoremlError> {
        CoremlExecutable::with_engine(graph, system_engine(), CoremlOptions::new())
    }

    /// Lowers a graph for an engine of the program's choice.
    ///
    /// # Errors
    /// As [`try_compile`](Self::try_compile).
    pub fn with_engine(
        graph: Graph,
        engine: Arc<dyn Engine>,
        options: CoremlOptions,
    ) -> Result<CoremlExecutable, CoremlError> {
        let env = Env::read()?;
        let backend: Arc<dyn Backend> = Arc::new(AneBackend::with_engine(engine));
        let mut all = CompileOptions::new().with_backend(options).with_env(&env);
        backend.apply_env(&mut all, &env)?;
        let named = |what: &str, nodes: &mut dyn Iterator<Item = &rlx_ir::Node>| {
            let one = |node: &rlx_ir::Node| {
                let (name, shape) = (node.name().unwrap_or_default(), node.shape());
                match (shape.dtype(), shape.num_bytes()) {
                    (DType::F32, Some(_)) => Ok((name.to_string(), shape.clone())),
                    _ => Err(CoremlError::Argument(format!(
                        "{what} `{name}` is {shape}, and not f32 of fixed sizes"
                    ))),
                }
            };
            nodes.map(one).collect::<Result<Vec<_>, _>>()
        };
        let (inputs, params) =
            (named("input", &mut graph.inputs())?, named("parameter", &mut graph.params())?);
        let shapes = graph.output_shapes();
        if let Some(shape) = shapes.iter().find(|shape| shape.dtype() != DType::F32) {
            return Err(CoremlError::Argument(format!("an output is {shape}, and not f32")));
        }
        let lowered = lower(&graph, &[], &*backend, &all)?;
        let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(DeviceId::from(Device::Ane)));
        let mut executable = backend.prepare(lowered, &queue)?;
        executable.bind(&Bindings::new())?;
        Ok(CoremlExecutable { inputs, params, outputs: shapes.len(), executable })
    }

    /// Sets a parameter. The next run writes a new package.
    ///
    /// # Panics
    /// With the full message where [`try_set_param`](Self::try_set_param) fails.
    pub fn set_param(&mut self, name: &str, values: &[f32]) {
        self.try_set_param(name, values).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// [`CoremlError::Argument`] where there is none of this name or it has another size.
    pub fn try_set_param(&mut self, name: &str, values: &[f32]) -> Result<(), CoremlError> {
        let index = position("parameter", &self.params, name, values)?;
        let value = Literal::from_bytes(&self.params[index].1, bytemuck::cast_slice(values));
        let value = value.map_err(|e| CoremlError::Argument(format!("parameter `{name}`: {e}")))?;
        self.executable.set_param(index, Param::new(Arc::new(value)));
        Ok(())
    }

    /// Runs on inputs by their names, in any order; the outputs, in the order of the graph's.
    ///
    /// # Errors
    /// [`CoremlError::Argument`] where an input is missing, not there or of another size, and [`CoremlError::Run`], also where there is no
    /// CoreML.
    pub fn run(&mut self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, CoremlError> {
        let mut given: Vec<Option<&[f32]>> = vec![None; self.inputs.len()];
        for (name, values) in inputs {
            given[position("input", &self.inputs, name, values)?] = Some(values);
        }
        let missing = self.inputs.iter().zip(&given).find(|(_, given)| given.is_none());
        if let Some(((name, _), _)) = missing {
            return Err(CoremlError::Argument(format!("input `{name}` is not given")));
        }
        let given: Vec<Value<'_>> =
            given.into_iter().flatten().map(|values| Value::Host(bytemuck::cast_slice(values))).collect();
        self.executable.run(Arguments { inputs: &given, state: &mut [], outputs: &mut [] })?;
        self.executable.wait()?;
        let output = |index| {
            let elements = self.executable.output(index)?.as_chunks().0;
            Ok(elements.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
        };
        (0..self.outputs).map(output).collect()
    }
}

/// The number of a value, which must have as many elements.
fn position(what: &str, all: &[(String, Shape)], name: &str, values: &[f32]) -> Result<usize, CoremlError> {
    let Some(index) = all.iter().position(|(known, _)| known == name) else {
        let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let message = format!("there is no {what} `{name}`; there are [{}]", known.join(", "));
        return Err(CoremlError::Argument(message));
    };
    let (wanted, got) = (all[index].1.num_bytes().unwrap_or(0) / size_of::<f32>(), values.len());
    if wanted != got {
        return Err(CoremlError::Argument(format!("{what} `{name}` has {wanted} elements, got {got}")));
    }
    Ok(index)
}
