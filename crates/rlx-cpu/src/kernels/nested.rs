//! Graphs inside a node, run as programs of their own in the node's scratch memory.

use super::Site;
use crate::exec::{CpuProgram, Cx, OpKernel, Outside, RunError, Scratch};
use rlx_compile::memory::Needs;
use rlx_compile::{BackendError, Storage};
use rlx_ir::Graph;
use std::sync::Mutex;

/// The program of a body whose inputs are the node's operands and whose outputs are its results.
struct Nested {
    program: CpuProgram,
    /// Lists for runs; a second run at the same time makes its own.
    scratch: Mutex<Scratch>,
}

/// The body, node by node.
pub(crate) fn prepare(site: &Site<'_>, body: &Graph) -> Result<Box<dyn OpKernel>, BackendError> {
    let program = CpuProgram::new(body, site.cpu, site.threads)?;
    let scratch = Mutex::new(program.scratch());
    Ok(Box::new(Nested { program, scratch }))
}

impl OpKernel for Nested {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.program.program.arena_bytes.max(1), in_place: Vec::new() }
    }

    fn run(&self, cx: &Cx<'_>) -> Result<(), RunError> {
        let arena = cx.scratch::<u8>().as_mut_ptr();
        let outside =
            Outside { inputs: &|i| cx.input_ptr(i), params: &|_| std::ptr::null(), packed: &[], arena };
        let run = |scratch: &mut Scratch| {
            // SAFETY: operands have the shapes of the body's inputs; the scratch memory has the planned size at a
            // cache line's alignment, and is this step's alone.
            unsafe { self.program.run(&outside, scratch, cx.pool, cx.cpu) }
        };
        let ran = match self.scratch.try_lock() {
            Ok(mut scratch) => run(&mut scratch),
            Err(_) => run(&mut self.program.scratch()),
        };
        ran.map_err(|(id, message)| format!("{id}: {message}"))?;
        for (i, &buffer) in self.program.program.outputs.iter().enumerate() {
            let buffer = &self.program.program.buffers[buffer];
            let Storage::Arena(at) = buffer.storage else { continue };
            // SAFETY: the plan places outputs inside the arena; results do not overlap it.
            unsafe { std::ptr::copy_nonoverlapping(arena.add(at), cx.output_ptr(i), buffer.bytes) };
        }
        Ok(())
    }
}
