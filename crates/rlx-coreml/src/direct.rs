//! Runs a graph on CoreML without a session, for programs that need CoreML and nothing else.

use crate::backend::{AneBackend, CoremlOptions};
use crate::engine::{Engine, system_engine};
use rlx_driver::{Device, DeviceId};
use rlx_exec::{Backend, DirectError, DirectExecutable, EvaluatorBackend, HostQueue, Queue};
use rlx_hybrid::HybridBackend;
use rlx_ir::{DType, Graph, Literal, Node, Shape};
use std::sync::Arc;

/// A graph of static sizes that CoreML runs as a package. Inputs, parameters and outputs are f32. Ops that programs cannot express are run by
/// the kernels of [`register_coreml_kernel`](crate::register_coreml_kernel), or else by the evaluator, which is slow. A session, or
/// [`with_host`](Self::with_host), runs them on the CPU backend.
pub struct CoremlExecutable(DirectExecutable);

impl CoremlExecutable {
    /// Lowers a graph. The first run writes and loads the package.
    ///
    /// # Panics
    /// Panics with the full message if [`try_compile`](Self::try_compile) fails.
    pub fn compile(graph: Graph) -> CoremlExecutable {
        CoremlExecutable::try_compile(graph).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Lowers a graph.
    ///
    /// # Errors
    /// Returns a [`DirectError`] if programs cannot express the graph, or a value is not f32.
    pub fn try_compile(graph: Graph) -> Result<CoremlExecutable, DirectError> {
        CoremlExecutable::with_engine(graph, system_engine(), CoremlOptions::new())
    }

    /// Lowers a graph for the given engine.
    ///
    /// # Errors
    /// Fails as [`try_compile`](Self::try_compile) does.
    pub fn with_engine(
        graph: Graph,
        engine: Arc<dyn Engine>,
        options: CoremlOptions,
    ) -> Result<CoremlExecutable, DirectError> {
        CoremlExecutable::with_host(graph, engine, Arc::new(EvaluatorBackend), options)
    }

    /// Lowers a graph for the given engine. `host` runs what programs cannot express, faster than the evaluator if it is the CPU backend.
    ///
    /// # Errors
    /// Fails as [`try_compile`](Self::try_compile) does.
    pub fn with_host(
        graph: Graph,
        engine: Arc<dyn Engine>,
        host: Arc<dyn Backend>,
        options: CoremlOptions,
    ) -> Result<CoremlExecutable, DirectError> {
        let is_f32 = |what: &str, node: &Node| match (node.shape().dtype(), node.shape().num_bytes()) {
            (DType::F32, Some(_)) => Ok(()),
            _ => {
                let name = node.name().unwrap_or_default();
                let message = format!("{what} `{name}` is {}, expected f32 with static sizes", node.shape());
                Err(DirectError::Argument(message))
            }
        };
        graph.inputs().try_for_each(|node| is_f32("input", node))?;
        graph.params().try_for_each(|node| is_f32("parameter", node))?;
        if let Some(shape) = graph.output_shapes().iter().find(|shape| shape.dtype() != DType::F32) {
            return Err(DirectError::Argument(format!("an output is {shape}, expected f32")));
        }
        let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(DeviceId::from(Device::Ane)));
        let device = Arc::new(AneBackend::with_engine(engine));
        let backend = HybridBackend::new(device, host).named(Device::Ane);
        DirectExecutable::prepare(&graph, &backend, &queue, options).map(CoremlExecutable)
    }

    /// Sets a parameter. The next run writes a new package.
    ///
    /// # Panics
    /// Panics with the full message if [`try_set_param`](Self::try_set_param) fails.
    pub fn set_param(&mut self, name: &str, values: &[f32]) {
        self.try_set_param(name, values).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if there is no parameter of this name or its size differs.
    pub fn try_set_param(&mut self, name: &str, values: &[f32]) -> Result<(), DirectError> {
        self.0.set_param(name, |wanted| {
            Literal::from_bytes(wanted, bytes(wanted, values)?).map_err(|e| format!("cannot be set: {e}"))
        })
    }

    /// Runs on inputs by name, in any order, and returns the outputs in the graph's order.
    ///
    /// # Errors
    /// Returns [`DirectError::Argument`] if an input is missing, unknown or of another size, and [`DirectError::Run`] if the run fails or
    /// CoreML is not available.
    pub fn run(&mut self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, DirectError> {
        self.0.run(inputs, bytes)?;
        let floats = |output: Result<(&Shape, &[u8]), DirectError>| {
            let elements = output?.1.as_chunks().0;
            Ok(elements.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
        };
        self.0.outputs().map(floats).collect()
    }
}

/// Returns the bytes of values, whose number must match the shape.
fn bytes<'v>(wanted: &Shape, values: &'v [f32]) -> Result<&'v [u8], String> {
    let wanted = wanted.num_bytes().unwrap_or(0) / size_of::<f32>();
    if wanted != values.len() {
        return Err(format!("has {wanted} elements, got {}", values.len()));
    }
    Ok(bytemuck::cast_slice(values))
}
