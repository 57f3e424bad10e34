//! Kernel of `select_and_scatter`: scatters values to the element that each window selects.

use super::taps::Grid;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::PrepareContext;
use crate::kernels::bodies::Failure;
use crate::kernels::bodies::combine::Combine;
use crate::kernels::elementwise::threads;
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::Graph;
use std::ops::Range;

struct SelectAndScatter {
    select: Combine,
    scatter: Combine,
    /// The window over one of `parts` consecutive parts.
    grid: Grid,
    parts: usize,
    /// Size of an element in bytes.
    size: usize,
    threads: usize,
}

/// Prepares the kernel of an op that selects and scatters with these graphs, separately in each part.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    [select, scatter]: [&Graph; 2],
    parts: usize,
    grid: Grid,
) -> Result<Box<dyn OpKernel>, BackendError> {
    Ok(Box::new(SelectAndScatter {
        select: Combine::new(cx, select)?,
        scatter: Combine::new(cx, scatter)?,
        grid,
        parts,
        size: cx.operand(0).dtype().size(),
        threads: cx.threads,
    }))
}

impl SelectAndScatter {
    /// Returns the scratch memory of both graphs, and of a cache line for whether an element stays selected.
    fn scratch_bytes(&self) -> usize {
        self.select.scratch_bytes().saturating_add(self.scatter.scratch_bytes()).saturating_add(ALIGNMENT)
    }

    /// # Safety
    /// The part exists and nobody else writes it; the scratch memory belongs to this call, and that of its graphs has been begun.
    unsafe fn part(&self, cx: &LaunchContext<'_>, part: usize, scratch: *mut u8) -> Result<(), RunError> {
        let (size, elements, places) = (self.size, self.grid.elements, self.grid.places);
        let out = cx.output_ptr(0).wrapping_add(part * elements * size);
        for i in 0..elements {
            // SAFETY: the initial value is an element of the result's type.
            unsafe { std::ptr::copy_nonoverlapping(cx.input_ptr(2), out.add(i * size), size) };
        }
        if elements == 0 {
            return Ok(());
        }
        let scatter_at = scratch.wrapping_add(self.select.scratch_bytes());
        for place in 0..places {
            // SAFETY: the caller vouches for the part and its scratch memory, in which both graphs have been begun; the elements that
            // windows see lie in the part.
            unsafe {
                let Some(selected) = self.selected(cx, part, place, scratch)? else { continue };
                let to = out.add(selected * size);
                let source = cx.input_ptr(1).add((part * places + place) * size);
                let input = |i: usize| if i == 0 { to.cast_const() } else { source };
                self.scatter.run(cx, scatter_at, input, |_| to)?;
            }
        }
        Ok(())
    }

    /// Returns the element of a part that a place selects, if it sees any.
    ///
    /// # Safety
    /// As for [`part`](SelectAndScatter::part).
    unsafe fn selected(
        &self,
        cx: &LaunchContext<'_>,
        part: usize,
        place: usize,
        scratch: *mut u8,
    ) -> Result<Option<usize>, RunError> {
        let x = cx.input_ptr(0).wrapping_add(part * self.grid.elements * self.size);
        let stays = scratch.wrapping_add(self.select.scratch_bytes() + self.scatter.scratch_bytes());
        let mut selected = None;
        self.grid.each_seen(place, &mut |at| {
            let Some(best) = selected else {
                selected = Some(at);
                return Ok::<(), RunError>(());
            };
            let input = |i: usize| x.wrapping_add(if i == 0 { best } else { at } * self.size);
            // SAFETY: the caller vouches for the part and its scratch memory; the elements that the grid sees lie in the part, and `stays`
            // is a line of the scratch memory that no graph uses.
            unsafe {
                self.select.run(cx, scratch, input, |_| stays)?;
                if stays.read() != 1 {
                    selected = Some(at);
                }
            }
            Ok(())
        })?;
        Ok(selected)
    }
}

impl OpKernel for SelectAndScatter {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let failure = Failure::default();
        let body = |cx: &LaunchContext<'_>, mut parts: Range<usize>, scratch: *mut u8| {
            // SAFETY: the parts of the range belong to this call, and so does the scratch memory.
            failure.note(unsafe {
                self.select.begin(scratch);
                self.scatter.begin(scratch.add(self.select.scratch_bytes()));
                parts.try_for_each(|part| self.part(cx, part, scratch))
            });
        };
        let selects = self.grid.seen().saturating_mul(self.select.nanoseconds());
        let scatters = (self.grid.places as u64).saturating_mul(self.scatter.nanoseconds());
        let nanoseconds = (self.parts as u64).saturating_mul(selects.saturating_add(scatters));
        // SAFETY: each part of the result belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, self.parts, 1, body) };
        failure.outcome()
    }
}
