//! Computes convolutions directly, one run of output positions at a time. The elements of x that a block of taps uses are read once, and
//! each tap adds a shifted multiple of them to the sums of the run. This is used for wide integers, groups of one feature, and padding that
//! must not meet infinities.

use super::ConvPlan;
use super::tile::{AddLine, AddTaps, PADDED, Tiled};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::contraction::number::PutAside;
use crate::kernels::contraction::view::Reading;
use crate::kernels::elementwise::threads;
use crate::kernels::lines_of;
use rlx_compile::memory::Needs;
use rlx_elementwise::stored::{Line, LineFn, writer};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;

/// Approximate time of a product, of each line of x that is read, and of each of its elements.
const PRODUCT_PICOSECONDS: u64 = 60;
const LINE_PICOSECONDS: u64 = 40_000;
const ELEMENT_PICOSECONDS: u64 = 300;
/// Maximum number of output positions in a run, and the maximum further positions of x that the taps of a block reach. All of it stays in a
/// near cache.
const RUN: usize = 1024;
const REACH: usize = 4096;
/// Maximum number of taps in a block, no more than a chain of f32 has terms.
const MOST_TAPS: usize = 512;
/// If strides or distances between taps are larger than these, each tap reads separately, because the elements in between are not used.
const MAX_STRIDE: usize = 8;
const MAX_DILATION: usize = 256;

/// A convolution in numbers of type `T`.
pub(crate) struct Direct<T> {
    pub(super) plan: ConvPlan,
    pub(super) reading: Reading,
    /// Writes numbers as results, or as parts of results, of `size` bytes.
    pub(super) write: LineFn,
    pub(super) size: usize,
    /// How taps of the last axis share what they read, if they do.
    shared: Option<SharedPlan>,
    threads: usize,
    number: PhantomData<T>,
}

/// Blocks of taps of the last axis that read x together.
#[derive(Clone, Copy)]
struct SharedPlan {
    /// Number of taps in a block, and number of output positions that are computed in a run, which is rounded up.
    taps: usize,
    lanes: usize,
    /// Distance between output positions, and between taps. Elements for neighboring positions are a stride apart, so they are read into
    /// `stride` rows, each with `row` elements.
    stride: usize,
    dilation: usize,
    row: usize,
}

impl SharedPlan {
    fn new(plan: &ConvPlan, run: usize) -> Option<SharedPlan> {
        let taps = &plan.spatial.last()?.taps;
        let (stride, dilation) = taps.undilated()?;
        if stride > MAX_STRIDE || dilation > MAX_DILATION || taps.window == 0 {
            return None;
        }
        let lanes = run.next_multiple_of(PADDED);
        let count = taps.window.min(REACH / dilation).min(MOST_TAPS);
        let row = (count - 1) * dilation / stride + 1 + lanes;
        Some(SharedPlan { taps: count, lanes, stride, dilation, row })
    }
}

/// A run of results, computed by one thread: its positions along the last axis, and its scratch memory. Real parts are stored before
/// imaginary parts.
struct LineWork<'a, T> {
    kernel: &'a Direct<T>,
    cx: &'a LaunchContext<'a>,
    places: Range<usize>,
    sums: *mut T,
    /// Elements that are read from x, and from the kernel.
    line: *mut T,
    factors: *mut T,
    /// Sums that were put aside, and as many errors.
    totals: *mut T,
    /// Number of terms in the sums since then.
    terms: Cell<usize>,
}

impl<T: Tiled> Direct<T> {
    /// Returns `None` if the numbers cannot hold such elements.
    pub(super) fn new(plan: ConvPlan, threads: usize) -> Option<Direct<T>> {
        let to = plan.to.real();
        let mut direct = Direct {
            reading: Reading::new(plan.from, T::COMPUTE)?,
            write: writer(T::COMPUTE, to)?,
            size: to.size(),
            plan,
            shared: None,
            threads,
            number: PhantomData,
        };
        direct.shared = SharedPlan::new(&direct.plan, direct.run_length());
        Some(direct)
    }

    /// Returns how many taps read x together.
    pub(super) fn shared_taps(&self) -> usize {
        self.shared.map_or(1, |shared| shared.taps)
    }

    fn width(&self) -> usize {
        self.plan.spatial.last().map_or(1, |s| s.taps.places)
    }

    /// Returns the number of output positions in a run.
    fn run_length(&self) -> usize {
        self.width().min(RUN)
    }

    /// Returns the counts of numbers for sums, for what is read from x and from the kernel, and for what is put aside.
    fn scratch(&self) -> [usize; 4] {
        let parts = self.plan.parts();
        let [sums, line, factors] = match &self.shared {
            Some(shared) => [shared.lanes, shared.row * shared.stride, shared.taps].map(|n| n * parts),
            None => [self.run_length(), self.run_length(), 1].map(|n| n * parts),
        };
        [sums, line, factors, if self.is_long() { 2 * sums } else { 0 }]
    }

