//! Expands singular values and vectors, by one-sided Jacobi rotations on the triangle of a QR factorization. See Golub & Van
//! Loan, sections 8.6.3 and 8.6.4; Demmel and Veselić, "Jacobi's method is more accurate than QR", 1992. The left vectors come
//! from another QR factorization, of the columns that the rotations made orthogonal, so they are orthonormal and complete even if
//! singular values are zero.

use super::householder::{factors, upper};
use super::jacobi::{any_above, halves, next_round, rotated_columns, rotations, sorted, sweeps};
use super::{
    Matrices, adjoint, columns_at, diagonal, divided, identity, joined, masked, padded, scaled, size_of,
    squares,
};
use crate::build::Expression;
use crate::looping::zero;
use rlx_ir::{Dim, OpError, ReduceOp, SortOrder, Tensor};

/// U, the descending singular values, and Vᴴ.
pub(crate) fn svd(a: &Tensor, full_matrices: bool) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (m, n) = (matrices.m, matrices.n);
    let [u, s, vh] = if m >= n {
        tall(&matrices.all, m, n, full_matrices)
    } else {
        // A is the adjoint of its adjoint's factorization, (U·S·Vᴴ)ᴴ.
        let [u, s, vh] = tall(&adjoint(&matrices.all), n, m, full_matrices);
        [adjoint(&vh), s, adjoint(&u)]
    };
    Ok([u, s, vh].iter().map(|x| matrices.restore(x)).collect())
}

/// [`svd`] for matrices `[batch, m, n]` with m ≥ n.
fn tall(a: &Tensor, m: usize, n: usize, full_matrices: bool) -> [Tensor; 3] {
    let width = if full_matrices { m } else { n };
    if n == 0 || a.shape().num_elements() == Some(0) {
        let s = zero(&a.builder(), a.dtype().real()).broadcast_to(&[a.dim(0), Dim::Static(n)]);
        return [identity(a, m, width), s, identity(a, n, n)];
    }
    let size = size_of(a, &[1, 2]);
    let a = divided(a, &size);
    let outer = (m > n).then(|| factors(&a, n, width));
    let core = outer.as_ref().map_or(a.clone(), |(_, packed)| upper(packed, n, n));
    let [columns, v] = orthogonal_columns(&core, n);
    let norms = squares(&columns).reduce(ReduceOp::Sum, &[1], false).sqrt();
    let [s, order] = sorted(&norms, SortOrder::Descending);
    let (columns, v) = (columns_at(&columns, &order), columns_at(&v, &order));
    let (q, packed) = factors(&columns, n, n);
    // The columns are multiples of those of Q, by the diagonal of R, which is real.
    let multiples = diagonal(&packed.re(), n).unsqueeze(1);
    let (one, nothing) = (multiples.scalar_like(1.0), multiples.scalar_like(0.0));
    let u = scaled(&q, &multiples.less(&nothing).select(&-&one, &one));
    let u = match outer {
        Some((outer, _)) => {
            let within = outer.slice_axis(2, 0, n).matmul(&u);
            if width > n { joined([&within, &outer.slice_axis(2, n, width)], 2) } else { within }
        }
        None => u,
    };
    [u, s * size.squeeze(2), adjoint(&v)]
}

/// A·V with orthogonal columns, and V, for A `[batch, m, n]`; both `[batch, …, n]`.
fn orthogonal_columns(a: &Tensor, n: usize) -> [Tensor; 2] {
    // If n is odd, a column of zeros is added. No rotation mixes it with the others.
    let half = n.div_ceil(2);
    let start = padded(a, 0, 2 * half - n);
    let v = identity(a, 2 * half, 2 * half);
    let worst =
        zero(&a.builder(), a.dtype().real()).broadcast_to(&[a.dim(0), Dim::Static(1), Dim::Static(half)]);
    // Rounding makes inner products of orthogonal columns up to about √n units of their norms.
    let units = 2.0 * (n as f64).sqrt();
    let made = sweeps(
        &[start, v, worst],
        2 * half - 1,
        &|state| round(state, half),
        &|state| any_above(&state[2], units),
        &|state| vec![state[0].clone(), state[1].clone(), state[2].filled(0.0)],
    );
    let [columns, v, _] = &made[..] else { return [a.clone(), a.clone()] };
    [columns.slice_axis(2, 0, n), v.slice_axis(1, 0, n).slice_axis(2, 0, n)]
}

/// One round: rotates all pairs of columns so that they are orthogonal, and then forms new pairs. Also updates, for each pair's
/// place, the largest cosine between two columns in this sweep.
fn round(state: &[Tensor], half: usize) -> Vec<Tensor> {
    let [a, v, worst] = state else { return Vec::new() };
    let [p, q] = halves(a, 2, half);
    let (first, second) = (squares(&p).sum(1, true), squares(&q).sum(1, true));
    let product = (p.conj() * &q).sum(1, true);
    let lengths = first.sqrt() * second.sqrt();
    let cosine = product.abs() / &lengths;
    let cosine = masked(&lengths.greater(&lengths.scalar_like(0.0)), &cosine);
    let turn = rotations(&first, &second, &product);
    let turned = [a, v].map(|x| next_round(&rotated_columns(x, &turn, half), 2, half));
    let [a, v] = turned;
    vec![a, v, worst.maximum(&cosine)]
}
