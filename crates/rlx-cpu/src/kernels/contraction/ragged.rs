//! Kernel of `ragged_dot`: runs of rows, each multiplied by its own matrix. The lengths of the runs are known only at run time: each run is
//! a product that is planned on the fly, and the plan reserves scratch memory for every possible number of rows.

use super::blocked::Side;
use super::layout::{Matrix, Offsets};
use super::number::{Number, PutAside};
use super::view::{MatrixForm, Reading, View};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::gemm::{Element, Epilogue, Gemm, GemmShape, LhsAt, Piece, RhsAt, Rows};
use crate::isa::Cpu;
use crate::kernels::elementwise::threads;
use crate::kernels::lines_of;
use crate::kernels::runs::Runs;
use crate::pool::SharedPtr;
use crate::simd::{Kernel, Simd};
use rlx_compile::memory::Needs;
use rlx_elementwise::stored::{Line, LineFn, writer};
use rlx_ir::DType;
use std::marker::PhantomData;
use std::ops::Range;

/// Maximum number of rows in one product.
const ROWS: usize = 256;
/// Approximate picoseconds per product outside of blocked products.
const PRODUCT_PICOSECONDS: f64 = 300.0;

/// Sizes `[m, k] · [groups, k, n]` in numbers; complex elements are pairs of them.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    pub(crate) groups: usize,
}

/// The op in numbers of type `T`, one row at a time: for runs that overlap, and for wide integers.
pub(crate) struct ByRows<T> {
    sizes: Sizes,
    /// Numbers per element.
    parts: usize,
    /// Both operands and how they are read.
    matrices: [Matrix; 2],
    readings: [Reading; 2],
    numbers: [MatrixForm; 2],
    /// Size of an element of the operands in bytes.
    element: usize,
    runs: Runs,
    /// Writes numbers as results, or as parts of results, of `size` bytes.
    write: LineFn,
    size: usize,
    threads: usize,
    number: PhantomData<T>,
}

impl<T: Number> ByRows<T> {
    /// Returns `None` if the numbers cannot hold such elements. Sizes are in elements.
    pub(crate) fn new(sizes: Sizes, [from, to, counts]: [DType; 3], threads: usize) -> Option<ByRows<T>> {
        let parts = 1 + usize::from(to.is_complex());
        let reading = Reading::new(from, T::COMPUTE)?;
        let matrix = |rows: usize, columns: usize| Matrix {
            batch: Offsets::new(&[]),
            rows: Offsets::new(&[(rows, columns)]),
            columns: Offsets::new(&[(columns, 1)]),
        };
        Some(ByRows {
            matrices: [matrix(sizes.m, sizes.k), matrix(sizes.k, sizes.n)],
            sizes: Sizes { k: parts * sizes.k, n: parts * sizes.n, ..sizes },
            parts,
            readings: [reading; 2],
            numbers: if parts == 2 {
                [MatrixForm::Pairs, MatrixForm::Squares]
            } else {
                [MatrixForm::Real; 2]
            },
            element: from.size(),
            runs: Runs { operand: 2, dtype: counts, count: sizes.groups, rows: sizes.m },
            write: writer(T::COMPUTE, to.real())?,
            size: to.real().size(),
            threads,
            number: PhantomData,
        })
    }