    /// Returns whether sums have so many terms that some are put aside.
    fn is_long(&self) -> bool {
        T::is_long(self.plan.inner.saturating_mul(self.plan.taps))
    }

    fn scratch_bytes(&self) -> usize {
        self.scratch().into_iter().map(lines_of::<T>).fold(0, usize::saturating_add)
    }

    /// Returns the number of lines of an image and feature.
    fn lines(&self) -> usize {
        self.plan.places / self.width().max(1)
    }

    fn nanoseconds(&self) -> u64 {
        let plan = &self.plan;
        let (width, length) = (self.width() as u64, self.run_length().max(1) as u64);
        let lines = (plan.images * plan.features * self.lines()) as u64;
        let last = plan.spatial.last().map_or(1, |s| s.window as u64).max(1);
        let terms = (plan.inner * plan.taps) as u64;
        let products = width.saturating_mul(terms).saturating_mul(PRODUCT_PICOSECONDS);
        let each = self.shared.map_or(1, |shared| shared.taps as u64);
        let reads = (terms / last).saturating_mul(last.div_ceil(each));
        let span = width + width.div_ceil(length) * each;
        let read = span * ELEMENT_PICOSECONDS + width.div_ceil(length) * LINE_PICOSECONDS;
        lines.saturating_mul(products.saturating_add(reads.saturating_mul(read))) / 1_000
    }

    /// Computes and writes results along a line.
    ///
    /// # Safety
    /// The line and these positions of it exist and nobody else writes them; the scratch memory belongs to this call.
    unsafe fn places(&self, cx: &LaunchContext<'_>, number: usize, places: Range<usize>, scratch: *mut u8) {
        let (plan, lines) = (&self.plan, self.lines());
        let (image, feature, line) =
            (number / lines / plan.features, number / lines % plan.features, number % lines);
        let [sums, read, factors, totals] = self.scratch();
        let at = |bytes: usize| scratch.wrapping_add(bytes).cast::<T>();
        let work = LineWork {
            kernel: self,
            cx,
            places: places.clone(),
            sums: at(0),
            line: at(lines_of::<T>(sums)),
            factors: at(lines_of::<T>(sums) + lines_of::<T>(read)),
            totals: at(lines_of::<T>(sums) + lines_of::<T>(read) + lines_of::<T>(factors)),
            terms: Cell::new(0),
        };
        let x = image * plan.x_image + feature / plan.group_features() * plan.x_group;
        let mut out = image * plan.out_image + feature * plan.out_feature;
        let mut rest = line;
        for axis in plan.spatial.iter().rev().skip(1) {
            out += rest % axis.taps.places * axis.out;
            rest /= axis.taps.places;
        }
        let step = plan.spatial.last().map_or(0, |s| s.out);
        out += places.start * step;
        // SAFETY: the scratch memory has room for all four; the caller vouches for the result.
        unsafe {
            (0..sums).for_each(|i| work.sums.add(i).write(T::ZERO));
            (0..totals).for_each(|i| work.totals.add(i).write(T::ZERO));
            work.taps(0, line, lines, (x, feature * plan.kernel_feature));
            if self.is_long() {
                work.put_aside(sums);
                for i in 0..sums {
                    work.sums
                        .add(i)
                        .write(work.totals.add(i).read().corrected(work.totals.add(sums + i).read()));
                }
            }
            for part in 0..plan.parts() {
                let line = Line {
                    src: work.sums.add(part * work.lanes()).cast::<u8>().cast_const(),
                    src_step: size_of::<T>() as isize,
                    dst: cx.output_ptr(0).add((out * plan.parts() + part) * self.size),
                    dst_step: (step * plan.parts() * self.size) as isize,
                    len: places.len(),
                };
                (self.write)(cx.cpu, &line);
            }
        }
    }
}

