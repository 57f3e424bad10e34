//! A planned program with its kernels, and the loop that runs its steps. Nested programs (branches, loop
//! bodies) have the same type, and the kernel of their op runs them.

use super::kernel::{LaunchContext, OpKernel, RunError, Span};
use super::packing::{Packed, PackedList, Packer, Packing};
use crate::isa::Cpu;
use crate::kernels;
use crate::pool::Pool;
use rlx_compile::memory::{Needs, PlanError, plan_bound, plan_nested};
use rlx_compile::program::{Step, Work};
use rlx_compile::{BackendError, Bound, Budget, Program, StepInfo, Storage};
use rlx_driver::Bytes;
use rlx_exec::profile;
use rlx_ir::{Graph, Node, NodeId, Op};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The kernel of each class of nodes, if it needs one.
type Kernels = Vec<Option<Box<dyn OpKernel>>>;

/// A program ready to run on the CPU.
pub(crate) struct CpuProgram {
    pub(crate) program: Program,
    kernels: Kernels,
    /// The number of bytes that it may use for packed weights, in addition to the planned memory.
    pub(super) left: u64,
}

/// The machine resources that programs are prepared for.
#[derive(Clone, Copy)]
pub(crate) struct Host<'a> {
    /// The instruction set to run with.
    pub(crate) cpu: Cpu,
    /// The number of threads to run on.
    pub(crate) threads: usize,
    /// The memory that the program and its nested programs may use.
    pub(crate) budget: &'a Budget,
}

/// A list for the operands and results of one step at a time, reused so that a run allocates nothing.
#[derive(Default)]
pub(crate) struct Spans(Vec<Span>);

// SAFETY: the spans are written and read only during a run, which has `&mut` to the list.
unsafe impl Send for Spans {}
// SAFETY: the list is accessed only through `&mut`, so a shared reference gives access to nothing.
unsafe impl Sync for Spans {}

impl Spans {
    /// Returns the list with `len` spans.
    pub(crate) fn list(&mut self, len: usize) -> &mut [Span] {
        if self.0.len() < len {
            self.0.resize(len, Span { start: std::ptr::null_mut(), bytes: 0 });
        }
        &mut self.0[..len]
    }
}

/// The places of values outside the arena, for one run.
pub(crate) struct Outside<'a> {
    pub(crate) inputs: &'a dyn Fn(usize) -> *const u8,
    /// The bytes of a parameter: at least as many as its shape has.
    pub(crate) params: &'a dyn Fn(usize) -> &'a [u8],
    /// The place of an output that is not in an input's memory.
    pub(crate) outputs: &'a dyn Fn(usize) -> *mut u8,
    /// The packings that were made for a step.
    pub(crate) packed: &'a dyn Fn(usize) -> PackedList<'a>,
    /// Releases the memory of a parameter, if every kernel that reads more than a few places of it reads a packed form.
    pub(crate) release: &'a (dyn Fn(usize) + Sync),
    pub(crate) arena: *mut u8,
}

impl CpuProgram {
    /// Prepares the kernels of a graph, one per class of nodes, and plans its memory.
    pub(crate) fn new(bound: &Bound, host: Host<'_>) -> Result<CpuProgram, BackendError> {
        let kernels = prepared(bound.class_graph(), host, &[])?;
        let program = plan_bound(bound, &mut |node| needs_of(&kernels, node)).map_err(unplanned)?;
        host.budget.take(program.arena_bytes, || working_memory(&program))?;
        Self::assembled(program, kernels, host)
    }

    /// Does the same for the graph inside a node. `pairs` lists inputs, each with the output that takes its place. If the plan
    /// allows it, the output of a pair is computed in the memory of its input, which is then overwritten. The inputs `fixed`,
    /// in their order, keep their values between runs.
    pub(crate) fn nested(
        graph: &Graph,
        host: Host<'_>,
        pairs: &[(usize, usize)],
        fixed: &[NodeId],
    ) -> Result<CpuProgram, BackendError> {
        let bound = Bound::unclassified(&Arc::new(graph.clone()));
        let kernels = prepared(graph, host, fixed)?;
        let mut donated: Vec<usize> = pairs.iter().map(|p| p.0).collect();
        loop {
            let program =
                plan_nested(&bound, &mut |node| needs_of(&kernels, node), &donated).map_err(unplanned)?;
            let stays = |&(input, output): &(usize, usize)| {
                program.buffers[program.outputs[output]].storage == Storage::Input(input)
            };
            let were: HashSet<usize> = donated.iter().copied().collect();
            let in_place: Vec<usize> =
                pairs.iter().filter(|p| were.contains(&p.0) && stays(p)).map(|p| p.0).collect();
            if in_place.len() == donated.len() {
                return Self::assembled(program, kernels, host);
            }
            donated = in_place;
        }
    }

