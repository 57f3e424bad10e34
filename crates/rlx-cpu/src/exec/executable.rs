//! An instance of a program: its working memory for all sizes, and parameters shared with its clones.

use super::packing::{PackedList, Packer};
use super::params::Params;
use super::prepack::Prepacked;
use super::program::{CpuProgram, Host, Outside, Spans};
use crate::backend::CpuOptions;
use crate::isa::Cpu;
use crate::pool::Pool;
use rlx_compile::buffer::HostBuffer;
use rlx_compile::profile::StepInfo;
use rlx_compile::{
    Arguments, BackendError, BindError, BoundCache, Budget, Buffer, Executable, Lowered, Param, Queue, Value,
    profile,
};
use rlx_driver::SharedPages;
use rlx_ir::{Bindings, DType};
use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

/// Sizes that one instance is ready for without a look at what others share.
const MAX_READY: usize = 16;

/// What all clones share.
struct Shared {
    lowered: Lowered,
    pool: Arc<Pool>,
    cpu: Cpu,
    /// The type that weights of f32 are held in.
    held: Option<DType>,
    bound: BoundCache<CpuProgram>,
}

impl Shared {
    /// The program for these sizes.
    fn bind(&self, bindings: &Bindings) -> Result<Arc<CpuProgram>, BindError> {
        self.bound.get(bindings, || {
            let bound = self.lowered.bind(bindings)?;
            let budget = Budget::of(self.lowered.options());
            let host = Host { cpu: self.cpu, threads: self.pool.threads(), budget: &budget };
            Ok(CpuProgram::new(&bound, host)?)
        })
    }
}

/// A program that this instance is ready to run.
#[derive(Clone)]
struct Ready {
    bindings: Bindings,
    program: Arc<CpuProgram>,
    /// Filled before the first run, after it, and after a parameter changes.
    packed: Option<Arc<Prepacked>>,
}

/// Where outputs of a run lie. It is filled for each run, and kept so that a run allocates nothing.
#[derive(Default)]
struct Places(Vec<*mut u8>);

// SAFETY: the pointers are used only during the run that wrote them, which has `&mut` to the instance.
unsafe impl Send for Places {}
// SAFETY: as above: a shared reference to the instance reads none of them.
unsafe impl Sync for Places {}

/// A program on the CPU.
pub struct CpuExecutable {
    shared: Arc<Shared>,
    params: Arc<Params>,
    /// The sizes of the last bindings, the current ones last.
    ready: Vec<Ready>,
    /// Memory for the largest program of `ready`; allocated by the first run.
    arena: Option<HostBuffer>,
    spans: Spans,
    places: Places,
    /// For each output whether the last run left it in the arena.
    inside: Vec<bool>,
}

impl CpuExecutable {
    /// Prepares a lowered graph.
    pub(crate) fn new(lowered: Lowered) -> Result<CpuExecutable, BackendError> {
        let options = lowered.options().backend.get::<CpuOptions>().cloned().unwrap_or_default();
        let (cpu, pool) = (options.cpu()?, options.pool()?);
        let params = Arc::new(Params::new(lowered.graph().params().count()));
        let held = lowered.options().precision.held();
        let shared = Shared { lowered, pool, cpu, held, bound: BoundCache::default() };
        Ok(Self::instance(Arc::new(shared), params, Vec::new()))
    }

    fn instance(shared: Arc<Shared>, params: Arc<Params>, ready: Vec<Ready>) -> CpuExecutable {
        let outputs = shared.lowered.graph().outputs().len();
        let (places, inside) = (Places(vec![std::ptr::null_mut(); outputs]), vec![false; outputs]);
        CpuExecutable { shared, params, ready, arena: None, spans: Spans::default(), places, inside }
    }

    fn current(&self) -> Result<&Ready, BackendError> {
        self.ready
            .last()
            .ok_or_else(|| BackendError::Argument("the program is not bound to sizes yet".into()))
    }

    /// Packs what kernels want packed, where its bytes are known; with `is_first` only what cannot wait for the next run.
    fn pack(&mut self, is_first: bool) -> Result<(), BackendError> {
        let Ready { program, packed, .. } = self.current()?;
        if packed.as_ref().is_some_and(|packed| packed.is_whole || is_first) {
            return Ok(());
        }
        let pages = SharedPages::default();
        let packer = Packer { held: self.shared.held, pool: &self.shared.pool, pages: &pages };
        let packed = Arc::new(self.params.prepack(program, &packer, is_first));
        if let Some(current) = self.ready.last_mut() {
            current.packed = Some(packed);
        }
        Ok(())
    }

    /// The bytes that the largest of the programs needs.
    fn arena_bytes(&self) -> usize {
        self.ready.iter().map(|r| r.program.program.arena_bytes).max().unwrap_or(0)
    }

