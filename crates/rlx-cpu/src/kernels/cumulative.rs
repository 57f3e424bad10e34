//! Kernels of running reductions along an axis. Each line along it is processed by one thread: separately if its elements are contiguous,
//! otherwise together with adjacent lines.

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

/// Number of elements that are read at a time: of one line, or of that many adjacent lines.
const BLOCK: usize = 128;

struct Cumulative<F: Fold> {
    /// Number of elements in a line, of interleaved lines, and of groups of such lines.
    len: usize,
    stride: usize,
    outer: usize,
    exclusive: bool,
    reverse: bool,
    elements: Elements,
    identity: F::Total,
    threads: usize,
}

/// Prepares the kernel of a running reduction.
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

/// One step of adjacent lines: combines elements with the totals, and replaces them by the results.
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
    /// Number of blocks of lines in a group.
    fn blocks(&self) -> usize {
        self.stride.div_ceil(BLOCK)
    }

    /// Bytes for totals and for the elements of a block.
    fn scratch_bytes(&self) -> usize {
        (2 * BLOCK * size_of::<F::Total>()).next_multiple_of(ALIGNMENT)
    }

    /// Returns the position of the `i`-th element to combine.
    fn nth(&self, i: usize) -> usize {
        if self.reverse { self.len - 1 - i } else { i }
    }

    /// Processes a line of contiguous elements.
    ///
    /// # Safety
    /// The line exists and nobody else writes it; the scratch memory belongs to this call.
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

    /// Processes adjacent lines together.
    ///
    /// # Safety
    /// The block exists and nobody else writes it; the scratch memory belongs to this call.
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
                // SAFETY: the units of the range belong to this call, and so does the scratch memory.
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
        // SAFETY: the lines of each unit belong to one range, which alone writes them.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), nanoseconds, units, 1, body) };
        Ok(())
    }
}
