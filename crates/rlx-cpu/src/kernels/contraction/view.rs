//! Operands of blocked products that are read element by element: other types, irregular axes, and complex numbers as pairs.

use super::layout::{Matrix, Offsets};
use super::number::Number;
use crate::gemm::{Element, Rows};
use crate::isa::Cpu;
use rlx_elementwise::compute_type::ComputeType;
use rlx_elementwise::stored::{Line, LineFn, reader};
use rlx_ir::DType;
use std::ops::Range;

/// How the elements of an operand become numbers.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    /// Size of an element in bytes.
    pub(crate) size: usize,
    pub(crate) read: LineFn,
    /// Bytes from the real part to the imaginary part, for complex elements.
    pub(crate) imaginary: Option<usize>,
}

impl Reading {
    /// Reads elements of `dtype` as numbers of `compute`; reads both parts of complex elements.
    pub(crate) fn new(dtype: DType, compute: ComputeType) -> Option<Reading> {
        let imaginary = dtype.is_complex().then(|| dtype.real().size());
        Some(Reading { size: dtype.size(), read: reader(dtype.real(), compute)?, imaginary })
    }
}

/// The numbers that a matrix consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MatrixForm {
    /// Its elements; a complex element contributes its real part.
    Real,
    /// Real and imaginary parts, next to each other in a row.
    Pairs,
    /// For each element a square of four numbers, `re im` above `−im re`, so that a row of pairs times a column of squares is their complex
    /// product.
    Squares,
}

/// An operand in memory.
pub(crate) struct View<'a> {
    pub(crate) cpu: Cpu,
    pub(crate) start: *const u8,
    pub(crate) matrix: &'a Matrix,
    pub(crate) reading: Reading,
    pub(crate) numbers: MatrixForm,
}

// SAFETY: operands are only read.
unsafe impl Sync for View<'_> {}

/// Memory for a part of a matrix of numbers: where it begins, and the numbers from row to row and from column to column.
#[derive(Clone, Copy)]
struct Target<E> {
    start: *mut E,
    row: usize,
    column: usize,
}

impl View<'_> {
    /// # Safety
    /// The part lies in the matrix, and `target` has room for it.
    unsafe fn part<E>(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: Target<E>,
        imaginary: usize,
    ) {
        let start = self.start.wrapping_add(self.matrix.batch.at(batch) * self.reading.size + imaginary);
        let (across, down) = (&self.matrix.columns, &self.matrix.rows);
        // Lines follow the axis along which elements are contiguous.
        let by_columns = down.step() == 1 && across.step() != 1 && rows.len() > 1;
        let (lines, along) = if by_columns { (columns, rows) } else { (rows, columns) };
        let (between, within) = if by_columns { (across, down) } else { (down, across) };
        let (line_step, step) =
            if by_columns { (target.column, target.row) } else { (target.row, target.column) };
        for (number, line) in lines.enumerate() {
            let from = start.wrapping_add(between.at(line) * self.reading.size);
            let to = target.start.wrapping_add(number * line_step);
            // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it, and so for each of its lines.
            unsafe { self.line(from, within, along.clone(), to, step) };
        }
    }

    /// # Safety
    /// The indices lie in the operand, and `target` has room for that many numbers at this step.
    unsafe fn line<E>(
        &self,
        start: *const u8,
        offsets: &Offsets,
        indices: Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        let mut i = indices.start;
        while i < indices.end {
            let len = offsets.even_from(i).min(indices.end - i);
            let line = Line {
                src: start.wrapping_add(offsets.at(i) * self.reading.size),
                src_step: (offsets.step() * self.reading.size) as isize,
                dst: target.wrapping_add((i - indices.start) * step).cast(),
                dst_step: (step * size_of::<E>()) as isize,
                len,
            };
            // SAFETY: the caller vouches for the indices and for the target; `len` of the indices are evenly spaced.
            unsafe { (self.reading.read)(self.cpu, &line) };
            i += len;
        }
    }

    /// Reads both parts of each element, next to each other in rows that are `step` apart.
    ///
    /// # Safety
    /// As for [`part`](View::part).
    unsafe fn pairs<E: Number>(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        start: *mut E,
        step: usize,
    ) {
        let real = Target { start, row: step, column: 2 };
        let imaginary = Target { start: start.wrapping_add(1), ..real };
        // SAFETY: the caller vouches that the part lies in the matrix and that `start` has room for pairs; the two targets are its even and
        // its odd numbers.
        unsafe {
            self.part(batch, rows.clone(), columns.clone(), real, 0);
            match self.reading.imaginary {
                Some(offset) => self.part(batch, rows, columns, imaginary, offset),
                None => {
                    for row in 0..rows.len() {
                        (0..columns.len()).for_each(|j| *imaginary.start.add(row * step + 2 * j) = E::ZERO);
                    }
                }
            }
        }
    }
}

/// Returns the elements that a range of pairs represents. Products are divided only at even positions.
fn halved(range: Range<usize>) -> Range<usize> {
    debug_assert!(range.start.is_multiple_of(2) && range.end.is_multiple_of(2));
    range.start / 2..range.end / 2
}

impl View<'_> {
    /// Writes a part of matrix `batch` to `target`, with rows `step` numbers apart.
    ///
    /// # Safety
    /// The part lies in the matrix, and `target` is valid for writes of it.
    pub(crate) unsafe fn numbers<E: Number>(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it; pairs and squares take the room of
        // the elements that they represent.
        unsafe {
            match self.numbers {
                MatrixForm::Real => {
                    self.part(batch, rows, columns, Target { start: target, row: step, column: 1 }, 0);
                }
                MatrixForm::Pairs => self.pairs(batch, rows, halved(columns), target, step),
                MatrixForm::Squares => {
                    let (rows, columns) = (halved(rows), halved(columns));
                    self.pairs(batch, rows.clone(), columns.clone(), target, 2 * step);
                    for row in 0..rows.len() {
                        let above = target.add(2 * row * step);
                        for j in (0..2 * columns.len()).step_by(2) {
                            *above.add(step + j) = (*above.add(j + 1)).negated();
                            *above.add(step + j + 1) = *above.add(j);
                        }
                    }
                }
            }
        }
    }
}

impl<E: Element + Number> Rows<E> for View<'_> {
    unsafe fn read(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it.
        unsafe { self.numbers(batch, rows, columns, target, step) }
    }
}
