//! An instance of a program on any backend: the sizes, parameters, working memory and outputs around an engine.

use crate::buffer::{Buffer, downloaded};
use crate::engine::{At, Engine, EngineMemory, Pack, ProgramRun};
use crate::executable::{Arguments, Executable, Value};
use crate::outputs::Outputs;
use crate::params::ParamStore;
use crate::queue::Queue;
use rlx_compile::{BackendError, BindError, BoundCache, Claims, Lowered, Param, StepInfo};
use rlx_ir::Bindings;
use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

/// The parts that all clones share.
struct Shared<E: Engine> {
    engine: E,
    lowered: Lowered,
    /// Whether the engine only takes graphs without symbols.
    is_sized: bool,
    bound: BoundCache<E::Program>,
}

impl<E: Engine> Shared<E> {
    /// Returns the program for these sizes.
    fn program(&self, sizes: &Bindings) -> Result<Arc<E::Program>, BindError> {
        self.bound.get(sizes, || match self.is_sized {
            true => self.engine.prepare(&self.lowered.at(sizes)?, &Bindings::new()),
            false => self.engine.prepare(&self.lowered, sizes),
        })
    }
}

/// A program that an instance is ready to run.
struct Ready<E: Engine> {
    sizes: Bindings,
    program: Arc<E::Program>,
    /// Filled before the first run, and after a parameter changes.
    packed: Option<Arc<E::Packed>>,
    worker: E::Worker,
    /// Whether it has run since the last wait.
    has_run: bool,
}

/// An instance of a program on an engine, as made by [`Backend::prepare`](crate::Backend::prepare).
pub struct Instance<E: Engine> {
    shared: Arc<Shared<E>>,
    queue: Arc<dyn Queue>,
    params: E::Params,
    /// The programs of the most recent bindings; the current one is last.
    ready: Vec<Ready<E>>,
    outputs: Outputs,
    /// How the runs of workers ended that are gone and that nobody has waited for.
    dropped: Result<(), BackendError>,
}

fn unbound() -> BackendError {
    BackendError::Argument("the program is not bound to sizes yet".into())
}

impl<E: Engine> Instance<E> {
    /// Creates an instance of a lowered graph. A graph without symbols is prepared immediately, others when they are bound to sizes. If
    /// `claims` ask for static sizes, the engine only gets graphs without symbols.
    ///
    /// # Errors
    /// Fails if the graph has no symbols and the engine cannot run it.
    pub fn new(
        engine: E,
        lowered: Lowered,
        claims: &dyn Claims,
        queue: &Arc<dyn Queue>,
    ) -> Result<Instance<E>, BackendError> {
        let params = E::Params::new(lowered.graph().params().count());
        let outputs = Outputs::new(lowered.graph().outputs().len());
        let is_sized = lowered.needs_static_sizes(claims);
        let is_static = lowered.is_static();
        let shared = Arc::new(Shared { engine, lowered, is_sized, bound: BoundCache::default() });
        let mut instance =
            Instance { shared, queue: queue.clone(), params, ready: Vec::new(), outputs, dropped: Ok(()) };
        if is_static {
            instance.bind(&Bindings::new()).map_err(|error| match error {
                BindError::Backend(error) => error,
                error => BackendError::Unsupported(error.to_string()),
            })?;
        }
        Ok(instance)
    }

    /// Returns the worker for the current sizes.
    pub fn worker(&self) -> Option<&E::Worker> {
        self.ready.last().map(|ready| &ready.worker)
    }

    /// Returns the data that the engine packed for the current sizes.
    pub fn packed(&self) -> Option<&E::Packed> {
        self.ready.last()?.packed.as_deref()
    }

    /// Returns how many bytes of working memory on the host the largest program needs, or `None` if the engine needs none.
    fn memory_bytes(&self) -> Option<usize> {
        let engine = &self.shared.engine;
        let of = |ready: &Ready<E>| engine.layout(&ready.program).memory_bytes();
        (E::MEMORY != EngineMemory::Device).then(|| self.ready.iter().map(of).max().unwrap_or(0))
    }

    /// Packs parameters for the current sizes, if the engine asks for it.
    fn pack(&mut self, when: Pack) -> Result<(), BackendError> {
        let Instance { shared, params, ready, .. } = self;
        let Ready { program, packed, worker, .. } = ready.last_mut().ok_or_else(unbound)?;
        let at = At { program, params, worker };
        if let Some(new) = shared.engine.pack(at, packed.as_deref(), when)? {
            *packed = Some(Arc::new(new));
        }
        Ok(())
    }

