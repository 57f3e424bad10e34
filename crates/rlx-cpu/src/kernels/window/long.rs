//! Named reductions of long windows. Along one axis they use blocks that neighboring windows share, along the other axes they combine tap
//! by tap.

use super::fold::{Elements, Fold};
use super::reduce::{TakeIn, take_line};
use super::sliding::{Places, Segments, Sliding, WindowBlock};
use super::taps::{Grid, Taps, each_seen};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::kernels::lines_of;
use crate::simd::{Kernel, Simd};
use rlx_compile::memory::Needs;
use std::convert::Infallible;
use std::ops::Range;

/// Maximum number of lanes that are processed together, and of totals that are read at a time.
const LANES: usize = 64;
const TOTALS: usize = 1024;
/// Number of tap-by-tap steps that take as long as one step from row to row. The latter depend on each other if rows are short.
const COST_OF_STEP: usize = 8;
const COST_OF_ROW: usize = 2;

pub(super) struct LongWindow<F: Fold> {
    /// The axis of the window, and the distance between places along it in the result.
    taps: Taps,
    x_step: usize,
    out_step: usize,
    /// The last axis, if it is a different one; its places are lanes.
    last: Option<(Taps, usize)>,
    /// All other axes, with their steps in the result and their places.
    others: Vec<(Taps, usize)>,
    out_steps: Vec<usize>,
    other_places: usize,
    sliding: Sliding,
    segments: Segments,
    elements: Elements,
    identity: F::Total,
    threads: usize,
}

impl<F: Fold> LongWindow<F> {
    /// Prepares the kernel, if the window is long enough along some axis.
    pub(super) fn new(
        grid: &Grid,
        elements: Elements,
        identity: F::Total,
        threads: usize,
    ) -> Option<LongWindow<F>> {
        let axes = &grid.axes;
        let long = (0..axes.len()).max_by_key(|&a| axes[a].0.most())?;
        let has_lanes = long + 1 < axes.len();
        let (taps, x_step) = axes[long].clone();
        let sliding = Sliding::new(&taps, if has_lanes { COST_OF_ROW } else { COST_OF_STEP })?;
        let mut out_steps = vec![1; axes.len()];
        for a in (1..axes.len()).rev() {
            out_steps[a - 1] = out_steps[a] * axes[a].0.places;
        }
        let last = axes.len() - 1;
        let is_other = |a: &usize| *a != long && *a != last;
        let others: Vec<(Taps, usize)> = (0..=last).filter(is_other).map(|a| axes[a].clone()).collect();
        Some(LongWindow {
            x_step,
            out_step: out_steps[long],
            last: has_lanes.then(|| axes[last].clone()),
            other_places: others.iter().map(|(taps, _)| taps.places).product(),
            others,
            out_steps: (0..=last).filter(is_other).map(|a| out_steps[a]).collect(),
            segments: Segments::new(sliding.block_len()),
            taps,
            sliding,
            elements,
            identity,
            threads,
        })
    }

    /// Returns the number of places along the last axis, if they are lanes.
    fn width(&self) -> usize {
        self.last.as_ref().map_or(1, |(taps, _)| taps.places)
    }

    fn lanes(&self) -> usize {
        self.width().min(LANES)
    }

    /// Returns the number of rows of lanes that are read at a time.
    fn rows(&self) -> usize {
        TOTALS / self.lanes().max(1)
    }

    /// Returns the sizes of the scratch memory: suffixes, what comes after each segment, a prefix, rows that are read, rows that are
    /// written, and a line.
    fn scratch(&self) -> [usize; 6] {
        let (lanes, rows) = (self.lanes(), self.rows());
        let rows = [self.segments.len + 1, self.segments.count, 1, rows, rows].map(|n| n * lanes);
        [rows[0], rows[1], rows[2], rows[3], rows[4], rows[3].max(lanes)]
    }

    fn scratch_bytes(&self) -> usize {
        lines_of::<F::Total>(self.scratch().into_iter().fold(0, usize::saturating_add))
    }

    fn nanoseconds(&self) -> u64 {
        let others = self.others.iter().chain(&self.last);
        let taps = others.map(|(taps, _)| taps.places as u64 * taps.most() as u64);
        let lanes = taps.fold(1, u64::saturating_mul);
        let step = F::PICOSECONDS * if self.last.is_some() { COST_OF_ROW } else { COST_OF_STEP } as u64;
        self.sliding.steps().saturating_mul(lanes).saturating_mul(step) / 1_000
    }
}

/// Computes suffixes of rows: each suffix combines a row with the suffix after it.
struct Suffixes<'a, F: Fold> {
    /// One row more than `read` has. The last row is given; it is the suffix after the rows in `read`.
    rows: &'a mut [F::Total],
    read: &'a [F::Total],
    lanes: usize,
}

