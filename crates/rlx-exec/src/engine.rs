//! Defines [`Engine`], the device-specific part that a backend implements to run programs.

use crate::buffer::{Buffer, DeviceBuffer};
use crate::executable::Value;
use crate::layout::ProgramLayout;
use crate::outputs::DeviceOutputs;
use crate::params::ParamStore;
use crate::queue::Queue;
use rlx_compile::{BackendError, BindError, Lowered, Param, StepInfo};
use rlx_ir::Bindings;
use std::cell::Cell;
use std::sync::Arc;

/// Where an engine reads and writes values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineMemory {
    /// In host memory, without copies. Bytes must be aligned to their elements.
    InPlace,
    /// In host memory, from which the engine copies.
    Host,
    /// In its own buffers, which stay on the device between runs.
    Device,
}

/// When parameters are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pack {
    /// Ahead of a run. Some parameters may not be set yet.
    Ahead,
    /// Directly before a run. All parameters are set.
    ForRun,
}

/// A program at the sizes that an instance is bound to, with the instance's parameters and its worker for that program.
pub struct At<'a, E: Engine> {
    /// The program.
    pub program: &'a Arc<E::Program>,
    /// The parameters.
    pub params: &'a E::Params,
    /// The instance's worker.
    pub worker: &'a mut E::Worker,
}

/// Runs programs on a device: the part that each backend implements for itself.
pub trait Engine: Send + Sync + Sized + 'static {
    /// A lowered graph prepared for certain sizes. Instances share it.
    type Program: Send + Sync + 'static;
    /// The parameters, with anything that the engine derives from each: [`CachedParams`](crate::CachedParams), or only their values.
    type Params: ParamStore;
    /// Data that runs of one program read instead of the bytes of parameters. Clones of an instance share it.
    type Packed: Send + Sync + 'static;
    /// Data that belongs to one instance for running one program: scratch memory, streams, a run that is under way.
    type Worker: Send + Sync + 'static;

    /// Where the engine reads and writes values.
    const MEMORY: EngineMemory;

    /// Maximum number of sizes for which an instance keeps a worker. If workers are expensive, this is 1.
    const MAX_WORKERS: usize = 16;

    /// Returns the name of the engine for messages.
    fn name(&self) -> &'static str;

    /// Prepares a lowered graph for these sizes. If the backend's claims ask for static sizes, the graph has no symbols.
    ///
    /// # Errors
    /// Returns a [`BindError`] if the sizes do not fit the graph, or the engine cannot run it.
    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<Self::Program, BindError>;

    /// Returns the layout of a program.
    fn layout<'p>(&self, program: &'p Self::Program) -> &'p ProgramLayout;

    /// Creates the worker that an instance needs to run a program on a queue. If the instance is a clone, `of` is the worker of the
    /// original.
    ///
    /// # Errors
    /// Returns [`BackendError::Argument`] if the queue belongs to another device, and the device's errors.
    fn worker(
        &self,
        program: &Arc<Self::Program>,
        queue: &Arc<dyn Queue>,
        of: Option<&Self::Worker>,
    ) -> Result<Self::Worker, BackendError>;

    /// Returns the alias pairs, in ascending order, with states that the engine keeps in its own buffers.
    fn keeps<'p>(&self, program: &'p Self::Program) -> &'p [usize] {
        let _ = program;
        &[]
    }

    /// Passes the value of a parameter on to a worker that contains instances itself.
    fn set_param(&self, worker: &mut Self::Worker, index: usize, value: &Param) {
        let _ = (worker, index, value);
    }

    /// Packs the parameters for a program, as far as they are set. Returns `None` if `current` is sufficient.
    ///
    /// # Errors
    /// Returns the device's errors.
    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Self::Packed>,
        when: Pack,
    ) -> Result<Option<Self::Packed>, BackendError> {
        let _ = (at, current, when);
        Ok(None)
    }

    /// Runs a program, or starts a run that [`wait`](Engine::wait) completes. The arguments have been checked, and all parameters are
    /// set.
    ///
    /// # Errors
    /// Returns the errors of the run. After [`ProgramRun::begin`], any error means that the state is lost.
    fn launch(
        &self,
        at: At<'_, Self>,
        packed: Option<&Self::Packed>,
        run: ProgramRun<'_, '_>,
    ) -> Result<(), BackendError>;

    /// Waits for the last run of a worker.
    ///
    /// # Errors
    /// Returns the errors of the run.
    fn wait(&self, worker: &mut Self::Worker) -> Result<(), BackendError> {
        let _ = worker;
        Ok(())
    }

    /// Describes how programs run, in lines of text. `current` is `None` until the instance is bound to sizes.
    fn describe(&self, current: Option<(&Self::Program, &Self::Worker)>) -> String;

    /// Returns the steps of a program, in order. The list is empty if the engine does not know them.
    fn steps(&self, program: &Self::Program) -> Vec<StepInfo> {
        let _ = program;
        Vec::new()
    }
}

