//! Rules of QR factors of tall and wide matrices, and of the complete Q factor. Sources: Walter and Lehmann, "Algorithmic
//! differentiation of linear algebra functions" (2010) for tall matrices; Seeger et al. (2017) and arXiv 2409.13374 for the
//! complete Q factor. Wide matrices are differentiated through their square part.

use super::matrix::{
    Triangular, adjoint, beside, columns, conjugate, factorized, identity_like, lower, on_diagonal, rows,
    sizes,
};
use crate::error::Error;
use crate::forward::{Dual, Forward};
use crate::trace;
use rlx_ir::{Op, Tensor};

pub(super) fn jvp(cx: &Forward<'_>, op: &Op, operands: &[Dual]) -> Result<Vec<Dual>, Error> {
    let Op::Qr { full_matrices } = *op else { return cx.decomposed(op, operands) };
    let (a, t, results) = factorized(cx, op, operands)?;
    let [q, r] = results.as_slice() else { return cx.decomposed(op, operands) };
    let (m, n) = sizes(&a)?;
    let (of_q, of_r) = if full_matrices && m > n {
        let (of_first, of_r) = thin(&columns(q, 0, n), &rows(r, 0, n), &t);
        let of_q = beside(&of_first, &complement(q, &of_first, m, n), 1);
        let zeros = trace::zeros_like(&rows(r, n, m));
        (of_q, beside(&of_r, &zeros, 0))
    } else {
        factors(&a, &t, q, r, (m, n))
    };
    Ok(vec![Dual::new(q.clone(), of_q), Dual::new(r.clone(), of_r)])
}

/// The tangents of the reduced factors, with min(m, n) columns and rows, given the tangent `t` of A.
pub(super) fn factors(
    a: &Tensor,
    t: &Tensor,
    q: &Tensor,
    r: &Tensor,
    (m, n): (usize, usize),
) -> (Tensor, Tensor) {
    if m >= n {
        return thin(q, r, t);
    }
    // A = Q·[R₁ R₂]: the square part determines Q, and R₂ = Qᴴ·A₂.
    let (of_q, of_first) = thin(q, &columns(r, 0, m), &columns(t, 0, m));
    let (rest, of_rest) = (columns(a, m, n), columns(t, m, n));
    let of_second = adjoint(&of_q).matmul(&rest) + adjoint(q).matmul(&of_rest);
    (of_q, beside(&of_first, &of_second, 1))
}

/// With N = Qᴴ·Ȧ·R⁻¹, and the skew-Hermitian Ω that has the part of N below the diagonal (and the imaginary part of its diagonal,
/// so that the diagonal of R stays real): Q̇ = Q·(Ω − N) + Ȧ·R⁻¹, Ṙ = (N − Ω)·R.
fn thin(q: &Tensor, r: &Tensor, t: &Tensor) -> (Tensor, Tensor) {
    let scaled = Triangular::right(false).solve(r, t);
    let inner = adjoint(q).matmul(&scaled);
    let below = lower(&inner, true);
    let mut skew = &below - adjoint(&below);
    if inner.dtype().is_complex() {
        skew = skew + on_diagonal(&((&inner - conjugate(&inner)) * 0.5));
    }
    let rest = &inner - skew;
    (scaled - q.matmul(&rest), rest.matmul(r))
}

/// The tangent of the last columns of Q = I − V·T·Vᴴ, which follow from the first n columns: with Z = Q₂₁·(Q₁₁ − I)⁻¹ they are
/// Q₁·Zᴴ + [−Zᴴ; I].
fn complement(q: &Tensor, of_first: &Tensor, m: usize, n: usize) -> Tensor {
    let first = columns(q, 0, n);
    let (top, bottom) = (rows(&first, 0, n), rows(&first, n, m));
    let (of_top, of_bottom) = (rows(of_first, 0, n), rows(of_first, n, m));
    let shifted = &top - identity_like(&top);
    let z = adjoint(&adjoint(&shifted).batched_dense_solve(&adjoint(&bottom)));
    let of_z = adjoint(&(of_bottom - z.matmul(&of_top)));
    of_first.matmul(&adjoint(&z)) - (first + columns(q, n, m).matmul(&z)).matmul(&of_z)
}
