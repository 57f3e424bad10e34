//! A planned program with its kernels, and the loop that runs it. Nested programs (branches, loop bodies) are the same
//! thing, run by the kernel of their op.

use super::kernel::{Cx, OpKernel, Packed, RunError, Span};
use crate::isa::Cpu;
use crate::kernels;
use crate::pool::Pool;
use rlx_compile::memory::{Needs, PlanError, plan_aliased, plan_nested};
use rlx_compile::program::{Buffer, Work};
use rlx_compile::{Alias, BackendError, Bound, Program, Storage, cost, profile};
use rlx_ir::{Graph, Literal, Node, NodeId, Op};
use std::sync::Arc;
use std::time::Duration;

/// For each node its kernel, if it needs one. Nodes of a class share it.
type Kernels = Vec<Option<Arc<dyn OpKernel>>>;

/// A program ready to run on the CPU.
pub(crate) struct CpuProgram {
    pub(crate) program: Program,
    /// The kernel of each step; none for copies.
    kernels: Vec<Option<Arc<dyn OpKernel>>>,
    /// For each buffer its value, if that is a constant.
    constants: Vec<Option<Literal>>,
    /// The longest list of operands and of results.
    widest: (usize, usize),
}

/// A list for the operands and results of each step; kept between runs so that a run allocates nothing.
#[derive(Default)]
pub(crate) struct Spans(Vec<Span>);

// SAFETY: the spans are written and read during a run alone, which has `&mut` to the list.
unsafe impl Send for Spans {}
// SAFETY: the list is reached through `&mut` alone, so that sharing it gives access to nothing.
unsafe impl Sync for Spans {}

impl Spans {
    /// The list with room for so many spans.
    pub(crate) fn list(&mut self, len: usize) -> &mut [Span] {
        if self.0.len() < len {
            self.0.resize(len, Span { start: std::ptr::null_mut(), bytes: 0 });
        }
        &mut self.0[..len]
    }
}

/// Where the values outside the arena lie, for one run.
pub(crate) struct Outside<'a> {
    pub(crate) inputs: &'a dyn Fn(usize) -> *const u8,
    /// The bytes of a parameter: at least those of its shape.
    pub(crate) params: &'a dyn Fn(usize) -> &'a [u8],
    /// Asked by nested programs alone.
    pub(crate) outputs: &'a dyn Fn(usize) -> *mut u8,
    /// The packed operand of a step.
    pub(crate) packed: &'a dyn Fn(usize) -> Option<&'a Packed>,
    /// What was packed for graphs inside a step.
    pub(crate) packed_inside: &'a dyn Fn(usize) -> &'a [Option<Packed>],
    pub(crate) arena: *mut u8,
}

impl CpuProgram {
    /// Prepares the kernels of a graph, one per class of nodes, and plans its memory.
    pub(crate) fn new(
        bound: &Bound,
        cpu: Cpu,
        threads: usize,
        aliases: &[Alias],
    ) -> Result<CpuProgram, BackendError> {
        let made = prepared(&bound.graph, Some(&bound.classes), cpu, threads, &[])?;
        let program =
            plan_aliased(&bound.graph, &mut |node| needs_of(&made, node), aliases).map_err(unplanned)?;
        Self::assembled(program, &made)
    }

    /// The same for the graph inside a node. Of the pairs of an input and the output that takes its place, those whose
    /// memory the program may keep using are planned so: there the input is overwritten. The inputs `fixed` keep their
    /// values between runs.
    pub(crate) fn nested(
        graph: &Graph,
        cpu: Cpu,
        threads: usize,
        pairs: &[(usize, usize)],
        fixed: &[NodeId],
    ) -> Result<CpuProgram, BackendError> {
        let graph = &Arc::new(graph.clone());
        let made = prepared(graph, None, cpu, threads, fixed)?;
        let mut donated: Vec<usize> = pairs.iter().map(|p| p.0).collect();
        loop {
            let program =
                plan_nested(graph, &mut |node| needs_of(&made, node), &donated).map_err(unplanned)?;
            let stays = |&(input, output): &(usize, usize)| {
                program.buffers[program.outputs[output]].storage == Storage::Input(input)
            };
            let in_place: Vec<usize> =
                pairs.iter().filter(|p| donated.contains(&p.0) && stays(p)).map(|p| p.0).collect();
            if in_place.len() == donated.len() {
                return Self::assembled(program, &made);
            }
            donated = in_place;
        }
    }