impl<T: Tiled> LineWork<'_, T> {
    /// Number of sums in a part.
    fn lanes(&self) -> usize {
        self.kernel.shared.map_or(self.kernel.run_length(), |shared| shared.lanes)
    }

    /// Adds the contributions of the taps of axis `axis` and of the axes after it. `line` of `lines` is the position along these axes,
    /// except the last.
    ///
    /// # Safety
    /// The positions in x and in the kernel are those of the taps of the axes before.
    unsafe fn taps(&self, axis: usize, line: usize, lines: usize, (x, weights): (usize, usize)) {
        let plan = &self.kernel.plan;
        let this = &plan.spatial[axis];
        // SAFETY: the caller vouches for the positions of the axes before; on this axis only elements that taps use are visited, and these
        // lie in x, as weights lie in the kernel.
        unsafe {
            if axis + 1 == plan.spatial.len() {
                for i in 0..plan.inner {
                    self.last(x + i * plan.x_feature, weights + i * plan.kernel_inner);
                }
                return;
            }
            let inner = lines / this.taps.places;
            let seen = this.taps.of_place(line / inner);
            for i in 0..seen.count {
                let weight = weights + this.kernel_at(seen.start + i * seen.step);
                let element = seen.element + i * seen.element_step;
                self.taps(axis + 1, line % inner, inner, (x + element * this.x, weight));
            }
        }
    }

    /// Adds the contributions of the taps of the last axis for one feature.
    ///
    /// # Safety
    /// As for [`taps`](LineWork::taps).
    unsafe fn last(&self, x: usize, weights: usize) {
        let Some(axis) = self.kernel.plan.spatial.last() else { return };
        let each = self.kernel.shared.map_or(1, |shared| shared.taps);
        for first in (0..axis.taps.window).step_by(each) {
            let taps = first..axis.taps.window.min(first + each);
            let taps_count = taps.len();
            // SAFETY: as the caller vouches.
            unsafe {
                match &self.kernel.shared {
                    Some(shared) => self.block(shared, taps, x, weights),
                    None => self.tap(first, x, weights),
                }
            }
            let terms = self.terms.get() + taps_count;
            self.terms.set(terms);
            if T::CHAIN.is_some_and(|chain| terms >= chain) && self.kernel.is_long() {
                // SAFETY: there is room for the sums that are put aside.
                unsafe { self.put_aside(self.kernel.scratch()[0]) };
            }
        }
    }

    /// Adds the sums to those that were put aside before.
    ///
    /// # Safety
    /// There are `len` sums, and room for as many totals and errors.
    unsafe fn put_aside(&self, len: usize) {
        // SAFETY: the caller vouches for all three, which do not overlap.
        let [sums, totals, errors] = unsafe {
            [self.sums, self.totals, self.totals.add(len)]
                .map(|from| std::slice::from_raw_parts_mut(from, len))
        };
        self.cx.cpu.dispatch(PutAside { sums, totals, errors });
        self.terms.set(0);
    }

    /// Adds the contributions of a block of taps.
    ///
    /// # Safety
    /// As for [`taps`](LineWork::taps); the block has at most as many taps as share what they read.
    unsafe fn block(&self, shared: &SharedPlan, taps: Range<usize>, x: usize, weights: usize) {
        let (plan, cpu) = (&self.kernel.plan, self.cx.cpu);
        let Some(axis) = plan.spatial.last() else { return };
        let (parts, count) = (plan.parts(), taps.len());
        // From the first tap of the first position to the last tap of the last one.
        let first = axis.taps.position(self.places.start, taps.start);
        let reach = (self.places.len() - 1) * shared.stride + (count - 1) * shared.dilation;
        let is_padded = first < 0 || first + reach as i128 >= axis.taps.positions();
        // SAFETY: the scratch memory has room for what a block reads; the weights of its taps lie in the kernel.
        unsafe {
            let weight = weights + axis.kernel_at(taps.start);
            let step = if axis.reversed { -(axis.kernel as isize) } else { axis.kernel as isize };
            self.read(1, weight, step, self.factors, (count, shared.taps));
            let factors =
                |part: usize| std::slice::from_raw_parts(self.factors.add(part * shared.taps), count);
            // Padding is 0, and 0 times infinity is NaN, whereas a convolution ignores padding.
            let finite = |part: usize| factors(part).iter().all(|factor| factor.is_finite());
            if is_padded && !(0..parts).all(finite) {
                taps.for_each(|tap| self.tap(tap, x, weights));
                return;
            }
            let length = shared.stride * shared.row;
            self.rows(shared, count, (first, reach), x);
            let add = |to: usize, factors: usize, from: usize, negated: bool| {
                let sums = std::slice::from_raw_parts_mut(self.sums.add(to * shared.lanes), shared.lanes);
                let factors = std::slice::from_raw_parts_mut(self.factors.add(factors * shared.taps), count);
                if negated {
                    factors.iter_mut().for_each(|factor| *factor = factor.negated());
                }
                cpu.dispatch(AddTaps {
                    sums,
                    factors,
                    rows: std::slice::from_raw_parts(self.line.add(from * length), length),
                    row: shared.row,
                    stride: shared.stride,
                    dilation: shared.dilation,
                });
            };
            add(0, 0, 0, false);
            if parts == 2 {
                add(1, 0, 1, false);
                add(1, 1, 0, false);
                add(0, 1, 1, true);
            }
        }
    }

    /// Reads what a block of `taps` taps uses, starting at position `first`, with zeros for padding. Elements that are a stride apart go
    /// into the same row.
    ///
    /// # Safety
    /// As for [`block`](LineWork::block).
    unsafe fn rows(&self, shared: &SharedPlan, taps: usize, (first, reach): (i128, usize), x: usize) {
        let plan = &self.kernel.plan;
        let Some(axis) = plan.spatial.last() else { return };
        let SharedPlan { stride, dilation, row, .. } = *shared;
        let (length, step) = (row * stride, axis.x);
        for phase in 0..stride {
            // A row that no tap uses is not read.
            let is_seen = |i: usize| i * dilation % stride == phase;
            if phase > reach || !(0..taps.min(stride)).any(is_seen) {
                continue;
            }
            let count = (reach - phase) / stride + 1;
            let seen = axis.taps.along(first + phase as i128, stride, count);
            // SAFETY: the row has room for that many elements, and they lie in x.
            unsafe {
                for part in 0..plan.parts() {
                    let to = self.line.add(part * length + phase * row);
                    (0..seen.start)
                        .chain(seen.start + seen.count..row)
                        .for_each(|i| to.add(i).write(T::ZERO));
                }
                let to = self.line.add(phase * row + seen.start);
                let from = x + seen.element * step;
                self.read(0, from, (seen.element_step * step) as isize, to, (seen.count, length));
            }
        }
    }

    /// Reads elements of x (operand 0) or of the kernel (operand 1) as numbers. The imaginary parts of complex elements are stored `part`
    /// numbers later.
    ///
    /// # Safety
    /// `len` elements starting at `from`, `step` apart, lie in the operand; `to` has room for them.
    unsafe fn read(&self, operand: usize, from: usize, step: isize, to: *mut T, (len, part): (usize, usize)) {
        let reading = &self.kernel.reading;
        let operand = self.kernel.plan.chain.operands[operand];
        let src = self.cx.input_ptr(operand).wrapping_add(from * reading.size);
        let one = size_of::<T>() as isize;
        let src_step = step * reading.size as isize;
        let line = Line { src, src_step, dst: to.cast(), dst_step: one, len };
        // SAFETY: the caller vouches for elements and room; complex elements have two parts, for others the second part is zero.
        unsafe {
            (reading.read)(self.cx.cpu, &line);
            if self.kernel.plan.parts() == 2 {
                let to = to.add(part);
                match reading.imaginary {
                    Some(offset) => {
                        (reading.read)(self.cx.cpu, &Line { src: src.add(offset), dst: to.cast(), ..line });
                    }
                    None => (0..len).for_each(|i| to.add(i).write(T::ZERO)),
                }
            }
        }
    }

    /// Adds the contribution of one tap; padding contributes nothing.
    ///
    /// # Safety
    /// As for [`taps`](LineWork::taps).
    unsafe fn tap(&self, tap: usize, x: usize, weights: usize) {
        let plan = &self.kernel.plan;
        let Some(axis) = plan.spatial.last() else { return };
        let seen = axis.taps.of_tap(tap).within(self.places.clone());
        if seen.count == 0 {
            return;
        }
        let (parts, lanes) = (plan.parts(), self.lanes());
        // SAFETY: the caller vouches for the position; the elements that the tap uses lie in x, and the line has room for a part of each
        // position.
        unsafe {
            self.read(1, weights + axis.kernel_at(tap), 0, self.factors, (1, 1));
            let from = x + seen.element * axis.x;
            self.read(0, from, (seen.element_step * axis.x) as isize, self.line, (seen.count, lanes));
            let add = |to: usize, factor: T, from: usize| {
                let start = to * lanes + seen.start - self.places.start;
                let reach = (seen.count - 1) * seen.step + 1;
                let sums = std::slice::from_raw_parts_mut(self.sums.add(start), reach);
                let line = std::slice::from_raw_parts(self.line.add(from * lanes), seen.count);
                self.cx.cpu.dispatch(AddLine { sums, step: seen.step, factor, line });
            };
            let real = self.factors.read();
            add(0, real, 0);
            if parts == 2 {
                let imaginary = self.factors.add(1).read();
                add(0, imaginary.negated(), 1);
                add(1, real, 1);
                add(1, imaginary, 0);
            }
        }
    }
}

impl<T: Tiled> OpKernel for Direct<T> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (width, length) = (self.width(), self.run_length());
        if width == 0 {
            return Ok(());
        }
        let runs = width.div_ceil(length);
        let lines = self.plan.images * self.plan.features * self.lines();
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
            threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds(), lines * runs, 1, body);
        }
        self.plan.finish(cx);
        Ok(())
    }
}
