//! The CPU as an engine: programs read inputs, states and parameters in place, and allocate nothing after the first runs.

use super::packing::{PackedList, Packer};
use super::params::SharedParams;
use super::prepack::Prepacked;
use super::program::{CpuProgram, Host, Outside, Spans};
use crate::backend::CpuOptions;
use crate::isa::Cpu;
use crate::pool::Pool;
use rlx_compile::{BackendError, BindError, Budget, Lowered, StepInfo};
use rlx_driver::SharedPages;
use rlx_exec::{At, Buffer, Engine, EngineMemory, Pack, ProgramLayout, ProgramRun, Queue, Value, profile};
use rlx_ir::{Bindings, DType};
use std::sync::Arc;
use std::time::Instant;

/// Runs programs on a pool of threads with one instruction set.
pub(crate) struct CpuEngine {
    pool: Arc<Pool>,
    cpu: Cpu,
    /// The type in which f32 weights are stored, if not f32.
    held: Option<DType>,
}

/// A program at certain sizes.
pub(crate) struct SizedProgram {
    own: CpuProgram,
    layout: ProgramLayout,
}

/// Lists that a run fills, reused by the next run so that it allocates nothing.
pub(crate) struct Lists {
    spans: Spans,
    variables: Vec<usize>,
    places: Places,
}

/// The addresses of the outputs of a run.
struct Places(Vec<*mut u8>);

// SAFETY: the pointers are used only during the run that wrote them, which has `&mut` to the list.
unsafe impl Send for Places {}
// SAFETY: as above, and nothing reads the pointers through a shared reference to the list.
unsafe impl Sync for Places {}

impl CpuEngine {
    /// Creates the engine according to the options of a lowered graph.
    pub(crate) fn new(lowered: &Lowered) -> Result<CpuEngine, BackendError> {
        let options = lowered.options().backend.get::<CpuOptions>().cloned().unwrap_or_default();
        let held = lowered.options().precision.held();
        Ok(CpuEngine { cpu: options.cpu()?, pool: options.pool()?, held })
    }
}

impl Engine for CpuEngine {
    type Program = SizedProgram;
    type Params = SharedParams;
    type Packed = Prepacked;
    type Worker = Lists;

    const MEMORY: EngineMemory = EngineMemory::InPlace;

    fn name(&self) -> &'static str {
        "cpu"
    }

    fn prepare(&self, lowered: &Lowered, sizes: &Bindings) -> Result<SizedProgram, BindError> {
        let budget = Budget::of(lowered.options());
        let host = Host { cpu: self.cpu, threads: self.pool.threads(), budget: &budget };
        let own = CpuProgram::new(&lowered.bind(sizes)?, host)?;
        let layout = ProgramLayout::planned(&own.program)?;
        Ok(SizedProgram { own, layout })
    }

    fn layout<'p>(&self, program: &'p SizedProgram) -> &'p ProgramLayout {
        &program.layout
    }

    // Programs run on the calling thread, whatever the queue.
    fn worker(
        &self,
        program: &Arc<SizedProgram>,
        _: &Arc<dyn Queue>,
        _: Option<&Lists>,
    ) -> Result<Lists, BackendError> {
        let places = Places(vec![std::ptr::null_mut(); program.layout.num_outputs()]);
        Ok(Lists { spans: Spans::default(), variables: vec![0; program.own.program.variables], places })
    }

    fn pack(
        &self,
        at: At<'_, Self>,
        current: Option<&Prepacked>,
        when: Pack,
    ) -> Result<Option<Prepacked>, BackendError> {
        let At { program, params, .. } = at;
        let is_first = when == Pack::ForRun && params.is_first_run();
        if current.is_some_and(|packed| packed.is_whole || is_first) {
            return Ok(None);
        }
        let pages = SharedPages::default();
        let packer = Packer { held: self.held, pool: &self.pool, pages: &pages };
        Ok(Some(params.prepack(&program.own, &packer, is_first)))
    }

    // CPU-2: the first runs allocate working memory and pack weights; later runs allocate nothing.
    fn launch(
        &self,
        at: At<'_, Self>,
        packed: Option<&Prepacked>,
        mut run: ProgramRun<'_, '_>,
    ) -> Result<(), BackendError> {
        let At { program, params, worker: Lists { spans, variables, places } } = at;
        let SizedProgram { own, layout } = &**program;
        run.begin();
        let arena = run.memory.as_mut_ptr();
        for (index, place) in places.0.iter_mut().enumerate() {
            *place = match (run.place(index), layout.offset(index)) {
                (Some(given), _) => given.as_mut_ptr(),
                // SAFETY: the plan keeps every offset inside the arena, which is large enough for the largest program.
                (None, Some(at)) => unsafe { arena.add(at) },
                (None, None) => std::ptr::null_mut(),
            };
        }
        let (inputs, state, places) = (run.inputs, &*run.state, &places.0);
        let state_ptr = |pair: usize| match &state[pair] {
            Buffer::Host(host) => host.as_mut_ptr().cast_const(),
            Buffer::Device(_) => std::ptr::null(),
        };
        let outside = Outside {
            inputs: &|i| match inputs[i] {
                Value::Host(bytes) => bytes.as_ptr(),
                Value::Buffer(buffer) => buffer.host().map_or(std::ptr::null(), <[u8]>::as_ptr),
                Value::State(pair) => state_ptr(pair),
            },
            params: &|i| params.get(i).map_or(&[], |p| p.bytes()),
            outputs: &|i| places[i],
            packed: &|call| {
                let list: Option<PackedList<'_>> =
                    packed.and_then(|packed| packed.calls.get(call)).map(Vec::as_slice);
                list.unwrap_or_default()
            },
            release: &|i| {
                if packed.is_some_and(|packed| packed.replaced.contains(&i)) {
                    params.get(i).iter().for_each(|param| param.release());
                }
            },
            arena,
        };
        let recording = profile::begin().map(|begin| (begin, Instant::now()));
        let mut ends = Vec::new();
        let mut after = || {
            if let Some((_, start)) = recording {
                ends.push(start.elapsed())
            }
        };
        let spans = spans.list(own.spans_len());
        // SAFETY: the instance checked every input, state buffer, parameter and place against the layout of this program, and brought
        // inputs and states to host memory, so none of the pointers is null. The run writes only to state buffers, places and working
        // memory, which it borrows mutably, and which are distinct. The working memory has at least the planned size and is aligned to a
        // cache line.
        let ran = unsafe { own.run(&outside, (spans, variables), (&self.pool, self.cpu), &mut after) };
        if let Some((begin, start)) = recording {
            profile::add(begin, own.recorded(start.saturating_duration_since(begin), &ends));
        }
        ran.map_err(|(id, message)| BackendError::in_node(own.program.graph().node(id), message))
    }

    fn describe(&self, current: Option<(&SizedProgram, &Lists)>) -> String {
        let head = format!("{} threads, {}", self.pool.threads(), self.cpu.isa().name());
        match current {
            Some((program, _)) => format!("{head}\n{}", program.own.program.plan_summary()),
            None => head,
        }
    }

    fn steps(&self, program: &SizedProgram) -> Vec<StepInfo> {
        program.own.program.step_infos()
    }
}
