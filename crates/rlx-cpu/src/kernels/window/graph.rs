//! Window reductions with a graph over several tensors.

use super::long_graph::LongWindowGraph;
use super::taps::Grid;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::bodies::Failure;
use crate::kernels::bodies::combine::Combine;
use crate::kernels::elementwise::threads;
use crate::kernels::{PrepareContext, lowered};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{Graph, WindowSpec};
use std::ops::Range;

struct WindowGraph {
    grid: Grid,
    body: Combine,
    /// Size of an element of each tensor in bytes.
    sizes: Vec<usize>,
    threads: usize,
}

/// Prepares the kernel of a window over `grid` that combines elements with `body`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    body: &Graph,
    grid: Grid,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let n = cx.node.inputs().len() / 2;
    let sizes: Vec<usize> = (0..n).map(|i| cx.operand(i).dtype().size()).collect();
    Ok(match LongWindowGraph::new(&grid, Combine::new(cx, body)?, &sizes, cx.threads) {
        Ok(long) => Box::new(long),
        Err(body) => match lowered::prepare(cx) {
            Some(kernel) => kernel,
            None => Box::new(WindowGraph { grid, body, sizes, threads: cx.threads }),
        },
    })
}

/// Prepares the kernel of a reduction of whole axes as a window over them, for bodies that are not functions of scalars.
pub(crate) fn of_axes(
    cx: &PrepareContext<'_>,
    body: &Graph,
    axes: &[usize],
) -> Result<Box<dyn OpKernel>, BackendError> {
    let x = cx.dims(0);
    let along = |reduced: fn(usize) -> usize, kept: fn(usize) -> usize| -> Vec<usize> {
        let size =
            |(axis, &size): (usize, &usize)| if axes.contains(&axis) { reduced(size) } else { kept(size) };
        x.iter().enumerate().map(size).collect()
    };
    let (window, places) = (along(|size| size.max(1), |_| 1), along(|_| 1, |size| size));
    let sizes = (0..cx.node.inputs().len() / 2).map(|i| cx.operand(i).dtype().size()).collect();
    Ok(Box::new(WindowGraph {
        grid: Grid::new(&x, &WindowSpec::plain(&window), &places),
        body: Combine::new(cx, body)?,
        sizes,
        threads: cx.threads,
    }))
}

impl WindowGraph {
    /// # Safety
    /// The place exists and nobody else writes its results; the scratch memory has been begun.
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
            // SAFETY: the caller vouches for the place and for scratch memory that has been begun; the elements that it sees lie in the
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
            // SAFETY: the places of the range belong to this call, and so does the scratch memory.
            failure.note(unsafe {
                self.body.begin(scratch);
                places.try_for_each(|place| self.place(cx, place, scratch))
            });
        };
        let nanoseconds = self.grid.seen().saturating_mul(self.body.nanoseconds());
        // SAFETY: each place belongs to one range, which alone writes its results.
        unsafe {
            threads::for_ranges(cx, self.body.scratch_bytes(), nanoseconds, self.grid.places, 1, body);
        }
        failure.outcome()
    }
}
