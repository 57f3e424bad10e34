//! Reductions by name of what a moving window sees, a line of places at a time: each tap's line of elements is taken into a
//! line of totals, in the order of the taps.

use super::fold::{Elements, Fold, Visit, visit};
use super::taps::{Grid, Moves, Taps, each_seen};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::kernels::{PrepareContext, lines_of, missing};
use crate::simd::{Kernel, Simd};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, ReduceOp};
use std::convert::Infallible;
use std::ops::Range;

/// What goes with each line of elements.
const LINE_PICOSECONDS: u64 = 8_000;

struct ReduceWindow<F: Fold> {
    /// The axes but the last, their places, and the last.
    outer: Vec<(Taps, usize)>,
    lines: usize,
    last: (Taps, usize),
    elements: Elements,
    identity: F::Total,
    nanoseconds: u64,
    threads: usize,
}

/// The kernel of a window over `grid`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    kind: ReduceOp,
    mut grid: Grid,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let dtype = cx.operand(0).dtype();
    if grid.axes.is_empty() {
        let still =
            Moves { base: 1, window: 1, places: 1, stride: 1, base_dilation: 1, window_dilation: 1, low: 0 };
        grid.axes.push((Taps::new(&still), 0));
    }
    let make = Make { grid, dtype, threads: cx.threads };
    visit(kind, dtype, make).map_or_else(|| missing(cx), Ok)
}

/// Makes the kernel of a fold.
struct Make {
    grid: Grid,
    dtype: DType,
    threads: usize,
}

impl Visit for Make {
    type Output = Box<dyn OpKernel>;

    fn visit<F: Fold>(self, identity: Scalar) -> Option<Box<dyn OpKernel>> {
        let elements = Elements::new::<F>(self.dtype)?;
        let taps = self.grid.taps() as u64;
        let Grid { mut axes, places, .. } = self.grid;
        let last = axes.pop()?;
        let lines = axes.iter().map(|(taps, _)| taps.places).product();
        let picoseconds = places as u64 * F::PICOSECONDS + lines as u64 * LINE_PICOSECONDS;
        Some(Box::new(ReduceWindow::<F> {
            outer: axes,
            lines,
            last,
            elements,
            identity: F::identity(identity),
            nanoseconds: taps.saturating_mul(picoseconds) / 1_000,
            threads: self.threads,
        }))
    }
}

/// Takes a line of elements into totals that lie `step` apart.
struct TakeIn<'a, F: Fold> {
    totals: &'a mut [F::Total],
    step: usize,
    line: &'a [F::Total],
}

impl<F: Fold> Kernel for TakeIn<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        if self.step == 1 {
            self.totals.iter_mut().zip(self.line).for_each(|(total, &x)| *total = F::step(*total, x));
        } else {
            let totals = self.totals.iter_mut().step_by(self.step.max(1));
            totals.zip(self.line).for_each(|(total, &x)| *total = F::step(*total, x));
        }
    }
}

impl<F: Fold> ReduceWindow<F> {
    fn width(&self) -> usize {
        self.last.0.places
    }

    /// A line of totals, and one of elements.
    fn scratch_bytes(&self) -> usize {
        lines_of::<F::Total>(self.width().saturating_mul(2))
    }

    /// # Safety
    /// The line exists and is written by nobody else; the scratch memory is this call's.
    unsafe fn line(&self, cx: &LaunchContext<'_>, line: usize, scratch: *mut u8) {
        let (width, size) = (self.width(), self.elements.size);
        let totals = scratch.cast::<F::Total>();
        // SAFETY: the scratch memory has room for both lines; the caller vouches for the result.
        unsafe {
            (0..width).for_each(|i| totals.add(i).write(self.identity));
            let buffer = totals.add(width);
            let Ok(()) = each_seen(&self.outer, line, self.lines, 0, &mut |at| {
                self.taps(cx, at, totals, buffer);
                Ok::<(), Infallible>(())
            });
            let dst = cx.output_ptr(0).add(line * width * size);
            self.elements.write::<F>(cx.cpu, totals, dst, size as isize, width);
        }
    }

    /// Takes in what the taps of the last axis see of the line of x at `at`.
    ///
    /// # Safety
    /// The line lies in x; `totals` and `buffer` have room for a line.
    unsafe fn taps(&self, cx: &LaunchContext<'_>, at: usize, totals: *mut F::Total, buffer: *mut F::Total) {
        let ((taps, stride), size) = (&self.last, self.elements.size);
        for seen in taps.seen.iter().filter(|seen| seen.count > 0) {
            let src = cx.input_ptr(0).wrapping_add((at + seen.first * stride) * size);
            let step = (seen.step * stride * size) as isize;
            // SAFETY: the caller vouches for the line of x and for the room of both buffers; places and elements of a
            // tap lie within their lines.
            unsafe {
                self.elements.read::<F>(cx.cpu, src, step, buffer, seen.count);
                let reach = (seen.count - 1) * seen.place_step + 1;
                let totals = std::slice::from_raw_parts_mut(totals.add(seen.first_place), reach);
                let line = std::slice::from_raw_parts(buffer, seen.count);
                cx.cpu.dispatch(TakeIn::<F> { totals, step: seen.place_step, line });
            }
        }
    }
}

impl<F: Fold> OpKernel for ReduceWindow<F> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.width() == 0 {
            return Ok(());
        }
        let body = |cx: &LaunchContext<'_>, lines: Range<usize>, scratch: *mut u8| {
            // SAFETY: lines of the range are this call's, and so is the scratch memory.
            lines.for_each(|line| unsafe { self.line(cx, line, scratch) });
        };
        // SAFETY: a line of results is written by the range that has it alone.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds, self.lines, 1, body) };
        Ok(())
    }
}
