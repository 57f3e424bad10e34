//! A planned program with its kernels, and the loop that runs it. Nested programs (branches, loop bodies) are the same
//! thing, run by the kernel of their op.

use super::kernel::{Cx, OpKernel, Packed, RunError, Span};
use crate::isa::Cpu;
use crate::kernels;
use crate::pool::Pool;
use rlx_compile::memory::{Needs, plan};
use rlx_compile::program::Work;
use rlx_compile::{BackendError, Program, Storage};
use rlx_ir::{Graph, Literal, Node, NodeId, Op};
use std::collections::HashMap;

/// A program ready to run on the CPU.
pub(crate) struct CpuProgram {
    pub(crate) program: Program,
    /// The kernel of each step; none for copies.
    kernels: Vec<Option<Box<dyn OpKernel>>>,
    constants: HashMap<NodeId, Literal>,
    /// The longest list of operands and of results.
    widest: (usize, usize),
}

/// Lists that a run fills for each step; kept between runs so that a run allocates nothing.
#[derive(Default)]
pub(crate) struct Scratch {
    inputs: Vec<Span>,
    outputs: Vec<Span>,
}

// SAFETY: the spans are only meaningful during a run, which has `&mut` to them.
unsafe impl Send for Scratch {}
// SAFETY: as above.
unsafe impl Sync for Scratch {}

/// Where the values outside the arena lie, for one run.
pub(crate) struct Outside<'a> {
    pub(crate) inputs: &'a dyn Fn(usize) -> *const u8,
    pub(crate) params: &'a dyn Fn(usize) -> *const u8,
    pub(crate) packed: &'a [Option<Packed>],
    pub(crate) arena: *mut u8,
}

impl CpuProgram {
    /// Prepares the kernels of a static graph and plans its memory.
    pub(crate) fn new(graph: &Graph, cpu: Cpu, threads: usize) -> Result<CpuProgram, BackendError> {
        let mut made: HashMap<NodeId, Box<dyn OpKernel>> = HashMap::new();
        for node in graph.nodes() {
            if let Some(kernel) = kernels::prepare(graph, node, cpu, threads)? {
                made.insert(node.id(), kernel);
            }
        }
        let mut needs = |node: &Node| made.get(&node.id()).map_or_else(Needs::default, |k| k.needs());
        let program = plan(graph, &mut needs).map_err(|e| BackendError::Unsupported(e.to_string()))?;
        let mut list = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            list.push(match step.work {
                Work::Copy => None,
                Work::Kernel(id) => Some(made.remove(&id).ok_or_else(|| {
                    BackendError::Unsupported(format!(
                        "`{}` has no CPU kernel",
                        graph.node(id).op().mnemonic()
                    ))
                })?),
            });
        }
        let constants = graph.nodes().iter().filter_map(|n| match n.op() {
            Op::Constant { value } => Some((n.id(), value.clone())),
            _ => None,
        });
        let widest = program
            .steps
            .iter()
            .fold((0, 0), |w: (usize, usize), s| (w.0.max(s.inputs.len()), w.1.max(s.outputs.len())));
        Ok(CpuProgram { constants: constants.collect(), kernels: list, widest, program })
    }

    /// Lists of the right size for runs.
    pub(crate) fn scratch(&self) -> Scratch {
        Scratch { inputs: Vec::with_capacity(self.widest.0), outputs: Vec::with_capacity(self.widest.1) }
    }

    /// For each step the buffer of the operand that its kernel wants packed, and the key of the packing.
    pub(crate) fn packings(&self) -> impl Iterator<Item = Option<(&dyn OpKernel, usize, u64)>> + '_ {
        self.kernels.iter().zip(&self.program.steps).map(|(kernel, step)| {
            let kernel = kernel.as_deref()?;
            let (operand, key) = kernel.packs()?;
            Some((kernel, *step.inputs.get(operand)?, key))
        })
    }

    /// The constant of a node.
    pub(crate) fn constant(&self, id: NodeId) -> &Literal {
        &self.constants[&id]
    }

    fn span(&self, buffer: usize, outside: &Outside<'_>) -> Span {
        let buffer = &self.program.buffers[buffer];
        let start = match buffer.storage {
            Storage::Input(i) => (outside.inputs)(i).cast_mut(),
            Storage::Param(i) => (outside.params)(i).cast_mut(),
            Storage::Constant(id) => self.constants[&id].bytes().as_ptr().cast_mut(),
            // SAFETY: the plan keeps every offset inside the arena.
            Storage::Arena(at) => unsafe { outside.arena.add(at) },
        };
        Span { start, bytes: buffer.bytes }
    }

    /// Runs all steps.
    ///
    /// # Safety
    /// The pointers of `outside` are valid for the sizes in the plan during the call; the arena has
    /// `program.arena_bytes` bytes at cache-line alignment and is used by nobody else.
    pub(crate) unsafe fn run(
        &self,
        outside: &Outside<'_>,
        scratch: &mut Scratch,
        pool: &Pool,
        cpu: Cpu,
    ) -> Result<(), (NodeId, RunError)> {
        for (i, step) in self.program.steps.iter().enumerate() {
            scratch.inputs.clear();
            scratch.inputs.extend(step.inputs.iter().map(|&b| self.span(b, outside)));
            scratch.outputs.clear();
            scratch.outputs.extend(step.outputs.iter().map(|&b| self.span(b, outside)));
            let (Some(kernel), Work::Kernel(id)) = (&self.kernels[i], step.work) else {
                let (from, to) = (scratch.inputs[0], scratch.outputs[0]);
                // SAFETY: both spans are valid for their size, which is the same; the plan gave the copy bytes of
                // its own.
                unsafe { std::ptr::copy_nonoverlapping(from.start, to.start, to.bytes) };
                continue;
            };
            // SAFETY: the plan keeps scratch memory inside the arena.
            let start = unsafe { outside.arena.add(step.scratch) };
            let cx = Cx {
                inputs: &scratch.inputs,
                outputs: &scratch.outputs,
                scratch: Span { start, bytes: step.scratch_bytes },
                packed: outside.packed.get(i).and_then(Option::as_ref),
                pool,
                cpu,
            };
            kernel.run(&cx).map_err(|e| (id, e))?;
        }
        Ok(())
    }
}
