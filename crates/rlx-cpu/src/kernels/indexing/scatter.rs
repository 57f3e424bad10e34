//! Kernel of `scatter`: updates windows of a tensor, one for each index vector, in order. Sums and products of floats narrower than f64 are
//! kept in f64 and rounded once, as the op defines them: one window at a time if windows are equal or disjoint, such as the rows of a
//! table, and otherwise for all of x.

use super::windows::{Sizes, Windows, window};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::{BYTE_PICOSECONDS, threads};
use crate::kernels::movement::byte_strides;
use crate::kernels::movement::strided::{CopyAxis, StridedCopy, by_destination};
use crate::kernels::space::{count, offsets};
use crate::kernels::{PrepareContext, lines, lines_of, missing, num_bytes};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_elementwise::numbers::{load, store};
use rlx_ir::eval::scalar;
use rlx_ir::{BinaryOp, Combiner, DType, Op, ReduceOp};
use std::ops::Range;

/// Picoseconds to combine an element, and to find a window.
const ELEMENT_PICOSECONDS: u64 = 2_000;
const BOX_PICOSECONDS: u64 = 6_000;
/// Minimum number of columns of a window in one task.
const GRAIN: usize = 64;

/// Where the totals are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Totals {
    /// In the result.
    Result,
    /// In scratch memory, as f64 or as pairs of them.
    Wide,
    /// Like `Wide`, but for one window at a time, which is a dense row.
    Rows,
}

/// A window that fits: its offset in the bytes of x, its index, and its offset in the updates.
type Placed = (isize, usize, isize);

struct Scatter {
    windows: Windows,
    /// Copies x to the result.
    whole: StridedCopy,
    /// Number of elements in x.
    len: usize,
    dtype: DType,
    /// `None` if updates replace elements.
    op: Option<BinaryOp>,
    totals: Totals,
    /// Dimensions of a window, from the updates to x: the outer ones and the innermost one.
    outer: Vec<CopyAxis>,
    inner: CopyAxis,
    /// Whether windows at different offsets never overlap in different columns, so that tasks may divide the columns.
    splits: bool,
    /// Whether windows have no elements and so change nothing.
    empty: bool,
    nanoseconds: u64,
    threads: usize,
}

/// Prepares the kernel of a scatter.
pub(super) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let Op::Scatter { dims, combiner } = cx.node.op() else {
        return missing(cx);
    };
    let axes = dims.windows();
    let (x, indices, updates) = (cx.dims(0), cx.dims(1), cx.dims(2));
    let widths = axes.widths(x.len(), &updates);
    let sizes = Sizes { x: &x, indices: &indices, windows: &updates, widths: &widths };
    let dtype = cx.node.shape().dtype();
    let size = dtype.size();
    let windows = Windows::new(&axes, &sizes, cx.operand(1).dtype(), size);
    let swapped = window(&axes, &sizes, size).into_iter().map(|a| CopyAxis::new(a.size, a.to(), a.from()));
    let mut outer = by_destination(&swapped.collect::<Vec<_>>());
    let inner = outer.pop().unwrap_or(CopyAxis::new(1, size as isize, size as isize));
    let strides = byte_strides(&x, size);
    let along = |axis: &usize| {
        let covered = inner.to()..inner.to().saturating_mul(inner.size as isize);
        x[*axis] > 1 && covered.contains(&strides[*axis])
    };
    let splits = !axes.map.iter().any(along);
    let empty = x.contains(&0) || updates.contains(&0);
    let elements: usize = if empty { 0 } else { updates.iter().product() };
    let picoseconds = (elements as u64)
        .saturating_mul(ELEMENT_PICOSECONDS)
        .saturating_add(windows.count as u64 * BOX_PICOSECONDS);
    let apart = axes.map.iter().all(|&axis| widths[axis] == 1);
    let dense = outer.iter().all(|a| a.size == 1) && inner.to() == size as isize;
    let totals = match totals(*combiner, dtype) {
        Totals::Wide if apart && dense => Totals::Rows,
        other => other,
    };
    Ok(Box::new(Scatter {
        windows,
        whole: StridedCopy::plain(num_bytes(cx.operand(0))),
        len: if x.contains(&0) { 0 } else { x.iter().product() },
        dtype,
        op: combiner.binary(),
        totals,
        outer,
        inner,
        splits,
        empty,
        nanoseconds: picoseconds / 1_000,
        threads: cx.threads,
    }))
}

fn totals(combiner: Combiner, dtype: DType) -> Totals {
    let inexact = (dtype.is_float() && dtype != DType::F64) || dtype == DType::C64;
    let rounds = matches!(combiner, Combiner::Reduce(ReduceOp::Sum | ReduceOp::Prod));
    if inexact && rounds { Totals::Wide } else { Totals::Result }
}

