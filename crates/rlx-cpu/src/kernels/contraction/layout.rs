//! Expresses a `dot_general` as a batch of matrix products by grouping its axes into batch, free and contracting axes.

use crate::kernels::space::{Axis, count, merged, offsets};
use rlx_ir::Op;
use rlx_ir::shape::row_major_strides;

/// A batch of products `[m, k] · [k, n] → [m, n]`. The results are stored one after another, row-major.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) batch: usize,
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    /// Rows are free axes, columns contracting axes.
    pub(crate) lhs: Matrix,
    /// Rows are contracting axes, columns free axes.
    pub(crate) rhs: Matrix,
}

/// Positions of the elements of a batch of matrices; each is the sum of three offsets, in elements.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) batch: Offsets,
    pub(crate) rows: Offsets,
    pub(crate) columns: Offsets,
}

/// Offsets along an axis that may consist of several axes: evenly spaced runs, and where each begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Offsets {
    run: usize,
    step: usize,
    starts: Vec<usize>,
}

/// Strides of a batch of matrices, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strides {
    pub(crate) batch: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl Offsets {
    /// Combines axes of these sizes and strides into one.
    pub(crate) fn new(axes: &[(usize, usize)]) -> Offsets {
        let strided = axes.iter().map(|&(size, stride)| Axis { size, steps: [stride as isize] });
        let mut outer = merged(strided);
        let Axis { size: run, steps: [step] } = outer.pop().unwrap_or(Axis { size: 1, steps: [0] });
        let starts = (0..count(&outer)).map(|i| offsets(&outer, i)[0] as usize).collect();
        Offsets { run: run.max(1), step: step as usize, starts }
    }

    /// Creates irregular offsets.
    pub(crate) fn scattered(starts: Vec<usize>) -> Offsets {
        Offsets { run: 1, step: 0, starts }
    }

    /// The offset of index `i`.
    pub(crate) fn at(&self, i: usize) -> usize {
        match self.starts.as_slice() {
            &[start] => start + i * self.step,
            starts => starts[i / self.run] + i % self.run * self.step,
        }
    }

    /// The step from one offset to the next within a run.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// The step, if it is the same everywhere.
    pub(crate) fn even_step(&self) -> Option<usize> {
        (self.starts.len() <= 1).then_some(self.step)
    }

    /// Number of evenly spaced offsets starting at index `i`.
    pub(crate) fn even_from(&self, i: usize) -> usize {
        if self.starts.len() <= 1 { usize::MAX } else { self.run - i % self.run }
    }
}

impl Matrix {
    /// Returns the strides, if all offsets are evenly spaced.
    pub(crate) fn strides(&self) -> Option<Strides> {
        Some(Strides {
            batch: self.batch.even_step()?,
            row: self.rows.even_step()?,
            column: self.columns.even_step()?,
        })
    }

    fn new(dims: &[usize], batch: &[usize], rows: &[usize], columns: &[usize]) -> Matrix {
        let strides = row_major_strides(dims);
        let offsets = |axes: &[usize]| {
            let axes: Vec<(usize, usize)> = axes.iter().map(|&a| (dims[a], strides[a])).collect();
            Offsets::new(&axes)
        };
        Matrix { batch: offsets(batch), rows: offsets(rows), columns: offsets(columns) }
    }
}

/// Returns the product that a `dot_general` on operands of these sizes computes; `None` for other ops.
pub(crate) fn product(op: &Op, lhs: &[usize], rhs: &[usize]) -> Option<Product> {
    let Op::DotGeneral { dims, .. } = op else { return None };
    let ([l, r], [lhs_free, rhs_free]) = (dims.sides(), dims.free(lhs.len(), rhs.len()));
    let size = |dims: &[usize], axes: &[usize]| axes.iter().map(|&a| dims[a]).product::<usize>();
    Some(Product {
        batch: size(lhs, l.batch),
        m: size(lhs, &lhs_free),
        k: size(lhs, l.contract),
        n: size(rhs, &rhs_free),
        lhs: Matrix::new(lhs, l.batch, &lhs_free, l.contract),
        rhs: Matrix::new(rhs, r.batch, r.contract, &rhs_free),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::DotDims;

    fn dot(lhs_batch: &[usize], rhs_batch: &[usize], lhs_contract: &[usize], rhs_contract: &[usize]) -> Op {
        let dims = DotDims {
            lhs_batch: lhs_batch.to_vec(),
            rhs_batch: rhs_batch.to_vec(),
            lhs_contract: lhs_contract.to_vec(),
            rhs_contract: rhs_contract.to_vec(),
        };
        Op::DotGeneral { dims, dtype: None }
    }

    #[test]
    fn linear_layers_have_strides() {
        let p = product(&dot(&[], &[], &[2], &[1]), &[2, 5, 8], &[3, 8]).expect("a product");
        assert_eq!((p.batch, p.m, p.k, p.n), (1, 10, 8, 3));
        assert_eq!(p.lhs.strides(), Some(Strides { batch: 0, row: 8, column: 1 }));
        assert_eq!(p.rhs.strides(), Some(Strides { batch: 0, row: 1, column: 8 }));
    }

    #[test]
    fn interleaved_axes_lie_in_runs() {
        let p = product(&dot(&[1], &[0], &[0, 3], &[2, 1]), &[2, 3, 4, 5], &[3, 5, 2]).expect("a product");
        assert_eq!((p.batch, p.m, p.k, p.n), (3, 4, 10, 1));
        assert_eq!(p.lhs.strides(), None);
        // lhs[c0, b, f, c1] is read as [b, f, c0, c1].
        let at = |b: usize, f: usize, c: usize| p.lhs.batch.at(b) + p.lhs.rows.at(f) + p.lhs.columns.at(c);
        assert_eq!((0..7).map(|c| at(0, 0, c)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 60, 61]);
        assert_eq!(at(1, 0, 0), 20);
        assert_eq!((p.lhs.columns.even_from(0), p.lhs.columns.even_from(3)), (5, 2));
    }
}