impl<F: Fold> Kernel for Suffixes<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let lanes = self.lanes;
        if lanes == 1 {
            let Some((total, rows)) = self.rows.split_last_mut() else { return };
            let mut total = *total;
            for (row, &x) in rows.iter_mut().zip(self.read).rev() {
                total = F::combine(x, total);
                *row = total;
            }
            return;
        }
        for (i, read) in self.read.chunks_exact(lanes).enumerate().rev() {
            let (before, after) = self.rows.split_at_mut((i + 1) * lanes);
            let rows = before[i * lanes..].iter_mut().zip(&after[..lanes]);
            rows.zip(read).for_each(|((row, &next), &x)| *row = F::combine(x, next));
        }
    }
}

/// Computes the windows of consecutive places. Each is a suffix combined with a prefix, which grows by further rows as windows move on.
struct Slide<'a, F: Fold> {
    /// The suffix of the first place; those of the next places are `advance` rows further each. `None` if windows begin with the block.
    suffixes: Option<&'a [F::Total]>,
    advance: usize,
    prefix: &'a mut [F::Total],
    /// Rows. The prefix of the first place includes `first` of them, and that of each next place `advance` more, as far as there are rows.
    read: &'a [F::Total],
    first: isize,
    out: &'a mut [F::Total],
    lanes: usize,
}

impl<F: Fold> Kernel for Slide<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let lanes = self.lanes;
        let available = (self.read.len() / lanes) as isize;
        let (mut taken, mut until) = (0, self.first);
        if lanes == 1 {
            let mut total = self.prefix[0];
            for (i, out) in self.out.iter_mut().enumerate() {
                for &x in &self.read[taken..until.clamp(taken as isize, available) as usize] {
                    total = F::combine(total, x);
                    taken += 1;
                }
                *out = self.suffixes.map_or(total, |suffixes| F::combine(suffixes[i * self.advance], total));
                until += self.advance as isize;
            }
            self.prefix[0] = total;
            return;
        }
        for (i, out) in self.out.chunks_exact_mut(lanes).enumerate() {
            let upto = until.clamp(taken as isize, available) as usize;
            for read in self.read[taken * lanes..upto * lanes].chunks_exact(lanes) {
                self.prefix.iter_mut().zip(read).for_each(|(total, &x)| *total = F::combine(*total, x));
            }
            match self.suffixes {
                Some(suffixes) => {
                    let suffix = suffixes[i * self.advance * lanes..].iter().zip(self.prefix.iter());
                    out.iter_mut().zip(suffix).for_each(|(out, (&a, &b))| *out = F::combine(a, b));
                }
                None => out.copy_from_slice(self.prefix),
            }
            (taken, until) = (upto, until + self.advance as isize);
        }
    }
}

/// A block that is processed by one thread, with its scratch memory.
struct BlockWork<'a, F: Fold> {
    kernel: &'a LongWindow<F>,
    cx: &'a LaunchContext<'a>,
    block: &'a WindowBlock,
    /// The place along the other axes, the position of its results, and the places along the last axis.
    other: usize,
    out: usize,
    lanes: Range<usize>,
    suffixes: *mut F::Total,
    after: *mut F::Total,
    prefix: *mut F::Total,
    read: *mut F::Total,
    results: *mut F::Total,
    line: *mut F::Total,
}

