//! Kernels of running reductions along an axis. Each line along it is worked on by one thread: by itself where
//! its elements are neighbors, else side by side with lines next to it.

use super::elementwise::threads;
use super::window::fold::{Elements, Fold, Visit, visit};
use super::{PrepareContext, missing};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::simd::{Kernel, Simd};
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Op};
use std::ops::Range;

/// Elements that are read at once: of a line, or of as many lines side by side.
const BLOCK: usize = 128;

struct Cumulative<F: Fold> {
    /// Elements of a line, lines that lie interleaved, and groups of such.
    len: usize,
    stride: usize,
    outer: usize,
    exclusive: bool,
    reverse: bool,
    elements: Elements,
    identity: F::Total,
    threads: usize,
}

/// The kernel of a running reduction.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::Cumulative { op, axis, exclusive, reverse } = *cx.node.op() else {
        return missing(cx);
    };
    let (dims, dtype) = (cx.dims(0), cx.operand(0).dtype());
    let make = Make {
        len: dims[axis],
        stride: dims[axis + 1..].iter().product(),
        outer: dims[..axis].iter().product(),
        exclusive,
        reverse,
        dtype,
        threads: cx.threads,
    };
    visit(op, dtype, make).map_or_else(|| missing(cx), Ok)
}

/// Makes the kernel of a fold.
struct Make {
    len: usize,
    stride: usize,
    outer: usize,
    exclusive: bool,
    reverse: bool,
    dtype: DType,
    threads: usize,
}

impl Visit for Make {
    type Output = Box<dyn OpKernel>;

    fn visit<F: Fold>(self, identity: Scalar) -> Option<Box<dyn OpKernel>> {
        let Make { len, stride, outer, exclusive, reverse, dtype, threads } = self;
        let (elements, identity) = (Elements::new::<F>(dtype)?, F::identity(identity));
        Some(Box::new(Cumulative::<F> {
            len,
            stride,
            outer,
            exclusive,
            reverse,
            elements,
            identity,
            threads,
        }))
    }
}

/// Steps of lines that lie side by side: takes elements in, and leaves results in their place.
struct Steps<'a, F: Fold> {
    totals: &'a mut [F::Total],
    elements: &'a mut [F::Total],
    exclusive: bool,
}

impl<F: Fold> Kernel for Steps<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for (total, x) in self.totals.iter_mut().zip(self.elements) {
            let (before, after) = (*total, F::combine(*total, *x));
            *total = after;
            *x = if self.exclusive { before } else { after };
        }
    }
}

impl<F: Fold> Cumulative<F> {
    /// Blocks of lines of a group.
    fn blocks(&self) -> usize {
        self.stride.div_ceil(BLOCK)
    }

    /// Totals, and elements of a block.
    fn scratch_bytes(&self) -> usize {
        (2 * BLOCK * size_of::<F::Total>()).next_multiple_of(ALIGNMENT)
    }

    /// The position of the `i`-th element to take in.
    fn nth(&self, i: usize) -> usize {
        if self.reverse { self.len - 1 - i } else { i }
    }

    /// A line of neighbors.
    ///
    /// # Safety
    /// The line exists and is written by nobody else; the scratch memory is this call's.
    unsafe fn line(&self, cx: &LaunchContext<'_>, line: usize, scratch: *mut u8) {
        let size = self.elements.size;
        let step = if self.reverse { -(size as isize) } else { size as isize };
        let buffer = scratch.cast::<F::Total>();
        let mut total = self.identity;
        for first in (0..self.len).step_by(BLOCK) {
            let count = BLOCK.min(self.len - first);
            let at = (line * self.len + self.nth(first)) * size;
            // SAFETY: the buffer has room for a block, which lies in the line.
            unsafe {
                self.elements.read::<F>(cx.cpu, cx.input_ptr(0).add(at), step, buffer, count);
                for x in std::slice::from_raw_parts_mut(buffer, count) {
                    let after = F::combine(total, *x);
                    *x = if self.exclusive { total } else { after };
                    total = after;
                }
                self.elements.write::<F>(cx.cpu, buffer, cx.output_ptr(0).add(at), step, count);
            }
        }
    }

    /// Lines side by side.
    ///
    /// # Safety
    /// The block exists and is written by nobody else; the scratch memory is this call's.
    unsafe fn block(&self, cx: &LaunchContext<'_>, block: usize, scratch: *mut u8) {
        let (group, first) = (block / self.blocks(), block % self.blocks() * BLOCK);
        let (size, count) = (self.elements.size, BLOCK.min(self.stride - first));
        let totals = scratch.cast::<F::Total>();
        // SAFETY: the scratch memory has room for totals and elements; rows lie in the tensors.
        unsafe {
            let buffer = totals.add(BLOCK);
            (0..count).for_each(|i| totals.add(i).write(self.identity));
            let totals = std::slice::from_raw_parts_mut(totals, count);
            for i in 0..self.len {
                let at = ((group * self.len + self.nth(i)) * self.stride + first) * size;
                self.elements.read::<F>(cx.cpu, cx.input_ptr(0).add(at), size as isize, buffer, count);
                let elements = std::slice::from_raw_parts_mut(buffer, count);
                cx.cpu.dispatch(Steps::<F> { totals, elements, exclusive: self.exclusive });
                self.elements.write::<F>(cx.cpu, buffer, cx.output_ptr(0).add(at), size as isize, count);
            }
        }
    }
}

impl<F: Fold> OpKernel for Cumulative<F> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let elements = (self.outer as u64).saturating_mul((self.len * self.stride) as u64);
        let nanoseconds = elements.saturating_mul(1_000 + F::PICOSECONDS) / 1_000;
        if elements == 0 {
            return Ok(());
        }
        let body = |cx: &LaunchContext<'_>, units: Range<usize>, scratch: *mut u8| {
            for unit in units {
                // SAFETY: units of the range are this call's, and so is the scratch memory.
                unsafe {
                    if self.stride == 1 {
                        self.line(cx, unit, scratch);
                    } else {
                        self.block(cx, unit, scratch);
                    }
                }
            }
        };
        let units = self.outer * self.blocks();
        // SAFETY: the lines of a unit are written by the range that has it alone.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, units, 1, body) };
        Ok(())
    }
}
