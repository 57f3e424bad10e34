//! Reductions with a graph of long windows along one axis, in blocks that neighboring windows share. The graph combines the same elements
//! as tap by tap, in the same order; only the grouping differs, because the graph is associative.

use super::sliding::{Places, Segments, Sliding, WindowBlock};
use super::taps::{Grid, Taps};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::bodies::Failure;
use crate::kernels::bodies::combine::Combine;
use crate::kernels::elementwise::threads;
use crate::kernels::lines_of;
use rlx_compile::memory::Needs;
use std::ops::Range;

pub(super) struct LongWindowGraph {
    /// The axis of the window, and the distance between places along it in the results.
    taps: Taps,
    x_step: usize,
    out_step: usize,
    /// Number of places along the axes after it, and along those before it.
    inner: usize,
    outer: usize,
    sliding: Sliding,
    segments: Segments,
    body: Combine,
    /// Size of an element of each tensor in bytes.
    sizes: Vec<usize>,
    threads: usize,
}

/// An element of each tensor; each has room for the widest type.
type Row = *mut [u8; 16];

impl LongWindowGraph {
    /// Prepares the kernel if the window is long along one axis and does not move along the others; otherwise returns the body.
    pub(super) fn new(grid: &Grid, body: Combine, sizes: &[usize], threads: usize) -> Result<Self, Combine> {
        let axes = &grid.axes;
        let long = (0..axes.len()).find(|&a| !axes[a].0.is_still());
        let Some(long) = long.filter(|&long| axes[long + 1..].iter().all(|(taps, _)| taps.is_still())) else {
            return Err(body);
        };
        let (taps, x_step) = axes[long].clone();
        let sliding = taps.undilated().and_then(|_| Sliding::new(&taps, 1));
        let Some(sliding) = sliding else { return Err(body) };
        let places = |axes: &[(Taps, usize)]| axes.iter().map(|(taps, _)| taps.places).product();
        let inner = places(&axes[long + 1..]);
        Ok(LongWindowGraph {
            x_step,
            out_step: inner,
            inner,
            outer: places(&axes[..long]),
            segments: Segments::new(sliding.block_len()),
            taps,
            sliding,
            body,
            sizes: sizes.to_vec(),
            threads,
        })
    }

    /// Returns the numbers of rows for suffixes, for what comes after each segment, and for a prefix.
    fn rows(&self) -> [usize; 3] {
        [self.segments.len + 1, self.segments.count, 1]
    }

    fn row_bytes(&self) -> usize {
        let rows: usize = self.rows().into_iter().sum();
        lines_of::<[u8; 16]>(rows.saturating_mul(self.sizes.len()))
    }

    fn scratch_bytes(&self) -> usize {
        self.body.scratch_bytes().saturating_add(self.row_bytes())
    }
}

/// A block that is processed by one thread.
struct SegmentWork<'a> {
    kernel: &'a LongWindowGraph,
    cx: &'a LaunchContext<'a>,
    block: &'a WindowBlock,
    /// Positions of the first element and the first result of the axis.
    x: usize,
    out: usize,
    scratch: *mut u8,
    suffixes: Row,
    after: Row,
    prefix: Row,
}

