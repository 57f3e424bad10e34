//! Kernel of `iota`.

use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use half::bf16;
use rlx_elementwise::numbers::store;
use rlx_ir::DType;
use rlx_ir::eval::Scalar;
use std::ops::Range;

/// Picoseconds to count and write an element, for types in which processors count and for others.
const ELEMENT_PICOSECONDS: u64 = 150;
const CONVERTED_PICOSECONDS: u64 = 5_000;

/// A tensor as rows. Each row repeats one number `inner` times, and the numbers of the rows count from 0 to `size` − 1 repeatedly.
pub(super) struct Iota {
    dtype: DType,
    rows: usize,
    size: usize,
    inner: usize,
}

impl Iota {
    pub(super) fn new(dims: &[usize], axis: usize, dtype: DType) -> Iota {
        let (outer, size) = (dims[..axis].iter().product::<usize>(), dims[axis]);
        Iota { dtype, rows: outer * size, size, inner: dims[axis + 1..].iter().product() }
    }

    /// Writes some rows of a result that begins at `to`.
    ///
    /// # Safety
    /// The result has the rows, with elements of this type, and nobody else uses them.
    unsafe fn rows(&self, rows: Range<usize>, to: *mut u8) {
        // SAFETY: the caller vouches for the rows. Integers wrap, and floats are rounded to nearest.
        unsafe {
            match self.dtype {
                DType::I32 | DType::U32 => self.counted(rows, to, |i| i as u32),
                DType::I64 | DType::U64 => self.counted(rows, to, |i| i as u64),
                DType::I8 | DType::U8 => self.counted(rows, to, |i| i as u8),
                DType::I16 | DType::U16 => self.counted(rows, to, |i| i as u16),
                DType::F32 => self.counted(rows, to, |i| i as f32),
                DType::F64 => self.counted(rows, to, |i| i as f64),
                // Through f32 only if that is exact; otherwise the number would be rounded twice.
                DType::BF16 if self.size <= 1 << 24 => {
                    self.counted(rows, to, |i| bf16::from_f32(i as f32).to_bits())
                }
                _ => {
                    let bytes = self.dtype.size();
                    for row in rows {
                        for at in row * self.inner..(row + 1) * self.inner {
                            let number = Scalar::Int((row % self.size) as i128);
                            store(self.dtype, number, to.add(at * bytes));
                        }
                    }
                }
            }
        }
    }

    /// Like [`rows`](Self::rows), for elements of type `T`.
    ///
    /// # Safety
    /// As for [`rows`](Self::rows).
    unsafe fn counted<T: Copy>(&self, rows: Range<usize>, to: *mut u8, number: impl Fn(usize) -> T) {
        let mut row = rows.start;
        while row < rows.end {
            let first = row % self.size;
            let count = (self.size - first).min(rows.end - row);
            // SAFETY: the caller vouches for the rows, and results are aligned to their elements.
            let run = unsafe {
                let start = to.cast::<T>().add(row * self.inner);
                std::slice::from_raw_parts_mut(start, count * self.inner)
            };
            match self.inner {
                1 => run.iter_mut().zip(first..).for_each(|(element, i)| *element = number(i)),
                inner => {
                    run.chunks_exact_mut(inner).zip(first..).for_each(|(row, i)| row.fill(number(i)));
                }
            }
            row += count;
        }
    }

    fn nanoseconds(&self) -> u64 {
        let each = match self.dtype {
            DType::F16 | DType::F8E4M3 | DType::F8E5M2 | DType::C64 | DType::C128 => CONVERTED_PICOSECONDS,
            _ => ELEMENT_PICOSECONDS,
        };
        (self.rows as u64).saturating_mul(self.inner as u64).saturating_mul(each) / 1_000
    }
}

impl OpKernel for Iota {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.inner == 0 {
            return Ok(());
        }
        let body = |cx: &LaunchContext<'_>, rows: Range<usize>, _: *mut u8| {
            // SAFETY: the result has the planned shape, and these rows belong to this task.
            unsafe { self.rows(rows, cx.output_ptr(0)) };
        };
        // SAFETY: each row belongs to one task, which alone writes it.
        unsafe { threads::for_ranges(cx, 0, self.nanoseconds(), self.rows, 1, body) };
        Ok(())
    }
}
