//! Convolutions a line of places at a time: each tap's line of x, times a number, is added to a line of sums. For wide
//! integers, for groups of one feature, and where padding must not meet infinite numbers.

use super::ConvPlan;
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::contraction::number::Number;
use crate::kernels::contraction::view::Reading;
use crate::kernels::elementwise::threads;
use crate::kernels::lines_of;
use crate::kernels::stored::{Line, LineFn, writer};
use crate::simd::{Kernel, Simd};
use rlx_compile::memory::Needs;
use std::marker::PhantomData;
use std::ops::Range;

/// About how long a product takes, and what goes with each line of them.
const PRODUCT_PICOSECONDS: u64 = 300;
const LINE_PICOSECONDS: u64 = 10_000;

/// A convolution by numbers of type `T`.
pub(crate) struct Direct<T> {
    pub(super) plan: ConvPlan,
    pub(super) reading: Reading,
    /// Writes numbers as results, or parts of results, of this many bytes.
    pub(super) write: LineFn,
    pub(super) size: usize,
    threads: usize,
    number: PhantomData<T>,
}

/// Adds multiples of a line to sums that lie `step` apart.
struct AddLine<'a, T> {
    sums: &'a mut [T],
    step: usize,
    factor: T,
    line: &'a [T],
}

impl<T: Number> Kernel for AddLine<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let factor = self.factor;
        if self.step == 1 {
            let pairs = self.sums.iter_mut().zip(self.line);
            pairs.for_each(|(sum, &x)| *sum = sum.add_product(factor, x));
        } else {
            let pairs = self.sums.iter_mut().step_by(self.step.max(1)).zip(self.line);
            pairs.for_each(|(sum, &x)| *sum = sum.add_product(factor, x));
        }
    }
}

/// A line of results, by one thread: its sums and what is read, in scratch memory, real parts before imaginary ones.
struct Work<'a, T> {
    kernel: &'a Direct<T>,
    cx: &'a LaunchContext<'a>,
    sums: *mut T,
    line: *mut T,
    /// Where x of this image and group and the kernel of this feature begin, in elements.
    x: usize,
    weights: usize,
}

impl<T: Number> Direct<T> {
    /// `None` where the numbers cannot hold such elements.
    pub(super) fn new(plan: ConvPlan, threads: usize) -> Option<Direct<T>> {
        let to = plan.to.real();
        Some(Direct {
            reading: Reading::new(plan.from, T::COMPUTE)?,
            write: writer(T::COMPUTE, to)?,
            size: to.size(),
            plan,
            threads,
            number: PhantomData,
        })
    }

    fn width(&self) -> usize {
        self.plan.spatial.last().map_or(1, |s| s.taps.places)
    }

    fn scratch_bytes(&self) -> usize {
        lines_of::<T>(self.width().saturating_mul(2 * self.plan.parts()))
    }

    /// Lines of an image and feature.
    fn lines(&self) -> usize {
        self.plan.places / self.width().max(1)
    }

    fn nanoseconds(&self) -> u64 {
        let plan = &self.plan;
        let lines = (plan.images * plan.features * self.lines()) as u64;
        let taps = (plan.inner * plan.taps) as u64;
        let line = self.width() as u64 * PRODUCT_PICOSECONDS + LINE_PICOSECONDS;
        lines.saturating_mul(taps).saturating_mul(line) / 1_000
    }

    /// Computes and writes a line of results.
    ///
    /// # Safety
    /// The line exists and is written by nobody else; the scratch memory is this call's.
    unsafe fn line(&self, cx: &LaunchContext<'_>, number: usize, scratch: *mut u8) {
        let (plan, width, lines) = (&self.plan, self.width(), self.lines());
        let (image, feature, line) =
            (number / lines / plan.features, number / lines % plan.features, number % lines);
        let (sums, count) = (scratch.cast::<T>(), plan.parts() * width);
        let work = Work {
            kernel: self,
            cx,
            sums,
            line: sums.wrapping_add(count),
            x: image * plan.x_image + feature / plan.group_features() * plan.x_group,
            weights: feature * plan.kernel_feature,
        };
        let mut out = image * plan.out_image + feature * plan.out_feature;
        let mut rest = line;
        for axis in plan.spatial.iter().rev().skip(1) {
            out += rest % axis.taps.places * axis.out;
            rest /= axis.taps.places;
        }
        // SAFETY: the scratch memory has room for sums and line; the caller vouches for the result.
        unsafe {
            (0..count).for_each(|i| sums.add(i).write(T::ZERO));
            work.taps(0, line, lines, (work.x, work.weights));
            let step = plan.spatial.last().map_or(0, |s| s.out) * plan.parts() * self.size;
            for part in 0..plan.parts() {
                let line = Line {
                    src: sums.add(part * width).cast::<u8>().cast_const(),
                    src_step: size_of::<T>() as isize,
                    dst: cx.output_ptr(0).add((out * plan.parts() + part) * self.size),
                    dst_step: step as isize,
                    len: width,
                };
                (self.write)(cx.cpu, &line);
            }
        }
    }
}

