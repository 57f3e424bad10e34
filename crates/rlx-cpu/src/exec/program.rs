//! A planned program with its kernels, and the device that runs its actions.

use super::kernel::{LaunchContext, OpKernel, RunError, Span};
use super::packing::{Packed, PackedList, Packer, Packing};
use crate::isa::Cpu;
use crate::kernels;
use crate::pool::Pool;
use rlx_compile::memory::{Class, Kernels, Needs, plan_bound, plan_nested};
use rlx_compile::program::{Action, Copied, Region};
use rlx_compile::{BackendError, Bound, Budget, Call, Place, Program, Step, StepInfo, Storage};
use rlx_driver::Bytes;
use rlx_exec::{Device, profile, walk};
use rlx_ir::{Graph, NodeId, Op};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The kernels of the classes of nodes of each graph, where they need one.
type PreparedKernels = Vec<Vec<Option<Box<dyn OpKernel>>>>;

/// A program ready to run on the CPU.
pub(crate) struct CpuProgram {
    pub(crate) program: Program,
    kernels: PreparedKernels,
    /// The calls by their numbers.
    calls: Vec<Call>,
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
    /// The packings that were made for a call.
    pub(crate) packed: &'a dyn Fn(usize) -> PackedList<'a>,
    /// Releases the memory of a parameter, if every kernel that reads more than a few places of it reads a packed form.
    pub(crate) release: &'a (dyn Fn(usize) + Sync),
    pub(crate) arena: *mut u8,
}

/// The kernels of a program that is being planned.
struct Preparing<'a> {
    host: Host<'a>,
    kernels: PreparedKernels,
}

impl Kernels for Preparing<'_> {
    type Error = BackendError;

    fn prepare(&mut self, class: Class<'_>) -> Result<Needs, BackendError> {
        let Class { graph, bound, node, fixed } = class;
        let classes = bound.class_graph();
        let kernel = kernels::prepare(classes, node, self.host, fixed)?.ok_or_else(|| {
            BackendError::Unsupported(format!("`{}` has no CPU kernel", node.op().mnemonic()))
        })?;
        let needs = kernel.needs();
        if self.kernels.len() <= graph {
            self.kernels.resize_with(graph + 1, Vec::new);
        }
        self.kernels[graph].resize_with(classes.nodes().len(), || None);
        self.kernels[graph][node.id().index()] = Some(kernel);
        Ok(needs)
    }

    fn check(&mut self, Class { bound, node, .. }: Class<'_>) -> Result<(), BackendError> {
        kernels::check(bound.class_graph(), node, self.host)
    }
}

impl CpuProgram {
    /// Prepares the kernels of a graph and of the graphs inside its nodes, one per class of nodes, and plans its memory.
    pub(crate) fn new(bound: &Bound, host: Host<'_>) -> Result<CpuProgram, BackendError> {
        let mut preparing = Preparing { host, kernels: Vec::new() };
        let program = plan_bound(bound, &mut preparing)?;
        host.budget.take(program.arena_bytes, || working_memory(&program))?;
        Ok(Self::assembled(program, preparing))
    }

    /// Does the same for a graph that the kernel of a node runs. The kernel determines the places of the outputs.
    pub(crate) fn nested(graph: &Graph, host: Host<'_>) -> Result<CpuProgram, BackendError> {
        let mut preparing = Preparing { host, kernels: Vec::new() };
        let program = plan_nested(&Bound::unclassified(&Arc::new(graph.clone())), &mut preparing)?;
        Ok(Self::assembled(program, preparing))
    }

    fn assembled(program: Program, Preparing { host, kernels }: Preparing<'_>) -> CpuProgram {
        let calls = program.calls().into_iter().copied().collect();
        CpuProgram { program, kernels, calls, left: host.budget.left() }
    }

    fn kernel(&self, call: &Call) -> &dyn OpKernel {
        let graph = self.program.blocks[call.block].graph;
        let kernel = self.kernels[graph][self.program.graphs[graph].class_of(call.node)].as_deref();
        kernel.expect("the planner has asked for the kernel of each class that is called")
    }

    /// Returns the length of the list of spans that a run needs.
    pub(crate) fn spans_len(&self) -> usize {
        let (operands, results) = self.program.widest();
        operands + results
    }

    /// Returns, for each call, the packings that its kernel wants.
    pub(crate) fn packings(&self) -> Vec<Vec<Packing>> {
        self.calls.iter().map(|call| self.kernel(call).packings()).collect()
    }

    /// Returns where the operands of a packing of a call are stored, or `None` if the packing is not made: operands may change from run to
    /// run, or they are parameters and the call may never be made.
    pub(crate) fn sources(&self, call: usize, packing: &Packing) -> Option<Vec<Storage>> {
        let call = &self.calls[call];
        let operands: Vec<_> = self.program.operands_of(call).collect();
        let source = |&i: &usize| match operands[i].place.fixed()? {
            Storage::Param(_) if call.is_conditional => None,
            storage => Some(storage),
        };
        packing.operands.iter().map(source).collect()
    }