impl OpKernel for Scatter {
    fn needs(&self) -> Needs {
        let scratch_bytes = match self.totals {
            Totals::Result => 0,
            Totals::Wide => self.len.saturating_mul(self.total_bytes()),
            Totals::Rows => self.order_bytes().saturating_add(self.row_bytes().saturating_mul(self.threads)),
        };
        Needs { scratch_bytes, in_place: vec![0] }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.empty || self.totals != Totals::Wide {
            if cx.input_ptr(0) != cx.output_ptr(0).cast_const() {
                // SAFETY: x and the result have one shape and do not overlap.
                unsafe { self.whole.share(cx, 0, 0, 0, 0) };
            }
            match self.totals {
                _ if self.empty => {}
                Totals::Rows => self.combine_rows(cx),
                Totals::Result | Totals::Wide => self.combine(cx),
            }
            return Ok(());
        }
        let nanoseconds = (self.len * self.dtype.size() * 3) as u64 * BYTE_PICOSECONDS / 1_000;
        // SAFETY: tasks use disjoint elements of x, of the result and of the totals.
        unsafe {
            threads::for_ranges(cx, 0, nanoseconds, self.len, 4096, |cx, range, _| {
                let (size, wide) = (self.dtype.size(), self.total_bytes());
                let (from, to) =
                    (cx.input_ptr(0).add(range.start * size), cx.scratch_ptr().add(range.start * wide));
                self.widen(from, to, range.len());
            });
            self.combine(cx);
            threads::for_ranges(cx, 0, nanoseconds, self.len, 4096, |cx, range, _| {
                let (size, wide) = (self.dtype.size(), self.total_bytes());
                let (from, to) =
                    (cx.scratch_ptr().add(range.start * wide), cx.output_ptr(0).add(range.start * size));
                self.round(from, to, range.len());
            });
        }
        Ok(())
    }
}

impl Scatter {
    fn total_bytes(&self) -> usize {
        match self.totals {
            Totals::Result => self.dtype.size(),
            _ if self.dtype.is_complex() => 16,
            _ => 8,
        }
    }

    /// Returns the element type of the totals.
    fn total_type(&self) -> DType {
        match self.totals {
            Totals::Result => self.dtype,
            _ if self.dtype.is_complex() => DType::C128,
            _ => DType::F64,
        }
    }

    /// Returns the bytes of the list of all windows, and of the totals of one window.
    fn order_bytes(&self) -> usize {
        lines_of::<Placed>(self.windows.count)
    }

    fn row_bytes(&self) -> usize {
        lines(self.inner.size.saturating_mul(self.total_bytes()))
    }

    /// Writes `len` elements as totals.
    ///
    /// # Safety
    /// `from` holds the elements, and `to` has room for their totals.
    unsafe fn widen(&self, from: *const u8, to: *mut u8, len: usize) {
        let (size, wide) = (self.dtype.size(), self.total_bytes());
        // SAFETY: the caller's promise; no alignment is assumed.
        unsafe {
            if self.dtype == DType::F32 {
                let (from, to) = (from.cast::<f32>(), to.cast::<f64>());
                return (0..len).for_each(|i| to.add(i).write_unaligned(from.add(i).read_unaligned().into()));
            }
            (0..len).for_each(|i| {
                store(self.total_type(), load(self.dtype, from.add(i * size)), to.add(i * wide))
            });
        }
    }

    /// Writes `len` totals as elements.
    ///
    /// # Safety
    /// `from` holds the totals, and `to` has room for their elements.
    unsafe fn round(&self, from: *const u8, to: *mut u8, len: usize) {
        let (size, wide) = (self.dtype.size(), self.total_bytes());
        // SAFETY: the caller vouches for `len` totals and for room for as many elements; no alignment is assumed.
        unsafe {
            if self.dtype == DType::F32 {
                let (from, to) = (from.cast::<f64>(), to.cast::<f32>());
                return (0..len).for_each(|i| to.add(i).write_unaligned(from.add(i).read_unaligned() as f32));
            }
            (0..len).for_each(|i| {
                store(self.dtype, load(self.total_type(), from.add(i * wide)), to.add(i * size))
            });
        }
    }