impl<T: Number> Work<'_, T> {
    /// Adds what the taps of axis `axis` and those after it see; `line` of `lines` is the place along them, but for the last.
    ///
    /// # Safety
    /// The places in x and in the kernel are those of the taps of the axes before.
    unsafe fn taps(&self, axis: usize, line: usize, lines: usize, (x, weights): (usize, usize)) {
        let spatial = &self.kernel.plan.spatial;
        let this = &spatial[axis];
        // SAFETY: the caller vouches for the places of the axes before; of this axis only elements that taps see are
        // visited, and these lie in x, as weights lie in the kernel.
        unsafe {
            if axis + 1 == spatial.len() {
                for (tap, &weight) in this.kernel.iter().enumerate().take(this.taps.seen.len()) {
                    self.tap(tap, x, weights + weight);
                }
                return;
            }
            let inner = lines / this.taps.places;
            let (place, line) = (line / inner, line % inner);
            for (tap, &weight) in this.kernel.iter().enumerate() {
                if let Some(element) = this.taps.element(place, tap) {
                    self.taps(axis + 1, line, inner, (x + element * this.x, weights + weight));
                }
            }
        }
    }

    /// Adds what a tap of the last axis sees of all features.
    ///
    /// # Safety
    /// As for [`taps`](Work::taps).
    unsafe fn tap(&self, tap: usize, x: usize, weights: usize) {
        let plan = &self.kernel.plan;
        let Some(axis) = plan.spatial.last() else { return };
        let (seen, size) = (axis.taps.seen[tap], self.kernel.reading.size);
        if seen.count == 0 {
            return;
        }
        for i in 0..plan.inner {
            let from = x + i * plan.x_feature + seen.first * axis.x;
            let weight = weights + i * plan.kernel_inner;
            // SAFETY: the caller vouches for the place; elements that the tap sees lie in x, and the line has room for
            // a part of each place.
            unsafe {
                let src = self.cx.input_ptr(0).add(from * size);
                let weight = self.cx.input_ptr(1).add(weight * size);
                self.add(src, axis.x * seen.step, weight, (seen.first_place, seen.place_step), seen.count);
            }
        }
    }

    /// Adds a line of x times an element of the kernel to the sums.
    ///
    /// # Safety
    /// `src` has `count` elements at the step, and the sums have room for the places.
    unsafe fn add(
        &self,
        src: *const u8,
        step: usize,
        weight: *const u8,
        (first, place_step): (usize, usize),
        count: usize,
    ) {
        let (kernel, width) = (self.kernel, self.kernel.width());
        let reading = &kernel.reading;
        let mut factors = [T::ZERO; 2];
        let one = size_of::<T>() as isize;
        let sums = |part: usize| {
            let reach = (count - 1) * place_step + 1;
            // SAFETY: the caller vouches for the places; nothing else refers to the sums meanwhile.
            unsafe { std::slice::from_raw_parts_mut(self.sums.add(part * width + first), reach) }
        };
        let parts = kernel.plan.parts();
        // SAFETY: the line has room for a part of each place; complex elements have two parts, others a zero for one.
        unsafe {
            for (part, factor) in factors.iter_mut().enumerate().take(parts) {
                let to = self.line.add(part * width);
                let offset = if part == 0 { Some(0) } else { reading.imaginary };
                let Some(offset) = offset else {
                    (0..count).for_each(|i| to.add(i).write(T::ZERO));
                    continue;
                };
                let dst = std::ptr::from_mut(factor).cast();
                let single = Line { src: weight.add(offset), src_step: 0, dst, dst_step: one, len: 1 };
                (reading.read)(self.cx.cpu, &single);
                let line = Line {
                    src: src.add(offset),
                    src_step: (step * reading.size) as isize,
                    dst: to.cast(),
                    dst_step: one,
                    len: count,
                };
                (reading.read)(self.cx.cpu, &line);
            }
            let line = |part: usize| std::slice::from_raw_parts(self.line.add(part * width), count);
            let add = |to: usize, factor: T, from: usize| {
                let (sums, line) = (sums(to), line(from));
                self.cx.cpu.dispatch(AddLine { sums, step: place_step, factor, line });
            };
            add(0, factors[0], 0);
            if parts == 2 {
                add(0, factors[1].negated(), 1);
                add(1, factors[0], 1);
                add(1, factors[1], 0);
            }
        }
    }
}

impl<T: Number> OpKernel for Direct<T> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let lines = self.plan.images * self.plan.features * self.lines();
        if self.width() == 0 {
            return Ok(());
        }
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, scratch: *mut u8| {
            // SAFETY: lines of the range are this call's, and so is the scratch memory.
            range.for_each(|number| unsafe { self.line(cx, number, scratch) });
        };
        // SAFETY: a line of results is written by the range that has it alone.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), self.nanoseconds(), lines, 1, body) };
        Ok(())
    }
}
