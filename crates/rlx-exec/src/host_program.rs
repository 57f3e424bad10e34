//! Programs that exchange values with the device as bytes in host memory, and the engine that runs them.

use crate::buffer::{Buffer, HostBuffer};
use crate::engine::{At, Engine, EngineMemory, Pack, ProgramRun, RunParts};
use crate::executable::Value;
use crate::layout::ProgramLayout;
use crate::queue::Queue;
use rlx_compile::{BackendError, BindError, Budget, Lowered, Param, StepInfo};
use rlx_ir::Bindings;
use std::any::Any;
use std::sync::{Arc, Mutex};

/// A program for certain sizes that reads and writes bytes in host memory.
pub trait HostProgram: Send + Sync + Any {
    /// Creates another instance with the same parameters. Its runs are put on `queue`.
    ///
    /// # Errors
    /// Returns the device's errors.
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn HostProgram>, BackendError>;

    /// Sets parameter `index`, in graph order.
    fn set_param(&mut self, index: usize, value: Param);

    /// Does the work that otherwise precedes the first run, as far as the parameters are set.
    ///
    /// # Errors
    /// Returns the device's errors.
    fn prepack(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// Returns the alias pairs, in ascending order, with states that the program keeps in its own kind of buffer.
    fn kept(&self) -> &[usize] {
        &[]
    }

    /// Runs on one value per input, in graph order, and writes one value per output. Lengths have been checked. `kept` contains the buffers
    /// of the states that the program [keeps](HostProgram::kept). After the run, each must hold the state's next value. Before it, they
    /// may be as the program left them or come from elsewhere, be on the host or on a device, and be shared. The inputs and outputs of
    /// these states are empty.
    ///
    /// # Errors
    /// Returns the errors of the run. A [refusal](BackendError::is_refusal) must leave the state unchanged.
    fn run(
        &mut self,
        inputs: &[&[u8]],
        kept: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError>;

    /// Describes how the program runs, in lines of text.
    fn describe(&self) -> String;

    /// Returns the steps of a run, in order. The list is empty if the program does not know them.
    fn steps(&self) -> Vec<StepInfo> {
        Vec::new()
    }
}

/// Makes the program of a lowered graph for given sizes.
type Make = dyn Fn(&Lowered, &Bindings) -> Result<Box<dyn HostProgram>, BindError> + Send + Sync;

/// An engine for programs that read and write bytes in host memory.
pub struct HostEngine {
    name: &'static str,
    make: Box<Make>,
}

impl HostEngine {
    /// Creates an engine that messages call `name`. `make` makes the program of a lowered graph for given sizes. If the backend's claims
    /// ask for static sizes, the graph has no symbols.
    pub fn new(
        name: &'static str,
        make: impl Fn(&Lowered, &Bindings) -> Result<Box<dyn HostProgram>, BindError> + Send + Sync + 'static,
    ) -> HostEngine {
        HostEngine { name, make: Box::new(make) }
    }

    /// Creates an engine for one program with fixed sizes.
    pub fn of(name: &'static str, program: Box<dyn HostProgram>) -> HostEngine {
        let program = Mutex::new(Some(program));
        HostEngine::new(name, move |_, _| {
            // INVARIANT: a graph without symbols is prepared only once.
            let program = rlx_pool::lock(&program).take();
            Ok(program.ok_or_else(|| BackendError::Unsupported("the program has fixed sizes".into()))?)
        })
    }
}

/// A prepared program that never runs itself: instances run clones of it.
pub struct PreparedProgram {
    program: Mutex<Box<dyn HostProgram>>,
    layout: ProgramLayout,
    kept: Vec<usize>,
    /// For each alias pair, the input that reads its state.
    inputs: Vec<usize>,
    steps: Vec<StepInfo>,
}

/// An instance's own copy of a [`HostProgram`], with memory for its next states.
pub struct HostWorker {
    program: Box<dyn HostProgram>,
    /// For each alias pair, memory for the next value.
    next: Vec<HostBuffer>,
}

impl HostWorker {
    /// Returns the program as its own type.
    pub fn program<P: HostProgram>(&self) -> Option<&P> {
        let program: &dyn Any = &*self.program;
        program.downcast_ref()
    }
}

/// Returns the bytes of an input. The slice is empty for a state that the program keeps.
fn bytes_of<'v>(value: &Value<'v>, state: &'v [Buffer], keeps: &[usize]) -> &'v [u8] {
    match *value {
        Value::Host(bytes) => bytes,
        Value::Buffer(buffer) => buffer.host().unwrap_or_default(),
        Value::State(pair) if keeps.binary_search(&pair).is_ok() => &[],
        Value::State(pair) => state[pair].host().unwrap_or_default(),
    }
}

impl Engine for HostEngine {
    type Program = PreparedProgram;
    type Params = Vec<Option<Param>>;
    type Packed = ();
    type Worker = HostWorker;

    const MEMORY: EngineMemory = EngineMemory::Host;
    // A worker may hold a whole model.
    const MAX_WORKERS: usize = 1;

    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<PreparedProgram, BindError> {
        let program = (self.make)(lowered, sizes)?;
        let layout = ProgramLayout::of_graph(&lowered.bind(sizes)?.graph(), lowered.aliases(), true)?;
        let budget = Budget::of(lowered.options());
        budget.take(layout.memory_bytes(), || "the memory for the program's outputs".into())?;
        let inputs = lowered.aliases().iter().map(|alias| alias.input).collect();
        let (kept, steps) = (program.kept().to_vec(), program.steps());
        Ok(PreparedProgram { program: Mutex::new(program), layout, kept, inputs, steps })
    }

    fn layout<'p>(&self, program: &'p PreparedProgram) -> &'p ProgramLayout {
        &program.layout
    }

