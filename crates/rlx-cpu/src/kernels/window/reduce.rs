//! Named reductions of the elements that a moving window sees, one run of places at a time. Each tap's line of elements is combined with a
//! line of totals, in the order of the taps.

use super::fold::{Elements, Fold, Visit, visit};
use super::long::LongWindow;
use super::taps::{Grid, Seen, Taps, each_seen};
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

/// Additional time for each line of elements.
const LINE_PICOSECONDS: u64 = 8_000;
/// Maximum number of places in a run; their totals stay in the nearest cache.
const RUN: usize = 1024;

struct ReduceWindow<F: Fold> {
    /// All axes except the last, with their places, and the last axis.
    outer: Vec<(Taps, usize)>,
    lines: usize,
    last: (Taps, usize),
    elements: Elements,
    identity: F::Total,
    nanoseconds: u64,
    threads: usize,
}

/// Prepares the kernel of a window over `grid`.
pub(super) fn prepare(
    cx: &PrepareContext<'_>,
    kind: ReduceOp,
    grid: Grid,
) -> Result<Box<dyn OpKernel>, BackendError> {
    let dtype = cx.operand(0).dtype();
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
        let identity = F::identity(identity);
        if let Some(long) = LongWindow::<F>::new(&self.grid, elements, identity, self.threads) {
            return Some(Box::new(long));
        }
        let (taps, seen) = (self.grid.taps() as u64, self.grid.seen());
        let Grid { mut axes, .. } = self.grid;
        let last = axes.pop()?;
        let lines: usize = axes.iter().map(|(taps, _)| taps.places).product();
        let runs = lines as u64 * last.0.places.div_ceil(RUN) as u64;
        let reads = runs.saturating_mul(taps).saturating_mul(LINE_PICOSECONDS);
        let picoseconds = seen.saturating_mul(F::PICOSECONDS).saturating_add(reads);
        Some(Box::new(ReduceWindow::<F> {
            outer: axes,
            lines,
            last,
            elements,
            identity,
            nanoseconds: picoseconds / 1_000,
            threads: self.threads,
        }))
    }
}

/// Combines totals that are `step` apart with a line of elements.
pub(super) struct TakeIn<'a, F: Fold> {
    pub(super) totals: &'a mut [F::Total],
    pub(super) step: usize,
    pub(super) line: &'a [F::Total],
}

impl<F: Fold> Kernel for TakeIn<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        if self.step == 1 {
            self.totals.iter_mut().zip(self.line).for_each(|(total, &x)| *total = F::combine(*total, x));
        } else {
            let totals = self.totals.iter_mut().step_by(self.step.max(1));
            totals.zip(self.line).for_each(|(total, &x)| *total = F::combine(*total, x));
        }
    }
}

impl<F: Fold> ReduceWindow<F> {
    /// Returns the number of places in a run.
    fn run_length(&self) -> usize {
        self.last.0.places.min(RUN)
    }

    /// Returns the bytes for a line of totals and a line of elements.
    fn scratch_bytes(&self) -> usize {
        lines_of::<F::Total>(2 * self.run_length())
    }

    /// # Safety
    /// The line and these places of it exist and nobody else writes them; the scratch memory belongs to this call.
    unsafe fn places(&self, cx: &LaunchContext<'_>, line: usize, places: Range<usize>, scratch: *mut u8) {
        let (width, size, count) = (self.last.0.places, self.elements.size, places.len());
        let totals = scratch.cast::<F::Total>();
        // SAFETY: the scratch memory has room for both lines; the caller vouches for the result.
        unsafe {
            (0..count).for_each(|i| totals.add(i).write(self.identity));
            let buffer = totals.add(count);
            let Ok(()) = each_seen(&self.outer, line, self.lines, 0, &mut |at| {
                take_line::<F>(cx, &self.elements, &self.last, at, places.clone(), totals, buffer);
                Ok::<(), Infallible>(())
            });
            let dst = cx.output_ptr(0).add((line * width + places.start) * size);
            self.elements.write::<F>(cx.cpu, totals, dst, size as isize, count);
        }
    }
}

/// Combines totals with the elements of the line of x at `at` that the taps of an axis see from these places.
///
/// # Safety
/// The line lies in x; `totals` and `buffer` have room for one element per place.
pub(super) unsafe fn take_line<F: Fold>(
    cx: &LaunchContext<'_>,
    elements: &Elements,
    (taps, stride): &(Taps, usize),
    at: usize,
    places: Range<usize>,
    totals: *mut F::Total,
    buffer: *mut F::Total,
) {
    let take = |seen: &Seen| {
        if seen.count == 0 {
            return;
        }
        let src = cx.input_ptr(0).wrapping_add((at + seen.element * stride) * elements.size);
        let step = (seen.element_step * stride * elements.size) as isize;
        // SAFETY: the caller vouches for the line of x and for the room in both buffers; places and elements of a tap lie within their
        // lines.
        unsafe {
            elements.read::<F>(cx.cpu, src, step, buffer, seen.count);
            let reach = (seen.count - 1) * seen.step + 1;
            let totals = std::slice::from_raw_parts_mut(totals.add(seen.start - places.start), reach);
            let line = std::slice::from_raw_parts(buffer, seen.count);
            cx.cpu.dispatch(TakeIn::<F> { totals, step: seen.step, line });
        }
    };
    match taps.of_each_tap() {
        Some(list) if places.len() == taps.places => list.iter().for_each(take),
        _ => taps.near(places.clone()).for_each(|tap| take(&taps.of_tap(tap).within(places.clone()))),
    }
}

impl<F: Fold> OpKernel for ReduceWindow<F> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (width, length) = (self.last.0.places, self.run_length());
        if width == 0 {
            return Ok(());
        }
        let runs = width.div_ceil(length);
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, scratch: *mut u8| {
            for number in range {
                let first = number % runs * length;
                let places = first..width.min(first + length);
                // SAFETY: the runs of the range belong to this call, and so does the scratch memory.
                unsafe { self.places(cx, number / runs, places, scratch) };
            }
        };
        // SAFETY: each run of results belongs to one range, which alone writes it.
        unsafe {
            threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds, self.lines * runs, 1, body);
        }
        Ok(())
    }
}
