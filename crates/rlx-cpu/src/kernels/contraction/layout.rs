//! A `dot_general` as a batch of matrix products: how the axes of its operands group into batch, free and contracting,
//! and whether each group is one stride.

use rlx_ir::Op;
use rlx_ir::shape::row_major_strides;

/// A batch of products `[m, k] · [k, n] → [m, n]`; the results lie one after another, row-major.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) batch: usize,
    pub(crate) m: usize,
    pub(crate) k: usize,
    pub(crate) n: usize,
    /// Rows are free axes, columns contracting axes.
    pub(crate) lhs: MatrixOperand,
    /// Rows are contracting axes, columns free axes.
    pub(crate) rhs: MatrixOperand,
}

/// How the matrices of an operand lie.
#[derive(Clone, Debug)]
pub(crate) enum MatrixOperand {
    /// By three strides, in elements.
    Strided(Strides),
    /// In no way that three strides tell; to be copied in the order of these axes, after which it is row-major.
    Permuted {
        /// Sizes in the order of the copy.
        sizes: Vec<usize>,
        /// Strides of the source in that order.
        strides: Vec<usize>,
        /// Strides of the copy.
        copied: Strides,
    },
}

/// Strides of a batch of matrices, in elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Strides {
    pub(crate) batch: usize,
    pub(crate) row: usize,
    pub(crate) column: usize,
}

impl MatrixOperand {
    /// The strides after the copy, if one is needed.
    pub(crate) fn strides(&self) -> Strides {
        match self {
            MatrixOperand::Strided(strides) => *strides,
            MatrixOperand::Permuted { copied, .. } => *copied,
        }
    }

    /// Whether the operand must be copied first.
    pub(crate) fn is_permuted(&self) -> bool {
        matches!(self, MatrixOperand::Permuted { .. })
    }
}

/// The product that a `dot_general` on operands of these sizes is; `None` for other ops.
pub(crate) fn product(op: &Op, lhs: &[usize], rhs: &[usize]) -> Option<Product> {
    let Op::DotGeneral { lhs_batch, rhs_batch, lhs_contract, rhs_contract, .. } = op else { return None };
    let free = |rank: usize, a: &[usize], b: &[usize]| -> Vec<usize> {
        (0..rank).filter(|x| !a.contains(x) && !b.contains(x)).collect()
    };
    let lhs_free = free(lhs.len(), lhs_batch, lhs_contract);
    let rhs_free = free(rhs.len(), rhs_batch, rhs_contract);
    let size = |dims: &[usize], axes: &[usize]| axes.iter().map(|&a| dims[a]).product::<usize>();
    Some(Product {
        batch: size(lhs, lhs_batch),
        m: size(lhs, &lhs_free),
        k: size(lhs, lhs_contract),
        n: size(rhs, &rhs_free),
        lhs: operand(lhs, lhs_batch, &lhs_free, lhs_contract),
        rhs: operand(rhs, rhs_batch, rhs_contract, &rhs_free),
    })
}

fn operand(dims: &[usize], batch: &[usize], rows: &[usize], columns: &[usize]) -> MatrixOperand {
    let strides = row_major_strides(dims);
    let one = |axes: &[usize]| one_stride(dims, &strides, axes);
    if let (Some(batch), Some(row), Some(column)) = (one(batch), one(rows), one(columns)) {
        return MatrixOperand::Strided(Strides { batch, row, column });
    }
    let order = [batch, rows, columns].concat();
    let count = |axes: &[usize]| axes.iter().map(|&a| dims[a]).product::<usize>();
    MatrixOperand::Permuted {
        sizes: order.iter().map(|&a| dims[a]).collect(),
        strides: order.iter().map(|&a| strides[a]).collect(),
        copied: Strides { batch: count(rows) * count(columns), row: count(columns), column: 1 },
    }
}

/// The stride of these axes taken as one, if there is such: 0 for no axis (or only axes of size 1).
fn one_stride(dims: &[usize], strides: &[usize], axes: &[usize]) -> Option<usize> {
    let real: Vec<usize> = axes.iter().copied().filter(|&a| dims[a] != 1).collect();
    let joined = real.windows(2).all(|pair| strides[pair[0]] == strides[pair[1]] * dims[pair[1]]);
    joined.then(|| real.last().map_or(0, |&a| strides[a]))
}

/// Copies elements of type `T` from strided `source` to contiguous `target`.
pub(crate) fn copy_permuted<T: Copy>(source: &[T], sizes: &[usize], strides: &[usize], target: &mut [T]) {
    let Some((&inner_size, outer_sizes)) = sizes.split_last() else {
        target.copy_from_slice(&source[..target.len().min(1)]);
        return;
    };
    let inner_stride = strides[outer_sizes.len()];
    let outer: usize = outer_sizes.iter().product();
    for row in 0..outer {
        let (mut rest, mut at) = (row, 0);
        for axis in (0..outer_sizes.len()).rev() {
            at += rest % outer_sizes[axis] * strides[axis];
            rest /= outer_sizes[axis];
        }
        let line = &mut target[row * inner_size..][..inner_size];
        if inner_stride == 1 {
            line.copy_from_slice(&source[at..][..inner_size]);
        } else {
            line.iter_mut().enumerate().for_each(|(i, t)| *t = source[at + i * inner_stride]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(lhs_batch: &[usize], rhs_batch: &[usize], lhs_contract: &[usize], rhs_contract: &[usize]) -> Op {
        Op::DotGeneral {
            lhs_batch: lhs_batch.to_vec(),
            rhs_batch: rhs_batch.to_vec(),
            lhs_contract: lhs_contract.to_vec(),
            rhs_contract: rhs_contract.to_vec(),
            dtype: None,
        }
    }

    #[test]
    fn linear_layers_need_no_copy() {
        let p = product(&dot(&[], &[], &[2], &[1]), &[2, 5, 8], &[3, 8]).expect("a product");
        assert_eq!((p.batch, p.m, p.k, p.n), (1, 10, 8, 3));
        assert_eq!(p.lhs.strides(), Strides { batch: 0, row: 8, column: 1 });
        assert_eq!(p.rhs.strides(), Strides { batch: 0, row: 1, column: 8 });
        assert!(!p.lhs.is_permuted() && !p.rhs.is_permuted());
    }

    #[test]
    fn interleaved_axes_are_copied() {
        let p = product(&dot(&[1], &[0], &[0, 3], &[2, 1]), &[2, 3, 4, 5], &[3, 5, 2]).expect("a product");
        assert_eq!((p.batch, p.m, p.k, p.n), (3, 4, 10, 1));
        assert!(p.lhs.is_permuted());
        let MatrixOperand::Permuted { sizes, strides, .. } = &p.lhs else { return };
        let source: Vec<u32> = (0..120).collect();
        let mut target = vec![0; 120];
        copy_permuted(&source, sizes, strides, &mut target);
        // lhs[c0, b, f, c1] becomes [b, f, c0, c1].
        assert_eq!(target[0..7], [0, 1, 2, 3, 4, 60, 61]);
        assert_eq!(target[40], 20);
    }
}
