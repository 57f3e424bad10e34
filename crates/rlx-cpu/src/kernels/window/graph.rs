//! Reductions by a graph of what a moving window sees of several tensors, a place at a time.

use super::long_graph::LongWindowGraph;
use super::taps::Grid;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::PrepareContext;
use crate::kernels::bodies::Failure;
use crate::kernels::bodies::combine::Combine;
use crate::kernels::elementwise::threads;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::Graph;
use std::ops::Range;

struct WindowGraph {
    grid: Grid,
    body: Combine,
    /// Bytes of an element of each tensor.
    sizes: Vec<usize>,
    threads: usize,
}

/// The kernel of a window over `grid` that combines by `body`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    body: &Graph,
    grid: Grid,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let n = cx.node.inputs().len() / 2;
    let sizes: Vec<usize> = (0..n).map(|i| cx.operand(i).dtype().size()).collect();
    Ok(match LongWindowGraph::new(&grid, Combine::new(cx, body)?, &sizes, cx.threads) {
        Ok(long) => Box::new(long),
        Err(body) => Box::new(WindowGraph { grid, body, sizes, threads: cx.threads }),
    })
}

impl WindowGraph {
    /// # Safety
    /// The place exists and its results are written by nobody else; `scratch` was begun.
    unsafe fn place(&self, cx: &LaunchContext<'_>, place: usize, scratch: *mut u8) -> Result<(), RunError> {
        let n = self.sizes.len();
        let total = |i: usize| cx.output_ptr(i).wrapping_add(place * self.sizes[i]);
        for (i, &size) in self.sizes.iter().enumerate() {
            // SAFETY: the initial value is an element of the tensor's type.
            unsafe { std::ptr::copy_nonoverlapping(cx.input_ptr(n + i), total(i), size) };
        }
        self.grid.each_seen(place, &mut |at| {
            let input = |i: usize| match i.checked_sub(n) {
                None => total(i).cast_const(),
                Some(i) => cx.input_ptr(i).wrapping_add(at * self.sizes[i]),
            };
            // SAFETY: the caller vouches for the place and for scratch memory that was begun; what is seen lies in the
            // tensors.
            unsafe { self.body.run(cx, scratch, input, total) }
        })
    }
}

impl OpKernel for WindowGraph {
    fn needs(&self) -> Needs {
        Needs {
            scratch_bytes: self.body.scratch_bytes().saturating_mul(self.threads).max(1),
            in_place: Vec::new(),
        }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let failure = Failure::default();
        let body = |cx: &LaunchContext<'_>, mut places: Range<usize>, scratch: *mut u8| {
            // SAFETY: places of the range are this call's, and so is the scratch memory.
            failure.note(unsafe {
                self.body.begin(scratch);
                places.try_for_each(|place| self.place(cx, place, scratch))
            });
        };
        let nanoseconds = self.grid.seen().saturating_mul(self.body.nanoseconds());
        // SAFETY: results of a place are written by the range that has it alone.
        unsafe {
            threads::for_ranges(cx, self.body.scratch_bytes(), nanoseconds, self.grid.places, 1, body);
        }
        failure.outcome()
    }
}
