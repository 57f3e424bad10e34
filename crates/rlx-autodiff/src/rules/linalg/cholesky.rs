//! Rules of Cholesky factors (Murray, "Differentiation of the Cholesky decomposition", 2016).

use super::matrix::{Triangular, factorized, half, hermitian, lower as below, upper as above};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::Op;

/// L̇ = L·Φ(L⁻¹·Ȧ·L⁻ᴴ), where Φ takes the lower triangle with half of the diagonal; U̇ = Φ(U⁻ᴴ·Ȧ·U⁻¹)·U with the upper triangle.
pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Cholesky { lower } = *op else { return cx.decomposed(op, operands) };
    let (_, t, results) = factorized(cx, op, operands)?;
    let [factor] = results.as_slice() else { return cx.decomposed(op, operands) };
    let t = hermitian(&t, lower);
    let (left, right) = (Triangular::left(lower), Triangular::right(lower));
    let (left, right) = if lower { (left, right.adjoint()) } else { (left.adjoint(), right) };
    let inner = half(&left.solve(factor, &right.solve(factor, &t)), lower);
    // The other triangle is zero, whatever the factor is.
    let tangent =
        if lower { below(&factor.matmul(&inner), false) } else { above(&inner.matmul(factor), false) };
    Ok(vec![Dual::new(factor.clone(), tangent)])
}