    /// Makes packing `index` of a call's [`packings`](Self::packings) from the bytes of its operands.
    pub(crate) fn pack(
        &self,
        call: usize,
        index: usize,
        operands: &[&[u8]],
        packer: &Packer<'_>,
    ) -> Option<Packed> {
        self.kernel(&self.calls[call]).pack(index, operands, packer)
    }

    /// Returns whether a packing of a call may wait for the second run.
    pub(crate) fn can_wait(&self, call: usize, index: usize) -> bool {
        self.kernel(&self.calls[call]).can_wait(index)
    }

    /// Returns the inputs, parameters and constants that actions read unpacked even if all packings are made. Operands in which a
    /// call only looks up a few places do not count. `packings` lists the packings of each call.
    pub(crate) fn read_in_place(&self, packings: &[Vec<Packing>]) -> HashSet<Storage> {
        let mut read = HashSet::new();
        let mut add = |place: &Place| {
            place.for_each_storage(&mut |storage| {
                if !matches!(storage, Storage::Arena(_) | Storage::Output(_)) {
                    read.insert(storage);
                }
            });
        };
        self.program.for_each_action(&mut |action| match action {
            Action::Call(call) => {
                let packings: Vec<&Packing> = packings[call.number]
                    .iter()
                    .filter(|packing| packing.replaces && self.sources(call.number, packing).is_some())
                    .collect();
                let looked_up = self.kernel(call).looks_up();
                for (operand, buffer) in self.program.operands_of(call).enumerate() {
                    let is_packed = packings.iter().any(|packing| packing.operands.contains(&operand));
                    if !is_packed && !looked_up.contains(&operand) {
                        add(&buffer.place);
                    }
                }
            }
            Action::Copy(copied) => add(&copied.from),
            Action::If { condition: place, .. }
            | Action::Case { index: place, .. }
            | Action::While { again: place, .. } => add(place),
            Action::For { .. } => {}
        });
        read
    }