    fn worker(
        &self,
        program: &Arc<PreparedProgram>,
        queue: &Arc<dyn Queue>,
        of: Option<&HostWorker>,
    ) -> Result<HostWorker, BackendError> {
        let program = match of {
            Some(worker) => worker.program.clone_on(queue)?,
            // Cloning changes nothing, and a panic in it leaves nothing half done.
            None => rlx_pool::lock(&program.program).clone_on(queue)?,
        };
        Ok(HostWorker { program, next: Vec::new() })
    }

    fn keeps<'p>(&self, program: &'p PreparedProgram) -> &'p [usize] {
        &program.kept
    }

    fn set_param(&self, worker: &mut HostWorker, index: usize, value: &Param) {
        worker.program.set_param(index, value.clone());
    }

    fn pack(&self, at: At<'_, Self>, _: Option<&()>, when: Pack) -> Result<Option<()>, BackendError> {
        // A run packs what is left on its own.
        if when == Pack::Ahead {
            at.worker.program.prepack()?;
        }
        Ok(None)
    }

    fn launch(&self, at: At<'_, Self>, _: Option<&()>, run: ProgramRun<'_, '_>) -> Result<(), BackendError> {
        let At { program, worker: HostWorker { program: own, next }, .. } = at;
        let PreparedProgram { layout, kept: keeps, inputs: aliased, .. } = &**program;
        let is_kept = |pair: &usize| keeps.binary_search(pair).is_ok();
        for (pair, input) in aliased.iter().enumerate().skip(next.len()) {
            let bytes = if is_kept(&pair) { 0 } else { layout.input_bytes(*input) };
            next.push(HostBuffer::zeroed(bytes)?);
        }
        let empty = || Ok(Buffer::Host(HostBuffer::zeroed(0)?));
        let mut kept: Vec<Buffer> = keeps.iter().map(|_| empty()).collect::<Result<_, BackendError>>()?;
        let has_begun = run.has_begun;
        let RunParts { inputs, state, memory, places, mut on_device } = run.into_parts();
        let swap = |kept: &mut [Buffer], state: &mut [Buffer]| {
            keeps.iter().zip(kept).for_each(|(&pair, kept)| std::mem::swap(&mut state[pair], kept));
        };
        swap(&mut kept, state);
        let result = {
            let given: Vec<&[u8]> = inputs.iter().map(|value| bytes_of(value, state, keeps)).collect();
            let mut outputs: Vec<&mut [u8]> = Vec::with_capacity(layout.num_outputs());
            let mut next: Vec<Option<&mut HostBuffer>> = next.iter_mut().map(Some).collect();
            let mut wanted = places.iter_mut();
            let (mut left, mut at) = (memory, 0);
            for index in 0..layout.num_outputs() {
                let place = wanted.next().and_then(Option::as_deref_mut);
                let next = layout.pair_of_output(index).and_then(|pair| next[pair].take());
                match (next, place) {
                    (Some(next), _) => outputs.push(&mut next[..]),
                    (None, Some(place)) => outputs.push(place),
                    (None, None) => {
                        // Outputs are in ascending order of their offsets.
                        let (offset, bytes) =
                            (layout.offset(index).unwrap_or(at), layout.output_bytes(index));
                        let (_, rest) = std::mem::take(&mut left).split_at_mut(offset - at);
                        let (place, rest) = rest.split_at_mut(bytes);
                        (left, at) = (rest, offset + bytes);
                        outputs.push(place);
                    }
                }
            }
            own.run(&given, &mut kept, &mut outputs)
        };
        swap(&mut kept, state);
        result?;
        has_begun.set(true);
        for (pair, next) in next.iter_mut().enumerate().filter(|(pair, _)| !is_kept(pair)) {
            std::mem::swap(state[pair].host_mut()?, next);
        }
        for output in 0..layout.num_outputs() {
            let pair = layout.pair_of_output(output).filter(is_kept);
            if let Some(Buffer::Device(buffer)) = pair.map(|pair| &state[pair]) {
                on_device.set(output, buffer.clone());
            }
        }
        Ok(())
    }

    fn describe(&self, current: Option<(&PreparedProgram, &HostWorker)>) -> String {
        current.map_or_else(String::new, |(_, worker)| worker.program.describe())
    }

    fn steps(&self, program: &PreparedProgram) -> Vec<StepInfo> {
        program.steps.clone()
    }
}