impl SegmentWork<'_> {
    fn count(&self) -> usize {
        self.kernel.sizes.len()
    }

    /// Returns part `i` of a row.
    fn part(row: Row, i: usize) -> *mut u8 {
        row.wrapping_add(i).cast()
    }

    fn suffix(&self, i: usize) -> Row {
        self.suffixes.wrapping_add(i * self.count())
    }

    /// Returns a pointer to tensor `i`'s element at a position of the line.
    fn element(&self, position: usize, i: usize) -> *const u8 {
        let kernel = self.kernel;
        let at = self.x + (self.block.origin + position * kernel.sliding.lines) * kernel.x_step;
        self.cx.input_ptr(i).wrapping_add(at * kernel.sizes[i])
    }

    /// Copies an element of each tensor.
    ///
    /// # Safety
    /// All pointers are to elements of the tensors.
    unsafe fn copy(&self, from: impl Fn(usize) -> *const u8, to: impl Fn(usize) -> *mut u8) {
        for (i, &size) in self.kernel.sizes.iter().enumerate() {
            // SAFETY: the caller vouches for the pointers.
            unsafe { std::ptr::copy(from(i), to(i), size) };
        }
    }

    /// Combines elements with those that follow them.
    ///
    /// # Safety
    /// All pointers are to elements of the tensors.
    unsafe fn combine(
        &self,
        first: impl Fn(usize) -> *const u8,
        second: impl Fn(usize) -> *const u8,
        to: impl Fn(usize) -> *mut u8,
    ) -> Result<(), RunError> {
        let n = self.count();
        let input = |i: usize| i.checked_sub(n).map_or_else(|| first(i), &second);
        // SAFETY: the caller vouches for the pointers; the scratch memory has been begun.
        unsafe { self.kernel.body.run(self.cx, self.scratch, input, to) }
    }

    /// Stores the suffixes of a segment. If `continues`, the last of them continues with the row after the segment.
    ///
    /// # Safety
    /// The segment belongs to the block.
    unsafe fn write_suffixes(&self, segment: &Range<usize>, mut continues: bool) -> Result<(), RunError> {
        for position in segment.clone().rev() {
            let row = self.suffix(position - segment.start);
            let (element, to) = (|i| self.element(position, i), |i| Self::part(row, i));
            // SAFETY: the caller vouches for the segment, whose rows have room.
            unsafe {
                if continues {
                    let next = self.suffix(position - segment.start + 1);
                    self.combine(element, |i| Self::part(next, i).cast_const(), to)?;
                } else {
                    self.copy(element, to);
                }
            }
            continues = true;
        }
        Ok(())
    }

    /// Combines the prefix with an element.
    ///
    /// # Safety
    /// The position is on the line.
    unsafe fn take(&self, position: usize, is_first: bool) -> Result<(), RunError> {
        let (element, to) = (|i| self.element(position, i), |i| Self::part(self.prefix, i));
        // SAFETY: the caller vouches for the position.
        unsafe {
            if is_first {
                self.copy(element, to);
                return Ok(());
            }
            self.combine(|i| Self::part(self.prefix, i).cast_const(), element, to)
        }
    }

    /// Returns a pointer to the result of a place.
    fn result(&self, places: &Places, place: usize, i: usize) -> *mut u8 {
        let at = self.out + places.place(place) * self.kernel.out_step;
        self.cx.output_ptr(i).wrapping_add(at * self.kernel.sizes[i])
    }

    /// Computes the results of places whose windows begin with the line: the initial values combined with one element after the other.
    ///
    /// # Safety
    /// Nobody else uses the places.
    unsafe fn early(&self, places: &Places, range: Range<usize>) -> Result<(), RunError> {
        let n = self.count();
        // SAFETY: initial values are elements of the tensors' types; the caller vouches for the places.
        unsafe {
            self.copy(|i| self.cx.input_ptr(n + i), |i| Self::part(self.prefix, i));
            let mut taken = 0;
            for place in range {
                let sees = places.sees(place);
                let end = if sees.is_empty() { taken } else { sees.end.max(taken) };
                (taken..end).try_for_each(|position| self.take(position, false))?;
                taken = end;
                self.copy(|i| Self::part(self.prefix, i), |i| self.result(places, place, i));
            }
        }
        Ok(())
    }

    /// # Safety
    /// Nobody else uses the block's places, and the scratch memory belongs to this call.
    unsafe fn run(&self) -> Result<(), RunError> {
        let (block, late, n) = (self.block, &self.block.late, self.count());
        let seeing = late.before(block.range.end);
        // SAFETY: the caller's promise; rows are written before they are read.
        unsafe {
            self.early(&block.early, 0..block.early.count)?;
            // Places past the line see nothing.
            self.early(late, seeing..late.count)?;
            if seeing == 0 {
                return Ok(());
            }
            let segments = self.kernel.segments;
            let after = |segment: &Range<usize>| {
                self.after.wrapping_add((segment.start - block.range.start) / segments.len * n)
            };
            let copy_row = |from: Row, to: Row| {
                self.copy(|i| Self::part(from, i).cast_const(), |i| Self::part(to, i));
            };
            let from = late.sees(0).start;
            let mut later: Option<Range<usize>> = None;
            for segment in segments.of(&block.range, from).rev() {
                if let Some(later) = later {
                    copy_row(after(&later), self.suffix(later.len()));
                    self.write_suffixes(&later, later.end < block.range.end)?;
                    copy_row(self.suffix(0), after(&segment));
                }
                later = Some(segment);
            }
            let (mut place, mut taken) = (0, block.range.end);
            for segment in segments.of(&block.range, from) {
                copy_row(after(&segment), self.suffix(segment.len()));
                self.write_suffixes(&segment, segment.end < block.range.end)?;
                let before = late.before(segment.end).max(place);
                for at in place..before {
                    let sees = late.sees(at);
                    let end = taken.max(sees.end);
                    (taken..end).try_for_each(|position| self.take(position, position == block.range.end))?;
                    taken = end;
                    let result = |i: usize| self.result(late, at, i);
                    let suffix = self.suffix(sees.start - segment.start);
                    self.copy(|i| self.cx.input_ptr(n + i), result);
                    self.combine(|i| result(i).cast_const(), |i| Self::part(suffix, i), result)?;
                    if taken > block.range.end {
                        self.combine(|i| result(i).cast_const(), |i| Self::part(self.prefix, i), result)?;
                    }
                }
                place = before;
            }
        }
        Ok(())
    }
}

impl OpKernel for LongWindowGraph {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let failure = Failure::default();
        let (blocks, lines) = (self.sliding.blocks, self.sliding.lines);
        let elements = (self.taps.positions() as usize).saturating_mul(self.x_step);
        let body = |cx: &LaunchContext<'_>, mut units: Range<usize>, scratch: *mut u8| {
            // SAFETY: the units of the range belong to this call, and so does the scratch memory.
            failure.note(unsafe {
                self.body.begin(scratch);
                units.try_for_each(|unit| {
                    let (block, line, other) = (unit % blocks, unit / blocks % lines, unit / blocks / lines);
                    let Some(block) = self.sliding.block(line, block) else { return Ok(()) };
                    let (outer, inner) = (other / self.inner, other % self.inner);
                    let mut at: Row = scratch.wrapping_add(self.body.scratch_bytes()).cast();
                    let [suffixes, after, prefix] = self.rows().map(|rows| {
                        let start = at;
                        at = at.wrapping_add(rows * self.sizes.len());
                        start
                    });
                    let x = outer * elements + inner;
                    let out = outer * self.taps.places * self.out_step + inner;
                    let work = SegmentWork {
                        kernel: self,
                        cx,
                        block: &block,
                        x,
                        out,
                        scratch,
                        suffixes,
                        after,
                        prefix,
                    };
                    work.run()
                })
            });
        };
        let others = self.outer.saturating_mul(self.inner);
        let nanoseconds = self.sliding.steps().saturating_mul(others as u64);
        let nanoseconds = nanoseconds.saturating_mul(self.body.nanoseconds());
        let units = others * lines * blocks;
        // SAFETY: each result belongs to one range of units, which alone writes it.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, units, 1, body) };
        failure.outcome()
    }
}
