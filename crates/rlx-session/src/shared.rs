//! A compiled graph that many threads run at once, each with an instance of its own.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use rlx_ir::{DType, Literal};
use std::sync::{Mutex, PoisonError};

/// A compiled graph that any number of threads run at once through a shared reference: each run takes an instance that no other one uses,
/// or makes one, and leaves it for later runs. All share the program, the parameters and what was packed from them, so that there are at
/// most as many working memories as there were runs at one time.
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
    /// The program, which never runs itself.
    program: CompiledGraph,
    /// Clones of it that no run uses at the moment.
    idle: Mutex<Vec<CompiledGraph>>,
}

impl SharedGraph {
    /// Makes a compiled graph one that threads share. Its parameters are those of all runs.
    ///
    /// # Errors
    /// [`RuntimeError::SharedState`] for a graph with a state, which would differ from one instance to another: a clone for each thread
    /// keeps its own.
    pub fn new(program: CompiledGraph) -> Result<SharedGraph, RuntimeError> {
        if let Some(name) = program.state_inputs().next() {
            return Err(RuntimeError::SharedState(name.into()));
        }
        Ok(SharedGraph { program, idle: Mutex::default() })
    }

    /// The program: its graph, inputs, outputs and parameters.
    pub fn program(&self) -> &CompiledGraph {
        &self.program
    }

    /// The instance that the next run takes, to be changed. Parameters that are set in it are not those of other instances.
    pub fn next_instance(&mut self) -> &mut CompiledGraph {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        let next = idle.pop().unwrap_or_else(|| self.program.clone());
        idle.push(next);
        let last = idle.len() - 1;
        &mut idle[last]
    }

    /// [`CompiledGraph::try_run`] on any thread.
    ///
    /// # Errors
    /// As there.
    pub fn try_run(&self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, RuntimeError> {
        self.on_instance(|program| program.try_run(inputs))
    }

    /// [`CompiledGraph::run_typed`] on any thread.
    ///
    /// # Errors
    /// As there.
    pub fn run_typed(&self, inputs: &[(&str, &[u8], DType)]) -> Result<Vec<(Vec<u8>, DType)>, RuntimeError> {
        self.on_instance(|program| program.run_typed(inputs))
    }

    /// [`CompiledGraph::run_literals`] on any thread.
    ///
    /// # Errors
    /// As there.
    pub fn run_literals(&self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, RuntimeError> {
        self.on_instance(|program| program.run_literals(inputs))
    }

    /// [`CompiledGraph::run_into`] on any thread.
    ///
    /// # Errors
    /// As there.
    pub fn run_into(&self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), RuntimeError> {
        self.on_instance(|program| program.run_into(inputs, outputs))
    }

    /// Calls `run` with an instance. One that panics there is not used again.
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
    /// One that shares program and parameters, with working memories of its own.
    fn clone(&self) -> Self {
        SharedGraph { program: self.program.clone(), idle: Mutex::default() }
    }
}
