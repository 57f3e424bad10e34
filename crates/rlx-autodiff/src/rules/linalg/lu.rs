//! Rules of LU factors with a fixed order of rows. See de Hoog, Anderssen and Lukas, "Differentiation of matrix
//! functionals using triangular factorization", 2011.

use super::matrix::{Triangular, extents, factorized, identity_like, lower, sizes, upper};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{DType, Dim, Op, Tensor};

/// With M = L⁻¹·P·Ȧ and N the part of M·U⁻¹ strictly below the diagonal: L̇ = L·N, U̇ = M − N·U. N does not need the last pivot
/// unless the matrix is tall, so a last pivot of zero does no harm. The factors of matrices that are not square are extended to
/// square ones with the identity.
pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (a, t, results) = factorized(cx, op, operands)?;
    let [lu, pivots, permutation] = results.as_slice() else { return cx.decomposed(op, operands) };
    let lead = a.rank() - 2;
    let order = permutation.broadcast_in_dim(&a.dims(), &(0..=lead).collect::<Vec<_>>());
    let permuted = t.gather(&order, lead);
    let (m, n) = extents(&a.shape())?;
    let (left, right) = if m == n {
        (lu.clone(), lu.clone())
    } else {
        let (m, n) = sizes(&a)?;
        (filled(lu, lead + 1, n, m), filled(lu, lead, m, n))
    };
    let solved = Triangular::left(true).unit_diagonal().solve(&left, &permuted);
    let tall = matches!((m.as_static(), n.as_static()), (Some(m), Some(n)) if m > n);
    let divisor = if tall { right.clone() } else { identity_from(&right, lead, &m, 1) };
    let below = lower(&Triangular::right(false).solve(&divisor, &solved), true);
    let factor = lower(&left, true) + identity_like(&left);
    let of_upper = upper(&(solved - below.matmul(&upper(&right, false))), false);
    let tangent = factor.matmul(&below) + of_upper;
    let [pivots, permutation] = [pivots, permutation].map(|x| Dual::constant(x.clone()));
    Ok(vec![Dual::new(lu.clone(), tangent), pivots, permutation])
}

/// Both factors of a matrix in one, truncated or extended with the identity from `from` to `to` along an axis.
fn filled(lu: &Tensor, axis: usize, from: usize, to: usize) -> Tensor {
    if to <= from {
        return lu.slice_axis(axis, 0, to);
    }
    let mut high = vec![0; lu.rank()];
    high[axis] = (to - from) as i64;
    let pad = Op::Pad { low: vec![0; lu.rank()], high, interior: vec![0; lu.rank()] };
    let wide = lu.apply(pad, &[&lu.scalar_like(0.0)]);
    identity_from(&wide, axis, &Dim::Static(from), 0)
}

/// The matrix with the rows or columns from `size` − `less` on taken from the identity.
fn identity_from(x: &Tensor, axis: usize, size: &Dim, less: i64) -> Tensor {
    let builder = x.builder();
    let first = trace::size(&builder, size) - builder.int(less, DType::I64);
    let at = builder.iota(x.shape().with_dtype(DType::I64), axis);
    at.greater_equal(&first).select(&identity_like(x), x)
}
