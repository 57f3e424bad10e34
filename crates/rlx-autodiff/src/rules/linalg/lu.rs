//! LU factors with a fixed order of rows (de Hoog, Anderssen and Lukas, "Differentiation of matrix functionals using triangular
//! factorization", 2011).

use super::matrix::{Triangular, extents, factorised, identity_like, lower, sizes, upper};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{Op, Tensor};

/// With N = L⁻¹·P·Ȧ·U⁻¹: L̇ = L·(N strictly below the diagonal), U̇ = (N from the diagonal on)·U. Of matrices that are not
/// square, the factors are filled up to square ones with the identity.
pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let (a, t, results) = factorised(cx, op, operands)?;
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
    let inner = Triangular::left(true).unit_diagonal().solve(&left, &permuted);
    let inner = Triangular::right(false).solve(&right, &inner);
    let factor = lower(&left, true) + identity_like(&left);
    let tangent = factor.matmul(&lower(&inner, true)) + upper(&inner, false).matmul(&upper(&right, false));
    let [pivots, permutation] = [pivots, permutation].map(|x| Dual::constant(x.clone()));
    Ok(vec![Dual::new(lu.clone(), tangent), pivots, permutation])
}

/// Both factors of a matrix in one, made `to` long along an axis where it is `from` long: cut, or filled up with the identity.
fn filled(lu: &Tensor, axis: usize, from: usize, to: usize) -> Tensor {
    if to <= from {
        return lu.slice_axis(axis, 0, to);
    }
    let mut high = vec![0; lu.rank()];
    high[axis] = (to - from) as i64;
    let pad = Op::Pad { low: vec![0; lu.rank()], high, interior: vec![0; lu.rank()] };
    let wide = lu.apply(pad, &[&lu.scalar_like(0.0)]);
    let ones = identity_like(&wide);
    let added = wide.builder().iota(wide.shape().with_dtype(rlx_ir::DType::I32), axis);
    let added = added.greater_equal(&wide.builder().int(from as i64, rlx_ir::DType::I32));
    added.select(&ones, &wide)
}
