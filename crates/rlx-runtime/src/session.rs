//! Sessions: a device and options, from which graphs are compiled.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use crate::program_cache::programs_dir;
use crate::registry::backend_for;
use rlx_compile::{Availability, BackendError, CompileOptions, Precision};
use rlx_driver::{Device, Env};
use rlx_ir::Graph;

/// A device, and how graphs are compiled for it.
#[derive(Clone, Debug)]
pub struct Session {
    device: Device,
    options: CompileOptions,
}

impl Session {
    /// A session on a device, with default options. The device is looked for when a graph is compiled.
    pub fn new(device: Device) -> Self {
        Session { device, options: CompileOptions::new() }
    }

    /// A session that computes in this precision.
    pub fn new_with_precision(device: Device, precision: Precision) -> Self {
        Session { device, options: CompileOptions::new().precision(precision.into()) }
    }

    /// This session with other options.
    pub fn with_options(mut self, options: CompileOptions) -> Self {
        self.options = options;
        self
    }

    /// The device.
    pub fn device(&self) -> Device {
        self.device
    }

    /// The options.
    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Compiles a graph.
    ///
    /// # Panics
    /// With the full message where [`try_compile`](Session::try_compile) fails.
    pub fn compile(&self, graph: Graph) -> CompiledGraph {
        self.try_compile(graph).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Compiles a graph. One with symbolic dimensions is checked now and compiled for each binding when it first runs
    /// with it.
    pub fn try_compile(&self, graph: Graph) -> Result<CompiledGraph, RuntimeError> {
        self.try_compile_with_options(graph, &self.options)
    }

    /// Compiles a graph with other options than the session's.
    pub fn try_compile_with_options(
        &self,
        graph: Graph,
        options: &CompileOptions,
    ) -> Result<CompiledGraph, RuntimeError> {
        let backend = backend_for(self.device)?;
        if let Availability::Missing(reason) = backend.availability() {
            return Err(BackendError::Unavailable { device: self.device, reason }.into());
        }
        let env = Env::read()?;
        let mut options = options.clone().with_env(&env);
        backend.apply_env(&mut options, &env)?;
        match env.program_cache {
            Some(true) => options.program_cache = options.program_cache.or_else(programs_dir),
            Some(false) => options.program_cache = None,
            None => {}
        }
        CompiledGraph::new(graph, backend, options)
    }
}
