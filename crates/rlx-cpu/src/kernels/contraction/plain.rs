//! Products of wide integers, computed with plain loops over blocks.

use super::layout::Product;
use super::number::Number;
use super::view::{MatrixForm, Reading, View};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::threads;
use crate::simd::{Kernel, Simd};
use rlx_compile::memory::{ALIGNMENT, Needs};
use rlx_elementwise::stored::{Line, LineFn};
use std::marker::PhantomData;
use std::ops::Range;

/// Number of rows, terms and columns in a block.
const ROWS: usize = 16;
const TERMS: usize = 32;
const COLUMNS: usize = 256;
/// Approximate nanoseconds per product.
const NANOSECONDS_A_PRODUCT: f64 = 0.2;

/// `dot_general` in numbers of type `T`.
pub(crate) struct Plain<T> {
    pub(crate) product: Product,
    pub(crate) readings: [Reading; 2],
    /// Writes numbers as elements of `size` bytes.
    pub(crate) write: LineFn,
    pub(crate) size: usize,
    pub(crate) threads: usize,
    pub(crate) number: PhantomData<T>,
}

/// The parts of a block: terms of rows of the left-hand side, terms of the right-hand side, and sums.
struct Block<T> {
    lhs: *mut T,
    rhs: *mut T,
    sums: *mut T,
    rows: usize,
    terms: usize,
    columns: usize,
}

impl<T: Number> Block<T> {
    const BYTES: usize = (ROWS * TERMS + TERMS * COLUMNS + ROWS * COLUMNS) * size_of::<T>();

    /// Creates a block in `scratch`, which has room for it.
    fn new(scratch: *mut u8, rows: usize, columns: usize) -> Block<T> {
        let lhs = scratch.cast::<T>();
        let rhs = lhs.wrapping_add(ROWS * TERMS);
        Block { lhs, rhs, sums: rhs.wrapping_add(TERMS * COLUMNS), rows, terms: 0, columns }
    }
}

impl<T: Number> Kernel for &Block<T> {
    type Output = ();

    /// Adds the products of the block's terms to its sums.
    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        // Terms after the last one are zeros on the left.
        const TOGETHER: usize = 4;
        for row in 0..self.rows {
            for first in (0..self.terms).step_by(TOGETHER) {
                // SAFETY: the parts have room for whole blocks, and these are rows of them.
                let (sums, factors, lines) = unsafe {
                    let line = |i: usize| {
                        std::slice::from_raw_parts(self.rhs.add((first + i) * COLUMNS), self.columns)
                    };
                    (
                        std::slice::from_raw_parts_mut(self.sums.add(row * COLUMNS), self.columns),
                        self.lhs.add(row * TERMS + first).cast::<[T; TOGETHER]>().read(),
                        [line(0), line(1), line(2), line(3)],
                    )
                };
                let ([a, b, c, d], [p, q, r, s]) = (factors, lines);
                let products = p.iter().zip(q).zip(r).zip(s);
                for (sum, (((&p, &q), &r), &s)) in sums.iter_mut().zip(products) {
                    *sum = sum.add_product(a, p).add_product(b, q).add_product(c, r).add_product(d, s);
                }
            }
        }
    }
}

impl<T: Number> Plain<T> {
    fn groups(&self) -> usize {
        self.product.m.div_ceil(ROWS)
    }

    /// Computes the sums of a group of rows in some columns, and writes them.
    ///
    /// # Safety
    /// The rows and columns exist and nobody else writes them; `scratch` has room for a block.
    unsafe fn block(
        &self,
        cx: &LaunchContext<'_>,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        scratch: *mut u8,
    ) {
        let p = &self.product;
        let view = |operand: usize| View {
            cpu: cx.cpu,
            start: cx.input_ptr(operand),
            matrix: if operand == 0 { &p.lhs } else { &p.rhs },
            reading: self.readings[operand],
            numbers: MatrixForm::Real,
        };
        let (lhs, rhs) = (view(0), view(1));
        let mut block = Block::<T>::new(scratch, rows.len(), columns.len());
        // SAFETY: the parts of the block have room for what is read and summed; the caller vouches for the rest.
        unsafe {
            // All-zero bytes are the number 0.
            std::ptr::write_bytes(scratch, 0, Block::<T>::BYTES);
            for first in (0..p.k).step_by(TERMS) {
                let terms = first..(first + TERMS).min(p.k);
                block.terms = terms.len();
                if terms.len() < TERMS {
                    std::ptr::write_bytes(block.lhs, 0, ROWS * TERMS);
                }
                lhs.numbers(batch, rows.clone(), terms.clone(), block.lhs, TERMS);
                rhs.numbers(batch, terms, columns.clone(), block.rhs, COLUMNS);
                cx.cpu.dispatch(&block);
            }
            for (i, row) in rows.enumerate() {
                let at = ((batch * p.m + row) * p.n + columns.start) * self.size;
                let line = Line {
                    src: block.sums.add(i * COLUMNS).cast::<u8>().cast_const(),
                    src_step: size_of::<T>() as isize,
                    dst: cx.output_ptr(0).add(at),
                    dst_step: self.size as isize,
                    len: columns.len(),
                };
                (self.write)(cx.cpu, &line);
            }
        }
    }
}

impl<T: Number> OpKernel for Plain<T> {
    fn needs(&self) -> Needs {
        let block = Block::<T>::BYTES.next_multiple_of(ALIGNMENT);
        Needs { scratch_bytes: block.saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let p = &self.product;
        let work = [p.batch, p.m, p.k.max(1), p.n].iter().map(|&n| n as f64).product::<f64>();
        let groups = self.groups();
        let body = |cx: &LaunchContext<'_>, units: Range<usize>, scratch: *mut u8| {
            for unit in units {
                let first = unit % groups * ROWS;
                let rows = first..(first + ROWS).min(p.m);
                for column in (0..p.n).step_by(COLUMNS) {
                    let columns = column..(column + COLUMNS).min(p.n);
                    // SAFETY: units are separate groups of rows; the scratch memory belongs to this call.
                    unsafe { self.block(cx, unit / groups, rows.clone(), columns, scratch) };
                }
            }
        };
        let bytes = Block::<T>::BYTES.next_multiple_of(ALIGNMENT);
        let nanoseconds = (work * NANOSECONDS_A_PRODUCT) as u64;
        // SAFETY: each group of rows belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, bytes, nanoseconds, p.batch * groups, 1, body) };
        Ok(())
    }
}
