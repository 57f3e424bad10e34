//! Prepares the graphs inside a node as separate programs that run in the node's scratch memory.

use super::{PrepareContext, lines, lines_of};
use crate::exec::{
    CpuProgram, Inside, LaunchContext, Outside, Packed, PackedList, Packer, Packing, RunError, Span,
};
use crate::pool::Pool;
use rlx_compile::{BackendError, Storage};
use rlx_driver::SharedPages;
use rlx_ir::Graph;

/// The program of a graph inside a node.
pub(crate) struct Body {
    program: CpuProgram,
    /// For each step, where its packings are.
    packed: Vec<Vec<Inside>>,
    /// The packings of inputs that keep their values, which the surrounding node requests: the step, the index among the step's packings,
    /// and the packing in terms of the graph's inputs.
    around: Vec<(usize, usize, Packing)>,
}

impl Body {
    /// Prepares a graph. Each of `pairs` names an input and the output that replaces it in the next run; see [`keeps`](Self::keeps).
    pub(crate) fn new(
        cx: &PrepareContext<'_>,
        graph: &Graph,
        pairs: &[(usize, usize)],
    ) -> Result<Body, BackendError> {
        Self::with_fixed(cx, graph, pairs, &[])
    }

    /// Like [`new`](Self::new), where the inputs `fixed`, in order, keep their values between runs of the surrounding program.
    pub(crate) fn with_fixed(
        cx: &PrepareContext<'_>,
        graph: &Graph,
        pairs: &[(usize, usize)],
        fixed: &[usize],
    ) -> Result<Body, BackendError> {
        let inputs: Vec<_> = graph.inputs().map(|n| n.id()).collect();
        let ids: Vec<_> = fixed.iter().map(|&i| inputs[i]).collect();
        let program = CpuProgram::nested(graph, cx.host(), pairs, &ids)?;
        let mut body = Body { packed: Vec::new(), around: Vec::new(), program };
        let packings = body.program.packings();
        let pages = SharedPages::default();
        for (step, packings) in packings.iter().enumerate() {
            let places = packings
                .iter()
                .enumerate()
                .map(|(index, packing)| body.place(step, index, packing, fixed, &pages));
            let places: Vec<Inside> = places.collect::<Result<_, _>>()?;
            body.packed.push(places);
        }
        let read = body.program.read_in_place(&packings);
        for (.., packing) in &mut body.around {
            packing.replaces &= !packing.operands.iter().any(|&input| read.contains(&Storage::Input(input)));
        }
        Ok(body)
    }

    /// Determines where packing `index` of a step will be: it is packed here if its operands are constants, or requested from the
    /// surrounding node if they are fixed inputs.
    fn place(
        &mut self,
        step: usize,
        index: usize,
        packing: &Packing,
        fixed: &[usize],
        pages: &SharedPages,
    ) -> Result<Inside, BackendError> {
        let sources = self.program.sources(step, packing);
        let constants: Option<Vec<&[u8]>> =
            sources.iter().map(|&source| self.program.constant(source)).collect();
        if let Some(operands) = constants {
            let pool = Pool::new(1).map_err(|e| BackendError::Thread(e.to_string()))?;
            let packer = Packer { held: None, pool: &pool, pages };
            let packed = self.program.pack(step, index, &operands, &packer);
            return Ok(packed.map_or(Inside::Missing, Inside::Made));
        }
        let inputs = sources.iter().map(|source| match source {
            Storage::Input(input) if fixed.binary_search(input).is_ok() => Some(*input),
            _ => None,
        });
        let Some(operands) = inputs.collect() else { return Ok(Inside::Missing) };
        self.around.push((step, index, Packing { operands, ..packing.clone() }));
        Ok(Inside::Around(self.around.len() - 1))
    }

    /// Returns what the program wants packed of the fixed inputs.
    pub(crate) fn packings(&self) -> Vec<Packing> {
        self.around.iter().map(|(.., packing)| packing.clone()).collect()
    }

    /// Makes packing `index` of [`packings`](Self::packings).
    pub(crate) fn pack(&self, index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        let (step, inside, _) = self.around.get(index)?;
        self.program.pack(*step, *inside, operands, packer)
    }

    /// Returns whether this output overwrites that input, which must then be writable memory.
    pub(crate) fn keeps(&self, input: usize, output: usize) -> bool {
        self.program.program.buffers[self.program.program.outputs[output]].storage == Storage::Input(input)
    }

    /// Returns the offset of the list of spans in the scratch memory.
    fn spans_at(&self) -> usize {
        lines(self.program.program.arena_bytes)
    }

    /// Returns the scratch memory of a run in bytes, a multiple of the alignment.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.spans_at().saturating_add(lines_of::<Span>(self.program.spans_len()))
    }

    /// Runs the program with these pointers to inputs and outputs.
    ///
    /// # Safety
    /// The pointers are valid for what the graph declares and aligned to their elements. Outputs overlap nothing, except as
    /// [`keeps`](Self::keeps) says. The scratch memory has `scratch_bytes` bytes, is aligned to a cache line, and is used by this run only.
    pub(crate) unsafe fn run(
        &self,
        cx: &LaunchContext<'_>,
        scratch: *mut u8,
        inputs: &dyn Fn(usize) -> *const u8,
        outputs: &dyn Fn(usize) -> *mut u8,
    ) -> Result<(), RunError> {
        let outside = Outside {
            inputs,
            params: &|_| &[],
            outputs,
            packed: &|step| PackedList::Inside(&self.packed[step], &cx.packed),
            release: &|_| (),
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