    /// Combines all updates into the result, one window at a time, with the updates of each window in order. Tasks divide the columns.
    fn combine_rows(&self, cx: &LaunchContext<'_>) {
        let order = cx.scratch_ptr().cast::<Placed>();
        let mut count = 0;
        for which in 0..self.windows.count {
            // SAFETY: `which` is a window, and the list has room for all.
            unsafe {
                if let Some((to, from)) = self.windows.fitting(which, cx.input_ptr(1)) {
                    order.add(count).write((to, which, from));
                    count += 1;
                }
            }
        }
        // SAFETY: that many were written, at the start of memory on a cache line.
        let order = unsafe { std::slice::from_raw_parts_mut(order, count) };
        order.sort_unstable();
        let order: &[Placed] = order;
        let size = self.dtype.size();
        let body = |cx: &LaunchContext<'_>, cols: Range<usize>, worker: usize| {
            let totals = cx.scratch_ptr().wrapping_add(self.order_bytes() + worker * self.row_bytes());
            let wide = totals.wrapping_add(cols.start * self.total_bytes());
            for same in order.chunk_by(|a, b| a.0 == b.0) {
                let to = same[0].0;
                let elements = cx.output_ptr(0).wrapping_offset(to).wrapping_add(cols.start * size);
                // SAFETY: windows lie in x and in the updates; the totals belong to one thread, and hold a row.
                unsafe {
                    self.widen(elements, wide, cols.len());
                    for &(.., from) in same {
                        self.one(cols.clone(), totals, 0, cx.input_ptr(2).wrapping_offset(from));
                    }
                    self.round(wide, elements, cols.len());
                }
            }
        };
        let grain = if self.splits { GRAIN } else { self.inner.size };
        // SAFETY: different columns are different elements of x.
        unsafe { threads::for_workers(cx, self.nanoseconds, self.inner.size, grain, body) };
    }

    /// Combines all updates. Each task handles some columns of every window, so that each total is computed by one task, in the order of
    /// the windows.
    fn combine(&self, cx: &LaunchContext<'_>) {
        let body = |cx: &LaunchContext<'_>, cols: Range<usize>, _: *mut u8| {
            let totals = if self.totals == Totals::Result { cx.output_ptr(0) } else { cx.scratch_ptr() };
            for which in 0..self.windows.count {
                // SAFETY: `which` is a window; a window that fits lies in x, and so in the totals.
                unsafe {
                    if let Some((to, from)) = self.windows.fitting(which, cx.input_ptr(1)) {
                        self.one(cols.clone(), totals, to, cx.input_ptr(2).wrapping_offset(from));
                    }
                }
            }
        };
        let grain = if self.splits { GRAIN } else { self.inner.size };
        // SAFETY: if columns are divided, different columns of any two windows are different elements of x.
        unsafe { threads::for_ranges(cx, 0, self.nanoseconds, self.inner.size, grain, body) };
    }

    /// Combines some columns of one window; `to` is its offset in the bytes of x.
    ///
    /// # Safety
    /// The window lies in x and in the updates.
    unsafe fn one(&self, cols: Range<usize>, totals: *mut u8, to: isize, from: *const u8) {
        let scale = (self.total_bytes() / self.dtype.size()) as isize;
        for row in 0..count(&self.outer) {
            let col = cols.start as isize;
            let [update, x] = offsets(&self.outer, row);
            let run = Run {
                len: cols.len(),
                to: totals.wrapping_offset((to + x + col * self.inner.to()) * scale),
                to_step: self.inner.to() * scale,
                from: from.wrapping_offset(update + col * self.inner.from()),
                from_step: self.inner.from(),
            };
            // SAFETY: the caller's promise.
            unsafe { self.columns(&run) };
        }
    }

    /// # Safety
    /// The run's elements belong to x's totals and to the updates.
    unsafe fn columns(&self, run: &Run) {
        let (dtype, total) = (self.dtype, self.total_type());
        // SAFETY: the caller's promise; the types are those of totals and updates.
        unsafe {
            match (self.op, dtype) {
                (None, _) => run.replace(dtype.size()),
                (Some(BinaryOp::Add), DType::F32) => run.each::<f64, f32>(|a, b| a + f64::from(b)),
                (Some(BinaryOp::Add), DType::F64) => run.each::<f64, f64>(|a, b| a + b),
                (Some(BinaryOp::Add), DType::I32 | DType::U32) => run.each::<u32, u32>(u32::wrapping_add),
                (Some(BinaryOp::Add), DType::I64 | DType::U64) => run.each::<u64, u64>(u64::wrapping_add),
                (Some(op), _) => {
                    for i in 0..run.len as isize {
                        let to = run.to.wrapping_offset(i * run.to_step);
                        let update = load(dtype, run.from.wrapping_offset(i * run.from_step));
                        store(total, scalar::binary(op, dtype, load(total, to), update), to);
                    }
                }
            }
        }
    }
}

/// Elements of one row of a window, and the totals that they are combined with.
struct Run {
    len: usize,
    to: *mut u8,
    to_step: isize,
    from: *const u8,
    from_step: isize,
}

impl Run {
    /// # Safety
    /// The totals are of type `A`, the updates of type `B`.
    unsafe fn each<A: Copy, B: Copy>(&self, f: impl Fn(A, B) -> A) {
        for i in 0..self.len as isize {
            let to = self.to.wrapping_offset(i * self.to_step).cast::<A>();
            // SAFETY: the caller's promise; no alignment is assumed.
            unsafe {
                let update = self.from.wrapping_offset(i * self.from_step).cast::<B>().read_unaligned();
                to.write_unaligned(f(to.read_unaligned(), update));
            }
        }
    }

    /// # Safety
    /// Totals and updates have `size` bytes.
    unsafe fn replace(&self, size: usize) {
        let dense = self.to_step == size as isize && self.from_step == size as isize;
        // SAFETY: the caller's promise.
        unsafe {
            if dense {
                std::ptr::copy_nonoverlapping(self.from, self.to, self.len * size);
                return;
            }
            for i in 0..self.len as isize {
                let from = self.from.wrapping_offset(i * self.from_step);
                std::ptr::copy_nonoverlapping(from, self.to.wrapping_offset(i * self.to_step), size);
            }
        }
    }
}
