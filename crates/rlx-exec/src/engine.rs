//! What a backend gives so that its programs run: an [`Engine`].

use crate::buffer::{Buffer, DeviceBuffer};
use crate::executable::Value;
use crate::layout::Layout;
use crate::outputs::DeviceOutputs;
use crate::params::ParamStore;
use crate::queue::Queue;
use rlx_compile::{BackendError, BindError, Lowered, Param, StepInfo};
use rlx_ir::Bindings;
use std::cell::Cell;
use std::sync::Arc;

/// Where an engine reads and writes values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// In host memory, where they lie: bytes are aligned to their elements.
    InPlace,
    /// In host memory, from which it copies.
    Host,
    /// In buffers of its own, which stay on its device between runs.
    Device,
}

/// When parameters are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pack {
    /// Before any run: some parameters may not be set yet.
    Ahead,
    /// For the run that follows: all are set.
    ForRun,
}

/// A program at the sizes that an instance is bound to, with what the instance has for it.
pub struct At<'a, E: Engine> {
    /// The program.
    pub program: &'a Arc<E::Program>,
    /// The parameters.
    pub params: &'a E::Params,
    /// What the instance has for itself.
    pub worker: &'a mut E::Worker,
}

/// What runs programs on a device: the part of a backend that no other one has.
pub trait Engine: Send + Sync + Sized + 'static {
    /// A lowered graph prepared for certain sizes. Instances share it.
    type Program: Send + Sync + 'static;
    /// The parameters, with what the engine makes of each: [`CachedParams`](crate::CachedParams), or just their values.
    type Params: ParamStore;
    /// What runs of one program read in place of the bytes of parameters. Clones of an instance share it.
    type Packed: Send + Sync + 'static;
    /// What one instance has for itself to run one program: scratch memory, streams, a run that is under way.
    type Worker: Send + Sync + 'static;

    /// Where it reads and writes values.
    const MEMORY: Memory;

    /// What messages call it.
    fn name(&self) -> &'static str;

    /// Prepares a lowered graph for these sizes. It has no symbols where the backend's claims ask for static sizes.
    ///
    /// # Errors
    /// A [`BindError`] for sizes that do not fit the graph, and for what the engine cannot run.
    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<Self::Program, BindError>;

    /// The layout of a program.
    fn layout<'p>(&self, program: &'p Self::Program) -> &'p Layout;

    /// What an instance needs to run a program on a queue; that of another instance, `of`, is there where it is a clone of that one.
    ///
    /// # Errors
    /// [`BackendError::Argument`] for a queue that belongs to another device, and those of the device.
    fn worker(
        &self,
        program: &Arc<Self::Program>,
        queue: &Arc<dyn Queue>,
        of: Option<&Self::Worker>,
    ) -> Result<Self::Worker, BackendError>;

    /// The alias pairs, ascending, whose states the engine keeps in buffers of its own kind.
    fn keeps<'p>(&self, program: &'p Self::Program) -> &'p [usize] {
        let _ = program;
        &[]
    }

    /// Tells a worker the value of a parameter, where it has instances of its own inside.
    fn set_param(&self, worker: &mut Self::Worker, index: usize, value: &Param) {
        let _ = (worker, index, value);
    }

    /// Packs the parameters for a program, as far as they are set; nothing where `current` does for what follows.
    ///
    /// # Errors
    /// Those of the device.
    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Self::Packed>,
        when: Pack,
    ) -> Result<Option<Self::Packed>, BackendError> {
        let _ = (at, current, when);
        Ok(None)
    }

    /// Runs a program, or starts a run that [`wait`](Engine::wait) ends. The arguments have been checked, and all parameters are set.
    ///
    /// # Errors
    /// Those of the run. One after [`Run::begin`] loses the state, whatever it is.
    fn launch(
        &self,
        at: At<'_, Self>,
        packed: Option<&Self::Packed>,
        run: Run<'_, '_>,
    ) -> Result<(), BackendError>;

    /// Waits for the last run of a worker.
    ///
    /// # Errors
    /// Those of the run.
    fn wait(&self, worker: &mut Self::Worker) -> Result<(), BackendError> {
        let _ = worker;
        Ok(())
    }

    /// How it runs, in lines of text; with the program and the worker once there are some.
    fn describe(&self, current: Option<(&Self::Program, &Self::Worker)>) -> String;

    /// The steps of a program, in order; none where the engine does not know them.
    fn steps(&self, program: &Self::Program) -> Vec<StepInfo> {
        let _ = program;
        Vec::new()
    }
}

/// One run, whose arguments have been checked: what it reads, and where its results go.
pub struct Run<'r, 'b> {
    /// One value per input, in graph order. The input of an alias pair is the state buffer of that pair.
    pub inputs: &'r [Value<'r>],
    /// One buffer per alias pair. Those that the engine does not [keep](Engine::keeps) are in host memory, unless its memory is a device's.
    pub state: &'r mut [Buffer],
    /// The working memory on the host, of as many bytes as the layouts of the instance's programs need.
    pub memory: &'r mut [u8],
    pub(crate) places: &'r mut [Option<&'b mut [u8]>],
    pub(crate) on_device: DeviceOutputs<'r>,
    pub(crate) layout: &'r Layout,
    pub(crate) has_begun: &'r Cell<bool>,
}

impl<'r, 'b> Run<'r, 'b> {
    /// Says that the state may change from here on: an error after this loses it.
    pub fn begin(&self) {
        self.has_begun.set(true);
    }

    /// The caller's memory for an output, which has its size; none where the output goes to the working memory, or updates a state.
    pub fn place(&mut self, output: usize) -> Option<&mut [u8]> {
        self.places.get_mut(output)?.as_deref_mut()
    }

    /// The parts of a run, to borrow several at once.
    pub(crate) fn into_parts(self) -> RunParts<'r, 'b> {
        let Run { inputs, state, memory, places, on_device, .. } = self;
        RunParts { inputs, state, memory, places, on_device }
    }

    /// Leaves the outputs of a run, one per output in graph order, on the device. Those of alias pairs become the state; what the caller
    /// has a place for is copied there.
    ///
    /// # Errors
    /// Those of the device.
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

/// A [`Run`] in parts.
pub(crate) struct RunParts<'r, 'b> {
    pub(crate) inputs: &'r [Value<'r>],
    pub(crate) state: &'r mut [Buffer],
    pub(crate) memory: &'r mut [u8],
    pub(crate) places: &'r mut [Option<&'b mut [u8]>],
    pub(crate) on_device: DeviceOutputs<'r>,
}