    fn assembled(program: Program, made: &Kernels) -> Result<CpuProgram, BackendError> {
        let mut kernels = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            kernels.push(match step.work {
                Work::Copy => None,
                Work::Kernel(id) => Some(made[id.index()].clone().ok_or_else(|| {
                    let op = program.graph.node(id).op().mnemonic();
                    BackendError::Unsupported(format!("`{op}` has no CPU kernel"))
                })?),
            });
        }
        let constant = |buffer: &Buffer| match buffer.storage {
            Storage::Constant(id) => match program.graph.node(id).op() {
                Op::Constant { value } => Some(value.clone()),
                _ => None,
            },
            _ => None,
        };
        let constants = program.buffers.iter().map(constant).collect();
        let widest = program
            .steps
            .iter()
            .fold((0, 0), |w: (usize, usize), s| (w.0.max(s.inputs.len()), w.1.max(s.outputs.len())));
        Ok(CpuProgram { constants, kernels, widest, program })
    }

    /// Length of the list that a run needs.
    pub(crate) fn spans_len(&self) -> usize {
        self.widest.0 + self.widest.1
    }

    /// For each step the buffer of the operand that its kernel wants packed, and the key of the packing.
    pub(crate) fn packings(&self) -> impl Iterator<Item = Option<(&dyn OpKernel, usize, u64)>> + '_ {
        self.kernels.iter().zip(&self.program.steps).map(|(kernel, step)| {
            let kernel = kernel.as_deref()?;
            let (operand, key) = kernel.packs()?;
            Some((kernel, *step.inputs.get(operand)?, key))
        })
    }

    /// For each step the buffers of the operands that kernels inside it want packed, with the keys and the kernels.
    pub(crate) fn packings_inside(&self) -> impl Iterator<Item = Vec<(usize, u64, &dyn OpKernel)>> + '_ {
        self.kernels.iter().zip(&self.program.steps).map(|(kernel, step)| {
            let list = kernel.as_deref().map(OpKernel::packs_inside).unwrap_or_default();
            list.into_iter().map(|(operand, key, kernel)| (step.inputs[operand], key, kernel)).collect()
        })
    }

    /// The bytes of a constant.
    pub(crate) fn constant(&self, buffer: usize) -> Option<&[u8]> {
        self.constants[buffer].as_ref().map(Literal::bytes)
    }

    /// The spans of a run that began at `begin` of a recording, whose steps ended so long after its start.
    pub(crate) fn recorded<'a>(
        &'a self,
        begin: Duration,
        ends: &'a [Duration],
    ) -> impl Iterator<Item = profile::Span> + 'a {
        let graph = &self.program.graph;
        let starts = std::iter::once(Duration::ZERO).chain(ends.iter().copied());
        self.program.steps.iter().zip(starts.zip(ends)).map(move |(step, (start, &end))| {
            let bytes =
                |list: &[usize]| list.iter().map(|&b| self.program.buffers[b].bytes as f64).sum::<f64>();
            let (op, label, shapes, counts) = match step.work {
                Work::Kernel(id) => {
                    let node = graph.node(id);
                    (
                        profile::name_of(node),
                        node.label().into(),
                        profile::shapes_of(graph, node),
                        cost::counts(graph, node),
                    )
                }
                _ => {
                    let counts =
                        cost::Counts { flops: 0.0, bytes: bytes(&step.inputs) + bytes(&step.outputs) };
                    ("copy".into(), String::new(), String::new(), counts)
                }
            };
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
            Storage::Constant(_) => self.constant(index).map_or(std::ptr::null(), <[u8]>::as_ptr).cast_mut(),
            // SAFETY: the plan keeps every offset inside the arena.
            Storage::Arena(at) => unsafe { outside.arena.add(at) },
            Storage::Output(i) => (outside.outputs)(i),
        };
        Span { start, bytes: buffer.bytes }
    }

    /// Runs all steps, and calls `after` after each. `spans` is a list of the length that [`spans_len`](Self::spans_len) tells.
    ///
    /// # Safety
    /// The pointers of `outside` are valid for the sizes in the plan during the call; the arena has
    /// `program.arena_bytes` bytes at cache-line alignment and is used by nobody else.
    pub(crate) unsafe fn run(
        &self,
        outside: &Outside<'_>,
        spans: &mut [Span],
        pool: &Pool,
        cpu: Cpu,
        after: &mut dyn FnMut(),
    ) -> Result<(), (NodeId, RunError)> {
        let (inputs, outputs) = spans.split_at_mut(self.widest.0);
        for (i, step) in self.program.steps.iter().enumerate() {
            let (inputs, outputs) = (&mut inputs[..step.inputs.len()], &mut outputs[..step.outputs.len()]);
            inputs.iter_mut().zip(&step.inputs).for_each(|(span, &b)| *span = self.span(b, outside));
            outputs.iter_mut().zip(&step.outputs).for_each(|(span, &b)| *span = self.span(b, outside));
            let (Some(kernel), Work::Kernel(id)) = (&self.kernels[i], step.work) else {
                let (from, to) = (inputs[0], outputs[0]);
                // SAFETY: both spans are valid for their size, which is the same; the plan gave the copy bytes of
                // its own.
                unsafe { std::ptr::copy_nonoverlapping(from.start, to.start, to.bytes) };
                after();
                continue;
            };
            // SAFETY: the plan keeps scratch memory inside the arena.
            let start = unsafe { outside.arena.add(step.scratch) };
            let scratch = Span { start, bytes: step.scratch_bytes };
            // SAFETY: the caller vouches for the places outside the arena and for the arena being used by nobody else;
            // the plan gives each value the bytes of its shape, keeps operands until the step is done, and gives results
            // and scratch memory bytes of their own, except for a result in an operand's place where `needs` allows it.
            // All memory was initialised when it was allocated.
            let mut cx = unsafe { Cx::new(inputs, outputs, scratch, pool, cpu) };
            (cx.packed, cx.packed_inside) = ((outside.packed)(i), (outside.packed_inside)(i));
            kernel.run(&mut cx).map_err(|e| (id, e))?;
            after();
        }
        Ok(())
    }
}

/// The kernels of a graph's nodes. Where classes are known, the nodes of one share the kernel of the first.
fn prepared(
    graph: &Graph,
    classes: Option<&[u32]>,
    cpu: Cpu,
    threads: usize,
    fixed: &[NodeId],
) -> Result<Kernels, BackendError> {
    let mut of_class: Kernels = Vec::new();
    let mut made = Kernels::with_capacity(graph.nodes().len());
    for (i, node) in graph.nodes().iter().enumerate() {
        let class = classes.map_or(i, |classes| classes[i] as usize);
        if class < of_class.len() {
            made.push(of_class[class].clone());
            continue;
        }
        let kernel = kernels::prepare(graph, node, cpu, threads, fixed)?.map(Arc::from);
        of_class.push(kernel.clone());
        made.push(kernel);
    }
    Ok(made)
}

fn needs_of(made: &Kernels, node: &Node) -> Needs {
    made[node.id().index()].as_ref().map_or_else(Needs::default, |kernel| kernel.needs())
}

fn unplanned(error: PlanError) -> BackendError {
    BackendError::Unsupported(error.to_string())
}