    fn assembled(program: Program, kernels: Kernels, host: Host<'_>) -> Result<CpuProgram, BackendError> {
        let made = CpuProgram { program, kernels, left: host.budget.left() };
        for step in &made.program.steps {
            if let (Work::Kernel(id), None) = (step.work, made.kernel(step.work)) {
                let op = made.program.graph().node(id).op().mnemonic();
                return Err(BackendError::Unsupported(format!("`{op}` has no CPU kernel")));
            }
        }
        Ok(made)
    }

    /// Returns the kernel of a step, or `None` for a copy.
    fn kernel(&self, work: Work) -> Option<&dyn OpKernel> {
        match work {
            Work::Kernel(id) => self.kernels[self.program.bound.class_of(id)].as_deref(),
            Work::Copy { .. } => None,
        }
    }

    /// Returns the length of the list of spans that a run needs.
    pub(crate) fn spans_len(&self) -> usize {
        let (operands, results) = self.program.widest();
        operands + results
    }

    /// Returns, for each step, the packings that its kernel wants.
    pub(crate) fn packings(&self) -> Vec<Vec<Packing>> {
        let of = |step: &Step| self.kernel(step.work).map(OpKernel::packings).unwrap_or_default();
        self.program.steps.iter().map(of).collect()
    }

    /// Returns where the operands of a packing of a step are stored.
    pub(crate) fn sources(&self, step: usize, packing: &Packing) -> Vec<Storage> {
        let operands = self.program.operands(&self.program.steps[step]);
        packing.operands.iter().map(|&i| self.program.buffers[operands[i]].storage).collect()
    }

    /// Makes packing `index` of a step's [`packings`](Self::packings) from the bytes of its operands.
    pub(crate) fn pack(
        &self,
        step: usize,
        index: usize,
        operands: &[&[u8]],
        packer: &Packer<'_>,
    ) -> Option<Packed> {
        self.kernel(self.program.steps[step].work)?.pack(index, operands, packer)
    }

    /// Returns whether a packing of a step may wait for the second run.
    pub(crate) fn can_wait(&self, step: usize, index: usize) -> bool {
        self.kernel(self.program.steps[step].work).is_some_and(|kernel| kernel.can_wait(index))
    }

    /// Returns the inputs, parameters and constants that steps read unpacked even if all packings are made. Operands in which a
    /// step only looks up a few places do not count. `packings` lists the packings of each step.
    pub(crate) fn read_in_place(&self, packings: &[Vec<Packing>]) -> HashSet<Storage> {
        let mut read = HashSet::new();
        for (step, packings) in self.program.steps.iter().zip(packings) {
            let looked_up = self.kernel(step.work).map(OpKernel::looks_up).unwrap_or_default();
            for (operand, &buffer) in self.program.operands(step).iter().enumerate() {
                let storage = self.program.buffers[buffer].storage;
                let is_of_run = matches!(storage, Storage::Arena(_) | Storage::Output(_));
                if is_of_run || looked_up.contains(&operand) {
                    continue;
                }
                let mut of_it =
                    packings.iter().filter(|packing| packing.operands.contains(&operand)).peekable();
                if of_it.peek().is_none() || of_it.any(|packing| !packing.replaces) {
                    read.insert(storage);
                }
            }
        }
        read
    }

    /// Returns the bytes of a constant.
    pub(crate) fn constant(&self, storage: Storage) -> Option<&[u8]> {
        let Storage::Constant(id) = storage else { return None };
        match self.program.graph().node(id).op() {
            Op::Constant { value } => Some(value.bytes()),
            _ => None,
        }
    }