/// One run with checked arguments: the values that it reads, and the places for its results.
pub struct ProgramRun<'r, 'b> {
    /// One value per input, in graph order. The input of an alias pair is the state buffer of that pair.
    pub inputs: &'r [Value<'r>],
    /// One buffer per alias pair. Buffers that the engine does not [keep](Engine::keeps) are in host memory, except with
    /// [`EngineMemory::Device`].
    pub state: &'r mut [Buffer],
    /// The working memory on the host, large enough for the layouts of all programs of the instance. Empty with [`EngineMemory::Device`].
    pub memory: &'r mut [u8],
    pub(crate) places: &'r mut [Option<&'b mut [u8]>],
    pub(crate) on_device: DeviceOutputs<'r>,
    pub(crate) layout: &'r ProgramLayout,
    pub(crate) has_begun: &'r Cell<bool>,
}

impl<'r, 'b> ProgramRun<'r, 'b> {
    /// Declares that the state may change from here on. If the run fails after this, the state is lost.
    pub fn begin(&self) {
        self.has_begun.set(true);
    }

    /// Returns the caller's memory for an output, which has the output's size. Returns `None` if the caller gave no memory for it.
    pub fn place(&mut self, output: usize) -> Option<&mut [u8]> {
        self.places.get_mut(output)?.as_deref_mut()
    }

    /// Splits the run into parts that can be borrowed at the same time.
    pub(crate) fn into_parts(self) -> RunParts<'r, 'b> {
        let ProgramRun { inputs, state, memory, places, on_device, .. } = self;
        RunParts { inputs, state, memory, places, on_device }
    }

    /// Leaves the outputs of a run, one per output in graph order, on the device. Outputs of alias pairs become the state. Outputs for
    /// which the caller gave memory are also copied there.
    ///
    /// # Errors
    /// Returns the device's errors.
    pub fn leave<A: DeviceBuffer + 'static>(
        mut self,
        made: impl IntoIterator<Item = A>,
    ) -> Result<(), BackendError> {
        for (index, array) in made.into_iter().enumerate() {
            let buffer: Arc<dyn DeviceBuffer> = Arc::new(array);
            if let Some(pair) = self.layout.pair_of_output(index) {
                self.state[pair] = Buffer::Device(buffer.clone());
            }
            if let Some(place) = self.place(index) {
                buffer.download(place)?;
            }
            self.on_device.set(index, buffer);
        }
        Ok(())
    }
}

/// The parts of a [`ProgramRun`].
pub(crate) struct RunParts<'r, 'b> {
    pub(crate) inputs: &'r [Value<'r>],
    pub(crate) state: &'r mut [Buffer],
    pub(crate) memory: &'r mut [u8],
    pub(crate) places: &'r mut [Option<&'b mut [u8]>],
    pub(crate) on_device: DeviceOutputs<'r>,
}
