//! Sessions: a device and options, from which graphs are compiled.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use crate::program_cache::programs_dir;
use crate::registry::backend_for;
use crate::variables;
use rlx_compile::{BackendError, CompileOptions, Precision};
use rlx_driver::{Device, DeviceId};
use rlx_exec::{Availability, Queue};
use rlx_ir::Graph;
use std::fmt;
use std::sync::Arc;

/// A device, and how graphs are compiled for it.
///
/// ```
/// use rlx_ir::{Builder, DType, Shape};
/// use rlx_session::{CompileOptions, CpuOptions, Device, Session};
///
/// let b = Builder::new("celsius");
/// let fahrenheit = b.input("fahrenheit", Shape::new(&[2], DType::F32));
/// let graph = b.finish(&[&((fahrenheit - 32.0) / 1.8)]).unwrap();
///
/// let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1));
/// let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(graph)?;
/// let out = compiled.try_run(&[("fahrenheit", &[212.0, 32.0])])?;
/// assert!((out[0][0] - 100.0).abs() < 1e-4 && out[0][1] == 0.0);
/// # Ok::<(), rlx_session::RuntimeError>(())
/// ```
#[derive(Clone)]
pub struct Session {
    device: DeviceId,
    options: CompileOptions,
    /// The queue of all its programs; by default, each has its own.
    queue: Option<Arc<dyn Queue>>,
}

impl Session {
    /// Creates a session on a device (`Device::Cuda`, or `Device::Cuda.ordinal(1)` for the second), with default options. The device is
    /// looked up when a graph is compiled.
    pub fn new(device: impl Into<DeviceId>) -> Self {
        Session { device: device.into(), options: CompileOptions::new(), queue: None }
    }

    /// Creates a session that computes in this precision.
    pub fn new_with_precision(device: impl Into<DeviceId>, precision: Precision) -> Self {
        Session::new(device).with_options(CompileOptions::new().precision(precision.into()))
    }

    /// Returns this session with other options.
    pub fn with_options(mut self, options: CompileOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns this session with a shared queue: the runs of all programs that it compiles are ordered on `queue`. By default, each program
    /// has its own queue. Compiling fails if the queue belongs to another device.
    pub fn with_queue(mut self, queue: Arc<dyn Queue>) -> Self {
        self.queue = Some(queue);
        self
    }

    /// Creates a new queue of the session's device.
    pub fn new_queue(&self) -> Result<Arc<dyn Queue>, RuntimeError> {
        Ok(backend_for(self.device.device)?.queue(self.device.ordinal)?)
    }

    /// Returns the kind of device.
    pub fn device(&self) -> Device {
        self.device.device
    }

    /// Returns the device, with its number.
    pub fn device_id(&self) -> DeviceId {
        self.device
    }

    /// Returns the options.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Compiles a graph.
    ///
    /// # Panics
    /// Panics with the full message if [`try_compile`](Session::try_compile) fails.
    pub fn compile(&self, graph: Graph) -> CompiledGraph {
        self.try_compile(graph).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Compiles a graph. A graph with symbolic dimensions is checked now, and compiled for each binding of them when it first runs with
    /// that binding.
    pub fn try_compile(&self, graph: Graph) -> Result<CompiledGraph, RuntimeError> {
        self.try_compile_with_options(graph, &self.options)
    }

    /// Compiles a graph with other options than the session's.
    pub fn try_compile_with_options(
        &self,
        graph: Graph,
        options: &CompileOptions,
    ) -> Result<CompiledGraph, RuntimeError> {
        let DeviceId { device, ordinal } = self.device;
        let backend = backend_for(device)?;
        if let Availability::Missing(reason) = backend.availability() {
            return Err(BackendError::Unavailable { device, reason }.into());
        }
        let queue = match &self.queue {
            None => backend.queue(ordinal)?,
            Some(queue) if queue.device() == self.device => queue.clone(),
            Some(queue) => {
                let problem = format!(
                    "the queue belongs to device `{}`; this session runs on `{}`",
                    queue.device(),
                    self.device
                );
                return Err(BackendError::Argument(problem).into());
            }
        };
        let env = variables::checked_env()?;
        let mut options = options.clone().with_env(&env)?;
        backend.apply_env(&mut options, &env)?;
        match env.get(&variables::PROGRAM_CACHE)? {
            Some(true) => options.program_cache = options.program_cache.or_else(programs_dir),
            Some(false) => options.program_cache = None,
            None => {}
        }
        CompiledGraph::new(graph, backend, options, queue)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({}, {:?})", self.device, self.options)
    }
}
