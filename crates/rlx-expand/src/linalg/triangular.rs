//! Expands the Cholesky factorization and triangular systems. Cholesky is right-looking (Golub & Van Loan, algorithm 4.2.3 on all
//! columns at once); systems are solved by column-oriented substitution (algorithms 3.1.3 and 3.1.4).

use super::{Matrices, adjoint, columns, divided, masked, of_nan, of_real, rows};
use crate::build::Expression;
use crate::looping::{counted, slice_at, with_slice_at};
use rlx_ir::{DType, Dim, OpError, Tensor, TransposeOp};

/// The triangular factor; NaN if the matrix is not positive definite.
pub(crate) fn cholesky(a: &Tensor, lower: bool) -> Result<Vec<Tensor>, OpError> {
    let matrices = Matrices::of(a)?;
    let (n, b) = (matrices.n, a.builder());
    if n == 0 {
        return Ok(vec![a.clone()]);
    }
    let all = if lower { matrices.all.clone() } else { adjoint(&matrices.all) };
    let within = rows(&b, n).greater_equal(&columns(&b, n));
    let rest = masked(&within, &all);
    let definite = b.int(1, DType::Bool).broadcast_to(&[all.dim(0), Dim::Static(1), Dim::Static(1)]);
    let limit = b.int(n as i64, DType::I32);
    // The columns of L replace those of the rest of A.
    let done = counted(&limit, &[rest, definite], &|k, carried| {
        let [rest, definite] = carried else { return Vec::new() };
        let b = rest.builder();
        let (row, column) = (rows(&b, n), columns(&b, n));
        let whole = slice_at(rest, 2, k);
        let square = slice_at(&whole, 1, k).re();
        let definite = definite.and(&square.greater(&square.scalar_like(0.0)));
        let pivot = square.sqrt();
        let below = masked(&row.greater(k), &divided(&whole, &pivot));
        let update = column.greater(k).and(&row.greater_equal(&column));
        let next = update.select(&(rest - &below * adjoint(&below)), rest);
        let factor = row.equal(k).select(&of_real(&pivot, rest), &row.greater(k).select(&below, &whole));
        vec![column.equal(k).select(&factor, &next), definite]
    });
    let [factor, definite] = &done[..] else { return Ok(done) };
    let nan = of_nan(factor);
    let factor = within.and(&definite.logical_not()).select(&nan, factor);
    Ok(vec![matrices.restore(&if lower { factor } else { adjoint(&factor) })])
}

/// The X of op(A)·X = B or X·op(A) = B.
pub(crate) fn triangular_solve(
    a: &Tensor,
    right: &Tensor,
    left_side: bool,
    lower: bool,
    unit_diagonal: bool,
    transpose: TransposeOp,
) -> Result<Vec<Tensor>, OpError> {
    let dtype = a.dtype();
    if matches!(dtype, DType::F16 | DType::BF16) {
        let wide = [a, right].map(|x| x.convert(DType::F32));
        let solved = triangular_solve(&wide[0], &wide[1], left_side, lower, unit_diagonal, transpose)?;
        return Ok(solved.iter().map(|x| x.convert(dtype)).collect());
    }
    let (coefficients, results) = (Matrices::of(a)?, Matrices::of(right)?);
    let n = coefficients.n;
    if n == 0 || right.shape().num_elements() == Some(0) {
        return Ok(vec![right.clone()]);
    }
    let mut matrix = match transpose {
        TransposeOp::None => coefficients.all.clone(),
        TransposeOp::Transpose => coefficients.all.transpose_last(),
        TransposeOp::Adjoint => adjoint(&coefficients.all),
    };
    let mut forward = lower == (transpose == TransposeOp::None);
    let mut unknown = results.all.clone();
    if !left_side {
        // X·op(A) = B is op(A)ᵀ·Xᵀ = Bᵀ.
        (matrix, unknown, forward) = (matrix.transpose_last(), unknown.transpose_last(), !forward);
    }
    let limit = a.builder().int(n as i64, DType::I32);
    let done = counted(&limit, &[matrix, unknown], &|step, carried| {
        let [matrix, x] = carried else { return Vec::new() };
        let row = rows(&x.builder(), n);
        let i = if forward { step.clone() } else { step.int_like(n as i64 - 1) - step };
        let column = slice_at(matrix, 2, &i);
        let known = slice_at(x, 1, &i);
        let known = if unit_diagonal { known } else { known / slice_at(&column, 1, &i) };
        let rest = if forward { row.greater(&i) } else { row.less(&i) };
        let next = rest.select(&(x - column * &known), x);
        vec![matrix.clone(), with_slice_at(&next, 1, &i, &known)]
    });
    let Some(x) = done.last() else { return Ok(done) };
    Ok(vec![results.restore(&if left_side { x.clone() } else { x.transpose_last() })])
}