    fn view(&self, cx: &LaunchContext<'_>, side: usize, start: usize) -> View<'_> {
        View {
            cpu: cx.cpu,
            start: cx.input_ptr(side).wrapping_add(start * self.element),
            matrix: &self.matrices[side],
            reading: self.readings[side],
            numbers: self.numbers[side],
        }
    }

    /// Returns the position of matrix `group`, in elements.
    fn matrix_at(&self, group: usize) -> usize {
        group * (self.sizes.k / self.parts) * (self.sizes.n / self.parts)
    }

    /// Bytes for the sums of a row, the sums that are put aside with their errors, a row of terms, and as many rows of a matrix as an
    /// element takes.
    fn scratch_bytes(&self) -> usize {
        let Sizes { k, n, .. } = self.sizes;
        lines_of::<T>(n.saturating_mul(3 + self.parts).saturating_add(k))
    }

    /// # Safety
    /// The row exists and nobody else writes it; the scratch memory belongs to this call.
    unsafe fn row(&self, cx: &LaunchContext<'_>, row: usize, scratch: *mut u8) {
        let Sizes { k, n, .. } = self.sizes;
        let sums = scratch.cast::<T>();
        // SAFETY: the scratch memory has room for all of them, and they do not overlap; the caller vouches for the rest.
        unsafe {
            let (terms, factors) = (sums.add(3 * n), sums.add(3 * n + k));
            (0..3 * n).for_each(|i| sums.add(i).write(T::ZERO));
            let [sums, totals, errors] =
                [0, n, 2 * n].map(|at| std::slice::from_raw_parts_mut(sums.add(at), n));
            let mut so_far = 0;
            self.view(cx, 0, 0).numbers(0, row..row + 1, 0..k, terms, k);
            for (group, _) in self.runs.of(cx).filter(|(_, rows)| rows.contains(&row)) {
                let matrix = self.view(cx, 1, self.matrix_at(group));
                for i in (0..k).step_by(self.parts) {
                    matrix.numbers(0, i..i + self.parts, 0..n, factors, n);
                    for part in 0..self.parts {
                        let factors = std::slice::from_raw_parts(factors.add(part * n), n);
                        cx.cpu.dispatch(AddProducts { sums, factor: *terms.add(i + part), factors });
                    }
                    so_far += self.parts;
                    if T::CHAIN.is_some_and(|chain| so_far >= chain) {
                        cx.cpu.dispatch(PutAside { sums, totals, errors });
                        so_far = 0;
                    }
                }
            }
            if T::CHAIN.is_some() {
                cx.cpu.dispatch(PutAside { sums, totals, errors });
                let both = totals.iter().zip(errors.iter());
                sums.iter_mut().zip(both).for_each(|(sum, (total, &low))| *sum = total.corrected(low));
            }
            self.write(cx, row, 0, sums);
        }
    }

    /// Writes numbers to part of a row of the result.
    ///
    /// # Safety
    /// The part exists and nobody else writes it.
    unsafe fn write(&self, cx: &LaunchContext<'_>, row: usize, column: usize, numbers: &[T]) {
        let line = Line {
            src: numbers.as_ptr().cast(),
            src_step: size_of::<T>() as isize,
            dst: cx.output_ptr(0).wrapping_add((row * self.sizes.n + column) * self.size),
            dst_step: self.size as isize,
            len: numbers.len(),
        };
        // SAFETY: the caller vouches for the row of results; the numbers are the part of it that begins at `column`.
        unsafe { (self.write)(cx.cpu, &line) };
    }
}

struct AddProducts<'a, T> {
    sums: &'a mut [T],
    factor: T,
    factors: &'a [T],
}

impl<T: Number> Kernel for AddProducts<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let pairs = self.sums.iter_mut().zip(self.factors);
        pairs.for_each(|(sum, &x)| *sum = sum.add_product(self.factor, x));
    }
}

impl<T: Number> OpKernel for ByRows<T> {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.scratch_bytes().saturating_mul(self.threads), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let Sizes { m, k, n, .. } = self.sizes;
        let work = [m, k, n].iter().map(|&n| n as f64).product::<f64>() * PRODUCT_PICOSECONDS / 1e3;
        let body = |cx: &LaunchContext<'_>, rows: Range<usize>, scratch: *mut u8| {
            // SAFETY: the rows of the range belong to this call, and so does the scratch memory.
            rows.for_each(|row| unsafe { self.row(cx, row, scratch) });
        };
        // SAFETY: each row of results belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, self.scratch_bytes(), work as u64, m, 1, body) };
        Ok(())
    }
}

