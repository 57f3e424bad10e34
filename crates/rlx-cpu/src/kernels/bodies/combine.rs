//! Runs a graph over single elements, wherever they are in memory.

use super::scalar::ScalarProgram;
use crate::exec::{LaunchContext, RunError};
use crate::kernels::nested::Body;
use crate::kernels::{PrepareContext, lines};
use rlx_compile::BackendError;
use rlx_compile::memory::ALIGNMENT;
use rlx_ir::Graph;

/// Nanoseconds per instruction, and per run of a program that does not consist of instructions.
const INSTRUCTION_NANOSECONDS: u64 = 8;
const PROGRAM_NANOSECONDS: u64 = 400;

/// A graph over scalars.
pub(crate) struct Combine {
    way: Way,
}

enum Way {
    Scalars(ScalarProgram),
    /// Graphs with ops that are not elementwise run as a program on elements in scratch memory; the sizes of the outputs are listed.
    Program(Box<Body>, Vec<usize>),
}

impl Combine {
    /// Prepares a graph.
    pub(crate) fn new(cx: &PrepareContext<'_>, graph: &Graph) -> Result<Combine, BackendError> {
        if let Some(program) = ScalarProgram::new(graph) {
            return Ok(Combine { way: Way::Scalars(program) });
        }
        let sizes = graph.output_shapes().iter().map(|s| s.dtype().size()).collect();
        Ok(Combine { way: Way::Program(Box::new(Body::new(cx, graph)?), sizes) })
    }

    /// Returns the approximate time of a run.
    pub(crate) fn nanoseconds(&self) -> u64 {
        match &self.way {
            Way::Scalars(program) => 10 + program.len() as u64 * INSTRUCTION_NANOSECONDS,
            Way::Program(..) => PROGRAM_NANOSECONDS,
        }
    }

    /// Returns the scratch memory of runs in bytes, a multiple of the alignment.
    pub(crate) fn scratch_bytes(&self) -> usize {
        match &self.way {
            Way::Scalars(program) => lines(program.scratch_bytes()),
            // One aligned place per output.
            Way::Program(body, sizes) => body.scratch_bytes().saturating_add(sizes.len() * ALIGNMENT),
        }
    }

    /// Prepares scratch memory for runs.
    ///
    /// # Safety
    /// It has `scratch_bytes` bytes, is aligned to a cache line, and is used by this caller only.
    pub(crate) unsafe fn begin(&self, scratch: *mut u8) {
        if let Way::Scalars(program) = &self.way {
            // SAFETY: the caller's promise.
            unsafe { program.begin(scratch) };
        }
    }

    /// Computes the outputs from elements. An output may have the address of an input.
    ///
    /// # Safety
    /// The scratch memory was passed to [`begin`](Self::begin). The pointers are to elements of the types that the graph declares.
    #[inline]
    pub(crate) unsafe fn run(
        &self,
        cx: &LaunchContext<'_>,
        scratch: *mut u8,
        input: impl Fn(usize) -> *const u8,
        output: impl Fn(usize) -> *mut u8,
    ) -> Result<(), RunError> {
        // SAFETY: the caller's promise; a program first writes its outputs to separate memory.
        unsafe {
            match &self.way {
                Way::Scalars(program) => program.run(scratch, input, output),
                Way::Program(body, sizes) => {
                    let made = |i: usize| scratch.add(body.scratch_bytes() + i * ALIGNMENT);
                    body.run(cx, scratch, &input, &made)?;
                    for (i, &size) in sizes.iter().enumerate() {
                        std::ptr::copy_nonoverlapping(made(i), output(i), size);
                    }
                }
            }
        }
        Ok(())
    }
}
