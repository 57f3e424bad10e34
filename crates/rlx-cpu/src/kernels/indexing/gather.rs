//! Kernel of `gather`: windows of a tensor, one for each index vector. Rows of a table, such as embeddings, are plain copies of bytes.

use super::windows::{Sizes, Windows, window};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::kernels::movement::strided::StridedCopy;
use crate::kernels::{PrepareContext, missing};
use rlx_compile::BackendError;
use rlx_ir::Op;
use std::ops::Range;

/// A gather is a sparse lookup if it reads at most one in this many elements of x.
const FEW: usize = 16;

/// Number of windows that a sparse lookup reads before it releases the memory that came with them, because the system may load a page of 2
/// MiB for each.
const FETCHED: usize = 4;

/// Picoseconds to find a window.
const BOX_PICOSECONDS: u64 = 6_000;

struct Gather {
    windows: Windows,
    /// Copies one window from x to the result.
    copy: StridedCopy,
    /// Whether x has no elements; then the result is zeros.
    empty: bool,
    /// Whether a run reads only a few places of x.
    looks_up: bool,
    nanoseconds: u64,
}

/// Prepares the kernel of a gather.
pub(super) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::Gather { dims, slice_sizes } = cx.node.op() else {
        return missing(cx);
    };
    let axes = dims.windows();
    let widths: Vec<usize> = slice_sizes.iter().map(|s| s.as_static().unwrap_or(1).max(1)).collect();
    let (x, indices, out) = (cx.dims(0), cx.dims(1), cx.out_dims());
    let sizes = Sizes { x: &x, indices: &indices, windows: &out, widths: &widths };
    let size = cx.node.shape().dtype().size();
    let windows = Windows::new(&axes, &sizes, cx.operand(1).dtype(), size);
    let copy = StridedCopy::new(size, &window(&axes, &sizes, size));
    let picoseconds = (copy.picoseconds() + BOX_PICOSECONDS).saturating_mul(windows.count as u64);
    let [whole, read] = [&x, &out].map(|dims| dims.iter().product::<usize>());
    Ok(Box::new(Gather {
        windows,
        copy,
        empty: x.contains(&0),
        looks_up: read <= whole / FEW,
        nanoseconds: picoseconds / 1_000,
    }))
}

impl OpKernel for Gather {
    fn looks_up(&self) -> Vec<usize> {
        if self.looks_up { vec![0] } else { Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.empty {
            cx.output::<u8>(0).fill(0);
            return Ok(());
        }
        let units = self.copy.units();
        let at_once = if self.looks_up { FETCHED * units.max(1) } else { usize::MAX };
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, _: *mut u8| {
            for start in range.clone().step_by(at_once) {
                let part = start..range.end.min(start.saturating_add(at_once));
                // SAFETY: the units are those of the plan; `inside` keeps every window inside x.
                unsafe {
                    match self.copy.run() {
                        Some(bytes) if units == 1 => self.rows(cx, part, bytes),
                        _ => self.tiles(cx, part),
                    }
                }
                if self.looks_up {
                    cx.release(0);
                }
            }
        };
        // SAFETY: each unit of a window writes bytes of the result that no other unit writes.
        unsafe { threads::for_ranges(cx, 0, self.nanoseconds, self.windows.count * units, 1, body) };
        Ok(())
    }
}

impl Gather {
    /// Copies windows that are one run of bytes each.
    ///
    /// # Safety
    /// `range` is within the windows.
    unsafe fn rows(&self, cx: &LaunchContext<'_>, range: Range<usize>, bytes: usize) {
        for which in range {
            // SAFETY: the caller's promise.
            let (from, to) = unsafe { self.windows.inside(which, cx.input_ptr(1)) };
            let (from, to) = (cx.input_ptr(0).wrapping_offset(from), cx.output_ptr(0).wrapping_offset(to));
            // SAFETY: the window lies in x, and its place in the result.
            unsafe {
                match bytes {
                    4 => to.cast::<[u8; 4]>().write_unaligned(from.cast::<[u8; 4]>().read_unaligned()),
                    8 => to.cast::<[u8; 8]>().write_unaligned(from.cast::<[u8; 8]>().read_unaligned()),
                    _ => std::ptr::copy_nonoverlapping(from, to, bytes),
                }
            }
        }
    }

    /// Copies units of windows, window by window.
    ///
    /// # Safety
    /// `range` is within the units of all windows.
    unsafe fn tiles(&self, cx: &LaunchContext<'_>, range: Range<usize>) {
        let (units, mut at) = (self.copy.units(), range.start);
        while at < range.end {
            let (which, first) = (at / units, at % units);
            let last = units.min(first + range.end - at);
            // SAFETY: the caller's promise; the window lies in x, and its place in the result.
            unsafe {
                let (from, to) = self.windows.inside(which, cx.input_ptr(1));
                let (from, to) =
                    (cx.input_ptr(0).wrapping_offset(from), cx.output_ptr(0).wrapping_offset(to));
                self.copy.range(first..last, from, to);
            }
            at += last - first;
        }
    }
}