/// The op with blocked products of type `E`.
pub(crate) struct Blocks<E> {
    rows: ByRows<E>,
    sides: [Side; 2],
    cpu: Cpu,
    gemm_bytes: usize,
}

impl<E: Element + Number> Blocks<E> {
    /// Returns `None` if the product's numbers cannot hold such elements, or if a product cannot be planned.
    pub(crate) fn new(sizes: Sizes, types: [DType; 3], cpu: Cpu, threads: usize) -> Option<Blocks<E>> {
        let rows = ByRows::<E>::new(sizes, types, threads)?;
        let side = |i: usize| Side::new::<E>(types[0], &rows.matrices[i], rows.numbers[i]);
        let sides = [side(0)?, Side::of_rhs::<E>(types[0], &rows.matrices[1], rows.numbers[1])?];
        let mut blocks = Blocks { rows, sides, cpu, gemm_bytes: 0 };
        for count in 1..=sizes.m.min(ROWS) {
            blocks.gemm_bytes = blocks.gemm_bytes.max(blocks.plan(count).ok()?.scratch_bytes());
        }
        Some(blocks)
    }

    /// Plans the product of `rows` rows. Allocates nothing.
    fn plan(&self, rows: usize) -> Result<Gemm<E>, RunError> {
        let Sizes { k, n, .. } = self.rows.sizes;
        let a = self.sides[0].steps();
        let b = self.sides[1].rhs_form();
        let shape = GemmShape { a, b, ..GemmShape::row_major(rows, n, k) };
        Gemm::new(self.cpu, shape, self.rows.threads).map_err(|e| e.to_string())
    }
}

impl<E: Element + Number> OpKernel for Blocks<E>
where
    for<'v> View<'v>: Rows<E>,
{
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.rows.needs().scratch_bytes.max(self.gemm_bytes), in_place: Vec::new() }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let kernel = &self.rows;
        if kernel.runs.overlap(cx) {
            return kernel.run(cx);
        }
        // All-zero bytes are the number 0 in every type.
        cx.output::<u8>(0).fill(0);
        let (cx, scratch) = &mut cx.split_scratch::<u8>();
        let place = SharedPtr::new(cx.output_ptr(0));
        let (cpu, write, size, n) = (cx.cpu, kernel.write, kernel.size, kernel.sizes.n);
        for (group, rows) in kernel.runs.of(cx) {
            for first in rows.clone().step_by(ROWS) {
                let gemm = self.plan((rows.end - first).min(ROWS))?;
                let lhs = kernel.view(cx, 0, first * (kernel.sizes.k / kernel.parts));
                let rhs = kernel.view(cx, 1, kernel.matrix_at(group));
                let a = match self.sides[0] {
                    Side::Strided(..) => LhsAt::Strided(lhs.start.cast::<E>()),
                    _ => LhsAt::Rows(&lhs),
                };
                let b = match self.sides[1] {
                    Side::Strided(..) => RhsAt::Strided(rhs.start.cast::<E>()),
                    Side::Narrow(form, ..) => RhsAt::Narrow(form, rhs.start.cast()),
                    Side::Read(..) => RhsAt::Rows(&rhs),
                };
                let give = |piece: Piece<'_, E>| {
                    let line = Line {
                        src: piece.elements.as_ptr().cast(),
                        src_step: size_of::<E>() as isize,
                        dst: place.add(((first + piece.row) * n + piece.column) * size),
                        dst_step: size as isize,
                        len: piece.elements.len(),
                    };
                    // SAFETY: the piece lies in the result, and comes once.
                    unsafe { write(cpu, &line) };
                };
                let epilogue = Epilogue::none().instead_of_store(&give);
                let nowhere = std::ptr::null_mut();
                // SAFETY: operands have the sizes that the product was planned for, and C is not written.
                unsafe { gemm.run_at(cx.pool, a, b, nowhere, &epilogue, scratch) }
                    .map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }
}
