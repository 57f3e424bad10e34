//! A compiled graph that many threads run at the same time, each with its own instance.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use rlx_ir::{DType, Literal};
use std::sync::{Mutex, PoisonError};

/// A compiled graph that any number of threads can run at the same time through a shared reference. Each run takes an idle instance, or
/// creates one if there is none, and leaves it for later runs. All instances share the program, the parameters and their packed forms, so
/// there are at most as many working memories as there were simultaneous runs.
///
/// ```
/// use rlx_ir::{Builder, DType, Dim, Shape};
/// use rlx_session::{Device, Session, SharedGraph};
///
/// let b = Builder::new("double");
/// let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n")], DType::F32));
/// let graph = b.finish(&[&(&x + &x)]).unwrap();
/// let shared = SharedGraph::new(Session::new(Device::Cpu).try_compile(graph)?)?;
/// std::thread::scope(|threads| {
///     for i in 0..8 {
///         let shared = &shared;
///         threads.spawn(move || assert_eq!(shared.try_run(&[("x", &[i as f32])]).unwrap(), [[2.0 * i as f32]]));
///     }
/// });
/// # Ok::<(), rlx_session::RuntimeError>(())
/// ```
#[derive(Debug)]
pub struct SharedGraph {
    /// The program that instances are cloned from; it never runs.
    program: CompiledGraph,
    /// Clones that no run is using.
    idle: Mutex<Vec<CompiledGraph>>,
}

impl SharedGraph {
    /// Makes a compiled graph shareable by threads. All runs use its parameters.
    ///
    /// # Errors
    /// Returns [`RuntimeError::SharedState`] for a graph with state, which would differ between instances. Give each thread a clone
    /// instead, which has its own state.
    pub fn new(program: CompiledGraph) -> Result<SharedGraph, RuntimeError> {
        if let Some(name) = program.state_inputs().next() {
            return Err(RuntimeError::SharedState(name.into()));
        }
        Ok(SharedGraph { program, idle: Mutex::default() })
    }

    /// Returns the program: its graph, inputs, outputs and parameters.
    pub fn program(&self) -> &CompiledGraph {
        &self.program
    }

    /// Returns the instance that the next run takes, for changes. Setting its parameters does not change other instances.
    pub fn next_instance(&mut self) -> &mut CompiledGraph {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        let next = idle.pop().unwrap_or_else(|| self.program.clone());
        idle.push(next);
        let last = idle.len() - 1;
        &mut idle[last]
    }

    /// Like [`CompiledGraph::try_run`], but can be called on any thread.
    ///
    /// # Errors
    /// The same as [`CompiledGraph::try_run`].
    pub fn try_run(&self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, RuntimeError> {
        self.on_instance(|program| program.try_run(inputs))
    }

    /// Like [`CompiledGraph::run_typed`], but can be called on any thread.
    ///
    /// # Errors
    /// The same as [`CompiledGraph::run_typed`].
    pub fn run_typed(&self, inputs: &[(&str, &[u8], DType)]) -> Result<Vec<(Vec<u8>, DType)>, RuntimeError> {
        self.on_instance(|program| program.run_typed(inputs))
    }

    /// Like [`CompiledGraph::run_literals`], but can be called on any thread.
    ///
    /// # Errors
    /// The same as [`CompiledGraph::run_literals`].
    pub fn run_literals(&self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, RuntimeError> {
        self.on_instance(|program| program.run_literals(inputs))
    }

    /// Like [`CompiledGraph::run_into`], but can be called on any thread.
    ///
    /// # Errors
    /// The same as [`CompiledGraph::run_into`].
    pub fn run_into(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), RuntimeError> {
        self.on_instance(|program| program.run_into(inputs, outputs))
    }

    /// Calls `run` with an instance. An instance that panics is not used again.
    fn on_instance<R>(&self, run: impl FnOnce(&mut CompiledGraph) -> R) -> R {
        let idle = || rlx_pool::lock(&self.idle);
        let taken = idle().pop();
        let mut program = taken.unwrap_or_else(|| self.program.clone());
        let result = run(&mut program);
        idle().push(program);
        result
    }
}

impl Clone for SharedGraph {
    /// Returns a shared graph with the same program and parameters, and its own working memories.
    fn clone(&self) -> Self {
        SharedGraph { program: self.program.clone(), idle: Mutex::default() }
    }
}
