//! Rules of singular values and vectors. The derivatives of the vectors are finite only if the values are distinct, and not 0 on
//! a side that has more vectors than values.

use super::matrix::{
    adjoint, beside, column, columns, diagonal, factorized, identity_like, real, row, rows, sizes,
};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use rlx_ir::{Op, Tensor};

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Svd { full_matrices } = *op else { return cx.decomposed(op, operands) };
    let (a, t, results) = factorized(cx, op, operands)?;
    let [u, s, vh] = results.as_slice() else { return cx.decomposed(op, operands) };
    let (m, n) = sizes(&a)?;
    let k = m.min(n);
    let cut = full_matrices && m != n;
    let (first_u, first_vh) = if cut { (columns(u, 0, k), rows(vh, 0, k)) } else { (u.clone(), vh.clone()) };
    let v = adjoint(&first_vh);
    let (of_u, of_s, of_v) = thin(&first_u, s, &v, &t, (m, n));
    let of_u =
        if cut && m > k { beside(&of_u, &completed(&first_u, &columns(u, k, m), &of_u), 1) } else { of_u };
    let of_v =
        if cut && n > k { beside(&of_v, &completed(&v, &adjoint(&rows(vh, k, n)), &of_v), 1) } else { of_v };
    Ok(vec![Dual::new(u.clone(), of_u), Dual::new(s.clone(), of_s), Dual::new(vh.clone(), adjoint(&of_v))])
}

/// The tangents of U, s and V of the reduced factorization. With D = Uᴴ·Ȧ·V: ṡ = Re diag D; U̇ is U·(F ∘ (D·S + S·Dᴴ)) plus the
/// part outside the space of U, (I − U·Uᴴ)·Ȧ·V·S⁻¹; V̇ is analogous. F is 1 / (sⱼ² − sᵢ²) off the diagonal.
fn thin(u: &Tensor, s: &Tensor, v: &Tensor, t: &Tensor, (m, n): (usize, usize)) -> (Tensor, Tensor, Tensor) {
    let inner = adjoint(u).matmul(&t.matmul(v));
    let of_s = real(&diagonal(&inner));
    let differences = (row(s) + column(s)) * (row(s) - column(s));
    let identity = identity_like(&differences);
    let inverse = (1.0 / (differences + &identity) - identity).convert(u.dtype());
    let zero = s.equal(&s.scalar_like(0.0)).convert(s.dtype());
    let of_zero = (1.0 / (s + &zero) - zero).convert(u.dtype());
    let s = s.convert(u.dtype());
    let (right, left) = (&inner * row(&s), &inner * column(&s));
    let mut of_u = &inverse * (&right + adjoint(&right));
    if u.dtype().is_complex() {
        // U takes the changes of phase, so V does not change phase.
        let phases = super::matrix::on_diagonal(&((&inner - adjoint(&inner)) * 0.5));
        of_u = of_u + phases * row(&of_zero);
    }
    let mut of_u = u.matmul(&of_u);
    let mut of_v = v.matmul(&(inverse * (&left + adjoint(&left))));
    let outside = |image: Tensor, basis: &Tensor| {
        let rest = &image - basis.matmul(&adjoint(basis).matmul(&image));
        rest / row(&s)
    };
    if m > n {
        of_u = of_u + outside(t.matmul(v), u);
    }
    if n > m {
        of_v = of_v + outside(adjoint(t).matmul(u), v);
    }
    (of_u, of_s, of_v)
}

/// The tangent of a basis of the complement that rotates no further than it must: −B·Ḃᴴ·C for the basis B of the space and the
/// basis C of its complement.
fn completed(basis: &Tensor, complement: &Tensor, of_basis: &Tensor) -> Tensor {
    -basis.matmul(&adjoint(of_basis).matmul(complement))
}
