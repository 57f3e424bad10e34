//! Expands eigenvalues and eigenvectors of Hermitian matrices, with the parallel cyclic Jacobi method. See Golub & Van Loan,
//! section 8.5.7: n/2 rotations per round, n − 1 rounds per sweep, about log n sweeps.

use super::jacobi::{any_above, next_round, rotated_columns, rotations, sorted, sweeps};
use super::{
    Matrices, adjoint, columns, columns_at, diagonal, divided, identity, joined, masked, of_real, padded,
    rows, size_of, squares,
};
use crate::build::Expression;
use rlx_ir::{OpError, ReduceOp, SortOrder, Tensor};

/// The Hermitian matrix with the given triangle; its diagonal is real.
fn hermitian(a: &Tensor, n: usize, lower: bool) -> Tensor {
    let b = a.builder();
    let (row, column) = (rows(&b, n), columns(&b, n));
    let own = if lower { row.greater(&column) } else { row.less(&column) };
    let diagonal = masked(&row.equal(&column), &of_real(&a.re(), a));
    let half = masked(&own, a);
    &half + adjoint(&half) + diagonal
}

/// Ascending eigenvalues, and eigenvectors as columns.
pub(crate) fn eigh(a: &Tensor, lower: bool) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let n = matrices.n;
    let whole = hermitian(&matrices.all, n, lower);
    if a.shape().num_elements() == Some(0) {
        let values = diagonal(&whole.re(), n);
        return Ok([values, whole].iter().map(|x| matrices.restore(x)).collect());
    }
    // If n is odd, a row and a column of zeros are added. No rotation mixes them with the others.
    let half = n.div_ceil(2);
    let size = size_of(&whole, &[1, 2]);
    let start = padded(&divided(&whole, &size), 2 * half - n, 2 * half - n);
    let vectors = identity(&start, 2 * half, 2 * half);
    let made = sweeps(
        &[start, vectors],
        2 * half - 1,
        &|state| round(state, half),
        &|state| any_above(&relative_rest(&state[0], 2 * half), 1.0),
        &|state| state.to_vec(),
    );
    let [values, vectors] = &made[..] else { return Ok(made) };
    let values = diagonal(&values.re(), n) * size.squeeze(2);
    let [values, order] = sorted(&values, SortOrder::Ascending);
    let vectors = columns_at(&vectors.slice_axis(1, 0, n).slice_axis(2, 0, n), &order);
    Ok([values, vectors].iter().map(|x| matrices.restore(x)).collect())
}

/// One round: rotates all pairs, then forms new pairs.
fn round(state: &[Tensor], half: usize) -> Vec<Tensor> {
    let [a, vectors] = state else { return Vec::new() };
    let b = a.builder();
    let n = 2 * half;
    let (row, column) = (rows(&b, n), columns(&b, n));
    let all = diagonal(&a.re(), n).unsqueeze(1);
    let [first, second] = super::jacobi::halves(&all, 2, half);
    let corner = a.slice_axis(1, 0, half).slice_axis(2, half, n);
    let vanishing = diagonal(&corner, half).unsqueeze(1);
    let turn = rotations(&first, &second, &vanishing);
    // Jᴴ·A·J. The rows are rotated with the adjoint of the matrix that rotated the columns; the elements with known values are
    // set.
    let turned = adjoint(&rotated_columns(a, &turn, half));
    let turned = rotated_columns(&turned, &turn, half);
    let values = joined([&(first - &turn.shift), &(second + &turn.shift)], 2);
    let apart = (&row - &column).abs();
    let turned = apart.equal(&apart.int_like(half as i64)).select(&a.scalar_like(0.0), &turned);
    let turned = row.equal(&column).select(&of_real(&values, a), &turned);
    let seated = next_round(&next_round(&turned, 1, half), 2, half);
    vec![seated, next_round(&rotated_columns(vectors, &turn, half), 2, half)]
}

/// The norm of the off-diagonal part, divided by that of the matrix; 0 for a zero matrix.
fn relative_rest(a: &Tensor, n: usize) -> Tensor {
    let b = a.builder();
    let off = rows(&b, n).not_equal(&columns(&b, n));
    let norm = |x: &Tensor| squares(x).reduce(ReduceOp::Sum, &[1, 2], false).sqrt();
    let (rest, whole) = (norm(&masked(&off, a)), norm(a));
    masked(&whole.greater(&whole.scalar_like(0.0)), &(rest / whole))
}
