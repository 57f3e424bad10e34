//! The shape of a matrix product: sizes and strides, checked once when the product is planned.

use super::GemmError;

/// Elements from one row to the next, and from one column to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// From one row to the next.
    pub row: usize,
    /// From one column to the next.
    pub col: usize,
}

impl Steps {
    /// Returns the steps of rows of `width` elements, one after the other.
    pub fn row_major(width: usize) -> Steps {
        Steps { row: width, col: 1 }
    }

    /// Returns the steps of the transpose.
    pub fn transposed(self) -> Steps {
        Steps { row: self.col, col: self.row }
    }
}

/// How B is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RhsForm {
    /// As k×n elements at these steps.
    Strided(Steps),
    /// As a [`PackedB`](super::PackedB).
    Packed,
    /// As k×n 16-bit floats at these steps, which are widened exactly where they are used.
    Narrow(Steps),
    /// Not stored: read through a function, see [`Rows`](super::Rows).
    Rows,
}

/// One batch dimension: its size, and the elements from one index to the next in each operand. With a step of 0, every index uses the same
/// matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchDim {
    /// Number of indices.
    pub size: usize,
    /// Step in A.
    pub a: usize,
    /// Step in B.
    pub b: usize,
    /// Step in C; never 0 if there is more than one index.
    pub c: usize,
    /// Step in the residual of the epilogue.
    pub residual: usize,
}

/// The shape of `C[m,n] = A[m,k]·B[k,n]`, for every index of the batch dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GemmShape {
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Columns of A. If it is 0, the product is 0 and the epilogue still applies.
    pub k: usize,
    /// Steps of A.
    pub a: Steps,
    /// Form of B.
    pub b: RhsForm,
    /// Elements from one row of C to the next; its columns are contiguous.
    pub c_row: usize,
    /// Batch dimensions, outermost first; without any there is one product.
    pub batch: Vec<BatchDim>,
}

impl GemmShape {
    /// The shape of one product of row-major matrices without gaps.
    pub fn row_major(m: usize, n: usize, k: usize) -> GemmShape {
        GemmShape {
            m,
            n,
            k,
            a: Steps::row_major(k),
            b: RhsForm::Strided(Steps::row_major(n)),
            c_row: n,
            batch: Vec::new(),
        }
    }

    /// The shape of one product of a row-major A and a packed B.
    pub fn with_packed(m: usize, n: usize, k: usize) -> GemmShape {
        GemmShape { b: RhsForm::Packed, ..GemmShape::row_major(m, n, k) }
    }

    /// Number of products.
    pub(super) fn batches(&self) -> Result<usize, GemmError> {
        self.batch
            .iter()
            .try_fold(1usize, |product, dim| product.checked_mul(dim.size))
            .ok_or_else(|| self.overflow("the batch"))
    }

    /// Returns the number of elements that each operand must have.
    pub(super) fn extents(&self) -> Result<Extents, GemmError> {
        let (m, n, k) = (self.m, self.n, self.k);
        let batch = |step: fn(&BatchDim) -> usize| self.batch.iter().map(move |dim| (dim.size, step(dim)));
        let reach = |operand, dims: &mut dyn Iterator<Item = (usize, usize)>| {
            reach(dims).ok_or_else(|| self.overflow(operand))
        };
        let b = match self.b {
            RhsForm::Packed | RhsForm::Rows => 0,
            RhsForm::Strided(steps) | RhsForm::Narrow(steps) => {
                reach("B", &mut batch(|dim| dim.b).chain([(k, steps.row), (n, steps.col)]))?
            }
        };
        Ok(Extents {
            a: reach("A", &mut batch(|dim| dim.a).chain([(m, self.a.row), (k, self.a.col)]))?,
            b,
            c: reach("C", &mut batch(|dim| dim.c).chain([(m, self.c_row), (n, 1)]))?,
        })
    }

    /// Returns the number of elements that a residual with rows `row_step` apart must have.
    pub(super) fn residual_extent(&self, row_step: usize) -> Result<usize, GemmError> {
        let batch = self.batch.iter().map(|dim| (dim.size, dim.residual));
        reach(&mut batch.chain([(self.m, row_step), (self.n, 1)]))
            .ok_or_else(|| self.overflow("the residual"))
    }

    pub(super) fn check(&self) -> Result<(), GemmError> {
        if self.b == RhsForm::Packed && self.batch.iter().any(|dim| dim.b != 0 && dim.size > 1) {
            return Err(GemmError::BatchedPacked);
        }
        if self.batch.is_empty() {
            // Does not build a list, so that a product can be planned while running.
            let overlap = self.m > 1 && self.c_row < self.n;
            return if overlap { Err(GemmError::OverlappingOutput) } else { Ok(()) };
        }
        // In order of their steps, each dimension must step over everything that the previous ones reach.
        let mut dims: Vec<(usize, usize)> = self.batch.iter().map(|dim| (dim.c, dim.size)).collect();
        dims.push((self.c_row, self.m));
        if self.n == 0 || dims.iter().any(|&(_, size)| size == 0) {
            return Ok(());
        }
        dims.retain(|&(_, size)| size > 1);
        dims.sort_unstable();
        let mut extent = self.n;
        for (step, size) in dims {
            if step < extent {
                return Err(GemmError::OverlappingOutput);
            }
            // Cannot overflow: `extents` has computed a larger number.
            extent += step * (size - 1);
        }
        Ok(())
    }

    /// The offsets of A, B, C and the residual in product `index` of the batch.
    pub(super) fn offsets(&self, mut index: usize) -> Offsets {
        let mut at = Offsets { a: 0, b: 0, c: 0, residual: 0 };
        for dim in self.batch.iter().rev() {
            let i = index % dim.size;
            index /= dim.size;
            at.a += i * dim.a;
            at.b += i * dim.b;
            at.c += i * dim.c;
            at.residual += i * dim.residual;
        }
        at
    }

    fn overflow(&self, operand: &'static str) -> GemmError {
        GemmError::Overflow { operand, m: self.m, n: self.n, k: self.k }
    }
}

/// Elements that the operands must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extents {
    pub a: usize,
    pub b: usize,
    pub c: usize,
}

/// Offsets in each operand at which a product of the batch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub a: usize,
    pub b: usize,
    pub c: usize,
    pub residual: usize,
}

/// Returns one more than the largest offset that (size, step) pairs reach, or 0 if a size is 0. Returns `None` if that many elements of up
/// to 8 bytes cannot exist.
fn reach(dims: &mut dyn Iterator<Item = (usize, usize)>) -> Option<usize> {
    let mut last = Some(0usize);
    let mut empty = false;
    for (size, step) in dims {
        empty |= size == 0;
        let span = size.saturating_sub(1).checked_mul(step);
        last = last.zip(span).and_then(|(last, span)| last.checked_add(span));
    }
    if empty {
        return Some(0);
    }
    last?.checked_add(1).filter(|&extent| extent <= isize::MAX as usize / 8)
}