    /// Fails unless the arguments are what the program takes, so that the kernels' reads and writes are inside of them.
    fn check(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        let program = &self.current()?.program.program;
        program.check_arguments(arguments)?;
        program.check_params(|index| self.params.get(index), true)
    }
}

impl Executable for CpuExecutable {
    fn clone_on(&self, _queue: &Arc<dyn Queue>) -> Box<dyn Executable> {
        Box::new(Self::instance(self.shared.clone(), self.params.clone(), self.ready.clone()))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        match Arc::get_mut(&mut self.params) {
            Some(params) => params.set(index, value),
            // Other instances keep theirs (RUN-1).
            None => self.params = self.params.with(index, value),
        }
        self.ready.iter_mut().for_each(|ready| ready.packed = None);
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        match self.ready.iter().rposition(|ready| ready.bindings == *bindings) {
            Some(at) if at + 1 == self.ready.len() => return Ok(()),
            Some(at) => self.ready[at..].rotate_left(1),
            None => {
                let program = self.shared.bind(bindings)?;
                if self.ready.len() >= MAX_READY {
                    self.ready.remove(0);
                }
                self.ready.push(Ready { bindings: bindings.clone(), program, packed: None });
            }
        }
        self.inside.fill(false);
        let needed = self.arena_bytes();
        if self.arena.as_ref().is_some_and(|arena| arena.len() != needed) {
            self.arena = None;
        }
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        self.current()?.program.program.check_params(|index| self.params.get(index), false)?;
        self.pack(false)
    }

    // CPU-2: the first runs make the arena and packed weights; later ones allocate nothing.
    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        for buffer in arguments.state.iter_mut() {
            buffer.host_mut()?;
        }
        self.check(&arguments)?;
        self.pack(self.params.is_first_run())?;
        let needed = self.arena_bytes();
        let arena = match &mut self.arena {
            Some(arena) => arena,
            none => none.insert(HostBuffer::zeroed(needed)?),
        };
        let Some(Ready { program, packed, .. }) = self.ready.last() else { return Ok(()) };
        let arena = arena.as_mut_ptr();
        for (index, place) in self.places.0.iter_mut().enumerate() {
            let given = arguments.outputs.get_mut(index).and_then(Option::as_mut);
            let inside = program.program.output_offsets[index];
            self.inside[index] = given.is_none() && inside.is_some();
            *place = match (given, inside) {
                (Some(given), _) => given.as_mut_ptr(),
                // SAFETY: the plan keeps every offset inside the arena, which has the size of the largest program.
                (None, Some(at)) => unsafe { arena.add(at) },
                (None, None) => std::ptr::null_mut(),
            };
        }
        let (params, packed) = (&self.params, packed.as_deref());
        let (inputs, state, places) = (arguments.inputs, &*arguments.state, &self.places.0);
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
            packed: &|step| {
                packed
                    .and_then(|packed| packed.steps.get(step))
                    .map_or(PackedList::EMPTY, |list| PackedList::Own(list))
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
        let spans = self.spans.list(program.spans_len());
        // SAFETY: `check` compared every input, state buffer, parameter and place with the shapes of this program, and none is
        // null then. Only state buffers and places are written, which `arguments` borrows mutably, and they are distinct. The
        // arena has the planned size, and `&mut self` keeps others away.
        let ran = unsafe { program.run(&outside, spans, &self.shared.pool, self.shared.cpu, &mut after) };
        if let Some((begin, start)) = recording {
            profile::add(begin, program.recorded(start.saturating_duration_since(begin), &ends));
        }
        ran.map_err(|(id, message)| {
            let node = program.program.graph().node(id);
            let label = if node.label().is_empty() { String::new() } else { format!(" at {}", node.label()) };
            BackendError::Run { op: node.op().mnemonic().into(), label, message }
        })
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        let (Some(true), Ok(Ready { program, .. }), Some(arena)) =
            (self.inside.get(index), self.current(), &self.arena)
        else {
            return Ok(&[]);
        };
        let bytes = program.program.buffers[program.program.outputs[index]].bytes;
        let at = program.program.output_offsets[index];
        Ok(at.and_then(|at| arena.get(at..at.checked_add(bytes)?)).unwrap_or_default())
    }

    fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |arena| (arena.as_ptr(), arena.len()))
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        *self.ready.last()?.program.program.output_offsets.get(index)?
    }

    fn describe(&self) -> String {
        let head = format!("{} threads, {}", self.shared.pool.threads(), self.shared.cpu.isa().name());
        match self.ready.last() {
            Some(ready) => format!("{head}\n{}", ready.program.program.plan_summary()),
            None => head,
        }
    }

    fn steps(&self) -> Vec<StepInfo> {
        self.ready.last().map_or_else(Vec::new, |ready| ready.program.program.step_infos())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