impl<F: Fold> BlockWork<'_, F> {
    /// Reads rows of the block's line, starting at position `start`. Elements that taps of other axes see for the same position are
    /// combined.
    ///
    /// # Safety
    /// The positions are on the line, and there are at most as many as are read at a time.
    unsafe fn read(&self, start: usize, count: usize) {
        let (kernel, cx, lanes) = (self.kernel, self.cx, self.lanes.len());
        let size = kernel.elements.size;
        let position = |i: usize| self.block.origin + (start + i) * kernel.sliding.lines;
        // SAFETY: there is room for that many rows; elements that taps see lie in x.
        unsafe {
            let Some(last) = &kernel.last else {
                let seen = kernel.taps.seen_from(position(0), count);
                let step = (seen.element_step * kernel.x_step * size) as isize;
                let mut fresh = true;
                self.each_other(|at| {
                    let src = cx.input_ptr(0).wrapping_add((at + seen.element * kernel.x_step) * size);
                    if fresh && seen.count == count {
                        kernel.elements.read::<F>(cx.cpu, src, step, self.read, count);
                    } else {
                        if fresh {
                            self.clear(self.read, count);
                        }
                        kernel.elements.read::<F>(cx.cpu, src, step, self.line, seen.count);
                        let totals = std::slice::from_raw_parts_mut(self.read, count);
                        let line = std::slice::from_raw_parts(self.line, seen.count);
                        cx.cpu.dispatch(TakeIn::<F> {
                            totals: &mut totals[seen.start..],
                            step: seen.step,
                            line,
                        });
                    }
                    fresh = false;
                });
                if fresh {
                    self.clear(self.read, count);
                }
                return;
            };
            for i in 0..count {
                let (row, seen) = (self.read.add(i * lanes), kernel.taps.seen_from(position(i), 1));
                self.clear(row, lanes);
                if seen.count == 1 {
                    self.each_other(|at| {
                        let at = at + seen.element * kernel.x_step;
                        take_line::<F>(cx, &kernel.elements, last, at, self.lanes.clone(), row, self.line);
                    });
                }
            }
        }
    }

    /// Calls `f` with each position that is seen along the other axes.
    fn each_other(&self, mut f: impl FnMut(usize)) {
        let (others, places) = (&self.kernel.others, self.kernel.other_places);
        let Ok(()) = each_seen(others, self.other, places, 0, &mut |at| {
            f(at);
            Ok::<(), Infallible>(())
        });
    }

    /// # Safety
    /// There is room for `count` totals.
    unsafe fn clear(&self, totals: *mut F::Total, count: usize) {
        // SAFETY: the caller vouches for the room.
        (0..count).for_each(|i| unsafe { totals.add(i).write(self.kernel.identity) });
    }

    /// Stores the suffixes of a segment; the last of them continues with the row after the segment.
    ///
    /// # Safety
    /// The segment belongs to the block, and that row has been written.
    unsafe fn write_suffixes(&self, segment: &Range<usize>) {
        let (lanes, each) = (self.lanes.len(), self.kernel.rows());
        let mut end = segment.end;
        while end > segment.start {
            let start = end.saturating_sub(each).max(segment.start);
            // SAFETY: the caller vouches for the segment, whose rows have room.
            unsafe {
                self.read(start, end - start);
                let at = self.suffixes.add((start - segment.start) * lanes);
                self.cx.cpu.dispatch(Suffixes::<F> {
                    rows: std::slice::from_raw_parts_mut(at, (end - start + 1) * lanes),
                    read: std::slice::from_raw_parts(self.read, (end - start) * lanes),
                    lanes,
                });
            }
            end = start;
        }
    }

    /// Computes the results of places whose windows begin with suffixes of a segment, if any, and end with elements from `taken` on; the
    /// prefix contains everything before `taken`. Returns the new `taken`.
    ///
    /// # Safety
    /// The suffixes have been stored, and nobody else uses the places.
    unsafe fn slide(
        &self,
        places: &Places,
        range: Range<usize>,
        segment: Option<&Range<usize>>,
        mut taken: usize,
    ) -> usize {
        let (lanes, each) = (self.lanes.len(), self.kernel.rows());
        let advance = places.advance();
        let mut i = range.start;
        while i < range.end {
            let needed = places.sees(i).end.saturating_sub(taken);
            // If there are too many rows to read at a time, they are added to the prefix before the first place.
            let (count, reads) = if needed > each {
                (0, each)
            } else {
                let count = ((each - needed) / advance + 1).min(each).min(range.end - i);
                (count, places.sees(i + count - 1).end.saturating_sub(taken))
            };
            let first = places.end_after(i, taken);
            // SAFETY: at most as many rows are read as there is room for; the caller vouches for suffixes and places.
            unsafe {
                self.read(taken, reads);
                let suffixes = segment.map(|segment| {
                    let skipped = places.sees(i).start - segment.start;
                    let rows = (segment.len() - skipped) * lanes;
                    std::slice::from_raw_parts(self.suffixes.add(skipped * lanes), rows)
                });
                let prefix = std::slice::from_raw_parts_mut(self.prefix, lanes);
                let read = std::slice::from_raw_parts(self.read, reads * lanes);
                if count == 0 {
                    self.cx.cpu.dispatch(TakeRows::<F> { prefix, read });
                } else {
                    let out = std::slice::from_raw_parts_mut(self.results, count * lanes);
                    self.cx.cpu.dispatch(Slide::<F> { suffixes, advance, prefix, read, first, out, lanes });
                    self.write(places, i, count);
                }
            }
            (i, taken) = (i + count, taken + reads);
        }
        taken
    }

    /// Writes the results of `count` places, starting with the `i`-th.
    ///
    /// # Safety
    /// The results exist, and nobody else uses the places.
    unsafe fn write(&self, places: &Places, i: usize, count: usize) {
        let (kernel, lanes) = (self.kernel, self.lanes.len());
        let size = kernel.elements.size;
        let at = |i: usize| (self.out + places.place(i) * kernel.out_step + self.lanes.start) * size;
        let (rows, along, step) = match kernel.last {
            None => (1, count, places.step * kernel.out_step * size),
            Some(_) => (count, lanes, size),
        };
        for row in 0..rows {
            // SAFETY: the caller vouches for results and places.
            unsafe {
                let (from, to) = (self.results.add(row * lanes), self.cx.output_ptr(0).add(at(i + row)));
                kernel.elements.write::<F>(self.cx.cpu, from, to, step as isize, along);
            }
        }
    }

    /// # Safety
    /// Nobody else uses the block's places, and the scratch memory belongs to this call.
    unsafe fn run(&self) {
        let (block, lanes, segments) = (self.block, self.lanes.len(), self.kernel.segments);
        // SAFETY: the caller's promise; rows are written before they are used.
        unsafe {
            self.clear(self.prefix, lanes);
            self.slide(&block.early, 0..block.early.count, None, 0);
            let late = &block.late;
            let seeing = late.before(block.range.end);
            self.clear(self.prefix, lanes);
            if seeing > 0 {
                let from = late.sees(0).start;
                // Computes what comes after each segment, starting with the last segment.
                let row = |segment: &Range<usize>| {
                    self.after.add((segment.start - block.range.start) / segments.len * lanes)
                };
                let end = |segment: &Range<usize>| self.suffixes.add(segment.len() * lanes);
                let list = segments.of(&block.range, from);
                let mut later: Option<Range<usize>> = None;
                for segment in list.rev() {
                    match &later {
                        None => self.clear(row(&segment), lanes),
                        Some(later) => {
                            std::ptr::copy_nonoverlapping(row(later), end(later), lanes);
                            self.write_suffixes(later);
                            std::ptr::copy_nonoverlapping(self.suffixes, row(&segment), lanes);
                        }
                    }
                    later = Some(segment);
                }
                let (mut done, mut taken) = (0, block.range.end);
                for segment in segments.of(&block.range, from) {
                    std::ptr::copy_nonoverlapping(row(&segment), end(&segment), lanes);
                    self.write_suffixes(&segment);
                    let until = late.before(segment.end);
                    taken = self.slide(late, done..until, Some(&segment), taken);
                    done = until;
                }
            }
            // Places past the line see nothing.
            self.clear(self.prefix, lanes);
            self.slide(late, seeing..late.count, None, block.len);
        }
    }
}

