//! Rules of eigenvalues and eigenvectors of Hermitian matrices, by first-order perturbation theory. The
//! eigenvalues must be distinct for the derivatives of the vectors to be finite.

use super::matrix::{adjoint, column, diagonal, factorized, hermitian, identity_like, real, row};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::Op;

/// With P = Vᴴ·Ȧ·V: λ̇ = diag P, V̇ = V·(F ∘ P), where F is 1 / (λⱼ − λᵢ) off the diagonal.
pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Eigh { lower } = *op else { return cx.decomposed(op, operands) };
    let (_, t, results) = factorized(cx, op, operands)?;
    let [values, vectors] = results.as_slice() else { return cx.decomposed(op, operands) };
    let projected = adjoint(vectors).matmul(&hermitian(&t, lower).matmul(vectors));
    let differences = row(values) - column(values);
    let identity = identity_like(&differences);
    let inverse = (1.0 / (differences + &identity) - identity).convert(vectors.dtype());
    let of_vectors = vectors.matmul(&(&projected * inverse));
    Ok(vec![Dual::new(values.clone(), real(&diagonal(&projected))), Dual::new(vectors.clone(), of_vectors)])
}
