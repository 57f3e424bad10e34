//! Graphs inside a node, prepared once as programs of their own that run in the node's scratch memory.

use super::{Site, lines, lines_of};
use crate::exec::{CpuProgram, Cx, OpKernel, Outside, Packed, RunError, Span};
use rlx_compile::memory::Needs;
use rlx_compile::{BackendError, Storage};
use rlx_ir::Graph;

/// The program of a graph inside a node.
pub(crate) struct Body {
    program: CpuProgram,
    /// For each step its packed operand, where that is a constant; else its place among those packed outside.
    packed: Vec<Result<Packed, Option<usize>>>,
    /// The steps, inputs and keys of those packed outside.
    outside: Vec<(usize, usize, u64)>,
}

impl Body {
    /// Prepares a graph. Each of `pairs` names an input and the output that takes its place in the next run; see
    /// [`keeps`](Self::keeps).
    pub(crate) fn new(
        site: &Site<'_>,
        graph: &Graph,
        pairs: &[(usize, usize)],
    ) -> Result<Body, BackendError> {
        Self::with_fixed(site, graph, pairs, &[])
    }

    /// The same, where these inputs keep their values between runs of the program around the graph.
    pub(crate) fn with_fixed(
        site: &Site<'_>,
        graph: &Graph,
        pairs: &[(usize, usize)],
        fixed: &[usize],
    ) -> Result<Body, BackendError> {
        let inputs: Vec<_> = graph.inputs().map(|n| n.id()).collect();
        let ids: Vec<_> = fixed.iter().map(|&i| inputs[i]).collect();
        let program = CpuProgram::nested(graph, site.cpu, site.threads, pairs, &ids)?;
        let mut outside = Vec::new();
        let packed = program.packings().enumerate().map(|(step, packing)| {
            let (kernel, buffer, key) = packing.ok_or(None)?;
            match program.program.buffers[buffer].storage {
                Storage::Input(input) if fixed.contains(&input) => {
                    outside.push((step, input, key));
                    Err(Some(outside.len() - 1))
                }
                _ => program.constant(buffer).and_then(|bytes| kernel.pack(bytes, None)).ok_or(None),
            }
        });
        let packed = packed.collect();
        Ok(Body { program, packed, outside })
    }

    /// What the program wants packed of the fixed inputs: the input, the key and the kernel that packs.
    pub(crate) fn packs_inside(&self) -> Vec<(usize, u64, &dyn OpKernel)> {
        let kernels: Vec<_> = self.program.packings().collect();
        let list = self.outside.iter();
        list.filter_map(|&(step, input, key)| Some((input, key, kernels[step]?.0))).collect()
    }

    /// Whether this output is written over that input, which must then be memory that may be written.
    pub(crate) fn keeps(&self, input: usize, output: usize) -> bool {
        self.program.program.buffers[self.program.program.outputs[output]].storage == Storage::Input(input)
    }

    /// Offset of the list of spans in the scratch memory.
    fn spans_at(&self) -> usize {
        lines(self.program.program.arena_bytes)
    }

    /// Scratch bytes of a run, a multiple of the alignment.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.spans_at().saturating_add(lines_of::<Span>(self.program.spans_len()))
    }

    /// Runs the program with inputs and outputs at these places.
    ///
    /// # Safety
    /// The places are valid for what the graph declares, aligned to their elements; outputs overlap nothing, except as
    /// [`keeps`](Self::keeps) says. The scratch memory has `scratch_bytes` bytes at a cache line's alignment, for this
    /// run alone.
    pub(crate) unsafe fn run(
        &self,
        cx: &Cx<'_>,
        scratch: *mut u8,
        inputs: &dyn Fn(usize) -> *const u8,
        outputs: &dyn Fn(usize) -> *mut u8,
    ) -> Result<(), RunError> {
        let outside = Outside {
            inputs,
            params: &|_| &[],
            outputs,
            packed: &|step| match &self.packed[step] {
                Ok(packed) => Some(packed),
                Err(outside) => cx.packed_inside.get((*outside)?)?.as_ref(),
            },
            packed_inside: &|_| &[],
            arena: scratch,
        };
        // SAFETY: the scratch memory ends with room for the list; any bytes are spans.
        let ran = unsafe {
            let first = scratch.add(self.spans_at()).cast::<Span>();
            let spans = std::slice::from_raw_parts_mut(first, self.program.spans_len());
            self.program.run(&outside, spans, cx.pool, cx.cpu, &mut || ())
        };
        ran.map_err(|(id, message)| {
            format!("{id} {}: {message}", self.program.program.graph().node(id).op().mnemonic())
        })
    }
}

/// A node that is its body.
struct Nested(Body);

/// The body, node by node.
pub(crate) fn prepare(site: &Site<'_>, body: &Graph) -> Result<Box<dyn OpKernel>, BackendError> {
    Ok(Box::new(Nested(Body::new(site, body, &[])?)))
}

impl OpKernel for Nested {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.0.scratch_bytes().max(1), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<(), RunError> {
        // SAFETY: operands and results have the shapes of the body's inputs and outputs.
        unsafe { self.0.run(cx, cx.scratch_ptr(), &|i| cx.input_ptr(i), &|i| cx.output_ptr(i)) }
    }
}