/// Adds rows to a prefix.
struct TakeRows<'a, F: Fold> {
    prefix: &'a mut [F::Total],
    read: &'a [F::Total],
}

impl<F: Fold> Kernel for TakeRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        if let [total] = self.prefix {
            *total = self.read.iter().fold(*total, |total, &x| F::combine(total, x));
            return;
        }
        for read in self.read.chunks_exact(self.prefix.len()) {
            self.prefix.iter_mut().zip(read).for_each(|(total, &x)| *total = F::combine(*total, x));
        }
    }
}

impl<F: Fold> OpKernel for LongWindow<F> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (width, lanes) = (self.width(), self.lanes());
        if width == 0 {
            return Ok(());
        }
        let (blocks, lines, runs) = (self.sliding.blocks, self.sliding.lines, width.div_ceil(lanes));
        let body = |cx: &LaunchContext<'_>, units: Range<usize>, scratch: *mut u8| {
            for unit in units {
                let (block, rest) = (unit % blocks, unit / blocks);
                let Some(block) = self.sliding.block(rest % lines, block) else { continue };
                let (run, other) = (rest / lines % runs, rest / lines / runs);
                let (mut out, mut place) = (0, other);
                for ((taps, _), step) in self.others.iter().zip(&self.out_steps).rev() {
                    out += place % taps.places * step;
                    place /= taps.places;
                }
                let mut at = scratch.cast::<F::Total>();
                let [suffixes, after, prefix, read, results, line] = self.scratch().map(|count| {
                    let start = at;
                    at = at.wrapping_add(count);
                    start
                });
                let lanes = run * lanes..width.min((run + 1) * lanes);
                let work = BlockWork {
                    kernel: self,
                    cx,
                    block: &block,
                    other,
                    out,
                    lanes,
                    suffixes,
                    after,
                    prefix,
                    read,
                    results,
                    line,
                };
                // SAFETY: the units of the range belong to this call, and so does the scratch memory.
                unsafe { work.run() };
            }
        };
        let units = self.other_places * runs * lines * blocks;
        // SAFETY: each place belongs to one range of units, which alone writes it.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds(), units, 1, body) };
        Ok(())
    }
}