    /// Returns the bytes of a constant.
    pub(crate) fn constant(&self, storage: Storage) -> Option<&[u8]> {
        let Storage::Constant(graph, id) = storage else { return None };
        match self.program.graphs[graph].lowered_graph().node(id).op() {
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

    /// Runs all actions, and calls `after` after each step. The lists must have the lengths that [`spans_len`](Self::spans_len) and
    /// [`Program::variables`] say; their contents do not matter.
    ///
    /// # Safety
    /// During the call, the pointers of `outside` must be valid for the sizes in the plan. The arena must have
    /// `program.arena_bytes` bytes, be aligned to a cache line, and not be used by anything else.
    pub(crate) unsafe fn run(
        &self,
        outside: &Outside<'_>,
        (spans, variables): (&mut [Span], &mut [usize]),
        (pool, cpu): (&Pool, Cpu),
        after: &mut dyn FnMut(),
    ) -> Result<(), (NodeId, RunError)> {
        let (inputs, outputs) = spans.split_at_mut(self.program.widest().0);
        let mut running = Running { own: self, outside, inputs, outputs, pool, cpu };
        for step in &self.program.steps {
            walk(&self.program.actions[step.actions.clone()], variables, &mut running)?;
            after();
        }
        Ok(())
    }
}

/// A run of a program. The code that made it keeps the promises of [`CpuProgram::run`].
struct Running<'a, 'o> {
    own: &'a CpuProgram,
    outside: &'a Outside<'o>,
    /// Room for the operands of one call, and for its results.
    inputs: &'a mut [Span],
    outputs: &'a mut [Span],
    pool: &'a Pool,
    cpu: Cpu,
}

impl Running<'_, '_> {
    fn span(&self, place: &Place, bytes: usize, variables: &[usize]) -> Span {
        let Region { storage, offset } = place.at(variables);
        let first = match storage {
            Storage::Input(i) => (self.outside.inputs)(i).cast_mut(),
            Storage::Param(i) => {
                let whole = (self.outside.params)(i);
                let is_whole = whole.len() >= offset + bytes;
                assert!(is_whole, "the executable has checked the lengths of parameters");
                whole.as_ptr().cast_mut()
            }
            Storage::Constant(..) => {
                self.own.constant(storage).map_or(std::ptr::null(), <[u8]>::as_ptr).cast_mut()
            }
            // SAFETY: the plan keeps every offset inside the arena.
            Storage::Arena(at) => unsafe { self.outside.arena.add(at) },
            Storage::Output(i) => (self.outside.outputs)(i),
        };
        // The plan keeps slices inside their values.
        Span { start: first.wrapping_add(offset), bytes }
    }
}

impl Device for Running<'_, '_> {
    type Error = (NodeId, RunError);

    fn call(&mut self, call: &Call, variables: &[usize]) -> Result<(), (NodeId, RunError)> {
        let program = &self.own.program;
        let (operands, results) = (program.operands_of(call), program.results_of(call));
        let (given, made) = (operands.len(), results.len());
        for (i, buffer) in operands.enumerate() {
            self.inputs[i] = self.span(&buffer.place, buffer.bytes, variables);
        }
        for (i, buffer) in results.iter().enumerate() {
            self.outputs[i] = self.span(&buffer.place, buffer.bytes, variables);
        }
        // SAFETY: the plan keeps scratch memory inside the arena.
        let start = unsafe { self.outside.arena.add(call.scratch) };
        let scratch = Span { start, bytes: call.scratch_bytes };
        let (inputs, outputs) = (&self.inputs[..given], &self.outputs[..made]);
        // SAFETY: the caller guarantees that the places outside the arena are valid and that nothing else uses the arena.
        // The plan gives each value the bytes of its shape, keeps operands until the call is done, and gives results
        // and scratch memory their own bytes, except for a result in an operand's place where `needs` allows it.
        // All memory was initialized when it was allocated.
        let mut cx = unsafe { LaunchContext::new(inputs, outputs, scratch, self.pool, self.cpu) };
        cx.packed = (self.outside.packed)(call.number);
        let releases = |operand: usize| {
            let operand = program.operands_of(call).nth(operand);
            if let Some(Storage::Param(param)) = operand.and_then(|operand| operand.place.fixed()) {
                (self.outside.release)(param);
            }
        };
        cx.releases = Some(&releases);
        self.own.kernel(call).run(&mut cx).map_err(|message| program.failure(call, message))
    }

    fn copy(&mut self, copied: &Copied, variables: &[usize]) -> Result<(), (NodeId, RunError)> {
        let [from, to] = [&copied.from, &copied.to].map(|place| self.span(place, copied.bytes, variables));
        // SAFETY: both spans are valid for their size, which is the same, and the plan keeps what is copied apart from where it goes.
        unsafe { std::ptr::copy_nonoverlapping(from.start, to.start, to.bytes) };
        Ok(())
    }

    fn boolean(&mut self, place: &Place, variables: &[usize]) -> Result<bool, (NodeId, RunError)> {
        // SAFETY: the plan has a boolean here, which is one byte.
        Ok(unsafe { self.span(place, 1, variables).start.read() } == 1)
    }

    fn index(&mut self, place: &Place, variables: &[usize]) -> Result<i32, (NodeId, RunError)> {
        // SAFETY: the plan has an i32 here.
        Ok(unsafe { self.span(place, 4, variables).start.cast::<i32>().read_unaligned() })
    }
}

/// Describes the arena for messages, with the step that needs most of it.
fn working_memory(program: &Program) -> String {
    let is_planned = |place: &Place| matches!(place.fixed(), Some(Storage::Arena(_) | Storage::Output(_)));
    let in_arena = |&value: &usize| is_planned(&program.buffers()[value].place);
    let bytes_of = |step: &Step| {
        let values = program.results(step).filter(in_arena);
        values.fold(step.scratch_bytes, |sum, value| sum.saturating_add(program.buffers()[value].bytes))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::CpuBackend;
    use rlx_compile::CompileOptions;
    use rlx_driver::SharedPages;
    use rlx_exec::lower;
    use rlx_ir::{Bindings, Builder, DType, ScanOperands, Shape};

    /// The weights of a loop that are parameters are packed for the calls in its body; what a run provides is not.
    #[test]
    fn weights_of_loops_are_packed() {
        let b = Builder::new("scan");
        let shape = Shape::new(&[24, 24], DType::F32);
        let (w, v, h) = (b.param("w", shape.clone()), b.input("v", shape.clone()), b.input("h", shape));
        let operands = ScanOperands { consts: &[w, v], carry: &[h], ..Default::default() };
        let out = b.scan(operands, 4, false, &|_, t| vec![t[2].matmul(&t[0]).matmul(&t[1])]);
        let graph = b.finish(&[&out[0]]).unwrap();
        let lowered = lower(&graph, &[], &CpuBackend, &CompileOptions::new()).unwrap();
        let bound = lowered.bind(&Bindings::new()).unwrap();
        let host = Host { cpu: Cpu::detect(), threads: 1, budget: &Budget::new(1 << 20) };
        let program = CpuProgram::new(&bound, host).unwrap();
        let packings = program.packings();
        let of_calls = packings.iter().enumerate();
        let wanted: Vec<_> = of_calls.flat_map(|(call, list)| list.iter().map(move |p| (call, p))).collect();
        let [(call, packing)] = &wanted[..] else { panic!("{wanted:?}") };
        assert_eq!(program.sources(*call, packing), Some(vec![Storage::Param(0)]));
        assert!(packing.replaces && !program.read_in_place(&packings).contains(&Storage::Param(0)));
        let (zeros, pool) = (vec![0; 24 * 24 * 4], Pool::new(1).unwrap());
        let packer = Packer { held: None, pool: &pool, pages: &SharedPages::default() };
        assert!(program.pack(*call, 0, &[&zeros], &packer).is_some());
    }
}