    /// Fails unless the arguments and the parameters fit the program.
    fn check(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        let ready = self.ready.last().ok_or_else(unbound)?;
        let (layout, graph) = (self.shared.engine.layout(&ready.program), self.shared.lowered.graph());
        let in_place = E::MEMORY == EngineMemory::InPlace;
        layout.check(graph, arguments, in_place)?;
        layout.check_params(graph, |index| self.params.value(index), true, in_place)
    }

    /// Checks values that are where the engine reads them, packs parameters, and runs.
    fn checked_launch(
        &mut self,
        inputs: &[Value<'_>],
        state: &mut [Buffer],
        outputs: &mut [Option<&mut [u8]>],
    ) -> Result<(), BackendError> {
        self.check(&Arguments { inputs, state: &mut *state, outputs: &mut *outputs })?;
        self.pack(Pack::ForRun)?;
        self.launch(inputs, state, outputs)
    }

    /// Runs with values that the engine can read.
    fn launch(
        &mut self,
        inputs: &[Value<'_>],
        state: &mut [Buffer],
        places: &mut [Option<&mut [u8]>],
    ) -> Result<(), BackendError> {
        let bytes = self.memory_bytes();
        let Instance { shared, params, ready, outputs, .. } = self;
        let Ready { program, packed, worker, has_run, .. } = ready.last_mut().ok_or_else(unbound)?;
        let (engine, program) = (&shared.engine, &*program);
        let layout = engine.layout(program);
        let is_placed = |index: usize| matches!(places.get(index), Some(Some(_)));
        outputs.begin(bytes, |index| {
            E::MEMORY != EngineMemory::Device && !is_placed(index) && layout.offset(index).is_some()
        })?;
        let has_begun = Cell::new(false);
        let lost = |error: BackendError| error.after_begin(engine.name());
        let (memory, on_device) = outputs.parts();
        let run = ProgramRun {
            inputs,
            state: &mut *state,
            memory,
            places: &mut *places,
            on_device,
            layout,
            has_begun: &has_begun,
        };
        *has_run = true;
        let at = At { program, params, worker };
        let ran = engine.launch(at, packed.as_deref(), run);
        ran.map_err(|error| if has_begun.get() { lost(error) } else { error })?;
        if E::MEMORY == EngineMemory::Device {
            return Ok(());
        }
        // Engines on the host update states in place, so requested copies are made here.
        for (index, place) in places.iter_mut().enumerate() {
            if let (Some(place), Some(pair)) = (place, layout.pair_of_output(index)) {
                state[pair].read(place).map_err(lost)?;
            }
        }
        Ok(())
    }
}

/// Copies values of a run from devices to host memory. Returns `None` if all of them are in host memory.
fn on_host(inputs: &[Value<'_>]) -> Result<Option<Vec<Option<Buffer>>>, BackendError> {
    let is_elsewhere = |value: &Value<'_>| matches!(value, Value::Buffer(Buffer::Device(_)));
    if !inputs.iter().any(is_elsewhere) {
        return Ok(None);
    }
    let copy = |value: &Value<'_>| match value {
        Value::Buffer(Buffer::Device(device)) => Ok(Some(Buffer::Host(downloaded(&**device)?))),
        _ => Ok(None),
    };
    inputs.iter().map(copy).collect::<Result<Vec<_>, BackendError>>().map(Some)
}

impl<E: Engine> Executable for Instance<E> {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        let Instance { shared, params, ready, .. } = self;
        // A clone starts with the current sizes only. The programs for other sizes are shared.
        let clone = |ready: &Ready<E>| {
            let worker = shared.engine.worker(&ready.program, queue, Some(&ready.worker))?;
            let (sizes, program, packed) = (ready.sizes.clone(), ready.program.clone(), ready.packed.clone());
            Ok::<_, BackendError>(Ready { sizes, program, packed, worker, has_run: false })
        };
        let outputs = Outputs::new(shared.lowered.graph().outputs().len());
        let ready = ready.last().map(clone).transpose()?.into_iter().collect();
        let (shared, params, queue) = (shared.clone(), params.clone(), queue.clone());
        Ok(Box::new(Instance { shared, queue, params, ready, outputs, dropped: Ok(()) }))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        for ready in &mut self.ready {
            ready.packed = None;
            self.shared.engine.set_param(&mut ready.worker, index, &value);
        }
        self.params.set(index, value);
    }

    fn bind(&mut self, sizes: &Bindings) -> Result<(), BindError> {
        let Instance { shared, queue, params, ready, dropped, .. } = self;
        let fixed = Bindings::new();
        let sizes = if shared.lowered.is_static() { &fixed } else { sizes };
        match ready.iter().rposition(|ready| ready.sizes == *sizes) {
            Some(at) if at + 1 == ready.len() => return Ok(()),
            Some(at) => ready[at..].rotate_left(1),
            None => {
                let program = shared.program(sizes)?;
                let mut worker = shared.engine.worker(&program, queue, None)?;
                for index in 0..shared.lowered.graph().params().count() {
                    if let Some(value) = params.value(index) {
                        shared.engine.set_param(&mut worker, index, value);
                    }
                }
                if ready.len() >= E::MAX_WORKERS {
                    let mut oldest = ready.remove(0);
                    if oldest.has_run {
                        let ended = shared.engine.wait(&mut oldest.worker);
                        let first = std::mem::replace(dropped, Ok(()));
                        *dropped = first.and(ended);
                    }
                }
                ready.push(Ready { sizes: sizes.clone(), program, packed: None, worker, has_run: false });
            }
        }
        let bytes = self.memory_bytes();
        self.outputs.forget(bytes);
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        let ready = self.ready.last().ok_or_else(unbound)?;
        let (layout, graph) = (self.shared.engine.layout(&ready.program), self.shared.lowered.graph());
        layout.check_params(
            graph,
            |index| self.params.value(index),
            false,
            E::MEMORY == EngineMemory::InPlace,
        )?;
        self.pack(Pack::Ahead)
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        let Arguments { inputs, state, outputs } = arguments;
        if E::MEMORY == EngineMemory::Device {
            return self.checked_launch(inputs, state, outputs);
        }
        // Values are brought to the host before they are checked: a buffer on a device may report another size each time.
        let ready = self.ready.last().ok_or_else(unbound)?;
        let keeps = self.shared.engine.keeps(&ready.program);
        for (pair, buffer) in state.iter_mut().enumerate() {
            if keeps.binary_search(&pair).is_err() {
                buffer.host_mut()?;
            }
        }
        let Some(copies) = on_host(inputs)? else { return self.checked_launch(inputs, state, outputs) };
        let values = inputs.iter().zip(&copies);
        let inputs: Vec<Value<'_>> =
            values.map(|(value, copy)| copy.as_ref().map_or(*value, Value::Buffer)).collect();
        self.checked_launch(&inputs, state, outputs)
    }

    fn wait(&mut self) -> Result<(), BackendError> {
        let mut ended = std::mem::replace(&mut self.dropped, Ok(()));
        for ready in &mut self.ready {
            // All of them are waited for, even if one fails.
            if std::mem::take(&mut ready.has_run) {
                ended = ended.and(self.shared.engine.wait(&mut ready.worker));
            }
        }
        ended
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        let Some(ready) = self.ready.last() else { return Ok(&[]) };
        self.outputs.output(self.shared.engine.layout(&ready.program), index)
    }

    fn store_output(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        let ready = self.ready.last().ok_or_else(unbound)?;
        self.outputs.store(self.shared.engine.layout(&ready.program), index, into)
    }

    fn fetch(&mut self) -> Result<(), BackendError> {
        let ready = self.ready.last().ok_or_else(unbound)?;
        self.outputs.fetch(self.shared.engine.layout(&ready.program))
    }

    fn arena(&self) -> (*const u8, usize) {
        self.outputs.memory()
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        let ready = self.ready.last()?;
        self.shared.engine.layout(&ready.program).offset(index)
    }

    fn describe(&self) -> String {
        let ready = self.ready.last();
        let text = self.shared.engine.describe(ready.map(|ready| (&*ready.program, &ready.worker)));
        match ready {
            _ if !self.shared.is_sized => text,
            None => "static sizes: none bound yet\n".into(),
            Some(Ready { sizes, .. }) => {
                let sizes: Vec<String> = sizes.iter().map(|(s, size)| format!("{s} = {size}")).collect();
                format!("static sizes: {}\n{text}", sizes.join(", "))
            }
        }
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.ready.last().map_or_else(Vec::new, |ready| self.shared.engine.steps(&ready.program))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