    /// Returns the spans of a run that started `begin` after the start of a recording. `ends` lists when its steps ended, relative to the
    /// start of the run.
    pub(crate) fn recorded<'a>(
        &'a self,
        begin: Duration,
        ends: &'a [Duration],
    ) -> impl Iterator<Item = profile::Span> + 'a {
        let starts = std::iter::once(Duration::ZERO).chain(ends.iter().copied());
        self.program.steps.iter().zip(starts.zip(ends)).map(move |(step, (start, &end))| {
            let StepInfo { op, label, shapes, counts, .. } = self.program.step_info(step);
            profile::Span { op, label, shapes, start: begin + start, took: end.saturating_sub(start), counts }
        })
    }

    fn span(&self, index: usize, outside: &Outside<'_>) -> Span {
        let buffer = &self.program.buffers[index];
        let start = match buffer.storage {
            Storage::Input(i) => (outside.inputs)(i).cast_mut(),
            Storage::Param(i) => {
                let bytes = (outside.params)(i);
                assert!(bytes.len() >= buffer.bytes, "the executable has checked the lengths of parameters");
                bytes.as_ptr().cast_mut()
            }
            storage @ Storage::Constant(_) => {
                self.constant(storage).map_or(std::ptr::null(), <[u8]>::as_ptr).cast_mut()
            }
            // SAFETY: the plan keeps every offset inside the arena.
            Storage::Arena(at) => unsafe { outside.arena.add(at) },
            Storage::Output(i) => (outside.outputs)(i),
        };
        Span { start, bytes: buffer.bytes }
    }

    /// Runs all steps, and calls `after` after each. `spans` must have the length that [`spans_len`](Self::spans_len) returns.
    ///
    /// # Safety
    /// During the call, the pointers of `outside` must be valid for the sizes in the plan. The arena must have
    /// `program.arena_bytes` bytes, be aligned to a cache line, and not be used by anything else.
    pub(crate) unsafe fn run(
        &self,
        outside: &Outside<'_>,
        spans: &mut [Span],
        pool: &Pool,
        cpu: Cpu,
        after: &mut dyn FnMut(),
    ) -> Result<(), (NodeId, RunError)> {
        let (inputs, outputs) = spans.split_at_mut(self.program.widest().0);
        for (i, step) in self.program.steps.iter().enumerate() {
            let (operands, results) = (self.program.operands(step), self.program.results(step));
            let (inputs, outputs) = (&mut inputs[..operands.len()], &mut outputs[..results.len()]);
            inputs.iter_mut().zip(operands).for_each(|(span, &b)| *span = self.span(b, outside));
            outputs.iter_mut().zip(results).for_each(|(span, b)| *span = self.span(b, outside));
            let (Some(kernel), Work::Kernel(id)) = (self.kernel(step.work), step.work) else {
                let (from, to) = (inputs[0], outputs[0]);
                // SAFETY: both spans are valid for their size, which is the same, and the plan gave the copy its own bytes, so they
                // do not overlap.
                unsafe { std::ptr::copy_nonoverlapping(from.start, to.start, to.bytes) };
                after();
                continue;
            };
            // SAFETY: the plan keeps scratch memory inside the arena.
            let start = unsafe { outside.arena.add(step.scratch) };
            let scratch = Span { start, bytes: step.scratch_bytes };
            // SAFETY: the caller guarantees that the places outside the arena are valid and that nothing else uses the arena.
            // The plan gives each value the bytes of its shape, keeps operands until the step is done, and gives results
            // and scratch memory their own bytes, except for a result in an operand's place where `needs` allows it.
            // All memory was initialized when it was allocated.
            let mut cx = unsafe { LaunchContext::new(inputs, outputs, scratch, pool, cpu) };
            cx.packed = (outside.packed)(i);
            let releases = |operand: usize| {
                if let Storage::Param(param) = self.program.buffers[operands[operand]].storage {
                    (outside.release)(param);
                }
            };
            cx.releases = Some(&releases);
            kernel.run(&mut cx).map_err(|e| (id, e))?;
            after();
        }
        Ok(())
    }
}

/// Prepares the kernels of the nodes of a graph with static sizes.
fn prepared(graph: &Graph, host: Host<'_>, fixed: &[NodeId]) -> Result<Kernels, BackendError> {
    graph.nodes().iter().map(|node| kernels::prepare(graph, node, host, fixed)).collect()
}

/// Describes the arena for messages, with the step that needs most of it.
fn working_memory(program: &Program) -> String {
    let in_arena =
        |&value: &usize| matches!(program.buffers[value].storage, Storage::Arena(_) | Storage::Output(_));
    let bytes_of = |step: &Step| {
        let values = program.results(step).filter(in_arena);
        values.fold(step.scratch_bytes, |sum, value| sum.saturating_add(program.buffers[value].bytes))
    };
    let Some(largest) = program.steps.iter().max_by_key(|step| bytes_of(step)) else {
        return "the working memory of the program".into();
    };
    let info = program.step_info(largest);
    let label = rlx_ir::at_label(&info.label);
    let bytes = Bytes(bytes_of(largest) as u64);
    format!(
        "the working memory of the program, of which `{}` ({}){label} takes {bytes},",
        info.op, info.shapes
    )
}

fn needs_of(kernels: &Kernels, node: &Node) -> Needs {
    kernels[node.id().index()].as_ref().map_or_else(Needs::default, |kernel| kernel.needs())
}

fn unplanned(error: PlanError) -> BackendError {
    BackendError::Unsupported(error.to_string())
}
