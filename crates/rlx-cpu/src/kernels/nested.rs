//! Graphs that the kernel of a node runs in its scratch memory.

use super::{PrepareContext, lines, lines_of};
use crate::exec::{CpuProgram, LaunchContext, Outside, RunError, Span};
use rlx_compile::BackendError;
use rlx_ir::Graph;

/// The program of a graph inside a node.
pub(crate) struct Body {
    program: CpuProgram,
}

impl Body {
    /// Prepares a graph.
    pub(crate) fn new(cx: &PrepareContext<'_>, graph: &Graph) -> Result<Body, BackendError> {
        Ok(Body { program: CpuProgram::nested(graph, cx.host())? })
    }

    /// Returns the offset of the list of spans in the scratch memory.
    fn spans_at(&self) -> usize {
        lines(self.program.program.arena_bytes)
    }

    /// Returns the offset of the loop variables in the scratch memory.
    fn variables_at(&self) -> usize {
        self.spans_at().saturating_add(lines_of::<Span>(self.program.spans_len()))
    }

    /// Returns the scratch memory of a run in bytes, a multiple of the alignment.
    pub(crate) fn scratch_bytes(&self) -> usize {
        self.variables_at().saturating_add(lines_of::<usize>(self.program.program.variables))
    }

    /// Runs the program with these pointers to inputs and outputs.
    ///
    /// # Safety
    /// The pointers are valid for what the graph declares and aligned to their elements. Outputs overlap nothing. The scratch memory has
    /// `scratch_bytes` bytes, is aligned to a cache line, and is used by this run only.
    pub(crate) unsafe fn run(
        &self,
        cx: &LaunchContext<'_>,
        scratch: *mut u8,
        inputs: &dyn Fn(usize) -> *const u8,
        outputs: &dyn Fn(usize) -> *mut u8,
    ) -> Result<(), RunError> {
        let outside =
            Outside { inputs, params: &|_| &[], outputs, packed: &|_| &[], release: &|_| (), arena: scratch };
        // SAFETY: the scratch memory ends with room for both lists; any bytes are spans and numbers.
        let ran = unsafe {
            let first = scratch.add(self.spans_at()).cast::<Span>();
            let spans = std::slice::from_raw_parts_mut(first, self.program.spans_len());
            let first = scratch.add(self.variables_at()).cast::<usize>();
            let variables = std::slice::from_raw_parts_mut(first, self.program.program.variables);
            self.program.run(&outside, (spans, variables), (cx.pool, cx.cpu), &mut || ())
        };
        ran.map_err(|(id, message)| {
            format!("{id} {}: {message}", self.program.program.graph().node(id).op().mnemonic())
        })
    }
}
