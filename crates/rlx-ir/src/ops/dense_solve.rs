//! Systems of linear equations with a square matrix, by LU factorization with partial pivoting.

use crate::op::kinds::TransposeOp;
use crate::op::{Op, OpError};
use crate::tensor::Tensor;

/// Solves a·x = b for x, with a `[n, n]` and b `[n]` or `[n, k]`.
pub(crate) fn dense_solve(a: &Tensor, b: &Tensor) -> Result<Tensor, OpError> {
    if a.rank() != 2 {
        let message = format!("a must be [n, n], got {}; batched_dense_solve takes leading axes", a.shape());
        return Err(OpError::shape(message));
    }
    batched_dense_solve(a, b)
}

/// Solves a·x = b for each of the matrices a `[…, n, n]`, with b `[…, n]` or `[…, n, k]`, depending on its rank. A singular
/// matrix gives infinities or NaN in its own results. f16 and bf16 are solved in f32.
pub(crate) fn batched_dense_solve(a: &Tensor, b: &Tensor) -> Result<Tensor, OpError> {
    let square = a.rank() >= 2 && a.dim(a.rank() - 2).compatible(&a.dim(a.rank() - 1));
    if !square {
        return Err(OpError::shape(format!("a must be [..., n, n], got {}", a.shape())));
    }
    let vectors = b.rank() + 1 == a.rank();
    let rows = a.rank() - 2;
    let fits = a.dtype() == b.dtype()
        && (vectors || b.rank() == a.rank())
        && (0..=rows).all(|axis| a.dim(axis).compatible(&b.dim(axis)));
    if !fits {
        return Err(OpError::shape(format!(
            "b must have the element type, the leading axes and the rows of a {}, and optionally one more axis, got {}",
            a.shape(),
            b.shape()
        )));
    }
    let columns = if vectors { b.widened().unsqueeze(rows + 1) } else { b.widened() };
    let [lu, _, permutation] = a.widened().apply_array(Op::Lu {}, &[]);
    let order = permutation.broadcast_in_dim(&columns.dims(), &(0..=rows).collect::<Vec<_>>());
    let permuted = columns.gather(&order, rows);
    let y = lu.apply(solve(true), &[&permuted]);
    let x = lu.apply(solve(false), &[&y]).convert(b.dtype());
    Ok(if vectors { x.reshape(&b.dims()) } else { x })
}

/// The triangular system of the unit lower factor, or of the upper factor.
fn solve(lower: bool) -> Op {
    Op::TriangularSolve { left_side: true, lower, unit_diagonal: lower, transpose: TransposeOp::None }
}

impl Tensor {
    /// Solves self·x = b for x, with this matrix and a vector or matrix b.
    #[track_caller]
    pub fn dense_solve(&self, b: &Tensor) -> Tensor {
        self.apply(Op::DenseSolve {}, &[b])
    }

    /// Solves self·x = b for x, for each of these matrices.
    #[track_caller]
    pub fn batched_dense_solve(&self, b: &Tensor) -> Tensor {
        self.apply(Op::BatchedDenseSolve {}, &[b])
    }
}
