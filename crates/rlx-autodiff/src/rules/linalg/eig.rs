//! Rules of eigenvalues and eigenvectors of any square matrix, by first-order perturbation theory. The eigenvalues must be
//! distinct.

use super::matrix::{adjoint, column, conjugate, factorized, identity_like, imag, real, row};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{BinaryOp, Op, ReduceOp, Tensor};

/// λ̇ = diag(V⁻¹·Ȧ·V). The tangents of the left vectors follow from the formula for right vectors, applied to Aᴴ·U = U·diag(λ̄).
pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Eig { left, right } = *op else { return cx.decomposed(op, operands) };
    let (_, t, results) = factorized(cx, &Op::Eig { left, right: true }, operands)?;
    let (Some(values), Some(v)) = (results.first(), results.last()) else {
        return cx.decomposed(op, operands);
    };
    let (t, last) = (t.convert(v.dtype()), t.rank().saturating_sub(1));
    let solved = v.batched_dense_solve(&t);
    let of_values = (&solved * v.transpose_last()).reduce(ReduceOp::Sum, &[last], false);
    let mut duals = vec![Dual::new(values.clone(), of_values)];
    if let (true, Some(u)) = (left, results.get(1)) {
        let projected = u.batched_dense_solve(&adjoint(&t)).matmul(u);
        duals.push(Dual::new(u.clone(), of_vectors(&conjugate(values), u, &projected)));
    }
    if right {
        duals.push(Dual::new(v.clone(), of_vectors(values, v, &solved.matmul(v))));
    }
    Ok(duals)
}

/// With P = V⁻¹·Ȧ·V: V̇ = W + V·diag(c), where W = V·(F ∘ P) and F is 1 / (λⱼ − λᵢ) off the diagonal; c keeps the norms at 1 and
/// the imaginary part of the largest element of each column at 0.
fn of_vectors(values: &Tensor, v: &Tensor, projected: &Tensor) -> Tensor {
    let differences = row(values) - column(values);
    let identity = identity_like(&differences);
    let inverse = 1.0 / (differences + &identity) - identity;
    let moved = v.matmul(&(projected * inverse));
    let rows = v.rank().saturating_sub(2);
    let along = real(&(conjugate(v) * &moved).reduce(ReduceOp::Sum, &[rows], false));
    // The element that was made real, not another one of the same modulus.
    let (size, turned) = (v.abs(), imag(v));
    let is_real = turned.equal(&turned.scalar_like(0.0));
    let candidates = is_real.select(&size, &size.scalar_like(-1.0));
    let largest = row(&candidates.reduce(ReduceOp::Max, &[rows], false)).broadcast_to(&candidates.dims());
    let part = |x: Tensor| candidates.equal(&largest).select(&x, &size.scalar_like(0.0));
    let sum = |x: Tensor| x.reduce(ReduceOp::Sum, &[rows], false);
    let real_part = part(real(v));
    let turn = sum(part(imag(&moved)) * &real_part) / sum(&real_part * &real_part);
    moved + v * row(&(-along).binary(BinaryOp::Complex, &-turn))
}
